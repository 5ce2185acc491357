"""The models by name."""

from collections.abc import Callable

import torch

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.model.gat import Gat
from l2p_search.model.gcn_family import Gcn, IncepGcn, JkNet, ResGcn
from l2p_search.model.geomgcn import GeomGcn
from l2p_search.model.l2p_on_appnp import L2pOnAppnp
from l2p_search.model.l2p_on_stack import L2pOnStack, LastOfStack
from l2p_search.model.linear_baselines import Appnp, Dagnn, GprGnn, Mlp
from l2p_search.model.network import Network
from l2p_search.model.stacks import GatStack, GcniiStack, GcnStack

_Build = Callable[[Graph, TrialConfig, torch.dtype], Network]


def build_network(
    graph: Graph, config: TrialConfig, dtype: torch.dtype = torch.float32
) -> Network:
    """The model that the config names, on one graph."""
    build = _BACKBONES[config.backbone] if config.model == "l2p" else _BASELINES[config.model]
    return build(graph, config, dtype)


_BACKBONES: dict[str, _Build] = {
    "appnp": L2pOnAppnp,
    "gcn": lambda *given: L2pOnStack(GcnStack(*given), *given),
    "gat": lambda *given: L2pOnStack(GatStack(*given), *given),
    "gcnii": lambda *given: L2pOnStack(GcniiStack(*given), *given),
}
_BASELINES: dict[str, _Build] = {
    "mlp": Mlp,
    "appnp": Appnp,
    "gprgnn": GprGnn,
    "dagnn": Dagnn,
    "gcn": Gcn,
    "resgcn": ResGcn,
    "jknet": JkNet,
    "incepgcn": IncepGcn,
    "gat": Gat,
    "geomgcn-i": GeomGcn,
    "geomgcn-p": GeomGcn,
    "geomgcn-s": GeomGcn,
    "gcnii": lambda *given: LastOfStack(GcniiStack(*given), *given),
}
