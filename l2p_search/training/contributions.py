"""Contributions: what each test node adds to a score, so that nodes can be resampled.

A score is a function of the nodes' weights, which are all 1. The influence of a node is how the
score changes with its weight, times the number of nodes; the influences sum to zero, and the score
plus a node's influence is its contribution. The variance of a mean of contributions is that of a
bootstrap over nodes, for every metric alike: exactly for accuracy, to first order for ratios, and
for ROC AUC it is DeLong's (1988).
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from l2p_search.metrics import Metric

_Values = npt.NDArray[np.float64]
_Labels = npt.NDArray[np.int64]


def contributions(metric: Metric, log_p: _Values, labels: _Labels) -> _Values:
    """What each node contributes to a metric.

    Args:
        metric: What is measured.
        log_p: Log-probabilities of the classes, [n, C].
        labels: The true classes, [n].

    Returns:
        Contributions in percent, [n]; their mean is the metric as `scoring.measured` has it.

    Example:
        >>> log_p = np.log([[0.9, 0.1], [0.6, 0.4], [0.8, 0.2]])
        >>> contributions("accuracy", log_p, np.array([0, 1, 0])).tolist()
        [100.0, 0.0, 100.0]
    """
    found: _Values = 100.0 * _CONTRIBUTIONS[metric](log_p, labels)
    return found


def _accuracy(log_p: _Values, labels: _Labels) -> _Values:
    right: npt.NDArray[np.bool_] = log_p.argmax(axis=1) == labels
    return right.astype(np.float64)


def _balanced_accuracy(log_p: _Values, labels: _Labels) -> _Values:
    hits = _accuracy(log_p, labels)
    rows = np.bincount(labels)
    recall = np.bincount(labels, weights=hits) / np.maximum(rows, 1)
    there = rows > 0
    weight = len(labels) / (there.sum() * rows[labels])
    found: _Values = recall[there].mean() + weight * (hits - recall[labels])
    return found


def _macro_f1(log_p: _Values, labels: _Labels) -> _Values:
    classes, guess = log_p.shape[1], log_p.argmax(axis=1)
    right = np.bincount(labels[guess == labels], minlength=classes)
    total = np.bincount(labels, minlength=classes) + np.bincount(guess, minlength=classes)
    f1 = 2.0 * right / np.maximum(total, 1)
    slope = np.divide(1.0, total, out=np.zeros(classes), where=total > 0)
    change = 2.0 * (guess == labels) * slope[labels]
    change -= f1[labels] * slope[labels] + f1[guess] * slope[guess]
    there = (total > 0).sum()
    found: _Values = f1.sum() / there + len(labels) / there * change
    return found


def _roc_auc(log_p: _Values, labels: _Labels) -> _Values:
    found = []
    for own, scores in _ranked(log_p, labels):
        positive, negative = np.sort(scores[own]), np.sort(scores[~own])
        if not (len(positive) and len(negative)):
            continue
        place = np.where(own, _share_below(negative, scores), 1.0 - _share_below(positive, scores))
        area = place[own].mean()
        size = np.where(own, len(positive), len(negative))
        found.append(area + len(labels) / size * (place - area))
    return np.mean(found, axis=0) if found else np.full(len(labels), 0.5)


def _average_precision(log_p: _Values, labels: _Labels) -> _Values:
    found = []
    for own, scores in _ranked(log_p, labels):
        positives = own.sum()
        if not positives:
            continue
        # Of every node: how many have its score or a higher one, and how many of them are `own`.
        _, group = np.unique(-scores, return_inverse=True)
        above = np.cumsum(np.bincount(group))[group]
        right = np.cumsum(np.bincount(group, weights=own))[group]
        precision = right / above
        mean = precision[own].mean()
        # A further node with this score changes the precision of all nodes from here down.
        gain, loss = (
            np.cumsum(np.bincount(group, weights=own * each)[::-1])[::-1][group]
            for each in (1.0 / above, precision / above)
        )
        change = own * (precision - mean) + own * gain - loss
        found.append(mean + len(labels) / positives * change)
    return np.mean(found, axis=0) if found else np.zeros(len(labels))


def _ranked(log_p: _Values, labels: _Labels) -> list[tuple[npt.NDArray[np.bool_], _Values]]:
    """Class 1 of two by its log-odds, or each class of more: which nodes are of it, and scores."""
    if log_p.shape[1] == 2:
        return [(labels == 1, log_p[:, 1] - log_p[:, 0])]
    return [(labels == each, log_p[:, each]) for each in range(log_p.shape[1])]


def _share_below(ordered: _Values, scores: _Values) -> _Values:
    """The share of the ordered scores that are below each score; equal ones count half."""
    below, upto = (np.searchsorted(ordered, scores, side=side) for side in ("left", "right"))
    return (below + upto) / (2.0 * len(ordered))


_CONTRIBUTIONS: dict[Metric, Callable[[_Values, _Labels], _Values]] = {
    "accuracy": _accuracy,
    "balanced_accuracy": _balanced_accuracy,
    "macro_f1": _macro_f1,
    "roc_auc": _roc_auc,
    "average_precision": _average_precision,
}
