from typing import Any

import pytest
import torch
from torch import Tensor

from l2p_search.data.graph import Graph
from l2p_search.data.splits import all_rows
from l2p_search.model.gcn_family import Gcn, IncepGcn, JkNet, ResGcn, Sage
from tests.model.agreement import (
    SEEDS,
    TUNED,
    Weights,
    assert_baseline_agrees,
    config_of,
    gcn_layer,
    hidden_layer,
    mlp_head,
    sage_layer,
    started,
    x_of,
)
from tests.problems import precise

_KINDS = (Gcn, ResGcn, JkNet, IncepGcn)


def _hidden(kind: type[Gcn], graph: Graph, K: int, w: Weights) -> Tensor:
    """What the last layer reads."""
    h = gcn_layer(graph, x_of(graph), w, "1").relu()
    kept = [h]
    if kind is IncepGcn:
        for branch in range(1, K - 1):
            h = kept[0]
            for place in range(1, branch + 1):
                h = gcn_layer(graph, h, w, f"{branch}_{place}").relu()
            kept.append(h)
    else:
        for layer in range(2, K):
            residual = h if kind is ResGcn else 0.0
            h = gcn_layer(graph, h, w, str(layer)).relu() + residual
            kept.append(h)
    return torch.cat(kept, dim=1) if kind in (JkNet, IncepGcn) else h


@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("K", [2, 3, 5])
def test_agrees_with_torch_geometric(kind: type[Gcn], K: int, small_graph: Graph) -> None:
    network = kind(precise(small_graph), config_of(K=K))

    def expected(w: Weights) -> Tensor:
        return gcn_layer(small_graph, _hidden(kind, small_graph, K, w), w, str(K))

    assert_baseline_agrees(network, small_graph, expected)


@pytest.mark.parametrize("kind", _KINDS)
def test_one_layer_goes_from_features_to_class_scores(kind: type[Gcn], small_graph: Graph) -> None:
    network = kind(precise(small_graph), config_of(K=1))
    assert_baseline_agrees(
        network, small_graph, lambda w: gcn_layer(small_graph, x_of(small_graph), w, "1")
    )


@pytest.mark.parametrize("K", [1, 2, 5])
def test_graphsage_agrees_with_torch_geometric(K: int, small_graph: Graph) -> None:
    """The graph has a node without neighbours, whose mean is zero."""

    def expected(w: Weights) -> Tensor:
        h = x_of(small_graph)
        for layer in range(1, K):
            h = sage_layer(small_graph, h, w, str(layer)).relu()
        return sage_layer(small_graph, h, w, str(K))

    network = Sage(precise(small_graph), config_of(K=K))
    assert_baseline_agrees(network, small_graph, expected)
    assert network.first_layer == {"W_1", "U_1", "b_1"}


@pytest.mark.parametrize("changes", TUNED, ids=lambda c: "-".join(c.values()))
@pytest.mark.parametrize(("model", "kind"), [("gcn", Gcn), ("sage", Sage)])
def test_tuned_layers_agree_with_torch_geometric_and_torch(
    model: str, kind: type[Gcn], changes: dict[str, Any], small_graph: Graph
) -> None:
    config = config_of(model=model, K=4, **changes)

    def expected(w: Weights) -> Tensor:
        h = x_of(small_graph)
        for layer in range(1, 4):
            h = hidden_layer(small_graph, config, model, h, w, str(layer))
        last = gcn_layer if model == "gcn" else sage_layer
        return last(small_graph, h, w, "4")

    network = kind(precise(small_graph), config)
    assert_baseline_agrees(network, small_graph, expected)
    assert ("V_1" in network.first_layer) == ("residual" in changes)


@pytest.mark.parametrize("K", [1, 3])
@pytest.mark.parametrize("head_layers", [2, 4])
@pytest.mark.parametrize(("model", "kind"), [("gcn", Gcn), ("sage", Sage)])
def test_with_a_head_every_convolution_is_a_hidden_layer(
    model: str, kind: type[Gcn], head_layers: int, K: int, small_graph: Graph
) -> None:
    """With two layers in the head this is the network that Luo et al. tune."""
    config = config_of(model=model, K=K, head_layers=head_layers, norm="batch", residual="linear")

    def expected(w: Weights) -> Tensor:
        h = x_of(small_graph)
        for layer in range(1, K + 1):
            h = hidden_layer(small_graph, config, model, h, w, str(layer))
        return mlp_head(head_layers - 1, h, w)

    network = kind(precise(small_graph), config)
    assert_baseline_agrees(network, small_graph, expected)
    assert "V_1" in network.first_layer


@pytest.mark.parametrize("kind", [ResGcn, JkNet, IncepGcn])
def test_the_relatives_of_gcn_have_no_tuning(kind: type[Gcn], small_graph: Graph) -> None:
    config = config_of(norm="layer", residual="linear", head_layers=2)
    theta = kind(precise(small_graph), config).initial_theta([torch.Generator()])
    assert {name[0] for name in theta} == {"W", "b"}


def test_a_layer_of_graphsage_drops_the_same_units_for_neighbours_and_node(
    small_graph: Graph,
) -> None:
    """With every unit dropped, nothing of either matrix is left."""
    network = Sage(precise(small_graph), config_of(K=2, dropout=0.5))
    levels = started(network)
    noise = torch.zeros(len(SEEDS), network.noise_size, dtype=torch.uint8)
    nodes = all_rows(small_graph, len(SEEDS), torch.float64).nodes
    found = network.read(levels, nodes, noise).logits[:, :, 0]
    torch.testing.assert_close(found, levels.theta["b_2"][:, None].expand_as(found))


def test_with_two_layers_all_four_are_one_network(small_graph: Graph) -> None:
    nodes = all_rows(small_graph, len(SEEDS), torch.float64).nodes
    networks = [kind(precise(small_graph), config_of(K=2)) for kind in _KINDS]
    levels = started(networks[0])
    first, *others = (network.read(levels, nodes, None).logits for network in networks)
    assert all(torch.equal(first, other) for other in others)


def test_inception_has_one_layer_per_branch_and_place(small_graph: Graph) -> None:
    theta = IncepGcn(precise(small_graph), config_of(K=5)).initial_theta([torch.Generator()])
    names = [name for name in theta if name.startswith("W_")]
    assert names == ["W_1", "W_1_1", "W_2_1", "W_2_2", "W_3_1", "W_3_2", "W_3_3", "W_5"]
    assert theta["W_5"].shape == (1, 4 * 6, small_graph.num_classes)


def test_drop_edge_is_for_training_only(small_graph: Graph) -> None:
    nodes = all_rows(small_graph, len(SEEDS), torch.float64).nodes
    plain, thinned = (
        Gcn(precise(small_graph), config_of(edge_dropout=rate)) for rate in (0.0, 0.5)
    )
    levels = started(plain)
    clean = plain.read(levels, nodes, None).logits
    assert torch.equal(clean, thinned.read(levels, nodes, None).logits)
    assert (plain.noise_size, thinned.noise_size) == (0, small_graph.num_edges + 12)
    dropped = torch.zeros(len(SEEDS), thinned.noise_size, dtype=torch.uint8)
    assert not torch.allclose(clean, thinned.read(levels, nodes, dropped).logits)
