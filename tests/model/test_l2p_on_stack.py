from typing import Any

import pytest
import torch
from torch import Tensor

from l2p_search.data.graph import Graph
from l2p_search.model.l2p_on_stack import L2pOnStack, LastOfStack
from l2p_search.model.stacks import GatStack, GcniiStack, GcnStack, SageStack, Stack
from tests.model.agreement import (
    Weights,
    assert_agrees,
    assert_baseline_agrees,
    config_of,
    mlp_head,
    stack_steps,
)
from tests.problems import precise

_STACKS: dict[str, type[Stack]] = {
    "gcn": GcnStack,
    "gat": GatStack,
    "gcnii": GcniiStack,
    "sage": SageStack,
}


def _scores(hidden: list[Tensor], w: Weights) -> list[Tensor]:
    shared = w("w").shape[1] == 1
    return [h @ w("w")[:, 0 if shared else k] + w("b")[k] for k, h in enumerate(hidden)]


def _quit(scores: list[Tensor]) -> Tensor:
    left, parts = torch.ones_like(scores[0]), []
    for score in scores[:-1]:
        parts.append(torch.sigmoid(score) * left)
        left = left * (1 - torch.sigmoid(score))
    return torch.stack([*parts, left], dim=1)


@pytest.mark.parametrize(
    "changes",
    [
        {"backbone": "gcn"},
        {"backbone": "gat"},
        {"backbone": "gcnii"},
        {"backbone": "sage"},
        {"backbone": "gcn", "scorer": "per_step"},
        {"backbone": "gcn", "head_layers": 3, "norm": "layer", "residual": "linear"},
        {"backbone": "sage", "head_layers": 2, "norm": "batch", "residual": "linear"},
        {"backbone": "gat", "head_layers": 2},
        {"backbone": "gcnii", "scorer": "per_step", "posterior": "select"},
    ],
    ids=lambda c: "-".join(map(str, c.values())),
)
def test_q_and_class_scores_agree_with_torch_geometric(
    changes: dict[str, Any], small_graph: Graph
) -> None:
    config = config_of(**changes)
    stack = _STACKS[config.backbone](precise(small_graph), config)

    def expected(w: Weights) -> tuple[Tensor, Tensor]:
        hidden = stack_steps(small_graph, config, config.backbone, w)
        scores = _scores(hidden, w)
        q = torch.stack(scores, dim=1).softmax(dim=1)
        if config.posterior == "quit":
            q = _quit(scores)
        return q, torch.stack([mlp_head(config.head_layers, h, w) for h in hidden], dim=1)

    assert_agrees(L2pOnStack(stack, precise(small_graph), config), small_graph, expected)


@pytest.mark.parametrize("backbone", _STACKS)
def test_the_last_step_alone_is_a_baseline(backbone: str, small_graph: Graph) -> None:
    """On GcniiStack this is GCNII*."""
    config = config_of()
    stack = _STACKS[backbone](precise(small_graph), config)
    assert_baseline_agrees(
        LastOfStack(stack, precise(small_graph), config),
        small_graph,
        lambda w: stack_steps(small_graph, config, backbone, w)[-1] @ w("W_out") + w("b_out"),
    )


def test_gcnii_has_a_linear_classifier(small_graph: Graph) -> None:
    config = config_of(backbone="gcnii", head_layers=3)
    stack = GcniiStack(precise(small_graph), config)
    theta = L2pOnStack(stack, precise(small_graph), config).initial_theta([torch.Generator()])
    assert not [name for name in theta if "head" in name]


def test_the_last_step_is_dropped_out_before_its_classifier(small_graph: Graph) -> None:
    """With every unit of H_K dropped, only the classifier's bias is left."""
    config = config_of(dropout=0.5)
    stack = GcnStack(precise(small_graph), config)
    network = LastOfStack(stack, precise(small_graph), config)
    levels = network.initial([torch.Generator().manual_seed(0)])
    levels.theta["b_out"].copy_(torch.tensor([[1.0, 2.0, 3.0]]))
    noise = torch.full((1, network.noise_size), 255, dtype=torch.uint8)
    noise[:, stack.noise_size :] = 0
    nodes = torch.arange(small_graph.num_nodes)[None]
    found = network.read(levels, nodes, noise).logits[0, :, 0]
    assert torch.equal(found, levels.theta["b_out"].expand_as(found))
