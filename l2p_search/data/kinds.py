"""Which defaults a graph gets: by its name where it has one, else by its training labels."""

from l2p_search.config import DEFAULTS, TrialConfig
from l2p_search.data.catalogue import DATASETS, Kind
from l2p_search.data.graph import Graph
from l2p_search.metrics import Metric

_HOMOPHILOUS = 0.5
"""The share of edges within a class from which a graph counts as homophilous."""
_RARE = 0.3
"""The share of training nodes below which one class of two counts as rare."""


def kind_of(graph: Graph) -> Kind:
    """Homophily or heterophily.

    A known graph has its kind by name. Of any other, the edges between training nodes of one
    split are looked at, and no validation or test label. Where there is no such edge, neighbours
    say nothing that is known, and the graph is taken as heterophilous.
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
    """The configuration that a graph is trained with where nothing else is said."""
    return DEFAULTS[kind_of(graph)]


def default_metric(graph: Graph) -> Metric:
    """The metric that a graph is judged by where nothing else is said.

    ROC AUC for two classes of which one is rare: there the accuracy of always predicting the other
    class is high already. Accuracy for all other graphs. Only labels of training nodes are looked
    at, those of all splits together.

    Args:
        graph: The graph.

    Returns:
        `roc_auc` or `accuracy`.

    Example:
        >>> from l2p_search.data.demo import demo_graph
        >>> default_metric(demo_graph())
        'accuracy'
    """
    labels = graph.y.expand_as(graph.train)[graph.train]
    counts = labels.bincount()
    counts = counts[counts > 0]
    rare = len(counts) == 2 and int(counts.min()) < _RARE * int(counts.sum())
    return "roc_auc" if rare else "accuracy"
