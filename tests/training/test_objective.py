import torch
import torch.nn.functional as F

from l2p_search.config import TrialConfig
from l2p_search.data.splits import Rows
from l2p_search.model.network import Readout
from l2p_search.training.em import ExpectationMaximization, exact_log_posterior
from l2p_search.training.objective import VariationalInference, scores_of


def _read(seeds: int = 2, rows: int = 3, steps: int = 4, classes: int = 5) -> Readout:
    generator = torch.Generator().manual_seed(0)

    def draw(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, dtype=torch.float64, generator=generator)

    log_q = torch.log_softmax(draw(seeds, rows, steps), dim=-1)
    return Readout(log_q, draw(seeds, rows, steps, classes), draw(seeds, classes))


def _rows() -> Rows:
    labels = torch.tensor([[0, 1, 4], [2, 2, 3]])
    weights = torch.tensor([[0.5, 0.5, 0.0], [1 / 3, 1 / 3, 1 / 3]], dtype=torch.float64)
    return Rows(torch.zeros_like(labels), labels, weights)


def test_mixing_adds_the_bias_once() -> None:
    read = _read()
    weights = read.log_q.exp()
    expected = torch.einsum("slt,sltc->slc", weights, read.logits + read.bias[:, None, None])
    torch.testing.assert_close(read.mixed(weights), expected)


def test_a_row_of_weight_zero_changes_nothing() -> None:
    read, rows = _read(), _rows()
    gumbel = torch.zeros_like(read.log_q)
    changed = Readout(read.log_q.clone(), read.logits.clone(), read.bias)
    changed.log_q[0, 2] = changed.log_q[0, 2].roll(1)
    changed.logits[0, 2] -= 2.0
    for objective in (VariationalInference, ExpectationMaximization):
        learner = objective(TrialConfig(K=3))
        torch.testing.assert_close(
            learner.lower(changed, rows, gumbel), learner.lower(read, rows, gumbel)
        )
        torch.testing.assert_close(
            learner.upper(changed, rows, gumbel), learner.upper(read, rows, gumbel)
        )


def test_scores_are_cross_entropy_and_accuracy_of_each_seed() -> None:
    log_p = torch.log_softmax(_read().logits[:, :, 0], dim=-1)
    rows = _rows()
    found = scores_of(log_p, rows)
    for seed, count in ((0, 2), (1, 3)):
        labels = rows.labels[seed, :count]
        torch.testing.assert_close(found.loss[seed], F.nll_loss(log_p[seed, :count], labels))
        hits = (log_p[seed, :count].argmax(dim=-1) == labels).double().mean()
        torch.testing.assert_close(found.accuracy[seed], hits)


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
    config, rows = TrialConfig(K=3, posterior="select"), _rows()
    start = _read()
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
    read = _read()
    config = TrialConfig(K=3, posterior="select")
    q = read.log_q.exp()
    p = torch.softmax(read.logits + read.bias[:, None, None], dim=-1)
    expected = torch.einsum("slt,sltc->slc", q, p)
    found = ExpectationMaximization(config).log_predictions(read).exp()
    torch.testing.assert_close(found, expected)
