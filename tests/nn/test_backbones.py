from typing import Any

import pytest
import torch
from torch_geometric.nn import APPNP
from torch_geometric.utils import add_self_loops

from l2p_search.data.graph import Graph
from l2p_search.model.building import build_network
from l2p_search.model.problem import Problem
from l2p_search.nn import L2P
from l2p_search.nn.backbones import fan_in, glorot
from l2p_search.nn.edges import edges_of
from l2p_search.nn.l2p import BACKBONES
from tests.nn.side_by_side import config_of, engine_of, module_of


def _steps(model: L2P, graph: Graph) -> tuple[torch.Tensor, torch.Tensor]:
    x = graph.x.double()
    edges = edges_of(graph.edges, graph.weights, x)
    return model.backbone.steps(model.theta, x, edges, training=False)


@pytest.mark.parametrize("variant", [{}, {"teleport": 0.4, "self_loop": 0.3}], ids=str)
def test_every_step_of_appnp_is_torch_geometrics_appnp_of_so_many_steps(
    small_graph: Graph, variant: dict[str, Any]
) -> None:
    config = config_of(variant)
    model = module_of(config, engine_of(small_graph, config).levels, 0)
    hidden, scores = _steps(model, small_graph)
    h0 = torch.relu(small_graph.x.double() @ model.theta["W_1"] + model.theta["b_1"])
    torch.testing.assert_close(hidden[:, 0], h0)
    looped = add_self_loops(
        small_graph.edges,
        torch.ones(small_graph.edges.shape[1], dtype=torch.float64),
        fill_value=config.self_loop,
        num_nodes=small_graph.num_nodes,
    )
    for k in range(1, config.K + 1):
        propagate = APPNP(K=k, alpha=config.teleport, add_self_loops=False)
        torch.testing.assert_close(hidden[:, k], propagate(h0, *looped))
    torch.testing.assert_close(scores, hidden @ model.theta["W_2"] + model.theta["b_2"])


@pytest.mark.parametrize("backbone", BACKBONES)
def test_fresh_parameters_are_spread_as_the_engines(small_graph: Graph, backbone: str) -> None:
    """Shapes agree, biases are zero, and no weight is beyond the engine's bound."""
    config = config_of({"backbone": backbone, "norm": "layer", "residual": "linear"})
    torch.manual_seed(0)
    fresh = L2P.from_config(config, small_graph.num_features, small_graph.num_classes)
    network = build_network(Problem(small_graph), config)
    levels = network.initial([torch.Generator().manual_seed(seed) for seed in range(40)])
    for own, theirs in ((fresh.theta, levels.theta), (fresh.phi, levels.phi)):
        assert set(own) == set(theirs)
        for name, value in own.items():
            assert value.shape == theirs[name].shape[1:], name
            low, high = value.min().item(), value.max().item()
            assert theirs[name].min() - 0.05 <= low <= high <= theirs[name].max() + 0.05, name
            if not theirs[name].any():
                assert low == high == 0.0, name
    assert fresh.backbone.first_layer == network.first_layer
    assert fresh.backbone.step_weights == network.step_weights


def test_the_bounds_of_fresh_weights_are_glorots_and_the_number_of_inputs() -> None:
    torch.manual_seed(0)
    for draw, bound in ((glorot, (6 / 150) ** 0.5), (fan_in, 0.1)):
        weights = draw(100, 50)
        assert weights.abs().max() <= bound
        assert weights.abs().max() > 0.99 * bound
        assert abs(weights.mean()) < 0.05 * bound
