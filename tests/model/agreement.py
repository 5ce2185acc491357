"""Networks against plain programs of torch_geometric's layers: one seed at a time, no dropout."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import batch_norm, elu, layer_norm
from torch_geometric.nn import GATConv, GCN2Conv, GCNConv, SAGEConv

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.data.splits import all_rows
from l2p_search.model.network import Levels, Network
from l2p_search.training.seeds import generator_of

SEEDS = [0, 3, 5]
BASE: dict[str, Any] = {"K": 4, "hidden": 6, "heads": 3, "dropout": 0.0, "teleport": 0.2}

Weights = Callable[[str], Tensor]
"""A parameter of one seed by its name."""


def config_of(**changes: Any) -> TrialConfig:
    """A small configuration without dropout, with some keys changed."""
    return TrialConfig.recorded({**BASE, **changes})


def started(network: Network) -> Levels:
    """Initial parameters, moved so that no bias is zero; they require gradients."""
    torch.manual_seed(0)
    levels = network.initial([generator_of(seed, "initial") for seed in SEEDS])
    for value in (levels.theta | levels.phi).values():
        value.add_(0.1 * torch.randn(value.shape, dtype=torch.float64)).requires_grad_(True)
    return levels


def weights_of(levels: Levels, place: int) -> Weights:
    """The parameters of one seed."""
    return lambda name: (levels.theta | levels.phi)[name][place]


def assert_baseline_agrees(
    network: Network, graph: Graph, expected: Callable[[Weights], Tensor]
) -> None:
    """Values and gradients of class scores [N, C], which `expected` makes of one seed's weights.

    A baseline has one step, which every node takes surely.
    """

    def as_one_step(w: Weights) -> tuple[Tensor, Tensor]:
        scores = expected(w)
        return torch.ones(len(scores), 1, dtype=torch.float64), scores.unsqueeze(1)

    assert_agrees(network, graph, as_one_step)


def assert_agrees(
    network: Network, graph: Graph, expected: Callable[[Weights], tuple[Tensor, Tensor]]
) -> None:
    """Values and gradients of q [N, T] and of class scores [N, T, C], for every seed."""
    levels = started(network)
    rows = all_rows(graph, len(SEEDS), torch.float64)
    read = network.read(levels, rows.nodes, None)
    wanted = [expected(weights_of(levels, place)) for place in range(len(SEEDS))]
    wanted_q, wanted_logits = (torch.stack(parts) for parts in zip(*wanted, strict=True))
    logits = read.logits + read.bias[:, None, None]
    torch.testing.assert_close(read.log_q.exp(), wanted_q)
    torch.testing.assert_close(logits, wanted_logits)
    parameters = levels.theta | levels.phi
    mix_q, mix_logits = torch.randn_like(wanted_q), torch.randn_like(wanted_logits)
    ours = (read.log_q.exp() * mix_q).sum() + (logits * mix_logits).sum()
    theirs = (wanted_q * mix_q).sum() + (wanted_logits * mix_logits).sum()
    assert_gradients_agree(ours, theirs, parameters)


def assert_gradients_agree(ours: Tensor, theirs: Tensor, parameters: dict[str, Tensor]) -> None:
    """Two scalars with one gradient by every parameter."""
    mine = torch.autograd.grad(ours, list(parameters.values()))
    reference = torch.autograd.grad(theirs, list(parameters.values()))
    for name, one, other in zip(parameters, mine, reference, strict=True):
        torch.testing.assert_close(one, other, msg=lambda text, name=name: f"{name}: {text}")


def x_of(graph: Graph) -> Tensor:
    """The features in double precision."""
    return graph.x.double()


def gcn_layer(graph: Graph, h: Tensor, w: Weights, name: str) -> Tensor:
    """torch_geometric's GCNConv with the weights of a layer."""
    weight = w(f"W_{name}")
    given = {"lin.weight": weight.T, "bias": w(f"b_{name}")}
    layer = GCNConv(*weight.shape).double()
    return torch.func.functional_call(layer, given, (h, graph.edges))


def sage_layer(graph: Graph, h: Tensor, w: Weights, name: str) -> Tensor:
    """torch_geometric's SAGEConv with the weights of a layer."""
    weight = w(f"W_{name}")
    given = {
        "lin_l.weight": weight.T,
        "lin_l.bias": w(f"b_{name}"),
        "lin_r.weight": w(f"U_{name}").T,
    }
    layer = SAGEConv(*weight.shape, aggr="mean").double()
    return torch.func.functional_call(layer, given, (h, graph.edges))


def gat_layer(graph: Graph, h: Tensor, w: Weights, name: str) -> Tensor:
    """torch_geometric's GATConv with the weights of a layer."""
    to, from_ = w(f"to_{name}"), w(f"from_{name}")
    layer = GATConv(h.shape[1], to.shape[1], heads=to.shape[0]).double()
    given = {
        "lin.weight": w(f"W_{name}").T,
        "att_src": from_[None],
        "att_dst": to[None],
        "bias": w(f"b_{name}"),
    }
    return torch.func.functional_call(layer, given, (h, graph.edges))


def gcnii_layer(
    graph: Graph, config: TrialConfig, h: Tensor, first: Tensor, w: Weights, step: int
) -> Tensor:
    """torch_geometric's GCN2Conv with the weights of a step."""
    layer = GCN2Conv(h.shape[1], config.teleport, config.identity, step, False).double()
    given = {"weight1": w(f"W_{step}"), "weight2": w(f"V_{step}")}
    return torch.func.functional_call(layer, given, (h, first, graph.edges)).relu()


def tuned(config: TrialConfig, h: Tensor, read: Tensor, w: Weights, name: str) -> Tensor:
    """norm(H + R V) of one seed, for what a hidden layer made (H) of what it read (R)."""
    if config.residual == "linear":
        h = h + read @ w(f"V_{name}")
    if config.norm == "layer":
        h = layer_norm(h, h.shape[1:], w(f"scale_{name}"), w(f"shift_{name}"))
    if config.norm == "batch":
        scale, shift = w(f"scale_{name}"), w(f"shift_{name}")
        h = batch_norm(h, None, None, scale, shift, training=True)
    return h


LAYERS = {"gcn": gcn_layer, "sage": sage_layer, "gat": gat_layer}
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gcn": torch.relu,
    "sage": torch.relu,
    "gat": elu,
}
TUNED: list[dict[str, Any]] = [
    {"norm": "layer", "residual": "linear"},
    {"norm": "batch", "residual": "linear"},
    {"norm": "batch"},
    {"residual": "linear"},
]
"""What tuning adds, in several combinations."""


def hidden_layer(
    graph: Graph, config: TrialConfig, kind: str, h: Tensor, w: Weights, name: str
) -> Tensor:
    """act(norm(conv(H) + H V)) by torch_geometric's layer and torch's normalisation."""
    return ACTIVATIONS[kind](tuned(config, LAYERS[kind](graph, h, w, name), h, w, name))


def mlp_head(layers: int, h: Tensor, w: Weights) -> Tensor:
    """Class scores of a head with so many layers, from h [.., H]."""
    for layer in range(1, layers):
        h = (h @ w(f"W_head_{layer}") + w(f"b_head_{layer}")).relu()
    return h @ w("W_out") + w("b_out")


def stack_steps(graph: Graph, config: TrialConfig, backbone: str, w: Weights) -> list[Tensor]:
    """H_0 .. H_K [N, H] of a stack, by torch_geometric's layers."""
    hidden = [torch.relu(x_of(graph) @ w("W_in") + w("b_in"))]
    for step in range(1, config.K + 1):
        if backbone == "gcnii":
            h = gcnii_layer(graph, config, hidden[-1], hidden[0], w, step)
        else:
            h = hidden_layer(graph, config, backbone, hidden[-1], w, str(step))
        hidden.append(h)
    return hidden
