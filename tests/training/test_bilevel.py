from typing import Any

import pytest
import torch

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.model.building import build_network
from l2p_search.model.network import Levels, Parameters
from l2p_search.nn import L2P
from l2p_search.training import bilevel
from l2p_search.training.bilevel import BiLevel
from l2p_search.training.seeds import Streams
from tests.problems import precise

_SEEDS = [0, 1, 4]
_BASE: dict[str, Any] = {
    "K": 4,
    "hidden": 6,
    "dropout": 0.0,
    "kl_weight": 0.3,
    "weight_decay": 0.01,
}


def _learner(graph: Graph, config: TrialConfig) -> BiLevel:
    problem = precise(graph)
    return BiLevel(problem, build_network(problem, config), config, _SEEDS)


def _copy(parameters: Parameters) -> Parameters:
    return {name: value.detach().clone() for name, value in parameters.items()}


def _equal(one: Parameters, other: Parameters) -> bool:
    return all(torch.equal(one[name], other[name].detach()) for name in one)


@pytest.mark.parametrize("role", [{"model": "gcnii"}, {"backbone": "gcnii"}], ids=str)
def test_without_a_decay_of_their_own_the_steps_of_gcnii_decay_as_all_of_theta(
    small_graph: Graph, role: dict[str, Any]
) -> None:
    config = TrialConfig.recorded({**_BASE, **role, "decay_on": "theta", "step_decay": 0.0})
    learner = _learner(small_graph, config)
    assert learner._network.step_weights
    assert set(learner._lower_adam._decay.values()) == {config.weight_decay}


@pytest.mark.parametrize("decay", [1e-4, 0.3, 1.0])
@pytest.mark.parametrize("role", [{"model": "gcnii"}, {"backbone": "gcnii"}], ids=str)
def test_the_steps_of_gcnii_decay_at_any_rate_of_their_own(
    small_graph: Graph, role: dict[str, Any], decay: float
) -> None:
    config = TrialConfig.recorded({**_BASE, **role, "step_decay": decay})
    learner = _learner(small_graph, config)
    steps = learner._network.step_weights
    assert {learner._lower_adam._decay[name] for name in steps} == {decay}


@pytest.mark.parametrize("weight", [0.0, 0.25, 1.0])
def test_free_nodes_are_held_to_their_predictions_at_any_weight(
    small_graph: Graph, weight: float
) -> None:
    learner = _learner(small_graph, TrialConfig.recorded({**_BASE, "consistency": weight}))
    assert (learner._consistency is None) == (weight == 0.0)


def test_what_is_descended_adds_how_far_free_nodes_are_from_their_targets(
    small_graph: Graph,
) -> None:
    config = TrialConfig.recorded({**_BASE, "consistency": 0.5, "sharpening": 0.5})
    learner = _learner(small_graph, config)
    learner.lower_step()
    learner.evaluate()
    assert learner._consistency is not None
    held = learner._consistency.held
    assert held is not None
    gumbel = torch.zeros(len(_SEEDS), learner._rows.train.nodes.shape[1], config.K + 1)
    noise = learner._streams["dropout"].bytes(learner._network.noise_size)
    drawn = bilevel._Drawn(noise, gumbel, held)
    lower, levels = learner._objective.lower, learner.levels
    gradients = learner._phi_gradients(lower, levels, drawn)
    loss, descended = learner._losses(lower, levels, drawn)
    free = learner._network.read(levels, held.nodes, None)  # there is no dropout
    distance = held.loss(learner._objective.log_predictions(free))
    assert (distance > 0.0).all()
    torch.testing.assert_close(descended - loss, distance)
    of_loss, of_distance = (
        bilevel._gradients(each.sum(), levels.phi) for each in (loss, distance)
    )
    for name, gradient in gradients.items():  # phi sees them, too
        assert of_distance[name].any()
        torch.testing.assert_close(gradient, of_loss[name] + of_distance[name])


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


@pytest.mark.parametrize("decay_on", ["first_layer", "theta"])
def test_weight_decay_is_on_the_first_layer_or_on_all_of_theta(
    small_graph: Graph, decay_on: str
) -> None:
    config = TrialConfig.recorded({**_BASE, "decay_on": decay_on, "weight_decay": 1e6})
    learner = _learner(small_graph, config)
    before = _copy(learner.levels.theta)
    learner.lower_step()
    drawn = {name: value for name, value in before.items() if bool((value != 0.0).all())}
    towards_zero = {
        name
        for name, value in drawn.items()
        if torch.equal((learner.levels.theta[name].detach() - value).sign(), -value.sign())
    }
    first = set(build_network(precise(small_graph), config).first_layer) & set(drawn)
    assert first < set(drawn)
    assert towards_zero == (first if decay_on == "first_layer" else set(drawn))


@pytest.mark.parametrize("level", ["first_order", "second_order", "unrolled", "joint"])
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
    noise = Streams(precise(small_graph), _SEEDS, "lower").gumbel(6, config.K + 1)
    learner.lower_step()
    learner.evaluate()
    generator = torch.Generator().manual_seed(0)
    direction = {
        name: torch.randn(value.shape, dtype=torch.float64, generator=generator)
        for name, value in learner.levels.theta.items()
    }
    found = learner._through_theta(direction)
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


@pytest.mark.parametrize("variant", [{}, {"scorer": "per_step"}, {"algorithm": "em"}], ids=str)
@pytest.mark.parametrize("epochs", [2, 3, 12])
def test_unrolled_agrees_with_autograd_through_the_step_of_adam(
    small_graph: Graph, variant: dict[str, Any], epochs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the second epoch on: the first step of Adam is a sign, which does not respond."""
    monkeypatch.setattr(bilevel, "_FINITE_DIFFERENCE", 1e-5)  # in float64 as good as none
    config = TrialConfig(**{**_BASE, "level": "unrolled", **variant})
    learner = _learner(small_graph, config)
    for _ in range(epochs - 1):
        learner.lower_step()
        learner.upper_step(learner.evaluate()[0])
    before = Levels(_copy(learner.levels.theta), _copy(learner.levels.phi))
    adam = learner._lower_adam
    means, squares = _copy(adam._mean), _copy(adam._square)
    noise = {
        purpose: Streams(precise(small_graph), _SEEDS, purpose) for purpose in ("lower", "upper")
    }
    for _ in range(epochs):
        lower = noise["lower"].gumbel(learner._rows.train.nodes.shape[1], config.K + 1)
        upper = noise["upper"].gumbel(learner._rows.judged.nodes.shape[1], config.K + 1)
    found: Parameters = {}
    monkeypatch.setattr(learner._upper_adam, "step", found.update)
    learner.lower_step()
    learner.upper_step(learner.evaluate()[0])
    for place, seed in enumerate(_SEEDS):
        model = L2P.from_levels(config, before.theta, before.phi, place)
        theta, phi = dict(model.theta.items()), dict(model.phi.items())
        graph = (small_graph.x.double(), small_graph.edges, small_graph.y)
        train = small_graph.train[seed % 2].nonzero().squeeze(1)
        val = small_graph.val[seed % 2].nonzero().squeeze(1)
        loss = model.lower_loss(*graph, train, gumbel=lower[place, : len(train)])
        gradients = torch.autograd.grad(loss, list(theta.values()), create_graph=True)
        moved = {}
        for (name, value), gradient in zip(theta.items(), gradients, strict=True):
            decay = config.weight_decay if name in ("W_1", "b_1") else 0.0
            decayed = gradient + decay * value
            mean = 0.9 * means[name][place] + 0.1 * decayed
            square = 0.999 * squares[name][place] + 0.001 * decayed**2
            seen = square > 0  # the root has no derivative at zero
            root = torch.where(seen, (square / (1 - 0.999**epochs)).where(seen, 1.0).sqrt(), 0.0)
            moved[name] = value - config.lr * mean / (1 - 0.9**epochs) / (root + 1e-8)
            torch.testing.assert_close(moved[name], learner.levels.theta[name][place])
        del model.theta
        by_phi = []
        for values in ({name: value.detach() for name, value in moved.items()}, moved):
            model.theta = values  # type: ignore[assignment]
            after = model.upper_loss(*graph, val, gumbel=upper[place, : len(val)])
            by_phi.append(torch.autograd.grad(after, list(phi.values()), retain_graph=True))
        for name, direct, total in zip(phi, *by_phi, strict=True):
            term = found[name][place] - direct
            scale = (total - direct).abs().max().item()
            assert scale > 1e-6, name
            assert (term - (total - direct)).abs().max().item() < 1e-3 * scale, name


@pytest.mark.parametrize("level", ["second_order", "unrolled"])
def test_the_second_order_term_is_subtracted_from_the_gradient(
    small_graph: Graph, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Adam's first step has the length of its rate: where the term outweighs all, upwards."""
    config = TrialConfig(**{**_BASE, "level": level})
    learner = _learner(small_graph, config)
    learner.lower_step()
    before = _copy(learner.levels.phi)
    huge = {name: torch.full_like(value, 1e3) for name, value in before.items()}
    monkeypatch.setattr(learner, "_through_theta", lambda direction: huge)
    learner.upper_step(learner.evaluate()[0])
    for name, value in learner.levels.phi.items():
        moved = torch.full_like(value, config.upper_lr)
        torch.testing.assert_close(value.detach() - before[name], moved.detach())


@pytest.mark.parametrize("level", ["second_order", "unrolled"])
def test_the_finite_difference_sees_the_same_noise_twice(small_graph: Graph, level: str) -> None:
    """Along a zero direction nothing changes, so with common noise the difference is nothing."""
    config = TrialConfig(**{**_BASE, "level": level, "dropout": 0.5, "consistency": 40.0})
    learner = _learner(small_graph, config)
    for _ in range(2):
        learner.lower_step()
        learner.evaluate()
    nowhere = {name: torch.zeros_like(value) for name, value in learner.levels.theta.items()}
    for value in learner._through_theta(nowhere).values():
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
