import pytest
import torch

from l2p_search.data.demo import demo_graph
from l2p_search.model.problem import Problem
from l2p_search.model.tuning import PLAIN, Tuning
from tests.model.agreement import config_of
from tests.problems import precise


def _generators() -> list[torch.Generator]:
    return [torch.Generator().manual_seed(seed) for seed in (1, 2)]


def test_without_tuning_a_layer_has_no_further_parameters_and_is_not_changed() -> None:
    h = torch.randn(2, 4, 6)
    assert PLAIN.initial("1", (3, 6), _generators(), Problem(demo_graph())) == {}
    assert PLAIN.normalised("1", h, {}) is h
    assert (PLAIN.letters, PLAIN.held_per_unit()) == ((), 0)


@pytest.mark.parametrize("norm", ["layer", "batch"])
def test_normalisation_starts_without_scale_and_shift(norm: str) -> None:
    theta = Tuning(config_of(norm=norm)).initial("4", (3, 6), _generators(), precise(demo_graph()))
    assert theta.keys() == {"scale_4", "shift_4"}
    assert torch.equal(theta["scale_4"], torch.ones(2, 6, dtype=torch.float64))
    assert torch.equal(theta["shift_4"], torch.zeros(2, 6, dtype=torch.float64))


def test_the_residual_connection_has_a_matrix_of_each_seeds_own() -> None:
    tuning = Tuning(config_of(residual="linear"))
    theta = tuning.initial("1", (3, 6), _generators(), Problem(demo_graph()))
    assert tuning.letters == ("V",)
    assert theta["V_1"].shape == (2, 3, 6)
    assert not torch.equal(*theta["V_1"])
