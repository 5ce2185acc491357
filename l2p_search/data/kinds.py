"""The kind of a graph, homophilous or heterophilous, which decides its default configuration."""

from l2p_search.config import DEFAULTS, TrialConfig
from l2p_search.data.catalogue import DATASETS, Kind
from l2p_search.data.graph import Graph

_HOMOPHILOUS = 0.5
"""A graph is homophilous if at least this share of its edges joins two nodes of one class."""


def kind_of(graph: Graph) -> Kind:
    """Whether neighbours tend to be of one class.

    A dataset of the paper has its kind by name. For any other graph, only edges between training
    nodes of the same split are counted: no validation or test label is read. A graph without any
    such edge is taken as heterophilous, as nothing says that neighbours are alike.

    Args:
        graph: The graph.

    Returns:
        "homophily" or "heterophily".
    """
    if graph.name in DATASETS:
        return DATASETS[graph.name].kind
    source, target = graph.edges
    within = total = 0
    for train in graph.train:
        both = train[source] & train[target]
        within += int((graph.y[source[both]] == graph.y[target[both]]).sum())
        total += int(both.sum())
    return "homophily" if total and within / total >= _HOMOPHILOUS else "heterophily"


def default_config(graph: Graph) -> TrialConfig:
    """The configuration that a graph is trained with where no hyperparameter is given.

    Args:
        graph: The graph; its kind decides.

    Returns:
        A complete configuration.

    Example:
        >>> from l2p_search.data.demo import demo_graph
        >>> default_config(demo_graph()).K
        8
    """
    return DEFAULTS[kind_of(graph)]
