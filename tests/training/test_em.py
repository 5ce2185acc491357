import torch

from l2p_search.config import TrialConfig
from l2p_search.model.network import Readout
from l2p_search.model.posterior import kl_divergence, log_prior
from l2p_search.training.em import ExpectationMaximization, exact_log_posterior
from tests.training.readouts import labelled, readout


def test_the_e_step_agrees_with_bayes_rule_by_hand() -> None:
    likelihood = torch.tensor([[[0.5, 0.2, 0.1]]], dtype=torch.float64)
    prior = torch.tensor([0.2, 0.3, 0.5], dtype=torch.float64)
    evidence = 0.5 * 0.2 + 0.2 * 0.3 + 0.1 * 0.5
    expected = torch.tensor([[[0.1, 0.06, 0.05]]], dtype=torch.float64) / evidence
    found = exact_log_posterior(likelihood.log(), prior.log()).exp()
    torch.testing.assert_close(found, expected)


def test_with_the_uniform_prior_the_e_step_is_the_papers_equation() -> None:
    likelihood = torch.rand(2, 3, 4, dtype=torch.float64)
    uniform = torch.full((4,), 0.25, dtype=torch.float64)
    expected = likelihood / likelihood.sum(dim=-1, keepdim=True)
    torch.testing.assert_close(
        exact_log_posterior(likelihood.log(), uniform.log()).exp(), expected
    )


def test_the_projection_pulls_q_to_the_exact_posterior() -> None:
    """Minimising the forward KL over free scores must end at the exact posterior."""
    config, rows = TrialConfig(K=3, posterior="select"), labelled()
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
    likelihood = probabilities.gather(-1, wanted).squeeze(-1)
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
