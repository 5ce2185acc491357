"""Alternate expectation maximization (section 4.4).

E-step: the exact posterior over the steps of a labelled node, by Bayes' rule. Projection: the
amortised q is fitted to it by the forward KL. M-step: one gradient step on theta.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from l2p_search.config import TrialConfig
from l2p_search.data.splits import Rows
from l2p_search.model.network import Readout
from l2p_search.model.posterior import log_prior, log_softmax
from l2p_search.training.objective import weighted_kl


def exact_log_posterior(log_likelihood: Tensor, log_prior: Tensor) -> Tensor:
    """E-step, in closed form:  q(t) = p(y | t) p(t) / sum_j p(y | j) p(j).

    With the uniform prior this is the paper's equation.

    Args:
        log_likelihood: Log p(y | t) of the node's label, [S, L, T].
        log_prior: Log p(t), [T].

    Returns:
        Log q, [S, L, T].

    Example:
        >>> likelihood, prior = torch.tensor([0.75, 0.25]), torch.tensor([0.5, 0.5])
        >>> log_q = exact_log_posterior(likelihood.log(), prior.log())
        >>> [round(q, 4) for q in log_q.exp().tolist()]
        [0.75, 0.25]
    """
    return log_softmax(log_likelihood + log_prior)


@dataclass(frozen=True)
class ExpectationMaximization:
    """Alternate EM: the lower level does the M-step, the upper level E-step and projection.

    Config keys: kl_weight and the keys of the prior.
    """

    config: TrialConfig

    def lower(self, read: Readout, rows: Rows, gumbel: Tensor) -> Tensor:
        """M-step: -E_q[log p(y | t)] + KL(q || p), the expectation taken exactly."""
        log_likelihood = _log_likelihood(read, rows.labels)
        expected = -(read.log_q.exp() * log_likelihood).sum(dim=-1)
        return rows.mean(expected) + weighted_kl(self.config, read, rows)

    def upper(self, read: Readout, rows: Rows, gumbel: Tensor) -> Tensor:
        """Projection: -E_{q*}[log q_phi], the forward KL up to a constant; q* is held fixed."""
        with torch.no_grad():
            log_likelihood = _log_likelihood(read, rows.labels)
            prior = log_prior(self.config, log_likelihood.dtype, log_likelihood.device)
            exact = exact_log_posterior(log_likelihood, prior).exp()
        return rows.mean(-(exact * read.log_q).sum(dim=-1))

    def log_predictions(self, read: Readout) -> Tensor:
        """Log sum_t q(t) p(y | t): the predictive distribution of the generative model."""
        logits = read.logits + read.bias[:, None, None]
        return (read.log_q.unsqueeze(-1) + log_softmax(logits)).logsumexp(dim=-2)


def _log_likelihood(read: Readout, labels: Tensor) -> Tensor:
    """Log p(y | t) of every step, for labels [S, L]: -> [S, L, T]."""
    logits = read.logits + read.bias[:, None, None]
    wanted = labels[:, :, None, None].expand(*logits.shape[:3], 1)
    return logits.gather(-1, wanted).squeeze(-1) - logits.logsumexp(dim=-1)
