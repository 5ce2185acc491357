import pytest
import torch
from torch import Tensor

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.model.building import build_network
from l2p_search.model.network import Readout
from l2p_search.model.posterior import kl_divergence, log_prior
from l2p_search.training.em import ExpectationMaximization, exact_log_posterior
from tests.problems import precise
from tests.training.readouts import labelled, readout


def test_the_e_step_agrees_with_bayes_rule_by_hand() -> None:
    likelihood = torch.tensor([[[0.5, 0.2, 0.1]]], dtype=torch.float64)
    prior = torch.tensor([0.2, 0.3, 0.5], dtype=torch.float64)
    evidence = 0.5 * 0.2 + 0.2 * 0.3 + 0.1 * 0.5
    expected = torch.tensor([[[0.1, 0.06, 0.05]]], dtype=torch.float64) / evidence
    found = exact_log_posterior(likelihood.log(), prior.log(), 1.0).exp()
    torch.testing.assert_close(found, expected)


def test_with_the_uniform_prior_the_e_step_is_the_papers_equation() -> None:
    likelihood = torch.rand(2, 3, 4, dtype=torch.float64)
    uniform = torch.full((4,), 0.25, dtype=torch.float64)
    expected = likelihood / likelihood.sum(dim=-1, keepdim=True)
    torch.testing.assert_close(
        exact_log_posterior(likelihood.log(), uniform.log(), 1.0).exp(), expected
    )


def _log_likelihood_of_steps(graph: Graph) -> Tensor:
    """Log p(y | t) of the training nodes of a tiny graph, with untrained weights: [1, L, T]."""
    network = build_network(precise(graph), TrialConfig(K=3, hidden=6))
    levels = network.initial([torch.Generator().manual_seed(0)])
    levels.theta["W_2"].mul_(5.0)  # steps that differ
    nodes = graph.train[0].nonzero().T
    read = network.read(levels, nodes, None)
    log_p = torch.log_softmax(read.logits + read.bias[:, None, None], dim=-1)
    own = graph.y[nodes][:, :, None, None].expand(-1, -1, 4, 1)
    return log_p.gather(-1, own).squeeze(-1).detach()


@pytest.mark.parametrize("weight", [0.02, 0.3, 1.0, 4.0])
@pytest.mark.parametrize("prior", ["uniform", "geometric"])
def test_the_e_step_maximises_the_weighted_elbo(
    small_graph: Graph, weight: float, prior: str
) -> None:
    """Every other q is worse, by exactly weight * KL(q || q*)."""
    log_p_t = log_prior(TrialConfig.recorded({"K": 3, "prior": prior}), torch.float64)
    log_likelihood = _log_likelihood_of_steps(small_graph)

    def elbo(log_q: Tensor) -> Tensor:
        fit = (log_q.exp() * log_likelihood).sum(dim=-1)
        return fit - weight * kl_divergence(log_q, log_p_t)

    best = exact_log_posterior(log_likelihood, log_p_t, weight)
    reached = weight * torch.logsumexp(log_likelihood / weight + log_p_t, dim=-1)
    torch.testing.assert_close(elbo(best), reached)
    generator = torch.Generator().manual_seed(1)
    for scale in (0.01, 1.0, 10.0):
        noise = torch.randn(best.shape, dtype=torch.float64, generator=generator)
        other = torch.log_softmax(best + scale * noise, dim=-1)
        assert (elbo(other) < elbo(best)).all()
        lost = weight * (other.exp() * (other - best)).sum(dim=-1)
        torch.testing.assert_close(elbo(best) - elbo(other), lost)


def test_without_a_divergence_the_e_step_takes_the_likeliest_steps() -> None:
    """And among equally likely ones it is the prior; so it is for weights that are nearly zero."""
    likelihood = torch.tensor([[0.3, 0.6, 0.1], [0.4, 0.2, 0.4]])
    prior = torch.tensor([0.5, 0.3, 0.2])
    expected = torch.tensor([[0.0, 1.0, 0.0], [5 / 7, 0.0, 2 / 7]])
    for weight in (0.0, 1e-320, 1e-45, 1e-30, 1e-3):
        found = exact_log_posterior(likelihood.log(), prior.log(), weight).exp()
        torch.testing.assert_close(found, expected)


def test_the_projection_without_a_divergence_pulls_on_the_likeliest_step_alone() -> None:
    config, rows = TrialConfig(K=3, posterior="select", kl_weight=0.0), labelled()
    read = readout()
    log_q = read.log_q.detach().requires_grad_()
    amortised = Readout(log_q, read.logits, read.bias)
    loss = ExpectationMaximization(config).upper(amortised, rows, log_q)
    (gradient,) = torch.autograd.grad(loss.sum(), log_q)
    assert loss.isfinite().all()
    assert gradient.isfinite().all()
    # Each node pulls on one step alone: its likeliest.
    assert ((gradient < 0).sum(dim=-1)[rows.weights > 0] == 1).all()


@pytest.mark.parametrize("weight", [0.4, 1.0])
def test_the_projection_pulls_q_to_the_exact_posterior(weight: float) -> None:
    """Minimising the forward KL over free scores must end at the exact posterior."""
    config, rows = TrialConfig(K=3, posterior="select", kl_weight=weight), labelled()
    start = readout()
    scores = torch.zeros_like(start.log_q, requires_grad=True)
    learner = ExpectationMaximization(config)
    adam = torch.optim.Adam([scores], lr=0.1)
    for _ in range(600):
        adam.zero_grad()
        learner.upper(
            Readout(torch.log_softmax(scores, dim=-1), start.logits, start.bias), rows, start.log_q
        ).sum().backward()
        adam.step()
    probabilities = torch.softmax(start.logits + start.bias[:, None, None], dim=-1)
    wanted = rows.labels[:, :, None, None].expand(-1, -1, 4, 1)
    likelihood = probabilities.gather(-1, wanted).squeeze(-1) ** (1 / weight)
    expected = likelihood / likelihood.sum(dim=-1, keepdim=True)
    kept = rows.weights > 0
    found = torch.softmax(scores.detach(), dim=-1)
    torch.testing.assert_close(found[kept], expected[kept], atol=1e-3, rtol=0)


def test_the_predictions_of_em_are_the_generative_models() -> None:
    read = readout()
    config = TrialConfig(K=3, posterior="select")
    q = read.log_q.exp()
    p = torch.softmax(read.logits + read.bias[:, None, None], dim=-1)
    expected = torch.einsum("slt,sltc->slc", q, p)
    found = ExpectationMaximization(config).log_predictions(read).exp()
    torch.testing.assert_close(found, expected)


def test_the_m_step_is_the_expected_likelihood_and_the_divergence_from_the_prior() -> None:
    config = TrialConfig(K=3, kl_weight=0.3, prior="geometric")
    read, rows = readout(), labelled()
    log_p = torch.log_softmax(read.logits + read.bias[:, None, None], dim=-1)
    wanted = []
    for seed, count in ((0, 2), (1, 3)):
        nodes = range(count)
        own = torch.stack([log_p[seed, n, :, rows.labels[seed, n]] for n in nodes])
        log_q = read.log_q[seed, :count]
        divergence = kl_divergence(log_q, log_prior(config, torch.float64))
        wanted.append((0.3 * divergence - (log_q.exp() * own).sum(dim=1)).mean())
    found = ExpectationMaximization(config).lower(read, rows, torch.zeros_like(read.log_q))
    torch.testing.assert_close(found, torch.stack(wanted))
