"""The weights of trained seeds are joined, named and measured."""

import pytest
import torch

from l2p_search.weights import Weights


def _weights(*seeds: int, phi: bool = True) -> Weights:
    theta = {"W_1": torch.arange(6.0).expand(len(seeds), 6).clone(), "b_1": torch.ones(1, 2)}
    theta["b_1"] = theta["b_1"].expand(len(seeds), 2).clone()
    return Weights(seeds, theta, {"w": torch.zeros(len(seeds), 3)} if phi else {})


def test_two_groups_of_seeds_become_one() -> None:
    both = _weights(0, 1).joined(_weights(7))
    assert both.seeds == (0, 1, 7)
    assert {name: tuple(value.shape) for name, value in both.named()} == {
        "theta.W_1": (3, 6),
        "theta.b_1": (3, 2),
        "phi.w": (3, 3),
    }


def test_named_tensors_become_weights_again() -> None:
    weights = _weights(2, 5)
    again = Weights.of_named(weights.seeds, dict(weights.named()))
    assert again.seeds == (2, 5)
    assert list(again.theta) == ["W_1", "b_1"]
    assert torch.equal(again.phi["w"], weights.phi["w"])


def test_a_tensor_of_no_level_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'optimizer\.step'"):
        Weights.of_named((0,), {"optimizer.step": torch.ones(1)})


def test_megabytes_are_those_of_all_tensors() -> None:
    assert _weights(0, 1, phi=False).megabytes == pytest.approx(2 * 8 * 4 / 1e6)
