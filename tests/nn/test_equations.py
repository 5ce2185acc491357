import doctest
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from l2p_search.nn import equations
from l2p_search.nn.equations import (
    balanced_classes,
    exact_posterior,
    log_quit,
    log_select,
    mean_over_nodes,
)


@given(st.lists(st.floats(-30, 30), min_size=2, max_size=8))
def test_quit_and_select_are_the_formulas_of_the_paper(values: list[float]) -> None:
    scores = torch.tensor([values], dtype=torch.float64)
    shares = scores.exp() / scores.exp().sum()
    torch.testing.assert_close(log_select(scores).exp(), shares)
    left, wanted = 1.0, []
    for score in scores[0, :-1]:
        alpha = 1 / (1 + torch.exp(-score))
        wanted.append(float(alpha * left))
        left = float(left * (1 - alpha))
    wanted.append(left)
    torch.testing.assert_close(log_quit(scores).exp()[0], torch.tensor(wanted).double())


@pytest.mark.parametrize("log_q", [log_select, log_quit])
def test_q_is_a_distribution_with_a_finite_gradient_at_64_extreme_steps(log_q: Any) -> None:
    scores = torch.tensor([[1e3, -1e3] * 32 + [0.0], [-1e3] * 65]).double().requires_grad_(True)
    found = log_q(scores)
    torch.testing.assert_close(found.exp().sum(dim=1), torch.ones(2).double())
    (gradient,) = torch.autograd.grad(found.exp()[:, 0].sum(), scores)
    assert gradient.isfinite().all()


@pytest.mark.parametrize("weight", [0.3, 1.0, 4.0])
def test_the_e_step_is_bayes_rule_with_a_power(weight: float) -> None:
    likelihood = torch.tensor([[0.5, 0.2, 0.1], [0.9, 0.9, 0.3]]).double()
    prior = torch.tensor([0.2, 0.3, 0.5]).double()
    powers = prior * likelihood ** (1 / weight)
    found = exact_posterior(likelihood.log(), prior.log(), weight)
    torch.testing.assert_close(found, powers / powers.sum(dim=1, keepdim=True))


def test_without_a_divergence_the_e_step_is_the_prior_among_the_likeliest_steps() -> None:
    likelihood = torch.tensor([[0.5, 0.2, 0.1], [0.9, 0.9, 0.3]]).log()
    found = exact_posterior(likelihood, torch.tensor([0.2, 0.3, 0.5]).log(), 0.0)
    torch.testing.assert_close(found, torch.tensor([[1.0, 0.0, 0.0], [0.4, 0.6, 0.0]]))


def test_its_examples_run() -> None:
    assert doctest.testmod(equations).failed == 0


def test_a_mean_over_balanced_classes_is_the_mean_of_their_means() -> None:
    values, labels = torch.tensor([1.0, 2.0, 3.0, 10.0]), torch.tensor([0, 0, 0, 1])
    assert mean_over_nodes(values, labels).item() == 4.0
    weights = balanced_classes(labels, 3)
    assert mean_over_nodes(values, labels, weights).item() == pytest.approx((2.0 + 10.0) / 2)
    assert weights.tolist() == pytest.approx([1 / 3, 1.0, 1.0])
