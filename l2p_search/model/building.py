"""The models by name: which class a configuration's `model` and `backbone` stand for."""

from collections.abc import Callable

from l2p_search.config import TrialConfig
from l2p_search.model.gat import Gat
from l2p_search.model.gcn_family import Gcn, IncepGcn, JkNet, ResGcn, Sage
from l2p_search.model.l2p_on_appnp import L2pOnAppnp
from l2p_search.model.l2p_on_stack import L2pOnStack, LastOfStack
from l2p_search.model.linear_baselines import Appnp, Dagnn, GprGnn, Mlp
from l2p_search.model.linkx import Linkx
from l2p_search.model.network import Network
from l2p_search.model.problem import Problem
from l2p_search.model.stacks import GatStack, GcniiStack, GcnStack, SageStack, Stack

_Build = Callable[[Problem, TrialConfig], Network]


def build_network(problem: Problem, config: TrialConfig) -> Network:
    """The model that the config names, on one graph.

    Args:
        problem: What it is to learn on, and where.
        config: `model` and, for L2P, `backbone` name it; it reads further keys, as it says.

    Returns:
        The network, which holds the graph's matrices but no parameters.

    Example:
        >>> from l2p_search.data.demo import demo_graph
        >>> network = build_network(Problem(demo_graph()), TrialConfig(model="gcn", K=2))
        >>> type(network).__name__, network.steps
        ('Gcn', 1)
    """
    build = _BACKBONES[config.backbone] if config.model == "l2p" else _BASELINES[config.model]
    return build(problem, config)


def _on_stack(kind: type[L2pOnStack] | type[LastOfStack], stack: type[Stack]) -> _Build:
    """Builds a stack and what is put on it."""
    return lambda problem, config: kind(stack(problem, config), problem, config)


def _geom_gcn(problem: Problem, config: TrialConfig) -> Network:
    """Imported when it is built: no other model needs scipy, and a saved one must do without."""
    from l2p_search.model.geomgcn import GeomGcn

    return GeomGcn(problem, config)


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
    "geomgcn-i": _geom_gcn,
    "geomgcn-p": _geom_gcn,
    "geomgcn-s": _geom_gcn,
    "gcnii": _on_stack(LastOfStack, GcniiStack),
    "linkx": Linkx,
}
