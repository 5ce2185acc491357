"""What mattered in a search: the variance among its trials, split among hyperparameters."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import optuna

from l2p_search.effects import Effect, Effects
from l2p_search.results import TrialStatus
from l2p_search.searching.records.forest import Floats, split_variance
from l2p_search.searching.records.journal_file import quiet_optuna
from l2p_search.searching.records.outcome import Outcome
from l2p_search.searching.records.seed_ease import ease_of_seeds, mean_ease
from l2p_search.searching.space.axes import natural_distribution
from l2p_search.searching.space.search_space import Choices, Dimension, Range
from l2p_search.trial_record import TrialRecord

_FEWEST = 8
"""With fewer trials than this, a random forest has nothing to learn from."""
_MOST = 2000
"""Of more trials than this, so many are drawn: the time it takes is bounded."""
_CELLS = 32
"""Places by which a range of endlessly many values is represented."""

Row = tuple[tuple[float, ...], float, float]
"""A trial: its place on each axis, its mean, and how many seeds that rests on."""


def importance_of(outcome: Outcome) -> Effects | None:
    """Measure which hyperparameters made the difference.

    A forest is fitted to all trials that have a mean, and the variance of its prediction over the
    space is split (`forest`). A trial that was raced out counts by its partial mean, corrected
    for how difficult its seeds are for complete trials, and weighs as many seeds as it has. What
    was computed for the same trials before is not computed again.

    Args:
        outcome: A search, running or ended.

    Returns:
        The effects. None for a space in which nothing varies, for fewer than eight trials, and
        where all are equally good.
    """
    dimensions = outcome.settings.space.dimensions
    rows = _rows(outcome.records, dimensions)
    if not dimensions or len(rows) < _FEWEST or len({mean for _, mean, _ in rows}) < 2:
        return None
    if len(rows) > _MOST:
        kept = np.random.default_rng(0).choice(len(rows), _MOST, replace=False)
        rows = [rows[place] for place in sorted(kept)]
    axes = tuple(tuple(_places(dimension)) for dimension in dimensions.values())
    shares, spread, r2 = _split(tuple(rows), axes)
    found = {
        key: Effect(share, max(0.0, share - 2.0 * sd), min(1.0, share + 2.0 * sd))
        for key, share, sd in zip(dimensions, shares, spread, strict=True)
    }
    full = max(seeds for _, _, seeds in rows)
    return Effects(
        shares=dict(sorted(found.items(), key=lambda item: -item[1].share)),
        interactions=max(0.0, 1.0 - sum(shares)) if any(shares) else 0.0,
        r2=r2,
        trials=len(rows),
        partial=sum(seeds < full for _, _, seeds in rows),
    )


def as_study(outcome: Outcome) -> optuna.Study:
    """Copy the complete trials into an Optuna study in memory, for Optuna's figures.

    Args:
        outcome: A search, running or ended.

    Returns:
        A study with the hyperparameters under their own values, where the journal's study has
        the ranks that samplers see (`Axes`), and with the objective as its value.
    """
    with quiet_optuna():
        study = optuna.create_study(direction="maximize")
    distributions = {
        key: natural_distribution(dimension)
        for key, dimension in outcome.settings.space.dimensions.items()
    }
    for record in outcome.records:
        if record.objective is not None:
            config = record.config.to_mapping()
            study.add_trial(
                optuna.trial.create_trial(
                    value=record.objective,
                    params={key: config[key] for key in distributions},
                    distributions=distributions,
                )
            )
    return study


@lru_cache(maxsize=8)
def _split(
    rows: tuple[Row, ...], axes: tuple[tuple[float, ...], ...]
) -> tuple[list[float], list[float], float]:
    """Shares, their spread and R²; kept, as a result is printed, drawn and sent to MLflow."""
    x, y, seeds = (np.array(column) for column in zip(*rows, strict=True))
    places: list[Floats] = [np.array(each) for each in axes]
    found = split_variance(x, y, seeds / seeds.max(), places)
    return found.shares.tolist(), found.spread.tolist(), found.r2


def _rows(records: Sequence[TrialRecord], dimensions: dict[str, Dimension]) -> list[Row]:
    """Every trial with a mean: complete ones, and raced out ones by what they have."""
    complete = [each.result for each in records if each.objective is not None and each.result]
    ease = ease_of_seeds(complete, lambda seed: seed.val)
    rows = []
    for record in records:
        known = record.status in (TrialStatus.COMPLETE, TrialStatus.RACED_OUT)
        if not known or record.result is None or record.result.val_mean is None:
            continue
        seeds = record.result.finished
        config = record.config.to_mapping()
        place = tuple(_place(each, config[key]) for key, each in dimensions.items())
        value = record.result.val_mean - mean_ease(record.result, ease)
        rows.append((place, value, float(len(seeds))))
    return rows


def _places(dimension: Dimension) -> list[float]:
    """Where the values of a dimension lie on its axis, from 0 to 1."""
    values = _few(dimension)
    count = _CELLS if values is None else len(values)
    return [(place + 0.5) / count for place in range(count)]


def _few(dimension: Dimension) -> list[Any] | None:
    """The values in their order, where they are few enough to tell apart: names as in the file."""
    values = dimension.enumerated()
    if values is None or (isinstance(dimension, Range) and len(values) > _CELLS):
        return None
    return list(values) if isinstance(values[0], str) else sorted(values)


def _place(dimension: Dimension, value: Any) -> float:
    """Where one value lies among the places of its axis."""
    values = _few(dimension)
    if isinstance(dimension, Choices) or values is not None:
        listed = values or []
        return (listed.index(value) + 0.5) / len(listed)
    low, high = float(dimension.low), float(dimension.high)
    if dimension.log:
        low, high, value = math.log(low), math.log(high), math.log(value)
    return (value - low) / (high - low) if high > low else 0.5
