"""q(t | node), the learned distribution over propagation steps, and its prior.

Section 4 of the paper (Xiao, Chen, Wang and Wang, KDD 2021, https://arxiv.org/abs/2310.00697).
Everything is in log space and over the last axis: T = K + 1 steps, counted from 0. In memory the
steps come first (see `propagation`), and the functions here keep that order: where an operation
of torch would change it, they work on a view with the steps in front.
"""

import math
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from l2p_search.config import TrialConfig
from l2p_search.model.problem import HOST


def select_log_probs(scores: Tensor) -> Tensor:
    """Learning to Select: a softmax over the steps.

    Paper, section 4.2:  q(t) = exp(s_t) / sum_j exp(s_j),  s_t = w_t . H_t

    Scores [..., T] -> log q [..., T].

    Example:
        >>> select_log_probs(torch.zeros(4)).exp().tolist()
        [0.25, 0.25, 0.25, 0.25]
    """
    return log_softmax(scores)


def quit_log_probs(scores: Tensor) -> Tensor:
    """Learning to Quit: a node stays t times, then quits at step t.

    Paper, section 4.3:  q(t) = a_t * prod_{j<t} (1 - a_j),  a_t = sigmoid(s_t)

    The last step quits surely, so the probabilities sum to one; its score is not read. In log
    space, because a product of 64 small factors underflows. Scores [..., T] -> log q [..., T].

    Example:
        >>> quit_log_probs(torch.zeros(4)).exp().tolist()
        [0.5, 0.25, 0.125, 0.125]
    """
    log_q: Tensor = QuitLogProbs.apply(scores.movedim(-1, 0))  # type: ignore[no-untyped-call]
    return log_q.movedim(0, -1)


class QuitLogProbs(torch.autograd.Function):
    """Scores [T, ...] -> log q [T, ...] as one operation: autograd would pad every slice of it."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor) -> Tensor:
        """Log q(t) = log a_t + sum_{j<t} log (1 - a_j), without the first term at the last t."""
        deciding = scores[:-1]
        quits, buffer = torch.ops.aten.log_sigmoid_forward(deciding)
        stayed = torch.cumsum(quits - deciding, dim=0)  # log (1 - sigmoid(s)) = log sigmoid(s) - s
        ctx.save_for_backward(deciding, buffer)
        return torch.cat([quits[:1], quits[1:] + stayed[:-1], stayed[-1:]])

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        """Log (1 - a_t) stands in all later steps: its gradient is the sum of theirs."""
        deciding, buffer = ctx.saved_tensors
        of_stayed = grad[1:].flip(0).cumsum(0).flip(0)
        of_quits = grad[:-1] + of_stayed
        found = torch.zeros_like(grad, memory_format=torch.contiguous_format)
        of_scores = torch.ops.aten.log_sigmoid_backward(of_quits, deciding, buffer)
        torch.sub(of_scores, of_stayed, out=found[:-1])
        return found


def log_probs(posterior: str, scores: Tensor) -> Tensor:
    """Log q by the posterior's name, `select` or `quit`: scores [..., T] -> log q [..., T]."""
    return select_log_probs(scores) if posterior == "select" else quit_log_probs(scores)


def relaxed_sample(log_q: Tensor, gumbel: Tensor, temperature: float) -> Tensor:
    """A differentiable sample from q, by Gumbel-softmax (section 4.4).

        t = softmax((log q + g) / temperature)

    Jang, Gu and Poole, ICLR 2017, https://arxiv.org/abs/1611.01144.

    Args:
        log_q: Log of the distribution, [..., T].
        gumbel: Standard Gumbel noise g, [..., T].
        temperature: Towards 0 the sample is one step, towards infinity all steps equally.

    Returns:
        Weights over the steps that sum to one, [..., T].
    """
    perturbed = log_q + gumbel
    if temperature != 1.0:
        perturbed = perturbed / temperature
    return torch.softmax(perturbed.movedim(-1, 0), dim=0).movedim(0, -1)


def log_softmax(x: Tensor) -> Tensor:
    """Torch's log_softmax over the last axis, on memory in which that axis comes first."""
    return torch.log_softmax(x.movedim(-1, 0), dim=0).movedim(0, -1)


def kl_divergence(log_q: Tensor, log_prior: Tensor) -> Tensor:
    """KL(q || p) = sum_t q(t) (log q(t) - log p(t)): [..., T] and [T] -> [...].

    Example:
        >>> q, p = torch.tensor([0.25, 0.75]), torch.tensor([0.75, 0.25])
        >>> round(kl_divergence(q.log(), p.log()).item(), 4)  # log(3) / 2
        0.5493
    """
    return (log_q.exp() * (log_q - log_prior)).sum(dim=-1)


@cache
def log_prior(
    config: TrialConfig,
    dtype: torch.dtype = torch.float32,
    device: torch.device = HOST,
) -> Tensor:
    """The uniform prior of section 4.1, or a geometric one that favours shallow steps.

        p(t) = 1 / T    or    p(t) ~ ratio^t

    Args:
        config: `K`, `prior` and `prior_ratio` are read.
        dtype: Of the result.
        device: Of the result.

    Returns:
        Log p, [T].

    Example:
        >>> log_prior(TrialConfig(K=3)).exp().tolist()
        [0.25, 0.25, 0.25, 0.25]
    """
    ratio = config.prior_ratio if config.prior == "geometric" else 1.0
    steps = torch.arange(config.K + 1, dtype=dtype, device=HOST)
    unnormalised = steps * math.log(ratio)
    return (unnormalised - unnormalised.logsumexp(dim=0)).to(device)
