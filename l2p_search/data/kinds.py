"""The kind of a graph, homophilous or heterophilous, which decides its default configuration."""

from l2p_search.config import DEFAULTS, TrialConfig
from l2p_search.data.catalogue import DATASETS, Kind
from l2p_search.data.graph import Graph
from l2p_search.data.homophily import kind_of


def default_kind(graph: Graph) -> Kind:
    """Whether neighbours tend to be of one class, as far as it may be known before training.

    A dataset of the paper has the kind that the paper gives it. The kind of any other graph is
    found from training labels and features; no validation or test label is read.

    Args:
        graph: The graph.

    Returns:
        "homophily" or "heterophily".
    """
    known = DATASETS.get(graph.name)
    return kind_of(graph) if known is None else known.kind


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
    return DEFAULTS[default_kind(graph)]
