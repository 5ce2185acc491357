"""Figures of a whole search: scores over its trials, importance, trials as lines."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from l2p_search.effects import Effects
from l2p_search.metrics import Metric, title
from l2p_search.report.drawing import BLUE, GREY, MAP, ORANGE

_MOST_LABELS = 8
_MANY = 20
_JITTER = 0.025


@dataclass(frozen=True)
class Point:
    """One trial.

    Args:
        number: Of the trial.
        score: Its mean validation score, in percent.
        values: Hyperparameter -> value.
        complete: Whether it has all its seeds.
    """

    number: int
    score: float
    values: Mapping[str, object]
    complete: bool = True


def course_figure(
    points: Sequence[Point],
    importance: Effects | None,
    metric: Metric = "accuracy",
) -> Figure:
    """Draw scores over the trials with the best so far, and the importance beside it.

    Args:
        points: The trials, by number.
        importance: What mattered; None with too few trials to tell.
        metric: What the scores are.

    Returns:
        A figure of two panels.
    """
    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    course, shares = figure.subplots(1, 2, width_ratios=(3, 2))
    complete = [point for point in points if point.complete]
    stopped = [point for point in points if not point.complete]
    if stopped:
        course.plot(*_places(stopped), "x", color=GREY, ms=5, label="stopped early")
    course.plot(*_places(complete), "o", color=BLUE, ms=4, alpha=0.7, label="trial")
    best = list(accumulate((point.score for point in complete), max))
    numbers = [point.number for point in complete]
    course.step(numbers, best, where="post", color=ORANGE, lw=2, label="best so far")
    course.set(xlabel="trial", ylabel=f"validation {title(metric)}, %")
    course.legend(frameon=False, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3)
    course.xaxis.set_major_locator(MaxNLocator(integer=True))
    if importance is None or not importance.told:
        few = importance is None
        words = "too few trials\nto tell" if few else "nothing to be told\nof"
        shares.axis("off")
        shares.text(0.5, 0.5, f"{words} what mattered", ha="center", color=GREY)
    else:
        _draw_shares(shares, importance)
    course.spines[["top", "right"]].set_visible(False)
    return figure


def _draw_shares(axes: Axes, importance: Effects) -> None:
    """Bars with their intervals, and what is left for interactions in grey."""
    effects = list(importance.shares.values())[::-1]
    keys = [*importance.shares, "interactions"][::-1]
    means = [importance.interactions, *(each.share for each in effects)]
    ends = [(0.0, 0.0), *((each.share - each.low, each.high - each.share) for each in effects)]
    colors = [GREY] + [BLUE] * len(importance.shares)
    axes.barh(keys, means, xerr=np.array(ends).T, color=colors, capsize=2)
    axes.set(xlabel="share of the variance (fANOVA)", xlim=(0, 1.05))
    axes.set_title(f"importance ({importance.basis})", fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)


def lines_figure(points: Sequence[Point], metric: Metric = "accuracy") -> Figure:
    """Draw complete trials as lines through their hyperparameters to their score.

    Args:
        points: The trials, at least one of them complete.
        metric: What the scores are.

    Returns:
        The figure; the best trial's line is bold.
    """
    ordered = sorted((p for p in points if p.complete), key=lambda point: point.score)
    keys = list(ordered[0].values)
    scores = np.array([point.score for point in ordered])
    figure = Figure(figsize=(9.6, 4.2), layout="constrained")
    axes = figure.subplots()
    heights = np.array([_axis(axes, i, ordered, key) for i, key in enumerate(keys)])
    spread = np.random.default_rng(0).uniform(-_JITTER, _JITTER, heights.shape)
    heights = heights + spread  # so that many lines through one value are seen to be many
    last = _numeric(axes, len(keys), scores.tolist(), log=False)
    rows = np.vstack([heights, last])
    # Of many trials the lower half is often far below: keep the colours for the upper half.
    low = np.median(scores) if len(ordered) >= _MANY else scores.min()
    norm = Normalize(float(low), float(scores.max()))
    for row, score in zip(rows.T, scores, strict=True):
        axes.plot(row, color=colormaps[MAP](norm(score)), lw=0.9, alpha=0.75)
    axes.plot(rows[:, -1], color=ORANGE, lw=2.5, label=f"best: trial {ordered[-1].number}")
    axes.set_xticks(range(len(keys) + 1), [*keys, f"validation\n{title(metric)}, %"])
    axes.set(ylim=(-0.07, 1.07), xlim=(-0.3, len(keys) + 0.35), yticks=[])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0.0, 1.0))
    scale = ScalarMappable(norm, MAP)
    figure.colorbar(
        scale,
        ax=axes,
        extend="min" if low > scores.min() else "neither",
        label=f"validation {title(metric)}, %",
    )
    return figure


def _axis(axes: Axes, place: int, points: Sequence[Point], key: str) -> list[float]:
    """Draw the axis of one hyperparameter; returns each trial's place on it, from 0 to 1."""
    values = [point.values[key] for point in points]
    numbers = [float(value) for value in values if isinstance(value, (int, float))]
    distinct = sorted(set(values), key=lambda v: (isinstance(v, str), v))
    if len(distinct) > _MOST_LABELS and len(numbers) == len(values):
        log = min(numbers) > 0.0 and max(numbers) / min(numbers) > 30.0
        return _numeric(axes, place, numbers, log)
    top = max(1, len(distinct) - 1)
    heights = {value: rank / top for rank, value in enumerate(distinct)}
    _labels(axes, place, {height: _short(value) for value, height in heights.items()})
    return [heights[value] for value in values]


def _numeric(axes: Axes, place: int, values: Sequence[float], log: bool) -> list[float]:
    scaled = [math.log(value) if log else value for value in values]
    low, high = min(scaled), max(scaled)
    width = (high - low) or 1.0
    marks = [low + part * width for part in (0.0, 0.25, 0.5, 0.75, 1.0)]
    labels = {
        (mark - low) / width: f"{math.exp(mark) if log else mark:.3g}"
        for mark in (marks if high > low else marks[:1])
    }
    _labels(axes, place, labels)
    return [(value - low) / width for value in scaled]


def _labels(axes: Axes, place: int, labels: Mapping[float, str]) -> None:
    axes.axvline(place, color="#bbbbbb", lw=1, zorder=0)
    for height, label in labels.items():
        axes.text(
            place - 0.03,
            height,
            label,
            ha="right",
            va="center",
            fontsize=9,
            zorder=5,
            bbox={"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 1},
        )


def _places(points: Sequence[Point]) -> tuple[list[int], list[float]]:
    return [point.number for point in points], [point.score for point in points]


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
