"""Every model against torch_geometric's own layers, seed by seed, values and gradients."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch_geometric.nn import APPNP, GATConv, GCN2Conv, GCNConv

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.data.splits import all_rows
from l2p_search.model.building import build_network
from l2p_search.model.geometry.relations import latent_positions, structural_relations
from l2p_search.model.geomgcn import SPACES
from l2p_search.model.network import Levels, Parameters
from l2p_search.training.seeds import Streams

_SEEDS = [0, 3, 5]
_BASE: dict[str, Any] = {"K": 4, "hidden": 6, "heads": 3, "dropout": 0.0, "teleport": 0.2}
_MODELS: list[dict[str, Any]] = [
    {"model": "mlp"},
    {"model": "appnp"},
    {"model": "gprgnn"},
    {"model": "dagnn"},
    {"model": "gcn"},
    {"model": "gcn", "K": 1},
    {"model": "gcn", "K": 2},
    {"model": "resgcn"},
    {"model": "jknet"},
    {"model": "incepgcn"},
    {"model": "gat"},
    {"model": "gat", "K": 1},
    {"model": "gcnii"},
    {"model": "geomgcn-i"},
    {"model": "geomgcn-p"},
    {"model": "geomgcn-s"},
    {"backbone": "gcn"},
    {"backbone": "gat"},
    {"backbone": "gcnii"},
    {"backbone": "gcn", "scorer": "per_step"},
]

Weights = Callable[[str], Tensor]


def _linear(graph: Graph, w: Weights) -> Tensor:
    return F.relu(_x(graph) @ w("W_1") + w("b_1")) @ w("W_2") + w("b_2")


def _x(graph: Graph) -> Tensor:
    return graph.x.double()


def _gcn_layer(graph: Graph, h: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    layer = GCNConv(*weight.shape).double()
    return torch.func.functional_call(
        layer, {"lin.weight": weight.T, "bias": bias}, (h, graph.edges)
    )


def _gat_layer(graph: Graph, h: Tensor, w: Weights, name: str) -> Tensor:
    to, from_ = w(f"to_{name}"), w(f"from_{name}")
    layer = GATConv(h.shape[1], to.shape[1], heads=to.shape[0]).double()
    given = {
        "lin.weight": w(f"W_{name}").T,
        "att_src": from_[None],
        "att_dst": to[None],
        "bias": w(f"b_{name}"),
    }
    return torch.func.functional_call(layer, given, (h, graph.edges))


def _gcnii_layer(
    graph: Graph, config: TrialConfig, h: Tensor, first: Tensor, w: Weights, step: int
) -> Tensor:
    layer = GCN2Conv(h.shape[1], config.teleport, config.identity, step, False).double()
    given = {"weight1": w(f"W_{step}"), "weight2": w(f"V_{step}")}
    return torch.func.functional_call(layer, given, (h, first, graph.edges)).relu()


def _steps(graph: Graph, config: TrialConfig, backbone: str, w: Weights) -> list[Tensor]:
    hidden = [F.relu(_x(graph) @ w("W_in") + w("b_in"))]
    for step in range(1, config.K + 1):
        if backbone == "gcn":
            h = _gcn_layer(graph, hidden[-1], w(f"W_{step}"), w(f"b_{step}")).relu()
        elif backbone == "gat":
            h = F.elu(_gat_layer(graph, hidden[-1], w, str(step)))
        else:
            h = _gcnii_layer(graph, config, hidden[-1], hidden[0], w, step)
        hidden.append(h)
    return hidden


def _baseline(graph: Graph, config: TrialConfig, w: Weights) -> Tensor:
    """Class scores of every node [N, C]."""
    K = config.K
    if config.model == "gcnii":
        return _steps(graph, config, "gcnii", w)[-1] @ w("W_out") + w("b_out")
    if config.model.startswith("geomgcn"):
        return _geom_gcn(graph, config, w)
    if config.model == "gat":
        h = _x(graph)
        for layer in range(1, K + 1):
            h = _gat_layer(graph, h if layer == 1 else F.elu(h), w, str(layer))
        return h
    if config.model in ("mlp", "appnp", "gprgnn", "dagnn"):
        z = _linear(graph, w)
        if config.model == "mlp":
            return z
        if config.model == "appnp":
            propagated: Tensor = APPNP(K, config.teleport)(z, graph.edges)
            return propagated
        powers = [z] + [APPNP(k, 0.0)(z, graph.edges) for k in range(1, K + 1)]
        if config.model == "gprgnn":
            return sum((w("gamma")[k] * p for k, p in enumerate(powers)), torch.zeros(()))
        return sum((torch.sigmoid(p @ w("s") + w("c")) * p for p in powers), torch.zeros(()))

    def conv(h: Tensor, name: str) -> Tensor:
        return _gcn_layer(graph, h, w(f"W_{name}"), w(f"b_{name}"))

    h = conv(_x(graph), "1")
    if K == 1:
        return h
    h = h.relu()
    kept = [h]
    if config.model == "incepgcn":
        for branch in range(1, K - 1):
            h = kept[0]
            for place in range(1, branch + 1):
                h = conv(h, f"{branch}_{place}").relu()
            kept.append(h)
    else:
        for layer in range(2, K):
            residual = h if config.model == "resgcn" else 0.0
            h = conv(h, str(layer)).relu() + residual
            kept.append(h)
    wide = config.model in ("jknet", "incepgcn")
    return conv(torch.cat(kept, dim=1) if wide else h, str(K))


def _geom_gcn(graph: Graph, config: TrialConfig, w: Weights) -> Tensor:
    """Dense, one virtual neighbour after another."""
    space = SPACES[config.model]
    patterns = structural_relations(graph, latent_positions(graph, space), space)
    nodes, eye = graph.num_nodes, torch.eye(graph.num_nodes).double()
    matrices = []
    for start in (0, 4):
        degree = torch.zeros(nodes).double()
        for row, _ in patterns[start : start + 4]:
            degree += row.bincount(minlength=nodes)
        for row, column in patterns[start : start + 4]:
            matrix = torch.zeros(nodes, nodes).double()
            matrix[row, column] = (degree[row] * degree[column]) ** -0.5
            matrices.append(matrix)
    matrices.append(eye)
    first = w("W_1").chunk(9, dim=1)
    h = torch.cat([m @ (_x(graph) @ part) for m, part in zip(matrices, first, strict=True)], dim=1)
    h = F.relu(h + w("b_1"))
    second = w("W_2").chunk(9, dim=1)
    scores = [m @ (h @ part) for m, part in zip(matrices, second, strict=True)]
    return torch.stack(scores).mean(dim=0) + w("b_2")


def _l2p(graph: Graph, config: TrialConfig, w: Weights) -> tuple[Tensor, Tensor]:
    """q [N, T] by the product of the paper, and class scores of every step [N, T, C]."""
    hidden = _steps(graph, config, config.backbone, w)
    columns = range(len(hidden)) if w("w").shape[1] > 1 else [0] * len(hidden)
    scores = [
        h @ w("w")[:, c] + w("b")[k] for k, (h, c) in enumerate(zip(hidden, columns, strict=True))
    ]
    left, parts = torch.ones_like(scores[0]), []
    for score in scores[:-1]:
        parts.append(torch.sigmoid(score) * left)
        left = left * (1 - torch.sigmoid(score))
    logits = [h @ w("W_out") + w("b_out") for h in hidden]
    return torch.stack([*parts, left], dim=1), torch.stack(logits, dim=1)


def _levels(graph: Graph, config: TrialConfig) -> tuple[Any, Levels, Parameters]:
    network = build_network(graph, config, torch.float64)
    levels = network.initial(Streams(_SEEDS, "initial", torch.float64).generators)
    everything = levels.theta | levels.phi
    for name, value in everything.items():
        if not name.startswith("gamma"):
            value.add_(0.1 * torch.randn(value.shape, dtype=torch.float64))  # no zero biases
        value.requires_grad_(True)
    return network, levels, everything


@pytest.mark.parametrize("changes", _MODELS, ids=lambda c: "-".join(map(str, c.values())))
def test_agrees_with_torch_geometric_in_values_and_gradients(
    changes: dict[str, Any], small_graph: Graph
) -> None:
    torch.manual_seed(0)
    config = TrialConfig.recorded({**_BASE, **changes})
    network, levels, everything = _levels(small_graph, config)
    rows = all_rows(small_graph, len(_SEEDS), torch.float64)
    read = network.read(levels, rows.nodes, None)
    q = read.log_q.exp()
    ours = torch.cat([q.flatten(2), (read.logits + read.bias[:, None, None]).flatten(2)], dim=2)
    theirs = []
    for place in range(len(_SEEDS)):

        def own(name: str, place: int = place) -> Tensor:
            return everything[name][place]

        if config.model == "l2p":
            want_q, logits = _l2p(small_graph, config, own)
            theirs.append(torch.cat([want_q, logits.flatten(1)], dim=1))
        else:
            logits = _baseline(small_graph, config, own)
            theirs.append(torch.cat([torch.ones(len(logits), 1), logits], dim=1))
    wanted = torch.stack(theirs)
    torch.testing.assert_close(ours, wanted)
    mix = torch.randn(ours.shape, dtype=torch.float64)
    names = list(everything)
    mine = torch.autograd.grad((ours * mix).sum(), [everything[n] for n in names])
    reference = torch.autograd.grad((wanted * mix).sum(), [everything[n] for n in names])
    for name, one, other in zip(names, mine, reference, strict=True):
        torch.testing.assert_close(one, other, msg=lambda text, name=name: f"{name}: {text}")


@pytest.mark.parametrize("changes", _MODELS, ids=lambda c: "-".join(map(str, c.values())))
def test_a_seed_is_dropped_out_the_same_alone_and_in_a_batch(
    changes: dict[str, Any], small_graph: Graph
) -> None:
    config = TrialConfig.recorded({**_BASE, "dropout": 0.5, "edge_dropout": 0.4, **changes})
    network, levels, _ = _levels(small_graph, config)
    rows = all_rows(small_graph, len(_SEEDS), torch.float64)
    noise = Streams(_SEEDS, "dropout", torch.float64).bytes(network.noise_size)
    together = network.read(levels, rows.nodes, noise)
    clean = network.read(levels, rows.nodes, None)
    assert not torch.allclose(together.logits, clean.logits)
    for place in range(len(_SEEDS)):
        one = torch.tensor([place])
        alone = network.read(levels.of_seeds(one), rows.nodes[one], noise[one])
        torch.testing.assert_close(alone.logits, together.logits[one])
        torch.testing.assert_close(alone.log_q, together.log_q[one])
    other = network.read(levels, rows.nodes, noise.flip(0))
    assert not torch.allclose(together.logits[0], other.logits[0])
