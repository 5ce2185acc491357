"""The variance of a random forest over a product space, split among its axes.

Functional ANOVA (Hutter, Hoos and Leyton-Brown, ICML 2014,
https://proceedings.mlr.press/v32/hutter14.html) of the forest's mean prediction, with every axis
drawn uniformly and independently. A leaf is a box, so what an axis does on its own, all others
averaged out, is a sum over leaves: exact, and linear in the number of trials.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from sklearn.ensemble import RandomForestRegressor

Floats = npt.NDArray[np.float64]
Axes = Sequence[Floats]
"""For each axis the places, in ascending order, that it is averaged over."""

_TREES, _TREES_AGAIN, _AGAIN = 48, 8, 16
_SMALLEST_LEAF, _LEAVES = 2, 150
_POINTS = 4096
"""Points of the space at which the whole variance is taken, where there are more."""


@dataclass(frozen=True)
class Split:
    """The variance of a forest, split.

    Attributes:
        shares: The share of each axis on its own, [axes].
        spread: The standard deviation of these shares over refits to resampled rows, [axes].
        r2: Of the rows' values as predicted by the trees that have not seen them.
    """

    shares: Floats
    spread: Floats
    r2: float


def split_variance(x: Floats, y: Floats, weights: Floats, axes: Axes) -> Split:
    """Fit forests to weighted rows and split the variance of their prediction.

    Args:
        x: The place of each row on each axis, [rows, axes].
        y: The values to predict, [rows].
        weights: How much each row counts, [rows].
        axes: The places of each axis over which the space extends.

    Returns:
        Shares that are at most one in all; the rest is in combinations of axes. All of them are
        zero for a forest that predicts the same everywhere.
    """
    forest = _fitted(x, y, weights, _TREES, 0)
    generator = np.random.default_rng(0)
    points = _points(axes, generator)
    again = []
    for number in range(_AGAIN):
        rows = generator.integers(0, len(y), len(y))
        refit = _fitted(x[rows], y[rows], weights[rows], _TREES_AGAIN, 1 + number)
        again.append(_shares(refit, axes, points))
    return Split(
        shares=_shares(forest, axes, points),
        spread=np.std(again, axis=0, ddof=1),
        r2=_r2_out_of_bag(forest, x, y, weights),
    )


def main_effects(forest: "RandomForestRegressor", axes: Axes) -> list[Floats]:
    """What the forest predicts at each place of an axis, averaged over all other axes.

    Args:
        forest: A fitted forest.
        axes: The places of each axis.

    Returns:
        One array per axis, as long as its places.
    """
    totals = [np.zeros(len(places)) for places in axes]
    for tree in forest.estimators_:
        low, high, values = _leaves(tree.tree_, len(axes))
        inside = [
            (low[:, axis, None] < places) & (places <= high[:, axis, None])
            for axis, places in enumerate(axes)
        ]
        extents = np.stack([each.mean(axis=1) for each in inside], axis=1)
        for axis, total in enumerate(totals):
            others = np.delete(extents, axis, axis=1).prod(axis=1)
            total += (values * others) @ inside[axis]
    return [total / len(forest.estimators_) for total in totals]


def _shares(forest: "RandomForestRegressor", axes: Axes, points: Floats) -> Floats:
    whole = float(np.var(forest.predict(points)))
    own = np.array([float(np.var(effect)) for effect in main_effects(forest, axes)])
    if whole <= 0.0:
        return np.zeros(len(axes))
    # Where the whole is taken at some points only, it may come out a little below its parts.
    return own / max(whole, float(own.sum()))


def _fitted(
    x: Floats, y: Floats, weights: Floats, trees: int, seed: int
) -> "RandomForestRegressor":
    from sklearn.ensemble import RandomForestRegressor

    forest = RandomForestRegressor(
        n_estimators=trees,
        min_samples_leaf=max(_SMALLEST_LEAF, len(y) // _LEAVES),
        random_state=seed,
    )
    return forest.fit(x, y, sample_weight=weights)


def _r2_out_of_bag(
    forest: "RandomForestRegressor", x: Floats, y: Floats, weights: Floats
) -> float:
    """What the forest explains of rows that its trees have not seen; 0 without any.

    Rows are drawn by their weights: one that every tree has seen, as heavy ones are, does not
    count.
    """
    totals, trees = np.zeros(len(y)), np.zeros(len(y))
    for tree, drawn in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        unseen = np.ones(len(y), dtype=bool)
        unseen[drawn] = False
        if unseen.any():
            totals[unseen] += tree.predict(x[unseen])
            trees[unseen] += 1
    known = trees > 0
    if not known.any():
        return 0.0
    y, weights, predicted = y[known], weights[known], totals[known] / trees[known]
    whole = np.average((y - np.average(y, weights=weights)) ** 2, weights=weights)
    missed = np.average((y - predicted) ** 2, weights=weights)
    return float(1.0 - missed / whole) if whole > 0.0 else 0.0


def _points(axes: Axes, generator: np.random.Generator) -> Floats:
    """Every point of a small space, else points drawn from it: [points, axes]."""
    if np.prod([float(len(places)) for places in axes]) <= _POINTS:
        return np.stack([each.ravel() for each in np.meshgrid(*axes, indexing="ij")], axis=1)
    return np.stack([generator.choice(places, _POINTS) for places in axes], axis=1)


def _leaves(tree: Any, axes: int) -> tuple[Floats, Floats, Floats]:
    """The leaves of a tree as boxes: lower ends, upper ends [leaves, axes], and their values."""
    low = np.full((tree.node_count, axes), -np.inf)
    high = np.full((tree.node_count, axes), np.inf)
    for node in range(tree.node_count):  # parents come before their children
        left, right = tree.children_left[node], tree.children_right[node]
        if left < 0:
            continue
        low[[left, right]], high[[left, right]] = low[node], high[node]
        axis, threshold = tree.feature[node], tree.threshold[node]
        high[left, axis] = min(high[left, axis], threshold)
        low[right, axis] = max(low[right, axis], threshold)
    leaves = tree.children_left < 0
    return low[leaves], high[leaves], tree.value[leaves, 0, 0]
