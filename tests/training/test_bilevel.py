from typing import Any

import pytest
import torch

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.model.building import build_network
from l2p_search.model.network import Levels, Parameters
from l2p_search.nn import L2P
from l2p_search.training.bilevel import BiLevel
from l2p_search.training.seeds import Streams

_SEEDS = [0, 1, 4]
_BASE: dict[str, Any] = {
    "K": 4,
    "hidden": 6,
    "dropout": 0.0,
    "kl_weight": 0.3,
    "weight_decay": 0.01,
}


def _learner(graph: Graph, config: TrialConfig) -> BiLevel:
    network = build_network(graph, config, torch.float64)
    return BiLevel(graph, network, config, _SEEDS, torch.float64)


def _copy(parameters: Parameters) -> Parameters:
    return {name: value.detach().clone() for name, value in parameters.items()}


def _equal(one: Parameters, other: Parameters) -> bool:
    return all(torch.equal(one[name], other[name].detach()) for name in one)


@pytest.mark.parametrize("role", [{"model": "gcnii"}, {"backbone": "gcnii"}], ids=str)
def test_the_steps_of_gcnii_have_a_decay_of_their_own(
    small_graph: Graph, role: dict[str, Any]
) -> None:
    """Adam's first step follows the sign of its gradient: where decay rules, towards zero."""
    config = TrialConfig.recorded({**_BASE, **role, "decay_on": "theta", "step_decay": 1e6})
    learner = _learner(small_graph, config)
    before = _copy(learner.levels.theta)
    learner.lower_step()
    towards_zero = {
        name
        for name, value in learner.levels.theta.items()
        if torch.equal((value.detach() - before[name]).sign(), -before[name].sign())
    }
    assert towards_zero == {f"{name}_{step}" for name in "WV" for step in range(1, 5)}


@pytest.mark.parametrize("level", ["first_order", "second_order", "joint"])
@pytest.mark.parametrize("algorithm", ["vi", "em"])
def test_each_level_moves_only_its_own_parameters(
    small_graph: Graph, level: str, algorithm: str
) -> None:
    config = TrialConfig(**{**_BASE, "level": level, "algorithm": algorithm, "dropout": 0.5})
    learner = _learner(small_graph, config)
    for _ in range(3):
        theta, phi = _copy(learner.levels.theta), _copy(learner.levels.phi)
        learner.lower_step()
        assert not _equal(theta, learner.levels.theta)
        assert _equal(phi, learner.levels.phi) is (level != "joint")
        theta, phi = _copy(learner.levels.theta), _copy(learner.levels.phi)
        read, _ = learner.evaluate()
        assert _equal(theta, learner.levels.theta)
        assert _equal(phi, learner.levels.phi)
        learner.upper_step(read)
        assert _equal(theta, learner.levels.theta)
        assert _equal(phi, learner.levels.phi) is (level == "joint")


@pytest.mark.parametrize("posterior", ["quit", "select"])
@pytest.mark.parametrize("scorer", ["shared", "per_step"])
def test_second_order_agrees_with_the_exact_hessian_product(
    small_graph: Graph, posterior: str, scorer: str
) -> None:
    config = TrialConfig(
        **{**_BASE, "level": "second_order", "posterior": posterior, "scorer": scorer}
    )
    learner = _learner(small_graph, config)
    before = Levels(_copy(learner.levels.theta), _copy(learner.levels.phi))
    noise = Streams(_SEEDS, "lower", torch.float64).gumbel(6, config.K + 1)
    learner.lower_step()
    learner.evaluate()
    generator = torch.Generator().manual_seed(0)
    direction = {
        name: torch.randn(value.shape, dtype=torch.float64, generator=generator)
        for name, value in learner.levels.theta.items()
    }
    found = learner._second_order(direction)
    for place, seed in enumerate(_SEEDS):
        model = L2P.from_levels(config, before.theta, before.phi, place)
        nodes = small_graph.train[seed % 2].nonzero().squeeze(1)
        graph, gumbel = (small_graph.x.double(), small_graph.edges), noise[place, : len(nodes)]
        loss = model.lower_loss(*graph, small_graph.y, nodes, gumbel=gumbel)
        gradients = torch.autograd.grad(loss, model.lower_parameters(), create_graph=True)
        along = sum(
            (gradient * direction[name][place]).sum()
            for name, gradient in zip(model.theta, gradients, strict=True)
        )
        exact = torch.autograd.grad(along, model.upper_parameters())
        for name, value in zip(model.phi, exact, strict=True):
            expected = config.lr * value
            scale = expected.abs().max().item() + 1e-12
            difference = (found[name][place] - expected).abs().max().item()
            assert difference < 0.02 * scale + 1e-7, name


def test_the_second_order_term_is_subtracted_from_the_gradient(
    small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Adam's first step has the length of its rate: where the term outweighs all, upwards."""
    config = TrialConfig(**{**_BASE, "level": "second_order"})
    learner = _learner(small_graph, config)
    learner.lower_step()
    before = _copy(learner.levels.phi)
    huge = {name: torch.full_like(value, 1e3) for name, value in before.items()}
    monkeypatch.setattr(learner, "_second_order", lambda direction: huge)
    learner.upper_step(learner.evaluate()[0])
    for name, value in learner.levels.phi.items():
        moved = torch.full_like(value, config.upper_lr)
        torch.testing.assert_close(value.detach() - before[name], moved.detach())


def test_the_finite_difference_sees_the_same_noise_twice(small_graph: Graph) -> None:
    """Along a zero direction nothing changes, so with common noise the difference is nothing."""
    config = TrialConfig(**{**_BASE, "level": "second_order", "dropout": 0.5, "consistency": 40.0})
    learner = _learner(small_graph, config)
    for _ in range(2):
        learner.lower_step()
        learner.evaluate()
    nowhere = {name: torch.zeros_like(value) for name, value in learner.levels.theta.items()}
    for value in learner._second_order(nowhere).values():
        assert torch.equal(value, torch.zeros_like(value))


@pytest.mark.parametrize("consistency", [0.0, 40.0])
def test_seeds_that_stay_go_on_as_if_nobody_had_left(
    small_graph: Graph, consistency: float
) -> None:
    config = TrialConfig(**{**_BASE, "dropout": 0.5, "consistency": consistency})
    whole, reduced = _learner(small_graph, config), _learner(small_graph, config)
    for epoch in range(6):
        if epoch == 3:
            reduced.keep(torch.tensor([0, 2]))
        for learner in (whole, reduced):
            learner.lower_step()
            learner.upper_step(learner.evaluate()[0])
    for name, value in whole.levels.theta.items():
        torch.testing.assert_close(reduced.levels.theta[name], value[[0, 2]])
    for name, value in whole.levels.phi.items():
        torch.testing.assert_close(reduced.levels.phi[name], value[[0, 2]])
