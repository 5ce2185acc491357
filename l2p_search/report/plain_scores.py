"""The metrics of one seed's predictions in few lines each: what an exported program measures.

All take labels [L] and class scores [L, C] and give a share of 1. `training.scoring` has the same
for many seeds at once.
"""

from collections.abc import Callable

import torch
from torch import Tensor


def accuracy(y: Tensor, scores: Tensor) -> float:
    """The share of nodes whose highest score is that of their class."""
    return float((scores.argmax(dim=1) == y).double().mean())


def balanced_accuracy(y: Tensor, scores: Tensor) -> float:
    """The mean over the classes that there are of the share of their nodes that is right."""
    right = (scores.argmax(dim=1) == y).double()
    return float(torch.stack([right[y == label].mean() for label in y.unique()]).mean())


def macro_f1(y: Tensor, scores: Tensor) -> float:
    """The mean over the classes of F1; a class neither true nor predicted has none."""
    found = scores.argmax(dim=1)
    each = []
    for label in torch.cat([y, found]).unique():
        hits = ((y == label) & (found == label)).sum().double()
        each.append(2 * hits / ((y == label).sum() + (found == label).sum()))
    return float(torch.stack(each).mean())


def roc_auc(y: Tensor, scores: Tensor) -> float:
    """The probability that a node of a class is ranked above one of no such class; ties half.

    By the sum of ranks, of the middle of equal ones. With one class only there is no ranking: 0.5.
    """
    each = []
    for own, ranked_by in one_against_the_rest(y, scores):
        _, group, sizes = ranked_by.unique(return_inverse=True, return_counts=True)
        ranks = (sizes.cumsum(dim=0) - (sizes - 1) / 2).double()[group]
        count, others = own.sum().double(), (~own).sum().double()
        if count > 0 and others > 0:
            each.append((ranks[own].sum() - count * (count + 1) / 2) / (count * others))
    return float(torch.stack(each).mean()) if each else 0.5


def average_precision(y: Tensor, scores: Tensor) -> float:
    """The mean precision over the ranks of the nodes of a class; equal scores are one rank."""
    each = []
    for own, ranked_by in one_against_the_rest(y, scores):
        values, group, sizes = (-ranked_by).unique(return_inverse=True, return_counts=True)
        hits = torch.zeros(len(values)).double().index_add(0, group, own.double())
        if own.any():
            precision = hits.cumsum(dim=0) / sizes.cumsum(dim=0)
            each.append((hits * precision).sum() / hits.sum())
    return float(torch.stack(each).mean()) if each else 0.0


def one_against_the_rest(y: Tensor, scores: Tensor) -> list[tuple[Tensor, Tensor]]:
    """Who is of a class, and what ranks it: of class 1 of two, or of each class of more."""
    if scores.shape[1] == 2:
        return [(y == 1, scores[:, 1] - scores[:, 0])]
    log_p = scores.log_softmax(dim=1)
    return [(y == label, log_p[:, label]) for label in range(scores.shape[1])]


SCORES: dict[str, Callable[[Tensor, Tensor], float]] = {
    "accuracy": accuracy,
    "balanced_accuracy": balanced_accuracy,
    "macro_f1": macro_f1,
    "roc_auc": roc_auc,
    "average_precision": average_precision,
}
