import dataclasses

import pytest
import torch
import torch.nn.functional as F

from l2p_search.config import TrialConfig
from l2p_search.metrics import METRICS, Metric
from l2p_search.model.network import Readout, only_step
from l2p_search.model.posterior import kl_divergence, log_prior
from l2p_search.training.em import ExpectationMaximization
from l2p_search.training.objective import (
    Supervised,
    VariationalInference,
    scores_of,
    weighted_kl,
)
from l2p_search.training.scoring import measured
from tests.training.readouts import labelled, readout


def test_a_row_of_weight_zero_changes_nothing() -> None:
    read, rows = readout(), labelled()
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


def test_scores_are_cross_entropy_and_percent_of_each_seed() -> None:
    log_p = torch.log_softmax(readout().logits[:, :, 0], dim=-1)
    rows = labelled()
    found = scores_of(log_p, rows)
    for seed, count in ((0, 2), (1, 3)):
        labels = rows.labels[seed, :count]
        torch.testing.assert_close(found.loss[seed], F.nll_loss(log_p[seed, :count], labels))
        hits = (log_p[seed, :count].argmax(dim=-1) == labels).double().mean()
        torch.testing.assert_close(found.metric[seed], 100.0 * hits)


@pytest.mark.parametrize("metric", METRICS)
def test_scores_have_the_metric_that_is_asked_for(metric: Metric) -> None:
    log_p = torch.log_softmax(readout().logits[:, :, 0], dim=-1)
    rows = labelled()
    found, wanted = scores_of(log_p, rows, metric), scores_of(log_p, rows)
    torch.testing.assert_close(found.loss, wanted.loss)
    measured_alone = measured(metric, log_p, rows.labels, rows.weights)
    torch.testing.assert_close(found.metric, measured_alone)


def test_a_baseline_learns_by_cross_entropy_and_has_no_upper_level() -> None:
    scores, rows = readout().logits[:, :, 0], labelled()
    read, nothing = only_step(scores), torch.zeros(2, 3, 1)
    found = Supervised().lower(read, rows, nothing)
    for seed, count in ((0, 2), (1, 3)):
        wanted = F.cross_entropy(scores[seed, :count], rows.labels[seed, :count])
        torch.testing.assert_close(found[seed], wanted)
    biased = read._replace(bias=torch.linspace(-2, 3, 10).view(2, 5).double())
    torch.testing.assert_close(
        Supervised().log_predictions(biased),
        torch.log_softmax(scores + biased.bias[:, None], dim=-1),
    )
    with pytest.raises(NotImplementedError):
        Supervised().upper(read, rows, nothing)


def test_predictions_mix_the_class_scores_of_the_steps_by_q() -> None:
    read = readout()
    mixed = torch.einsum("slt,sltc->slc", read.log_q.exp(), read.logits) + read.bias[:, None]
    found = VariationalInference(TrialConfig(K=3)).log_predictions(read)
    torch.testing.assert_close(found, torch.log_softmax(mixed, dim=-1))


def test_the_divergence_is_weighted_and_averaged_over_a_seeds_own_nodes() -> None:
    read, config = readout(), TrialConfig(K=3, kl_weight=0.3)
    divergence = kl_divergence(read.log_q, log_prior(config, torch.float64))
    wanted = 0.3 * torch.stack([divergence[0, :2].mean(), divergence[1].mean()])
    torch.testing.assert_close(weighted_kl(config, read, labelled()), wanted)
    assert weighted_kl(TrialConfig(K=3, kl_weight=0.0), read, labelled()) == 0.0


@pytest.mark.parametrize("metric", METRICS)
def test_balanced_rows_weigh_in_the_loss_and_not_in_the_metric(metric: Metric) -> None:
    log_p = torch.log_softmax(readout().logits[:, :, 0], dim=-1)
    rows = labelled()
    weights = rows.weights * (1.0 + rows.labels)
    weights = weights / weights.sum(dim=1, keepdim=True)
    balanced = dataclasses.replace(rows, weights=weights, balanced=True)
    alike, weighed = scores_of(log_p, rows, metric), scores_of(log_p, balanced, metric)
    torch.testing.assert_close(weighed.metric, alike.metric)
    for seed, count in ((0, 2), (1, 3)):
        labels = rows.labels[seed, :count]
        by_class = 1.0 + torch.arange(log_p.shape[-1]).to(log_p)
        wanted = F.nll_loss(log_p[seed, :count], labels, by_class)
        torch.testing.assert_close(weighed.loss[seed], wanted)
