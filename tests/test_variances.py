from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from l2p_search import variances
from l2p_search.config import TrialConfig
from l2p_search.node_hits import NodeHits
from l2p_search.results import SeedResult, TrialResult
from l2p_search.variances import Spread, spread_of

_Array = "np.typing.NDArray[np.float64]"


def _trial(tests: _Array, splits: int, hits: NodeHits | None = None) -> TrialResult:
    seeds = tuple(
        SeedResult(seed=i, split=i % splits, epochs=1, val=50.0, test=float(value), hits=hits)
        for i, value in enumerate(tests)
    )
    return TrialResult(config=TrialConfig(), dataset="d", data_digest="0", seeds=seeds, seconds=1)


def _trials(
    generator: np.random.Generator, configs: int, splits: int, seeds: int
) -> list[TrialResult]:
    """Splits of 3 points, configuration x split of 1.8, seeds of 1.4."""
    split = generator.normal(0, 3.0, splits)
    cross = generator.normal(0, 1.8, (configs, splits))
    return [
        _trial(
            80 + (split + cross[c])[np.arange(seeds) % splits] + generator.normal(0, 1.4, seeds),
            splits,
        )
        for c in range(configs)
    ]


def test_what_a_score_was_made_of_is_found_again() -> None:
    generator = np.random.default_rng(0)
    found = [spread_of(None, _trials(generator, 20, 10, 30)) for _ in range(300)]
    mean = {
        name: np.mean([getattr(each, name) ** 2 for each in found]) ** 0.5
        for name in ("seed", "split", "configuration", "left")
    }
    # The winner's own split effect has both parts: that of the split and that with its config.
    assert mean["seed"] == pytest.approx(1.4, rel=0.03)
    assert mean["split"] == pytest.approx(np.hypot(3.0, 1.8), rel=0.05)
    assert mean["configuration"] == pytest.approx(1.8, rel=0.03)
    assert mean["left"] == pytest.approx(1.4, rel=0.03)


def test_the_spread_within_and_between_splits_agrees_with_scipys_analysis_of_variance() -> None:
    (trial,) = _trials(np.random.default_rng(1), 1, 5, 20)
    groups = [[s.test for s in trial.seeds if s.split == split] for split in range(5)]
    found = spread_of(trial, [])
    assert found is not None
    assert found.seed is not None
    assert found.split is not None
    f = (4 * found.split**2 + found.seed**2) / found.seed**2
    assert f == pytest.approx(stats.f_oneway(*groups).statistic)


def test_a_plan_gives_the_interval_that_it_promises() -> None:
    """Differences of two configurations on so many new splits are resolved to 0.5 points."""
    generator = np.random.default_rng(2)
    spread = spread_of(None, _trials(generator, 30, 20, 40))
    assert spread is not None
    splits = spread.needed(0.5)
    assert splits is not None
    widths = []
    for _ in range(200):
        first, second = (
            generator.normal(0, 1.8, splits) + generator.normal(0, 1.4 / 2**0.5, splits)
            for _ in range(2)
        )
        error = (first - second).std(ddof=1) / splits**0.5
        widths.append(stats.t.ppf(0.975, splits - 1) * error)
    assert np.mean(widths) == pytest.approx(0.5, rel=0.1)


def test_fewer_points_need_more_splits() -> None:
    spread = Spread(1.4, 3.9, 4.8, 1.8, 1.4, 10, 2.0, 20)
    needed = [spread.needed(points) for points in (0.5, 1.0, 2.0)]
    assert needed == sorted(needed, reverse=True)
    assert Spread(1.4, 3.9, 4.8, 100.0, 1.4, 10, 2.0, 20).needed(0.5) is None
    assert "more than 10,000 splits" in str(Spread(1.4, 3.9, 4.8, 100.0, 1.4, 10, 2.0, 20))


def test_it_is_told_in_one_line() -> None:
    line = str(Spread(1.4, 3.9, 4.8, 0.7, 0.5, 10, 2.0, 20))
    assert line == (
        "seed 1.40, split 3.90, test nodes 4.80, configuration x split 0.70 points; to resolve"
        f" 0.5 points: {Spread(1.4, 3.9, 4.8, 0.7, 0.5, 10, 2.0, 20).needed()} splits"
    )


def test_on_one_split_there_are_seeds_and_nodes() -> None:
    generator = np.random.default_rng(3)
    hits = NodeHits(np.arange(400), 100.0 * (generator.random(400) < 0.8))
    trials = [_trial(generator.normal(80, 0.5, 20), 1, hits) for _ in range(6)]
    found = spread_of(trials[0], trials)
    assert found is not None
    assert (found.split, found.unit, found.seeds_per_split) == (None, "seed", 1.0)
    assert found.node == pytest.approx(hits.values.std(ddof=1) / 20)
    assert found.configuration == pytest.approx(0.5, rel=0.25)
    assert set(found.to_mapping()["plan"]) == {"resolve_points", "seeds", "seeds_per_split"}


def test_what_is_not_known_is_not_told() -> None:
    assert spread_of(None, []) is None
    one = spread_of(_trial(np.array([80.0]), 1), [])
    assert one is not None
    assert str(one) == "unknown: one seed tells nothing"
    assert one.to_mapping()["plan"]["seeds"] is None
    alone = spread_of(_trial(np.array([80.0, 82.0]), 1), [])
    assert str(alone) == "seed 1.41 points"


@pytest.mark.parametrize("seeds_per_split", [1.0, 2.0, 3.0])
@pytest.mark.parametrize(("configuration", "left"), [(0.7, 0.5), (1.1, 1.4), (0.3, None)])
def test_a_plan_is_the_least_number_whose_interval_is_narrow_enough(
    configuration: float, left: float | None, seeds_per_split: float
) -> None:
    spread = Spread(1.4, 3.9, 4.8, configuration, left, 2, seeds_per_split, 20)
    assert spread.unit == "split"
    variance = 2.0 * (configuration**2 + (left or 0.0) ** 2 / seeds_per_split)

    def half_width(units: int) -> float:
        return float(stats.t.ppf(0.975, units - 1) * (variance / units) ** 0.5)

    for points in (0.3, 0.5, 2.0):
        needed = spread.needed(points)
        assert needed is not None
        assert half_width(needed) <= points < half_width(needed - 1)


def test_configurations_that_never_differ_need_two_splits() -> None:
    assert Spread(1.4, 3.9, 4.8, 0.0, 0.0, 10, 2.0, 20).needed() == 2


def test_splits_with_unlike_numbers_of_seeds_count_by_them() -> None:
    """Two seeds (0, 2) on one split, four (4, 6, 8, 10) on another."""
    splits = (0, 0, 1, 1, 1, 1)
    found = _trial(np.array([0.0, 2.0, 4.0, 6.0, 8.0, 10.0]), 1)
    seeds = tuple(replace(seed, split=splits[seed.seed]) for seed in found.seeds)
    spread = spread_of(replace(found, seeds=seeds), [])
    assert spread is not None
    assert spread.seed == pytest.approx(5.5**0.5)  # (2 + 20) / (6 - 2)
    # Between: 2 (1 - 5)^2 + 4 (7 - 5)^2 = 48; a typical split has (6 - 20 / 6) / 1 seeds.
    assert spread.split == pytest.approx(((48 - 5.5) / (6 - 20 / 6)) ** 0.5)


def test_configurations_splits_and_seeds_are_taken_apart_as_by_hand() -> None:
    configs, splits, seeds = 3, 4, 2
    scores = np.random.default_rng(4).normal(80, 2, (configs, splits, seeds))
    by_seed = scores.transpose(0, 2, 1).reshape(configs, -1)  # seed i is on split i % 4
    found = spread_of(None, [_trial(row, splits) for row in by_seed])
    means = scores.mean(axis=2)
    rest = means - means.mean(axis=1, keepdims=True) - means.mean(axis=0) + means.mean()
    whole = (rest**2).sum() / ((configs - 1) * (splits - 1))
    inner = scores - means[:, :, None] - scores.mean(axis=0) + means.mean(axis=0)[:, None]
    left = (inner**2).sum() / (splits * (configs - 1) * (seeds - 1))
    assert found is not None
    assert found.left == pytest.approx(left**0.5)
    assert found.configuration == pytest.approx(max(0.0, whole - left / seeds) ** 0.5)
    assert (found.splits, found.seeds_per_split, found.configurations) == (4, 2.0, 3)


def test_seeds_per_split_are_those_of_the_trials() -> None:
    two = [_trial(np.array([80.0, 82.0, 81.0, 85.0 + c, 83.0, 84.0]), 2) for c in range(2)]
    one = [_trial(np.array([80.0, 82.0 + c, 81.0]), 1) for c in range(2)]
    for trials, unit, seeds in ((two, "split", 3.0), (one, "seed", 1.0)):
        found = spread_of(two[0], trials)
        assert found is not None
        assert (found.unit, found.seeds_per_split) == (unit, seeds)


def test_a_plan_counts_the_splits_of_the_trials_and_not_of_the_confirmation() -> None:
    trials = [_trial(np.array([80.0, 82.0, 81.0, 85.0 + c, 83.0, 84.0]), 3) for c in range(3)]
    confirmed = _trial(np.array([81.0, 82.0]), 1)
    found = spread_of(confirmed, trials)
    assert found is not None
    assert (found.unit, found.splits, found.seeds_per_split) == ("split", 3, 2.0)


def test_where_a_split_has_one_seed_nothing_is_left_to_take_apart() -> None:
    trials = [_trial(np.array([80.0, 82.0, 81.0 + c * c]), 2) for c in range(3)]
    found = spread_of(trials[0], trials)
    assert found is not None
    assert found.left is None
    assert found.configuration is not None


def test_one_configuration_or_one_common_seed_tells_nothing_of_differences() -> None:
    several = np.array([80.0, 82.0, 81.0, 85.0])
    for trials in ([_trial(several, 2)], [_trial(several[:1], 1)] * 2):
        found = spread_of(_trial(several, 2), trials)
        assert found is not None
        assert (found.configuration, found.left, found.needed()) == (None, None, None)


def test_it_is_plain_json_with_the_plan() -> None:
    found = Spread(1.4, 3.9, 4.8, 0.7, 0.5, 10, 2.0, 20)
    assert found.to_mapping() == {
        "seed": 1.4,
        "split": 3.9,
        "node": 4.8,
        "configuration_x_split": 0.7,
        "configurations": 20,
        "plan": {"resolve_points": 0.5, "splits": found.needed(), "seeds_per_split": 2.0},
    }


def test_variances_within_and_between_groups_are_those_of_the_means_of_squares() -> None:
    assert variances._one_way([[1.0, 3.0], [1.0, 3.0]]) == (2.0, 0.0)
    assert variances._one_way([[1.0], [3.0]]) == (None, 2.0)
    within, between = variances._one_way([[0.0, 2.0], [10.0, 12.0]])
    assert within == 2.0
    assert between == pytest.approx((100.0 - 2.0) / 2)


def _on_splits(scores: dict[int, list[float]]) -> TrialResult:
    """A trial with these test scores by split."""
    values = [(split, score) for split, own in scores.items() for score in own]
    made = _trial(np.array([score for _, score in values]), splits=1)
    seeds = tuple(
        replace(seed, split=split) for seed, (split, _) in zip(made.seeds, values, strict=True)
    )
    return replace(made, seeds=seeds)


def test_what_is_left_of_a_seed_is_pooled_by_degrees_of_freedom() -> None:
    """Two seeds on one split and four on the other: 1 and 3 degrees for two trials."""
    one = _on_splits({0: [80.0, 80.0], 1: [70.0, 70.0, 70.0, 70.0]})
    other = _on_splits({0: [81.0, 83.0], 1: [72.0, 72.0, 76.0, 76.0]})
    # Differences 1, 3 on the first split, 2, 2, 6, 6 on the second: squares of 2 and 16, halved.
    left = (2.0 / 2 + 16.0 / 2) / (1 + 3)
    # Their means by split are 2 and 4: a mean square of 2, halved, and less what seeds leave.
    crossed = (2.0**2 / 2) / 2 - left * (1 / 2 + 1 / 4) / 2
    found = variances._crossed([one, other])
    assert found == (pytest.approx(max(0.0, crossed)), pytest.approx(left))
    spread = variances.spread_of(None, [one, other])
    assert spread is not None
    assert spread.seed == 0.0  # of the first trial, where no winner is confirmed
    assert spread.seeds_per_split == 3.0
