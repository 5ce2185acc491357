"""The negative ELBO of section 4.4 as one operation with its gradient in closed form.

It is computed twice per epoch at every labelled node and step. Composed of single operations of
torch, it would read and write tensors [S, L, T, C] twice as often. `nn/l2p.py` has the definition,
which a test compares it with.
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from l2p_search.config import TrialConfig
from l2p_search.data.splits import Rows
from l2p_search.model.network import Readout
from l2p_search.model.posterior import kl_divergence, log_prior, log_softmax, relaxed_sample


def negative_elbo(config: TrialConfig, read: Readout, rows: Rows, gumbel: Tensor) -> Tensor:
    """L = -log p(y | GNN(X, A, t)) + kl_weight * KL(q || p) with t ~ Gumbel-softmax(q).

    Args:
        config: `temperature`, `kl_weight` and the keys of the prior are read.
        read: Posterior and class scores of every step.
        rows: Labels and weights of the nodes, [S, L].
        gumbel: Standard Gumbel noise, [S, L, T].

    Returns:
        The mean over each seed's nodes, [S].
    """
    if read.mix is not None:
        return _composed(config, read, rows, gumbel)
    loss: Tensor = NegativeElbo.apply(  # type: ignore[no-untyped-call]
        read.log_q, read.logits, read.bias, gumbel, rows.labels, rows.weights, config
    )
    return loss


def _composed(config: TrialConfig, read: Readout, rows: Rows, gumbel: Tensor) -> Tensor:
    """The same by single operations, where class scores are mixed as they are read."""
    sample = relaxed_sample(read.log_q, gumbel, config.temperature)
    log_p = log_softmax(read.mixed(sample))
    loss = -log_p.gather(-1, rows.labels.unsqueeze(-1)).squeeze(-1)
    if config.kl_weight > 0.0:
        prior = log_prior(config, read.log_q.dtype, read.log_q.device)
        loss = loss + config.kl_weight * kl_divergence(read.log_q, prior)
    return rows.mean(loss)


class NegativeElbo(torch.autograd.Function):
    """log_q [S, L, T], logits [S, L, T, C], bias [S, C] -> the mean over each seed's nodes [S].

    With the mixed class scores m = sum_t t logits_t + bias and p = softmax(m):

        dL/dm      = p - onehot(y)
        dL/dlogits = t dL/dm
        dL/dt      = dL/dm . logits
        dL/dlog_q  = t (dL/dt - sum_j t_j dL/dt_j) / temperature
                     + kl_weight q (log q - log prior + 1)

    In memory steps come first, then classes (see `propagation`), and so they do here.
    """

    @staticmethod
    def forward(
        ctx: Any,
        log_q: Tensor,
        logits: Tensor,
        bias: Tensor,
        gumbel: Tensor,
        labels: Tensor,
        weights: Tensor,
        config: TrialConfig,
    ) -> Tensor:
        """The loss and its gradients together: both need the same large tensors."""
        sample = relaxed_sample(log_q, gumbel, config.temperature)
        log_p = log_softmax(Readout(log_q, logits, bias).mixed(sample)).movedim(-1, 0)
        sample, log_q = sample.movedim(-1, 0), log_q.movedim(-1, 0)
        logits = logits.permute(2, 3, 0, 1)
        own = labels.unsqueeze(0)
        loss = -log_p.gather(0, own).squeeze(0)

        grad_mixed = log_p.exp_()
        grad_mixed.scatter_add_(0, own, torch.full_like(weights, -1.0).unsqueeze(0))
        grad_mixed.mul_(weights)
        grad_sample = (grad_mixed * logits).sum(dim=1)
        centre = (sample * grad_sample).sum(dim=0)
        grad_log_q = grad_sample.sub_(centre).mul_(sample)
        if config.temperature != 1.0:
            grad_log_q.div_(config.temperature)
        if config.kl_weight > 0.0:
            q = log_q.exp()
            prior = log_prior(config, log_q.dtype, log_q.device)
            surplus = log_q - prior[:, None, None]
            loss.add_((q * surplus).sum(dim=0), alpha=config.kl_weight)
            grad_log_q.addcmul_(q * weights, surplus.add_(1.0), value=config.kl_weight)
        ctx.save_for_backward(sample, grad_mixed, grad_log_q)
        return loss.mul_(weights).sum(dim=1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients that `forward` found, times that of each seed's loss [S]."""
        sample, grad_mixed, grad_log_q = ctx.saved_tensors
        needs_log_q, needs_logits, needs_bias = ctx.needs_input_grad[:3]
        grad_logits = grad_bias = None
        if needs_logits or needs_bias:
            grad_mixed = grad_mixed * grad.unsqueeze(1)
        if needs_logits:
            grad_logits = (sample.unsqueeze(1) * grad_mixed).permute(2, 3, 0, 1)
        if needs_bias:
            grad_bias = grad_mixed.sum(dim=2).t()
        grad_log_q = (grad_log_q * grad.unsqueeze(1)).movedim(0, -1) if needs_log_q else None
        return grad_log_q, grad_logits, grad_bias, None, None, None, None
