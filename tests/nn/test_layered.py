from typing import Any

import pytest
import torch

from l2p_search.data.graph import Graph
from l2p_search.nn.edges import edges_of
from tests.model.agreement import mlp_head, stack_steps
from tests.nn.side_by_side import LAYERED, config_of, engine_of, module_of


@pytest.mark.parametrize("variant", LAYERED, ids=str)
def test_a_layered_backbone_is_made_of_torch_geometrics_layers(
    small_graph: Graph, variant: dict[str, Any]
) -> None:
    config = config_of({**variant, "dropout": 0.0, "edge_dropout": 0.0})
    model = module_of(config, engine_of(small_graph, config).levels, 0)
    x = small_graph.x.double()
    edges = edges_of(small_graph.edges, small_graph.weights, x)
    hidden, scores = model.backbone.steps(model.theta, x, edges, training=False)

    def weights(name: str) -> torch.Tensor:
        value: torch.Tensor = model.theta[name]
        return value

    wanted = stack_steps(small_graph, config, config.backbone, weights)
    torch.testing.assert_close(hidden, torch.stack(wanted, dim=1))
    layers = 1 if config.backbone == "gcnii" else config.head_layers
    torch.testing.assert_close(scores, mlp_head(layers, hidden, weights))
