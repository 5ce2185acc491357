from dataclasses import replace

import torch
from torch import Tensor
from torch_geometric.nn import APPNP

from l2p_search.data.graph import Graph
from l2p_search.data.splits import all_rows
from l2p_search.model.linear_baselines import Appnp, Dagnn, GprGnn, Mlp
from l2p_search.model.network import Baseline, Levels
from tests.model.agreement import (
    SEEDS,
    Weights,
    assert_baseline_agrees,
    config_of,
    started,
    x_of,
)
from tests.problems import precise

_CONFIG = config_of()


def _z(graph: Graph, w: Weights) -> Tensor:
    return torch.relu(x_of(graph) @ w("W_1") + w("b_1")) @ w("W_2") + w("b_2")


def _powers(graph: Graph, z: Tensor) -> list[Tensor]:
    """A_hat^k Z for k = 0 .. K."""
    return [z] + [APPNP(k, 0.0)(z, graph.edges) for k in range(1, _CONFIG.K + 1)]


def _scores(network: Baseline, levels: Levels, graph: Graph) -> Tensor:
    rows = all_rows(graph, len(SEEDS), torch.float64)
    return network.read(levels, rows.nodes, None).logits[:, :, 0]


def test_mlp_agrees_with_its_formula_and_reads_no_edge(small_graph: Graph) -> None:
    network = Mlp(precise(small_graph), _CONFIG)
    assert_baseline_agrees(network, small_graph, lambda w: _z(small_graph, w))
    alone = replace(small_graph, edges=small_graph.edges[:, :0])
    levels = started(network)
    without = Mlp(precise(alone), _CONFIG)
    assert torch.equal(
        _scores(network, levels, small_graph), _scores(without, levels, small_graph)
    )


def test_appnp_agrees_with_torch_geometric(small_graph: Graph) -> None:
    propagate = APPNP(_CONFIG.K, _CONFIG.teleport)
    assert_baseline_agrees(
        Appnp(precise(small_graph), _CONFIG),
        small_graph,
        lambda w: propagate(_z(small_graph, w), small_graph.edges),
    )


def test_gprgnn_agrees_with_a_weighted_sum_of_matrix_powers(small_graph: Graph) -> None:
    def expected(w: Weights) -> Tensor:
        powers = torch.stack(_powers(small_graph, _z(small_graph, w)))
        return torch.einsum("k,knc->nc", w("gamma"), powers)

    assert_baseline_agrees(GprGnn(precise(small_graph), _CONFIG), small_graph, expected)


def test_gprgnn_starts_as_appnp(small_graph: Graph) -> None:
    appnp, gprgnn = (kind(precise(small_graph), _CONFIG) for kind in (Appnp, GprGnn))
    levels = started(appnp)
    gamma = gprgnn.initial_theta([torch.Generator()] * len(SEEDS))["gamma"]
    more = Levels(levels.theta | {"gamma": gamma}, {})
    torch.testing.assert_close(gamma.sum(dim=1), torch.ones(len(SEEDS)).double())
    torch.testing.assert_close(
        _scores(gprgnn, more, small_graph), _scores(appnp, levels, small_graph)
    )


def test_dagnn_agrees_with_its_formula(small_graph: Graph) -> None:
    def expected(w: Weights) -> Tensor:
        powers = _powers(small_graph, _z(small_graph, w))
        return torch.stack([torch.sigmoid(p @ w("s") + w("c")) * p for p in powers]).sum(dim=0)

    assert_baseline_agrees(Dagnn(precise(small_graph), _CONFIG), small_graph, expected)
