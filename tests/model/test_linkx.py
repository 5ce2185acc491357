import pytest
import torch
from torch import Tensor
from torch_geometric.nn import LINKX

from l2p_search.data.graph import Graph
from l2p_search.data.splits import all_rows
from l2p_search.model.layers import Noise
from l2p_search.model.linkx import Linkx, NeighbourSum
from tests.model.agreement import (
    SEEDS,
    Weights,
    assert_baseline_agrees,
    config_of,
    mlp_head,
    started,
    weights_of,
    x_of,
)
from tests.problems import precise


def _adjacency(graph: Graph) -> Tensor:
    dense = torch.zeros(graph.num_nodes, graph.num_nodes, dtype=torch.float64)
    dense[graph.edges[0], graph.edges[1]] = 1.0
    return dense


@pytest.mark.parametrize("head_layers", [1, 3])
def test_agrees_with_a_dense_closed_form(head_layers: int, small_graph: Graph) -> None:
    config = config_of(model="linkx", head_layers=head_layers)

    def expected(w: Weights) -> Tensor:
        by_rows = _adjacency(small_graph) @ w("W_A") + w("b_A")
        by_features = x_of(small_graph) @ w("W_X") + w("b_X")
        weights = torch.cat([w("J_A"), w("J_X")])
        joined = torch.cat([by_rows, by_features], dim=1) @ weights + w("b_J")
        return mlp_head(head_layers, (joined + by_rows + by_features).relu(), w)

    assert_baseline_agrees(Linkx(precise(small_graph), config), small_graph, expected)


def test_agrees_with_torch_geometric(small_graph: Graph) -> None:
    network = Linkx(precise(small_graph), config_of(model="linkx"))
    levels = started(network)
    nodes = all_rows(small_graph, len(SEEDS), torch.float64).nodes
    found = network.read(levels, nodes, None).logits[:, :, 0]
    sizes = (small_graph.num_nodes, small_graph.num_features, 6, small_graph.num_classes)
    reference = LINKX(*sizes, num_layers=1).double()
    for place in range(len(SEEDS)):
        w = weights_of(levels, place)
        given = {
            "edge_lin.weight": w("W_A"),
            "edge_lin.bias": w("b_A"),
            "node_mlp.lins.0.weight": w("W_X").T,
            "node_mlp.lins.0.bias": w("b_X"),
            "cat_lin1.weight": w("J_A").T,
            "cat_lin1.bias": w("b_J"),
            "cat_lin2.weight": w("J_X").T,
            "cat_lin2.bias": torch.zeros(6, dtype=torch.float64),
            "final_mlp.lins.0.weight": w("W_out").T,
            "final_mlp.lins.0.bias": w("b_out"),
        }
        inputs = (x_of(small_graph), small_graph.edges)
        wanted = torch.func.functional_call(reference, given, inputs)
        torch.testing.assert_close(found[place], wanted)


def test_the_rows_of_the_adjacency_are_not_normalised(small_graph: Graph) -> None:
    rows = NeighbourSum(precise(small_graph), 0.0)
    identity = torch.eye(small_graph.num_nodes, dtype=torch.float64)[None]
    found = rows.convolve(identity, rows.values(1, Noise(None)))[0]
    assert torch.equal(found, _adjacency(small_graph))


def test_weight_decay_is_on_both_embeddings(small_graph: Graph) -> None:
    network = Linkx(precise(small_graph), config_of(model="linkx"))
    assert network.first_layer == {"W_A", "b_A", "W_X", "b_X"}
