import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.distributions import Categorical
from torch.distributions import kl_divergence as kl_of
from torch.nn.functional import logsigmoid

from l2p_search.config import TrialConfig
from l2p_search.model.posterior import (
    kl_divergence,
    log_prior,
    log_probs,
    quit_log_probs,
    relaxed_sample,
    select_log_probs,
)

_POSTERIORS = ("select", "quit")
_scores = st.lists(st.floats(-60, 60, allow_nan=False), min_size=2, max_size=65)


def _tensor(values: list[float]) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


@settings(deadline=None)
@given(st.lists(st.floats(-5, 5), min_size=2, max_size=12))
def test_quit_agrees_with_the_product_in_the_paper(values: list[float]) -> None:
    alpha = [1 / (1 + math.exp(-value)) for value in values]
    expected = [alpha[k] * math.prod(1 - a for a in alpha[:k]) for k in range(len(values) - 1)] + [
        math.prod(1 - a for a in alpha[:-1])
    ]
    torch.testing.assert_close(quit_log_probs(_tensor(values)).exp(), _tensor(expected))


@settings(deadline=None)
@given(st.lists(st.floats(-5, 5), min_size=2, max_size=12))
def test_select_agrees_with_the_softmax_in_the_paper(values: list[float]) -> None:
    total = sum(math.exp(value) for value in values)
    expected = [math.exp(value) / total for value in values]
    torch.testing.assert_close(select_log_probs(_tensor(values)).exp(), _tensor(expected))


@pytest.mark.parametrize("posterior", _POSTERIORS)
@settings(deadline=None)
@given(values=_scores)
def test_is_a_distribution_over_steps(posterior: str, values: list[float]) -> None:
    log_q = log_probs(posterior, _tensor(values))
    assert torch.isfinite(log_q).all()
    assert float(log_q.exp().sum()) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("posterior", _POSTERIORS)
@pytest.mark.parametrize("score", [-100.0, 0.0, 100.0])
def test_stays_finite_at_64_steps_and_extreme_scores(posterior: str, score: float) -> None:
    scores = torch.full((65,), score, requires_grad=True)
    log_q = log_probs(posterior, scores)
    assert torch.isfinite(log_q).all()
    assert float(log_q.detach().exp().sum()) == pytest.approx(1.0, abs=1e-5)
    (grad,) = torch.autograd.grad(log_q.sum(), scores)
    assert torch.isfinite(grad).all()


def test_the_gradient_of_quitting_is_that_of_its_formula() -> None:
    torch.manual_seed(0)
    scores = torch.randn(4, 3, 6, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(quit_log_probs, (scores,))
    single = scores.detach().float().movedim(-1, 0).requires_grad_()
    quits = logsigmoid(single[:-1])
    stayed = torch.cumsum(quits - single[:-1], dim=0)
    log_q = torch.cat([quits[:1], quits[1:] + stayed[:-1], stayed[-1:]])
    cotangent = torch.randn_like(log_q)
    (expected,) = torch.autograd.grad(log_q, single, cotangent)
    found = quit_log_probs(single.movedim(0, -1))
    (grad,) = torch.autograd.grad(found, single, cotangent.movedim(0, -1))
    assert torch.equal(found.movedim(-1, 0), log_q)
    assert torch.equal(grad, expected)  # to the last bit


def test_the_last_score_is_not_read_when_quitting() -> None:
    first = quit_log_probs(_tensor([0.3, -0.2, 9.0]))
    assert torch.equal(first, quit_log_probs(_tensor([0.3, -0.2, -9.0])))


@pytest.mark.parametrize("posterior", _POSTERIORS)
def test_takes_leading_axes_in_any_memory_order(posterior: str) -> None:
    scores = torch.randn(7, 2, 3, dtype=torch.float64)
    steps_first = log_probs(posterior, scores.permute(1, 2, 0))
    steps_last = log_probs(posterior, scores.permute(1, 2, 0).contiguous())
    torch.testing.assert_close(steps_first, steps_last)


@pytest.mark.parametrize("prior", ["uniform", "geometric"])
def test_kl_agrees_with_torch_distributions(prior: str) -> None:
    config = TrialConfig.recorded({"K": 6, "prior": prior, "prior_ratio": 0.7})
    p = log_prior(config, torch.float64)
    log_q = select_log_probs(torch.randn(4, 3, 7, dtype=torch.float64))
    expected = kl_of(Categorical(logits=log_q), Categorical(logits=p.expand(4, 3, -1)))
    torch.testing.assert_close(kl_divergence(log_q, p), expected)


def test_priors_are_uniform_or_fall_by_their_ratio() -> None:
    uniform = log_prior(TrialConfig(K=4), torch.float64).exp()
    torch.testing.assert_close(uniform, torch.full((5,), 0.2, dtype=torch.float64))
    falling = log_prior(TrialConfig(K=4, prior="geometric", prior_ratio=0.5), torch.float64).exp()
    torch.testing.assert_close(
        falling[1:] / falling[:-1], torch.full((4,), 0.5, dtype=torch.float64)
    )
    assert float(falling.sum()) == pytest.approx(1.0)


def test_relaxed_samples_follow_q_and_sharpen_as_the_temperature_falls() -> None:
    torch.manual_seed(0)
    q = torch.tensor([0.1, 0.6, 0.3], dtype=torch.float64)
    gumbel = -torch.log(-torch.log(torch.rand(40_000, 3, dtype=torch.float64)))
    cold = relaxed_sample(q.log(), gumbel, 0.01)
    torch.testing.assert_close(cold.mean(dim=0), q, atol=0.01, rtol=0)
    warm = relaxed_sample(q.log(), gumbel, 100.0)
    torch.testing.assert_close(warm.mean(dim=0), torch.full_like(q, 1 / 3), atol=0.01, rtol=0)
    torch.testing.assert_close(warm.sum(dim=1), torch.ones(40_000, dtype=torch.float64))


@pytest.mark.parametrize("temperature", [0.5, 1.0, 1.5])
def test_a_relaxed_sample_agrees_with_its_formula(temperature: float) -> None:
    torch.manual_seed(0)
    log_q = torch.log_softmax(torch.randn(2, 3, 5, dtype=torch.float64), dim=-1)
    gumbel = torch.randn(2, 3, 5, dtype=torch.float64)
    unnormalised = ((log_q + gumbel) / temperature).exp()
    expected = unnormalised / unnormalised.sum(dim=-1, keepdim=True)
    torch.testing.assert_close(relaxed_sample(log_q, gumbel, temperature), expected)


def test_a_posterior_is_chosen_by_its_name() -> None:
    scores = _tensor([0.3, -0.2, 0.7, 0.1])
    assert torch.equal(log_probs("select", scores), select_log_probs(scores))
    assert torch.equal(log_probs("quit", scores), quit_log_probs(scores))
    assert not torch.equal(select_log_probs(scores), quit_log_probs(scores))
