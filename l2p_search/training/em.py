"""Alternate expectation maximization (section 4.4).

E-step: the best distribution over the steps of a labelled node, by Bayes' rule. Projection: the
amortised q is fitted to it by the forward KL. M-step: one gradient step on theta. All are for one
objective, E_q[log p(y | t)] - kl_weight * KL(q || p).
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from l2p_search.config import TrialConfig
from l2p_search.data.splits import Rows
from l2p_search.model.network import Readout
from l2p_search.model.posterior import log_prior, log_softmax
from l2p_search.training.objective import weighted_kl


def exact_log_posterior(log_likelihood: Tensor, log_prior: Tensor, kl_weight: float) -> Tensor:
    """E-step, in closed form:  q*(t) = p(t) p(y | t)^(1/b) / sum_j p(j) p(y | j)^(1/b).

    It maximises what the M-step maximises, E_q[log p(y | t)] - b KL(q || p), for the weight b of
    the divergence. With b = 1 and the uniform prior this is the paper's equation. With b = 0 it
    is the limit: the prior among the steps of the largest likelihood, mostly a single one.

    Args:
        log_likelihood: Log p(y | t) of the node's label, [S, L, T].
        log_prior: Log p(t), [T].
        kl_weight: The weight b, 0 or more.

    Returns:
        Log q*, [S, L, T]; minus infinity where it is zero.

    Example:
        >>> likelihood, prior = torch.tensor([0.75, 0.25]), torch.tensor([0.5, 0.5])
        >>> log_q = exact_log_posterior(likelihood.log(), prior.log(), kl_weight=0.5)
        >>> [round(q, 4) for q in log_q.exp().tolist()]  # 9 to 1, the square of 3 to 1
        [0.9, 0.1]
    """
    # Measured from the largest, so that no weight is too small: 0 / b is 0 for every b.
    behind = log_likelihood - log_likelihood.amax(dim=-1, keepdim=True)
    powered = torch.where(behind == 0.0, 0.0, behind / kl_weight)
    return log_softmax(powered + log_prior)


@dataclass(frozen=True)
class ExpectationMaximization:
    """Alternate EM: the lower level does the M-step, the upper level E-step and projection.

    Config keys: kl_weight and the keys of the prior.
    """

    config: TrialConfig

    def lower(self, read: Readout, rows: Rows, gumbel: Tensor) -> Tensor:
        """M-step: -E_q[log p(y | t)] + kl_weight * KL(q || p), the expectation taken exactly."""
        log_likelihood = _log_likelihood(read, rows.labels)
        expected = -(read.log_q.exp() * log_likelihood).sum(dim=-1)
        return rows.mean(expected) + weighted_kl(self.config, read, rows)

    def upper(self, read: Readout, rows: Rows, gumbel: Tensor) -> Tensor:
        """Projection: -E_{q*}[log q_phi], the forward KL up to a constant; q* is held fixed."""
        with torch.no_grad():
            log_likelihood = _log_likelihood(read, rows.labels)
            prior = log_prior(self.config, log_likelihood.dtype, log_likelihood.device)
            weight = self.config.kl_weight
            exact = exact_log_posterior(log_likelihood, prior, weight).exp()
        return rows.mean(-(exact * read.log_q).sum(dim=-1))

    def log_predictions(self, read: Readout) -> Tensor:
        """Log sum_t q(t) p(y | t): the predictive distribution of the generative model.

        Whatever `kl_weight` is: it says how far a label may pull q from the prior. A node to be
        predicted has no label; its step is drawn from q, and its label from p(y | t).
        """
        logits = read.logits + read.bias[:, None, None]
        return (read.log_q.unsqueeze(-1) + log_softmax(logits)).logsumexp(dim=-2)


def _log_likelihood(read: Readout, labels: Tensor) -> Tensor:
    """Log p(y | t) of every step, for labels [S, L]: -> [S, L, T]."""
    logits = read.logits + read.bias[:, None, None]
    wanted = labels[:, :, None, None].expand(*logits.shape[:3], 1)
    return logits.gather(-1, wanted).squeeze(-1) - logits.logsumexp(dim=-1)
