"""The kind of a graph, homophilous or heterophilous, which decides its default configuration."""

from l2p_search.config import DEFAULTS, TrialConfig
from l2p_search.data.catalogue import DATASETS, Kind
from l2p_search.data.demo import SOURCE
from l2p_search.data.graph import Graph
from l2p_search.data.homophily import kind_of
from l2p_search.metrics import Metric, MetricChoice

_RARE = 0.3
"""The share of training nodes below which one class of two counts as rare."""


def default_kind(graph: Graph) -> Kind:
    """Whether neighbours tend to be of one class, as far as it may be known before training.

    A dataset of the paper has the kind that the paper gives it. The kind of any other graph,
    whatever it is called, is found from features and the labels of the first split's training
    nodes; no label of its validation or test nodes is read.

    Args:
        graph: The graph.

    Returns:
        "homophily" or "heterophily".
    """
    source = "demo" if graph.about.source == SOURCE else graph.about.source
    known = DATASETS.get(source)
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


def default_metric(graph: Graph) -> Metric:
    """The metric that a graph is judged by where nothing else is said.

    ROC AUC for two classes of which one is rare: there the accuracy of always predicting the other
    class is high already. Accuracy for all other graphs. Only labels of the first split's training
    nodes are looked at.

    Args:
        graph: The graph.

    Returns:
        `roc_auc` or `accuracy`.

    Example:
        >>> from l2p_search.data.demo import demo_graph
        >>> default_metric(demo_graph())
        'accuracy'
    """
    counts = graph.y[graph.train[0]].bincount(minlength=graph.num_classes)
    rare = len(counts) == 2 and int(counts.min()) < _RARE * int(counts.sum())
    return "roc_auc" if rare else "accuracy"


def chosen_metric(graph: Graph, asked: MetricChoice | None) -> Metric:
    """The metric that is asked for; that of the graph for "auto" and for None.

    Example:
        >>> from l2p_search.data.demo import demo_graph
        >>> chosen_metric(demo_graph(), "macro_f1"), chosen_metric(demo_graph(), "auto")
        ('macro_f1', 'accuracy')
    """
    return default_metric(graph) if asked is None or asked == "auto" else asked
