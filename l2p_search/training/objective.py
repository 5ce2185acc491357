"""The objectives of section 4.4: what each level minimises, and how predictions are scored.

All are means over a seed's own labelled nodes, one value per seed: [S]. Seeds share no parameters,
so the gradient of the sum over seeds is each seed's own gradient.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from l2p_search.config import TrialConfig
from l2p_search.data.splits import Rows
from l2p_search.metrics import Metric
from l2p_search.model.network import Readout
from l2p_search.model.posterior import kl_divergence, log_prior, log_softmax
from l2p_search.training.elbo import negative_elbo
from l2p_search.training.scoring import in_float64, measured, most_probable


class Scores(NamedTuple):
    """How well a set of nodes is predicted, one value per seed.

    Attributes:
        loss: Cross-entropy, [S].
        metric: The metric that was asked for, in percent, [S].
    """

    loss: Tensor
    metric: Tensor

    def to(self, device: torch.device) -> "Scores":
        """The same scores on a device."""
        return Scores(self.loss.to(device), self.metric.to(device))


class Objective(Protocol):
    """What each level minimises, and how a prediction is made."""

    def lower(self, read: Readout, rows: Rows, gumbel: Tensor) -> Tensor:
        """The loss of theta, on training nodes: [S]."""

    def upper(self, read: Readout, rows: Rows, gumbel: Tensor) -> Tensor:
        """The loss of phi, on validation nodes: [S]."""

    def log_predictions(self, read: Readout) -> Tensor:
        """Log p(y) with q itself, no noise: [S, L, C]."""


@dataclass(frozen=True)
class VariationalInference:
    """Iterative variational inference: both levels minimise the negative ELBO.

    Paper, section 4.4:  L = -log p(y | GNN(X, A, t)) + KL(q || p),  t ~ Gumbel-softmax(q)

    Config keys: kl_weight, temperature and the keys of the prior.
    """

    config: TrialConfig

    def lower(self, read: Readout, rows: Rows, gumbel: Tensor) -> Tensor:
        """The negative ELBO with a relaxed sample of the steps."""
        return negative_elbo(self.config, read, rows, gumbel)

    def upper(self, read: Readout, rows: Rows, gumbel: Tensor) -> Tensor:
        """The same on the validation nodes."""
        return self.lower(read, rows, gumbel)

    def log_predictions(self, read: Readout) -> Tensor:
        """The class scores mixed by q."""
        return log_softmax(read.mixed(read.log_q.exp()))


class Supervised:
    """The objective of a baseline: cross-entropy on the training nodes, and no upper level."""

    def lower(self, read: Readout, rows: Rows, gumbel: Tensor) -> Tensor:
        """Cross-entropy of the one step's class scores."""
        return rows.mean(-_of_label(self.log_predictions(read), rows.labels))

    def upper(self, read: Readout, rows: Rows, gumbel: Tensor) -> Tensor:
        """There is no phi to learn."""
        raise NotImplementedError

    def log_predictions(self, read: Readout) -> Tensor:
        """Log softmax of the one step's class scores."""
        return log_softmax(read.logits[:, :, 0] + read.bias[:, None])


def weighted_kl(config: TrialConfig, read: Readout, rows: Rows) -> Tensor:
    """kl_weight * KL(q || prior), averaged over the nodes: [S]."""
    if config.kl_weight == 0.0:
        return read.log_q.new_zeros(())
    divergence = kl_divergence(read.log_q, log_prior(config, read.log_q.dtype, read.log_q.device))
    return config.kl_weight * rows.mean(divergence)


def scores_of(log_predictions: Tensor, rows: Rows, metric: Metric = "accuracy") -> Scores:
    """Cross-entropy and a metric of log predictions [S, L, C] at labelled nodes [S, L].

    Balanced rows weigh in the loss only: every node counts alike in the metric.
    """
    loss = rows.mean(-_of_label(log_predictions, rows.labels))
    if metric != "accuracy" or rows.balanced:
        return Scores(loss, measured(metric, log_predictions, rows.labels, rows.weights))
    hits = (most_probable(log_predictions) == rows.labels).to(log_predictions.dtype)
    return Scores(loss, 100.0 * in_float64(rows.mean(hits)))


def _of_label(log_p: Tensor, labels: Tensor) -> Tensor:
    """The entry of each node's label: [S, L, C] and [S, L] -> [S, L]."""
    return log_p.gather(-1, labels.unsqueeze(-1)).squeeze(-1)
