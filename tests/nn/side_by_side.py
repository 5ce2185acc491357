"""The engine and the module on one graph, with the same parameters, dropout and Gumbel noise.

The engine drops by bytes that belong to a seed, the module by `F.dropout`: here the module's
dropout takes the engine's bytes, in the order in which a pass asks for them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch import Tensor

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.model.building import build_network
from l2p_search.model.network import Levels
from l2p_search.nn import L2P, TwoLevels
from l2p_search.training.bilevel import BiLevel
from l2p_search.training.label_shares import learned_nodes
from l2p_search.training.seeds import Streams
from tests.problems import precise

SEEDS = [0, 1, 4]
BASE: dict[str, Any] = {
    "K": 3,
    "hidden": 6,
    "heads": 3,
    "dropout": 0.0,
    "kl_weight": 0.3,
    "weight_decay": 0.01,
}
TRAINED_BY = (
    "lr", "upper_lr", "weight_decay", "decay_on", "step_decay", "level", "consistency",
    "sharpening", "class_weight",
)  # fmt: skip

APPNP: list[dict[str, Any]] = [
    {},
    {"posterior": "select"},
    {"scorer": "per_step"},
    {"scorer": "per_step", "scorer_bias": "none", "kl_weight": 1.0},
    {"posterior": "select", "scorer": "per_step", "prior": "geometric"},
    {"teleport": 0.4, "K": 1},
    {"skip": 0.7},
    {"skip": 1.0, "self_loop": 0.0},
    {"self_loop": 0.3, "scorer": "per_step"},
    {"classifier": "per_step"},
    {"encoder": "linear"},
    {"dropout": 0.5},
    {"dropout": 0.5, "encoder": "linear"},
    {"dropout": 0.5, "node_dropout": 0.5, "skip": 0.7},
]
LAYERED: list[dict[str, Any]] = [
    *({"backbone": backbone} for backbone in ("gcn", "sage", "gat", "gcnii")),
    {"backbone": "gcn", "scorer": "per_step", "posterior": "select"},
    {"backbone": "gcn", "norm": "layer", "residual": "linear", "head_layers": 3},
    {"backbone": "gcn", "norm": "batch"},
    {"backbone": "sage", "norm": "batch", "residual": "linear", "head_layers": 2},
    {"backbone": "gat", "norm": "layer", "residual": "linear"},
    {"backbone": "gcnii", "identity": 1.5, "teleport": 0.4},
    {"backbone": "gcn", "dropout": 0.5, "edge_dropout": 0.5, "head_layers": 2},
    {"backbone": "sage", "dropout": 0.5, "edge_dropout": 0.5},
    {"backbone": "gcnii", "dropout": 0.5, "edge_dropout": 0.5},
    {"backbone": "gat", "dropout": 0.5},
]
"""Every option of the networks, alone or with those that it has to get along with."""
LEARNING: list[dict[str, Any]] = [
    {"temperature": 0.5, "kl_weight": 0.0, "decay_on": "theta"},
    {"phi_share": 0.5},
    {"phi_share": 0.3, "backbone": "gcn", "dropout": 0.5},
    {"phi_share": 0.5, "level": "second_order", "dropout": 0.5},
    {"phi_share": 0.7, "algorithm": "em"},
    {"phi_share": 0.5, "consistency": 40.0, "dropout": 0.5},
    {"level": "joint"},
    {"level": "second_order"},
    {"level": "second_order", "dropout": 0.5},
    {"level": "second_order", "backbone": "gat", "dropout": 0.5},
    {"level": "unrolled"},
    {"level": "unrolled", "dropout": 0.5, "decay_on": "theta"},
    {"level": "unrolled", "backbone": "gcnii", "step_decay": 0.1},
    {"algorithm": "em"},
    {"algorithm": "em", "kl_weight": 0.0},
    {"algorithm": "em", "kl_weight": 1.0, "prior": "geometric", "prior_ratio": 0.25},
    {"algorithm": "em", "level": "joint", "dropout": 0.5},
    {"algorithm": "em", "level": "second_order", "posterior": "select"},
    {"algorithm": "em", "level": "unrolled", "kl_weight": 0.05},
    {"algorithm": "em", "encoder": "linear", "decay_on": "theta"},
    {"algorithm": "em", "classifier": "per_step", "skip": 1.0, "backbone": "appnp"},
    {"algorithm": "em", "backbone": "gcn", "norm": "batch"},
    {"backbone": "gcnii", "step_decay": 0.1, "decay_on": "theta"},
    {"class_weight": "balanced"},
    {"class_weight": "balanced", "level": "second_order", "dropout": 0.5},
    {"class_weight": "balanced", "level": "joint", "consistency": 40.0},
    {"class_weight": "balanced", "algorithm": "em"},
    {"class_weight": "balanced", "phi_share": 0.5},
    {"class_weight": "balanced", "algorithm": "em", "backbone": "gcn", "kl_weight": 0.0},
    {"consistency": 40.0, "sharpening": 0.3, "dropout": 0.5},
    {"consistency": 40.0, "level": "joint"},
    {"consistency": 40.0, "algorithm": "em", "level": "joint"},
    {"consistency": 40.0, "level": "second_order", "dropout": 0.5},
    {"consistency": 40.0, "level": "unrolled"},
    {"consistency": 40.0, "backbone": "gcn", "posterior": "select"},
]
"""Every option of the learning."""


def config_of(variant: dict[str, Any]) -> TrialConfig:
    return TrialConfig.recorded({**BASE, **variant})


def engine_of(graph: Graph, config: TrialConfig) -> BiLevel:
    """The engine's learner with no bias at zero, in double precision."""
    problem = precise(graph)
    learner = BiLevel(problem, build_network(problem, config), config, SEEDS)
    generator = torch.Generator().manual_seed(0)
    for value in (learner.levels.theta | learner.levels.phi).values():
        value.add_(0.1 * torch.randn(value.shape, dtype=value.dtype, generator=generator))
    return learner


def module_of(config: TrialConfig, levels: Levels, place: int) -> L2P:
    return L2P.from_levels(config, levels.theta, levels.phi, place).train()


def learner_of(graph: Graph, config: TrialConfig, levels: Levels, place: int) -> TwoLevels:
    split = SEEDS[place] % graph.num_splits
    return TwoLevels(
        module_of(config, levels, place),
        graph.x.double(),
        graph.edges,
        graph.y,
        graph.train[split],
        learned_of(graph, config, place),
        graph.weights,
        **{key: getattr(config, key) for key in TRAINED_BY},
    )


def learned_of(graph: Graph, config: TrialConfig, place: int) -> Tensor:
    """The nodes that phi of a seed learns from."""
    if config.phi_share < 1.0:
        return learned_nodes(graph, SEEDS[place], config.phi_share)
    return graph.val[SEEDS[place] % graph.num_splits]


def judged_of(graph: Graph, config: TrialConfig, place: int) -> Tensor:
    """The nodes that stop a seed and choose."""
    val = graph.val[SEEDS[place] % graph.num_splits]
    return val & ~learned_of(graph, config, place) if config.phi_share < 1.0 else val


class Noise:
    """What the engine's learner draws in each epoch, as it draws it."""

    def __init__(self, graph: Graph, config: TrialConfig) -> None:
        problem = precise(graph)
        self._size = build_network(problem, config).noise_size
        self._streams = {
            purpose: Streams(problem, SEEDS, purpose) for purpose in ("dropout", "lower", "upper")
        }
        self._rows = {
            "lower": int(graph.train.sum(dim=1).max()),
            "upper": max(int(learned_of(graph, config, place).sum()) for place in range(2)),
        }
        self._steps = config.K + 1

    def bytes(self) -> Tensor:
        return self._streams["dropout"].bytes(self._size)

    def gumbel(self, level: str) -> Tensor:
        return self._streams[level].gumbel(self._rows[level], self._steps)


@contextmanager
def dropping(
    bytes_: Tensor, graph: Graph, config: TrialConfig, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Passes of the module drop by these bytes of one seed, each pass from the first one on."""
    used = 0
    order = _order_of_entries(graph)
    loop = _loops_among_pairs(graph, config)

    def dropout(x: Tensor, rate: float, training: bool) -> Tensor:
        nonlocal used
        if rate == 0.0 or not training:
            return x
        if x.dim() == 1:  # one byte per pair of joined nodes; the engine has loops among them
            taken = bytes_[used : used + len(loop)][~loop]
            used += len(loop)
            return x * (taken >= 256 * rate) / (1 - rate)
        taken = bytes_[used : used + x.numel()].reshape(x.shape)
        used += x.numel()
        if x.shape[-1] == len(order):  # one byte per entry of the adjacency
            taken = taken[:, order]
        return x * (taken >= 256 * rate) / (1 - rate)

    read = L2P.read

    def counted(*args: Any, **kwargs: Any) -> Any:
        nonlocal used
        used = 0
        return read(*args, **kwargs)

    with monkeypatch.context() as patched:
        patched.setattr("torch.nn.functional.dropout", dropout)
        patched.setattr(L2P, "read", counted)
        yield
    assert used in (0, len(bytes_)), "a pass drops as much as the engine's"


def _order_of_entries(graph: Graph) -> Tensor:
    """The place in the engine's adjacency of every entry of the module's, self-loops last."""
    loops = torch.arange(graph.num_nodes)
    column, row = torch.cat([graph.edges, loops.expand(2, -1)], dim=1)
    keys = row * graph.num_nodes + column
    return torch.searchsorted(keys.sort().values, keys)


def _loops_among_pairs(graph: Graph, config: TrialConfig) -> Tensor:
    """Which of the engine's pairs of joined nodes are a node and itself, in their order."""
    low, high = graph.edges.sort(dim=0).values
    if config.backbone != "sage":
        loops = torch.arange(graph.num_nodes)
        low, high = torch.cat([low, loops]), torch.cat([high, loops])
    pairs = (low * graph.num_nodes + high).unique()
    return pairs // graph.num_nodes == pairs % graph.num_nodes
