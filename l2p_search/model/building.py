"""The models by name: which class a configuration's `model` and `backbone` stand for."""

from collections.abc import Callable, Iterable

import torch

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.model.gat import Gat
from l2p_search.model.gcn_family import Gcn, IncepGcn, JkNet, ResGcn, Sage
from l2p_search.model.geomgcn import GeomGcn
from l2p_search.model.l2p_on_appnp import L2pOnAppnp
from l2p_search.model.l2p_on_stack import L2pOnStack, LastOfStack
from l2p_search.model.linear_baselines import Appnp, Dagnn, GprGnn, Mlp
from l2p_search.model.linkx import Linkx
from l2p_search.model.network import Network
from l2p_search.model.stacks import GatStack, GcniiStack, GcnStack, SageStack, Stack

_WITHOUT_WEIGHTS = frozenset({"gat", "l2p-gat", "geomgcn-i", "geomgcn-p", "geomgcn-s"})
_Build = Callable[[Graph, TrialConfig, torch.dtype], Network]


def build_network(
    graph: Graph, config: TrialConfig, dtype: torch.dtype = torch.float32
) -> Network:
    """The model that the config names, on one graph.

    Args:
        graph: What it is to learn on.
        config: `model` and, for L2P, `backbone` name it; it reads further keys, as it says.
        dtype: Of all its tensors.

    Returns:
        The network, which holds the graph's matrices but no parameters.

    Example:
        >>> from l2p_search.data.demo import demo_graph
        >>> network = build_network(demo_graph(), TrialConfig(model="gcn", K=2))
        >>> type(network).__name__, network.steps
        ('Gcn', 1)
    """
    build = _BACKBONES[config.backbone] if config.model == "l2p" else _BASELINES[config.model]
    return build(graph, config, dtype)


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


def _on_stack(kind: type[L2pOnStack] | type[LastOfStack], stack: type[Stack]) -> _Build:
    """Builds a stack and what is put on it."""
    return lambda graph, config, dtype: kind(stack(graph, config, dtype), graph, config)


_BACKBONES: dict[str, _Build] = {
    "appnp": L2pOnAppnp,
    "gcn": _on_stack(L2pOnStack, GcnStack),
    "sage": _on_stack(L2pOnStack, SageStack),
    "gat": _on_stack(L2pOnStack, GatStack),
    "gcnii": _on_stack(L2pOnStack, GcniiStack),
}
_BASELINES: dict[str, _Build] = {
    "mlp": Mlp,
    "appnp": Appnp,
    "gprgnn": GprGnn,
    "dagnn": Dagnn,
    "gcn": Gcn,
    "sage": Sage,
    "resgcn": ResGcn,
    "jknet": JkNet,
    "incepgcn": IncepGcn,
    "gat": Gat,
    "geomgcn-i": GeomGcn,
    "geomgcn-p": GeomGcn,
    "geomgcn-s": GeomGcn,
    "gcnii": _on_stack(LastOfStack, GcniiStack),
    "linkx": Linkx,
}
