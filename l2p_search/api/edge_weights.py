"""Weights of edges: saying which models do not use them."""

from collections.abc import Iterable

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph

_WITHOUT_WEIGHTS = frozenset({"gat", "l2p-gat", "geomgcn-i", "geomgcn-p", "geomgcn-s"})


def weights_note(graph: Graph, configs: Iterable[TrialConfig]) -> str | None:
    """One line on the weights of edges that a model does not use.

    Attention learns its own weights, and Geom-GCN's relations are of latent spaces: neither has a
    form in which the weights of edges would mean what they mean elsewhere.

    Args:
        graph: What is trained on.
        configs: The configurations in question.

    Returns:
        The line; None where no weight is ignored.

    Example:
        >>> from l2p_search.data.demo import demo_graph
        >>> weights_note(demo_graph(), [TrialConfig(model="gat")]) is None
        True
    """
    ignoring = sorted({each.method for each in configs if each.network in _WITHOUT_WEIGHTS})
    if graph.weights is None or not ignoring:
        return None
    verb = "ignores" if len(ignoring) == 1 else "ignore"
    return f"{graph.name}: {' and '.join(ignoring)} {verb} the weights of its edges"
