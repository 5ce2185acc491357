from collections.abc import Sequence

import pytest
import torch
from torch import Generator, Tensor

from l2p_search.model.network import (
    Baseline,
    Levels,
    Network,
    Parameters,
    Pass,
    Readout,
    _copy_at_once,
    only_step,
)


def _normal(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, generator=Generator().manual_seed(0))


def _readout() -> Readout:
    log_q = torch.log_softmax(_normal(2, 3, 4), dim=-1)
    return Readout(log_q, _normal(2, 3, 4, 5), _normal(2, 5))


class _OneScore(Baseline):
    """Gives the weight of each seed as the score of its one class, at all nodes."""

    noise_size = bytes_per_seed = 0
    seen: Pass

    def initial_theta(self, generators: Sequence[Generator]) -> Parameters:
        return {"W": torch.stack([torch.rand(1, 1, generator=own) for own in generators])}

    def class_scores(self, given: Pass) -> Tensor:
        self.seen = given
        return given.theta["W"].expand(-1, given.nodes.shape[1], 1)


def test_mixing_adds_the_bias_once() -> None:
    read = _readout()
    weights = read.log_q.exp()
    expected = torch.einsum("slt,sltc->slc", weights, read.logits + read.bias[:, None, None])
    torch.testing.assert_close(read.mixed(weights), expected)


def test_a_readout_is_parted_by_nodes() -> None:
    read = _readout()
    first, others = read.parted(1)
    assert first.logits.shape == (2, 1, 4, 5)
    assert torch.equal(torch.cat([first.log_q, others.log_q], dim=1), read.log_q)
    assert torch.equal(torch.cat([first.logits, others.logits], dim=1), read.logits)
    assert torch.equal(first.bias, read.bias)


def test_the_only_step_is_certain_and_its_mixture_is_the_scores_themselves() -> None:
    scores = _normal(2, 3, 5)
    read = only_step(scores)
    assert torch.equal(read.mixed(read.log_q.exp()), scores)


def test_the_parameters_of_some_seeds_are_copies() -> None:
    levels = Levels({"W": _normal(3, 2)}, {"w": _normal(3, 1)})
    some = levels.of_seeds(torch.tensor([2, 0]))
    assert torch.equal(some.theta["W"], levels.theta["W"][[2, 0]])
    levels.phi["w"].zero_()
    assert (some.phi["w"] != 0).all()


def test_copying_seeds_overwrites_those_and_no_others() -> None:
    best = Levels({"W": torch.zeros(4, 2)}, {"w": torch.zeros(4, 1)})
    live = Levels({"W": torch.ones(3, 2).requires_grad_()}, {"w": 2 * torch.ones(3, 1)})
    # Of four seeds the first has left; of those still there the first and the last improved.
    best.copy_seeds(live, torch.tensor([1, 3]), torch.tensor([True, False, True]))
    assert best.theta["W"][:, 0].tolist() == [0.0, 1.0, 0.0, 1.0]
    assert best.phi["w"][:, 0].tolist() == [0.0, 2.0, 0.0, 2.0]


def test_copying_on_a_device_takes_one_call_and_copies_the_same() -> None:
    found, latest = torch.zeros(4, 2), torch.arange(6.0).view(3, 2)
    _copy_at_once(found, latest, torch.tensor([1, 3]), torch.tensor([0, 2]))
    assert found.tolist() == [[0.0, 0.0], [0.0, 1.0], [0.0, 0.0], [4.0, 5.0]]
    best, live = (Levels({"W": torch.zeros(n, 2, device="meta")}, {}) for n in (4, 3))
    best.copy_seeds(live, torch.tensor([1, 3]), torch.tensor([True, False, True]))
    assert best.theta["W"].shape == (4, 2)


def test_a_pass_carries_all_that_read_was_given() -> None:
    network = _OneScore()
    levels = network.initial([Generator().manual_seed(0)])
    nodes, noise = torch.tensor([[0, 2]]), torch.zeros(1, 3, dtype=torch.uint8)

    def sink(name: str, gradient: Tensor, seeds: slice) -> None: ...

    network.read(levels, nodes, noise, sink)
    seen = network.seen
    assert seen.theta is levels.theta
    assert seen.phi is levels.phi
    assert (seen.nodes is nodes, seen.noise is noise, seen.sink is sink) == (True, True, True)


def test_a_baseline_has_one_step_and_no_phi() -> None:
    network = _OneScore()
    levels = network.initial([Generator().manual_seed(seed) for seed in (0, 1)])
    read = network.read(levels, torch.tensor([[0, 2, 3]] * 2), None)
    assert (network.steps, levels.phi) == (1, {})
    assert read.logits.shape == (2, 3, 1, 1)
    assert torch.equal(read.logits[:, 0, 0], levels.theta["W"][:, 0])


def test_a_network_without_a_forward_pass_cannot_be_made() -> None:
    class Unfinished(Network):
        def initial_theta(self, generators: Sequence[Generator]) -> Parameters:
            return {}

    with pytest.raises(TypeError, match="forward"):
        Unfinished()  # type: ignore[abstract]
