import math

import numpy as np
import pytest
from scipy import stats

from l2p_search.contenders import contenders, dunnett_quantile


def _scores(values: "np.typing.NDArray[np.float64]") -> list[dict[int, float]]:
    return [{seed: float(value) for seed, value in enumerate(row)} for row in values]


def _ties(values: "np.typing.NDArray[np.float64]", best: int) -> list[bool]:
    scores = _scores(values)
    others = [each for i, each in enumerate(scores) if i != best]
    found = contenders(scores[best], others, {i: i for i in range(values.shape[1])})
    return [each.tied for each in found]


@pytest.mark.parametrize(
    ("rivals", "freedom", "wanted"),
    [
        (1, 10, 1.81), (2, 10, 2.15), (5, 10, 2.56), (9, 20, 2.60), (4, math.inf, 2.16),
        (9, math.inf, 2.42),
    ],
)  # fmt: skip
def test_quantiles_are_those_of_dunnetts_table(rivals: int, freedom: float, wanted: float) -> None:
    assert dunnett_quantile(rivals, freedom) == pytest.approx(wanted, abs=0.006)


def test_quantiles_agree_with_scipys_multivariate_t() -> None:
    shape = np.full((6, 6), 0.5) + 0.5 * np.eye(6)
    point = np.full(6, dunnett_quantile(6, 9))
    law = stats.multivariate_t(np.zeros(6), shape, df=9, seed=0)
    assert law.cdf(point) == pytest.approx(0.95, abs=0.002)
    assert dunnett_quantile(1, 9) == pytest.approx(stats.t.ppf(0.95, 9), abs=1e-4)


@pytest.mark.parametrize(("splits", "scatter"), [(10, 0.0), (20, 0.0), (10, 0.4)])
def test_of_200_equal_configurations_at_least_93_in_100_are_called_ties(
    splits: int, scatter: float
) -> None:
    """Also where some configurations scatter more than others, over splits and seeds."""
    generator, shares = np.random.default_rng(0), []
    for _ in range(100):
        spread = np.exp(generator.normal(0, scatter, (200, 1)))
        values = generator.normal(0, 3, splits) + spread * generator.normal(0, 1, (200, splits))
        shares.append(1 / 200 + np.mean(_ties(values, int(values.mean(axis=1).argmax()))) * 0.995)
    assert 0.93 <= np.mean(shares) <= 0.98


def test_the_true_best_is_kept_in_95_of_100_searches() -> None:
    """The best is ahead by little, and mostly another one is selected."""
    generator, kept, rounds = np.random.default_rng(1), 0, 400
    for _ in range(rounds):
        values = generator.normal(0, 1, (50, 10))
        values[0] += 0.3
        best = int(values.mean(axis=1).argmax())
        kept += best == 0 or _ties(values, best)[0]
    assert kept / rounds >= 0.94


@pytest.mark.parametrize("splits", [2, 3, 5])
def test_of_two_equal_configurations_the_true_best_is_kept_on_few_splits_too(splits: int) -> None:
    generator, rounds = np.random.default_rng(5), 3000
    values = generator.normal(0, 1, (rounds, 2, splits))
    kept = [
        best == 0 or _ties(each, best)[0]
        for each in values
        for best in [int(each.mean(axis=1).argmax())]
    ]
    assert np.mean(kept) >= 0.95 - 2.0 * (0.05 * 0.95 / rounds) ** 0.5


def test_differences_that_are_all_alike_rule_out_from_six_splits_on() -> None:
    assert _ties(np.array([[80.0] * 5, [79.5] * 5]), 0) == [True]
    assert _ties(np.array([[80.0] * 6, [79.5] * 6]), 0) == [False]
    assert _ties(np.array([[80.0] * 6, [79.5] * 6, [79.0] * 6]), 0) == [False, False]
    assert _ties(np.array([[80.0] * 6, [80.0] * 6]), 0) == [True]


@pytest.mark.parametrize("differences", [(1.0, 3.0), (1.0, 2.0, 3.0)])
def test_a_single_rival_is_ruled_out_as_by_a_one_sided_t_test(
    differences: tuple[float, ...],
) -> None:
    best = dict.fromkeys(range(len(differences)), 80.0)
    other = {seed: 80.0 - behind for seed, behind in enumerate(differences)}
    (found,) = contenders(best, [other], {seed: seed for seed in best})
    wide = stats.t.ppf(0.95, len(best) - 1) * stats.sem(differences)
    assert (found.behind, found.units) == (2.0, len(best))
    assert found.least_ruled_out == pytest.approx(wide, abs=1e-3)


@pytest.mark.parametrize(
    "rows",
    [((1.0, 3.0), (0.0, 4.0), (4.0,), ()), ((1.0, 2.0, 3.0), (0.0, 3.0, 6.0), (1.0, 5.0), (4.0,))],
)
def test_the_spread_is_half_its_own_and_half_the_median_of_all_complete_trials(
    rows: tuple[tuple[float, ...], ...],
) -> None:
    """By hand: two complete trials, and two that a race has left with fewer splits or none."""
    whole = len(rows[0])
    best = dict.fromkeys(range(whole), 80.0)
    others = [{seed: 80.0 - behind for seed, behind in enumerate(row)} for row in rows]
    found = contenders(best, others, {seed: seed for seed in best})
    # The median of a chi-square variable is less than its mean, its degrees of freedom.
    below = stats.chi2.median(whole - 1) / (whole - 1)
    typical = (np.var(rows[0], ddof=1) + np.var(rows[1], ddof=1)) / 2 / below
    for row, each in zip(rows, found, strict=True):
        own = max(0, len(row) - 1)
        variance, freedom = (whole - 1) * typical, whole - 1 + own
        if own:
            variance += own * np.var(row, ddof=1)
        error = (variance / freedom / max(1, len(row))) ** 0.5
        assert (each.behind, each.units) == (np.mean(row) if row else 0.0, len(row))
        assert each.least_ruled_out == pytest.approx(dunnett_quantile(4, freedom) * error)


def test_a_configuration_that_is_far_behind_is_no_tie() -> None:
    generator = np.random.default_rng(2)
    values = generator.normal(0, 1, (200, 10))
    values[100:] -= 5.0
    found = _ties(values, int(values.mean(axis=1).argmax()))
    assert not any(found[-100:])


def test_a_trial_of_a_race_is_compared_on_the_seeds_that_it_has() -> None:
    generator = np.random.default_rng(3)
    best, near, far = (generator.normal(mean, 0.5, 20) for mean in (80.0, 79.9, 75.0))
    splits = {seed: seed % 10 for seed in range(20)}
    others = [dict(enumerate(near)), dict(enumerate(far[:3]))]
    found = contenders(dict(enumerate(best)), others, splits)
    assert [(each.tied, each.units) for each in found] == [(True, 10), (False, 3)]


def test_more_rivals_make_more_ties() -> None:
    best, other = _scores(np.array([[80.0, 82.0, 84.0, 81.0], [79.0, 80.0, 82.6, 79.9]]))
    splits = dict.fromkeys(range(4), 0)
    assert not contenders(best, [other], splits)[0].tied
    assert contenders(best, [other], splits, rivals=10_000)[0].tied


def test_one_seed_tells_nothing() -> None:
    assert contenders({0: 90.0}, [{0: 10.0}], {0: 0})[0].tied
    assert contenders({0: 90.0}, [], {0: 0}) == []


def test_seeds_of_one_split_are_averaged_first() -> None:
    splits = {0: 0, 1: 0, 2: 1, 3: 1}
    best, other = {0: 5.0, 1: 7.0, 2: 8.0, 3: 10.0}, {0: 4.0, 1: 4.0, 2: 5.0, 3: 6.0}
    (found,) = contenders(best, [other], splits)
    assert (found.units, found.behind) == (2, pytest.approx(2.75))
