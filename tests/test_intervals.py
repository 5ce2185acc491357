from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from l2p_search.config import TrialConfig
from l2p_search.intervals import (
    Interval,
    interval_of_test,
    interval_of_validation,
    mean_interval,
    val_by_seed,
)
from l2p_search.results import SeedResult, TrialResult


def _trial(accuracies: list[float], splits: int = 10) -> TrialResult:
    seeds = tuple(
        SeedResult(seed=seed, split=seed % splits, epochs=1, val=value, test=value / 2)
        for seed, value in enumerate(accuracies)
    )
    return TrialResult(config=TrialConfig(), dataset="d", data_digest="0", seeds=seeds, seconds=1)


def test_one_seed_a_split_gives_students_interval() -> None:
    values = [80.0, 82.5, 79.0, 84.0]
    found = mean_interval(dict(enumerate(values)), {i: i for i in range(4)})
    low, high = stats.t.interval(0.95, 3, np.mean(values), stats.sem(values))
    assert found.low == pytest.approx(low)
    assert found.high == pytest.approx(high)
    assert found.mean == pytest.approx(np.mean(values))


def test_the_seeds_of_a_split_count_as_one() -> None:
    by_split = np.array([80.0, 84.0, 79.0, 81.0])
    values = dict(enumerate([*(by_split - 1), *(by_split + 1)]))
    found = mean_interval(values, {seed: seed % 4 for seed in values})
    low, high = stats.t.interval(0.95, 3, by_split.mean(), stats.sem(by_split))
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    assert found.units == 4


def test_centre_and_error_count_every_split_once_however_many_seeds_it_has() -> None:
    """13 seeds on 10 splits: the first three splits have two, and weigh no more for it."""
    values = {seed: float(70 + seed % 10 + seed // 10) for seed in range(13)}
    by_split = [70.5, 71.5, 72.5, *range(73, 80)]
    found = mean_interval(values, {seed: seed % 10 for seed in values})
    low, high = stats.t.interval(0.95, 9, np.mean(by_split), stats.sem(by_split))
    assert found.mean == pytest.approx(np.mean(by_split))
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_intervals_of_unbalanced_seeds_cover_the_truth_in_95_of_100() -> None:
    """Four splits, of which two have five seeds and two have one; splits differ by 3 points."""
    generator, covered, rounds = np.random.default_rng(0), 0, 4000
    splits = {seed: (0, 1)[seed % 2] if seed < 10 else seed - 8 for seed in range(12)}
    for _ in range(rounds):
        of_split = generator.normal(0, 3, 4)
        drawn = {s: float(of_split[k] + generator.normal(0, 0.5)) for s, k in splits.items()}
        found = mean_interval(drawn, splits)
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= 0.0 <= found.high
    assert 0.94 <= covered / rounds <= 0.96


def test_on_a_graph_with_one_split_the_seeds_are_counted() -> None:
    found = interval_of_validation(_trial([80.0, 81.0, 82.0], splits=1))
    assert found is not None
    assert found.units == 3


def test_one_value_has_no_interval() -> None:
    found = interval_of_test(_trial([80.0]))
    assert found is not None
    assert (found.mean, found.low, str(found)) == (40.0, None, "40.00")


def test_a_trial_without_a_finished_seed_has_none() -> None:
    trial = _trial([80.0])
    lost = replace(trial, seeds=(SeedResult(seed=0, split=0, epochs=1, reason="diverged"),))
    assert interval_of_test(lost) is None


@pytest.mark.parametrize(
    ("half", "shown", "bounds"),
    [
        (None, "60.00", ""),
        (2.9, "60.00 ± 2.90", "57.10 to 62.90"),
        (50.0, "60.00 ± 50.00", "10.00 to 110.00"),
        (460.43, "60.00 ± over 50", "too few seeds"),
    ],
)
def test_an_interval_wider_than_the_scale_is_not_shown_as_a_number(
    half: float | None, shown: str, bounds: str
) -> None:
    ends = (None, None) if half is None else (60.0 - half, 60.0 + half)
    found = Interval(60.0, *ends, 2)
    assert (str(found), found.bounds()) == (shown, bounds)
    assert found.to_mapping() == {"mean": 60.0, "low": ends[0], "high": ends[1]}


def test_a_difference_has_signs_and_zero_is_not_below_zero() -> None:
    assert Interval(0.5, -1.0, 2.0, 10).bounds("+") == "-1.00 to +2.00"
    assert Interval(0.5, -1.0, 2.0, 10).signed == "+0.50 ± 1.50"
    assert Interval(-0.5, -2.0, 1.0, 10).signed == "-0.50 ± 1.50"
    assert Interval(-0.5, None, None, 1).signed == "-0.50"
    same = Interval(-1e-15, -1e-15, -1e-15, 10)
    assert (same.signed, same.bounds("+")) == ("+0.00 ± 0.00", "+0.00 to +0.00")
    assert str(same) == "0.00 ± 0.00"


def test_error_half_width_and_freedom_are_those_of_students_interval() -> None:
    values = [80.0, 82.5, 79.0, 84.0]
    found = mean_interval(dict(enumerate(values)), {i: i for i in range(4)})
    assert found.freedom == 3.0
    assert found.error == pytest.approx(stats.sem(values))
    assert found.half_width == pytest.approx(stats.t.ppf(0.975, 3) * stats.sem(values))
    crossed = Interval(10.0, 8.0, 12.0, units=4, spread_freedom=7.5)
    assert crossed.freedom == 7.5
    assert crossed.error == pytest.approx(2.0 / stats.t.ppf(0.975, 7.5))


def test_two_values_have_an_interval_and_one_has_no_error_either() -> None:
    found = mean_interval({0: 80.0, 1: 84.0}, {0: 0, 1: 1})
    low, high = stats.t.interval(0.95, 1, 82.0, 2.0)
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    alone = mean_interval({0: 80.0}, {0: 0})
    assert (alone.error, alone.half_width, alone.freedom) == (None, None, None)
    assert Interval(1.0, 0.0, None, 3).error is None


def test_validation_is_read_by_seed() -> None:
    trial = _trial([80.0, 81.0])
    assert val_by_seed(trial) == {0: 80.0, 1: 81.0}
    unknown = replace(trial, seeds=(trial.seeds[0], replace(trial.seeds[1], val=None)))
    assert val_by_seed(unknown) == {0: 80.0}
