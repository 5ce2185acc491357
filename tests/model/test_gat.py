from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from l2p_search.data.graph import Graph
from l2p_search.model.gat import Gat
from tests.model.agreement import (
    TUNED,
    Weights,
    assert_baseline_agrees,
    config_of,
    gat_layer,
    hidden_layer,
    mlp_head,
    x_of,
)
from tests.problems import precise


@pytest.mark.parametrize("K", [1, 2, 4])
def test_agrees_with_torch_geometric(K: int, small_graph: Graph) -> None:
    def expected(w: Weights) -> Tensor:
        h = gat_layer(small_graph, x_of(small_graph), w, "1")
        for layer in range(2, K + 1):
            h = gat_layer(small_graph, F.elu(h), w, str(layer))
        return h

    network = Gat(precise(small_graph), config_of(K=K))
    assert_baseline_agrees(network, small_graph, expected)


def test_heads_share_the_hidden_units_and_the_last_layer_has_one(small_graph: Graph) -> None:
    theta = Gat(precise(small_graph), config_of(K=3)).initial_theta([torch.Generator()])
    shapes = {name: tuple(value.shape[1:]) for name, value in theta.items()}
    assert shapes["to_1"] == shapes["from_2"] == (3, 2)
    assert shapes["to_3"] == (1, small_graph.num_classes)
    assert shapes["W_2"] == (6, 6)


@pytest.mark.parametrize("changes", TUNED, ids=lambda c: "-".join(c.values()))
@pytest.mark.parametrize("head_layers", [1, 2, 3])
def test_tuned_layers_agree_with_torch_geometric_and_torch(
    head_layers: int, changes: dict[str, Any], small_graph: Graph
) -> None:
    config = config_of(model="gat", K=3, head_layers=head_layers, **changes)

    def expected(w: Weights) -> Tensor:
        h = x_of(small_graph)
        for layer in range(1, 3 if head_layers == 1 else 4):
            h = hidden_layer(small_graph, config, "gat", h, w, str(layer))
        if head_layers == 1:
            return gat_layer(small_graph, h, w, "3")
        return mlp_head(head_layers - 1, h, w)

    assert_baseline_agrees(Gat(precise(small_graph), config), small_graph, expected)
