"""The equations of section 4 as pure functions: q(t | node), its prior, and the E-step.

T = K + 1 steps, counted from 0, are the last axis. Everything is in log space.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from l2p_search.nn.choices import Choices


def log_select(scores: Tensor) -> Tensor:
    """Learning to Select, section 4.2: a softmax over the steps.

        q(t) = exp(s_t) / sum_j exp(s_j)

    [N, T] -> log q [N, T].

    Example:
        >>> log_select(torch.zeros(1, 4)).exp().tolist()
        [[0.25, 0.25, 0.25, 0.25]]
    """
    return scores.log_softmax(dim=1)


def log_quit(scores: Tensor) -> Tensor:
    """Learning to Quit, section 4.3: a node stays t times, then quits at step t.

        q(t) = a_t * prod_{j<t} (1 - a_j),  a_t = sigmoid(s_t),  and a_K = 1

    The last step quits surely, so q sums to one. In log space, as a product of 64 small factors
    underflows. [N, T] -> log q [N, T].

    Example:
        >>> log_quit(torch.zeros(1, 4)).exp().tolist()
        [[0.5, 0.25, 0.125, 0.125]]
    """
    quits = F.pad(F.logsigmoid(scores[:, :-1]), (0, 1))
    stays = F.pad(F.logsigmoid(-scores[:, :-1]).cumsum(dim=1), (1, 0))
    return quits + stays


def log_prior(choices: Choices, like: Tensor) -> Tensor:
    """Log p(t) [T], section 4.1: p(t) = 1 / T, or p(t) ~ ratio^t, which favours shallow steps.

    It has the type and the device of the tensor `like`.

    Example:
        >>> geometric = dict(prior="geometric", prior_ratio=0.5)
        >>> choices = Choices(in_channels=1, hidden_channels=1, out_channels=1, K=1, **geometric)
        >>> [round(p, 4) for p in log_prior(choices, torch.zeros(())).exp().tolist()]
        [0.6667, 0.3333]
    """
    ratio = choices.prior_ratio if choices.prior == "geometric" else 1.0
    steps = torch.arange(choices.steps, dtype=like.dtype, device=like.device)
    return (steps * math.log(ratio)).log_softmax(dim=0)


def kl_divergence(log_q: Tensor, log_p: Tensor) -> Tensor:
    """KL(q || p) = sum_t q(t) (log q(t) - log p(t)): [N, T] and [T] -> [N]."""
    return (log_q.exp() * (log_q - log_p)).sum(dim=1)


def log_likelihood(scores: Tensor, labels: Tensor) -> Tensor:
    """Log p(y | t) of labels [N], from the class scores of every step [N, T, C]: [N, T]."""
    wanted = labels.view(-1, 1, 1).expand(-1, scores.shape[1], 1)
    return scores.log_softmax(dim=-1).gather(-1, wanted).squeeze(-1)


def exact_posterior(log_likelihood: Tensor, log_p: Tensor, kl_weight: float) -> Tensor:
    """The E-step in closed form: the q* that is best for the objective of the M-step, [N, T].

        q*(t) = p(t) p(y | t)^(1/b) / sum_j p(j) p(y | j)^(1/b),  b is `kl_weight`

    With b = 1 and the uniform prior this is the paper's equation. With b = 0 it is the limit: the
    prior among the steps of the largest likelihood.
    """
    behind = log_likelihood - log_likelihood.amax(dim=1, keepdim=True)  # 0 / b is 0 for every b
    return (torch.where(behind == 0.0, 0.0, behind / kl_weight) + log_p).softmax(dim=1)


def mean_over_nodes(values: Tensor, labels: Tensor, class_weight: Tensor | None = None) -> Tensor:
    """The mean of values [L] over nodes with these labels [L], where classes may weigh [C]."""
    if class_weight is None:
        return values.mean()
    weights = class_weight[labels]
    return (values * weights).sum() / weights.sum()


def balanced_classes(labels: Tensor, classes: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """Weights with which every class counts as much as another: one over its nodes, [C].

    Args:
        labels: Classes of the training nodes, [L].
        classes: C; one that no node has weighs as if one had it.
        dtype: Of the weights.

    Example:
        >>> balanced_classes(torch.tensor([0, 0, 0, 0, 1]), 2).tolist()
        [0.25, 1.0]
    """
    return 1.0 / labels.bincount(minlength=classes).clamp(min=1).to(dtype)
