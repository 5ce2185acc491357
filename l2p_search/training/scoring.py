"""How well predictions of S seeds agree with labels, by each of the metrics, in percent.

Two metrics compare the most probable class with the label (balanced accuracy and macro F1, as
accuracy does), two read the ranking of the nodes by the probability of a class (ROC AUC and
average precision). A ranking belongs to one class. With two classes it is that of class 1. With
more, each class is ranked against all others, and the metric is the mean over the classes that the
rows have (macro, one against the rest).

Counts are whole numbers in float64 and so exact. Nodes of equal probability are counted as the
definitions want: as half a pair for ROC AUC, as one threshold for average precision. The functions
of the same names in scikit-learn give the same values.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from l2p_search.metrics import Metric
from l2p_search.model.problem import HOST

_MOST_AT_ONCE = 2**22
"""More numbers than this are measured seed by seed: a ranking takes many times their memory."""


def measured(metric: Metric, log_p: Tensor, labels: Tensor, weights: Tensor) -> Tensor:
    """A metric of every seed's predictions.

    It is never NaN. A class that the rows do not have is in no mean. Rows of one class only cannot
    be ranked rightly or wrongly: ROC AUC is 50 for them, as by chance; average precision is 0
    where class 1 of two has no row, and 100 where all rows are of the class.

    Args:
        metric: What to measure.
        log_p: Log-probabilities of the classes, [S, L, C].
        labels: The true classes, [S, L].
        weights: Rows of weight 0 fill up shorter splits and are not counted, [S, L]; all others
            count alike, whatever their weight.

    Returns:
        The metric in percent, float64, [S].

    Example:
        >>> log_p = torch.tensor([[[0.9, 0.1], [0.6, 0.4], [0.8, 0.2]]]).log()
        >>> labels, weights = torch.tensor([[0, 1, 0]]), torch.full((1, 3), 1 / 3)
        >>> measured("accuracy", log_p, labels, weights).tolist()
        [66.66666666666667]
        >>> measured("roc_auc", log_p, labels, weights).tolist()
        [100.0]
    """
    if not _has_float64(log_p.device):
        log_p, labels, weights = (each.to(HOST) for each in (log_p, labels, weights))
    if len(log_p) > 1 and log_p.numel() > _MOST_AT_ONCE:
        seeds = zip(*(each.split(1) for each in (log_p, labels, weights)), strict=True)
        return torch.cat([measured(metric, *own) for own in seeds])
    return _MEASURES[metric](log_p, labels, weights > 0.0)


def most_probable(log_p: Tensor) -> Tensor:
    """The class of the highest log-probability, the first of equals: [S, L, C] -> [S, L].

    `max` over axis 0 finds the same class as `argmax`, at a tenth of its time.
    """
    return log_p.movedim(-1, 0).max(dim=0).indices


def in_float64(value: Tensor) -> Tensor:
    """The value in float64; on the CPU where the device has no such numbers."""
    return (value if _has_float64(value.device) else value.to(HOST)).double()


def _has_float64(device: torch.device) -> bool:
    """Apple's GPUs have no float64."""
    return device.type != "mps"


def _accuracy(log_p: Tensor, labels: Tensor, counted: Tensor) -> Tensor:
    hits = (most_probable(log_p) == labels) & counted
    return 100.0 * hits.sum(dim=1).double() / counted.sum(dim=1).double()


def _balanced_accuracy(log_p: Tensor, labels: Tensor, counted: Tensor) -> Tensor:
    confusion = _confusion(log_p, labels, counted)
    hits, rows = confusion.diagonal(dim1=1, dim2=2), confusion.sum(dim=2)
    return 100.0 * _mean_where(rows > 0.0, hits / rows)


def _macro_f1(log_p: Tensor, labels: Tensor, counted: Tensor) -> Tensor:
    """F1 of a class is 2 tp / (2 tp + fp + fn); a class neither true nor predicted has none."""
    confusion = _confusion(log_p, labels, counted)
    hits = confusion.diagonal(dim1=1, dim2=2)
    total = confusion.sum(dim=1) + confusion.sum(dim=2)
    return 100.0 * _mean_where(total > 0.0, 2.0 * hits / total)


def _roc_auc(log_p: Tensor, labels: Tensor, counted: Tensor) -> Tensor:
    """The area under the ROC curve by trapezoids, one for each group of equal scores."""
    curve = _curves(log_p, labels, counted)
    pairs = curve.positives * curve.negatives
    wide = curve.false - curve.false_before
    high = (curve.true + curve.true_before) / 2.0
    areas = (wide * high).sum(dim=-1) / pairs
    found = 100.0 * _mean_where(pairs > 0.0, areas)
    return torch.where((pairs > 0.0).any(dim=1), found, 50.0)


def _average_precision(log_p: Tensor, labels: Tensor, counted: Tensor) -> Tensor:
    """The sum over the groups of equal scores of their share of recall times precision."""
    curve = _curves(log_p, labels, counted)
    precision = curve.true / (curve.true + curve.false).clamp(min=1.0)
    gained = curve.true - curve.true_before
    areas = (gained * precision).sum(dim=-1) / curve.positives
    return 100.0 * _mean_where(curve.positives > 0.0, areas)


def _confusion(log_p: Tensor, labels: Tensor, counted: Tensor) -> Tensor:
    """How many rows of a class are predicted as which: [S, C true, C predicted]."""
    seeds, classes = labels.shape[0], log_p.shape[-1]
    cell = labels * classes + most_probable(log_p)
    place = cell + torch.arange(seeds, device=cell.device).unsqueeze(1) * classes**2
    count = torch.bincount(place[counted], minlength=seeds * classes**2)
    return count.double().view(seeds, classes, classes)


class _Curves(NamedTuple):
    """Rows of a class ("true") and others ("false") from the highest score down to each row.

    The first four are [S, R, L] for R ranked classes, and stand at the last row of every group of
    equal scores; at the other rows they repeat the value of the group before, so that a difference
    is zero there. `positives` and `negatives` are the numbers of all such rows, [S, R].
    """

    true: Tensor
    false: Tensor
    true_before: Tensor
    false_before: Tensor
    positives: Tensor
    negatives: Tensor


def _curves(log_p: Tensor, labels: Tensor, counted: Tensor) -> _Curves:
    """Rank the rows by the probability of class 1 of two, or of each class of more."""
    ranked, by = torch.arange(log_p.shape[-1], device=log_p.device), log_p
    if log_p.shape[-1] == 2:
        # The log-odds: where probabilities come near 1, even their logarithms become equal.
        ranked, by = ranked[1:], log_p[..., 1:] - log_p[..., :1]
    scores, order = by.transpose(1, 2).sort(dim=-1, descending=True)
    own = labels.unsqueeze(1) == ranked.view(1, -1, 1)
    seen = counted.unsqueeze(1).expand_as(own)
    true = (own & seen).gather(-1, order).cumsum(dim=-1).double()
    false = (~own & seen).gather(-1, order).cumsum(dim=-1).double()
    last = torch.ones_like(own)
    last[..., :-1] = scores[..., 1:] != scores[..., :-1]
    # Counts never fall, so the highest so far is that of the latest end of a group.
    true_at, false_at = (
        torch.where(last, count, 0.0).cummax(dim=-1).values for count in (true, false)
    )
    return _Curves(
        true_at,
        false_at,
        torch.nn.functional.pad(true_at, (1, 0))[..., :-1],
        torch.nn.functional.pad(false_at, (1, 0))[..., :-1],
        true[..., -1],
        false[..., -1],
    )


def _mean_where(there: Tensor, values: Tensor) -> Tensor:
    """The mean of the values [S, R] that are there; 0 where none is."""
    total = torch.where(there, values, 0.0).sum(dim=1)
    return total / there.sum(dim=1).clamp(min=1)


_MEASURES: dict[Metric, Callable[[Tensor, Tensor, Tensor], Tensor]] = {
    "accuracy": _accuracy,
    "balanced_accuracy": _balanced_accuracy,
    "macro_f1": _macro_f1,
    "roc_auc": _roc_auc,
    "average_precision": _average_precision,
}
