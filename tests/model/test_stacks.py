from itertools import pairwise
from typing import Any

import pytest
import torch

from l2p_search.data.graph import Graph
from l2p_search.data.splits import all_rows
from l2p_search.model.network import Pass
from l2p_search.model.rows import Tap
from l2p_search.model.stacks import GatStack, GcniiStack, GcnStack, SageStack, Stack
from l2p_search.training.seeds import generator_of
from tests.model.agreement import (
    SEEDS,
    TUNED,
    assert_gradients_agree,
    config_of,
    stack_steps,
)
from tests.problems import precise

_STACKS: dict[str, type[Stack]] = {
    "gcn": GcnStack,
    "gat": GatStack,
    "gcnii": GcniiStack,
    "sage": SageStack,
}
stacks = pytest.mark.parametrize("backbone", _STACKS)


def _begun(stack: Stack, graph: Graph, noise: torch.Tensor | None = None) -> Pass:
    theta = stack.initial([generator_of(seed, "initial") for seed in SEEDS])
    generator = torch.Generator().manual_seed(0)
    for value in theta.values():
        moved = torch.randn(value.shape, dtype=torch.float64, generator=generator)
        value.add_(0.1 * moved).requires_grad_(True)
    return Pass(theta, {}, all_rows(graph, len(SEEDS), torch.float64).nodes, noise)


@stacks
def test_every_step_agrees_with_torch_geometric(backbone: str, small_graph: Graph) -> None:
    _assert_steps_agree(backbone, {}, small_graph)


@pytest.mark.parametrize("changes", TUNED, ids=lambda c: "-".join(c.values()))
@pytest.mark.parametrize("backbone", ["gcn", "sage", "gat"])
def test_tuned_steps_agree_with_torch_geometric_and_torch(
    backbone: str, changes: dict[str, Any], small_graph: Graph
) -> None:
    _assert_steps_agree(backbone, changes, small_graph)


def _assert_steps_agree(backbone: str, changes: dict[str, Any], small_graph: Graph) -> None:
    config = config_of(**changes)
    stack = _STACKS[backbone](precise(small_graph), config)
    given = _begun(stack, small_graph)
    tap = Tap(given.nodes, rectified=stack.rectified)
    stack.hidden(stack.begin(given), tap)
    found = torch.stack(tap.rows, dim=1)
    wanted = torch.stack(
        [
            torch.stack(
                stack_steps(
                    small_graph, config, backbone, lambda name, s=seed: given.theta[name][s]
                )
            )
            for seed in range(len(SEEDS))
        ]
    )
    torch.testing.assert_close(found, wanted)
    mix = torch.randn(found.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    assert_gradients_agree((found * mix).sum(), (wanted * mix).sum(), given.theta)


@stacks
def test_a_pass_uses_just_the_random_bytes_that_the_stack_asks_for(
    backbone: str, small_graph: Graph
) -> None:
    config = config_of(dropout=0.5, edge_dropout=0.5)
    stack = _STACKS[backbone](precise(small_graph), config)
    layers = stack.begin(_begun(stack, small_graph, torch.full((3, stack.noise_size), 255)))
    stack.hidden(layers)
    assert layers._noise._used == stack.noise_size


def test_only_the_steps_of_gcnii_have_a_decay_of_their_own(small_graph: Graph) -> None:
    config = config_of(K=2)
    of = {name: kind(precise(small_graph), config) for name, kind in _STACKS.items()}
    assert of["gcnii"].step_weights == {"W_1", "V_1", "W_2", "V_2"}
    for other in ("gcn", "gat", "sage"):
        assert of[other].step_weights == set()


def test_gcnii_has_no_tuning(small_graph: Graph) -> None:
    stack = GcniiStack(precise(small_graph), config_of(K=1, norm="layer"))
    assert set(stack.initial([torch.Generator()])) == {"W_in", "b_in", "W_1", "V_1"}


def test_gcnii_without_identity_moves_no_weights(small_graph: Graph) -> None:
    """At lambda = 0 the mapping is I: H_k = relu((1 - a) A_hat H_{k-1} + a H_0), as in APPNP."""
    stack = GcniiStack(precise(small_graph), config_of(identity=0.0))
    given = _begun(stack, small_graph)
    layers = stack.begin(given)
    hidden = stack.hidden(layers)
    for before, after in pairwise(hidden):
        torch.testing.assert_close(after, 0.8 * layers.convolve(before) + 0.2 * hidden[0])
