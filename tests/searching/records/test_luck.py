"""The headline with the luck of the search: exact on small tables, honest in a simulation."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from l2p_search.intervals import Interval, mean_interval
from l2p_search.node_hits import NodeHits
from l2p_search.other_nodes import Estimate, crossed_interval
from l2p_search.results import SeedResult, TrialStatus
from l2p_search.searching.records.luck import chances_of_ranks, luck_of
from l2p_search.trial_record import TrialRecord
from tests.searching.records.made import record

_SPLITS = 10
_HEADLINE = Estimate(Interval(81.0, 79.0, 83.0, 10), Interval(81.0, 77.0, 85.0, 10, 30.0))


def _trial(number: int, val: Sequence[float], test: Sequence[float]) -> TrialRecord:
    made = record(number, tuple(val), K=number % 60 + 1)
    assert made.result is not None
    seeds = tuple(
        replace(seed, split=place, test=float(test[place]))
        for place, seed in enumerate(made.result.seeds)
    )
    return replace(made, result=replace(made.result, seeds=seeds))


@pytest.mark.parametrize("count", [2, 3, 5])
def test_chances_are_those_of_all_draws_with_replacement(count: int) -> None:
    best = [max(draw) for draw in product(range(count), repeat=count)]
    wanted = np.bincount(best, minlength=count) / len(best)
    assert chances_of_ranks(count) == pytest.approx(wanted)


def test_trials_that_all_test_alike_leave_the_headlines_own_interval() -> None:
    trials = [_trial(n, (70.0 + n,) * 2, (80.0, 82.0)) for n in range(8)]
    found = luck_of(trials, _HEADLINE)
    assert found is not None
    assert found.points == 0.0
    here, there = found.estimate.this_graph, found.estimate.other_nodes
    assert there is not None
    assert (here.low, here.high) == pytest.approx((79.0, 83.0))
    assert (there.low, there.high) == pytest.approx((77.0, 85.0))
    assert found.winners == 4  # (r / 8)^8 - ((r - 1) / 8)^8 is above 0.01 from rank 5 on
    six = luck_of(trials[:6], _HEADLINE)
    assert six is not None
    assert six.winners == 4  # the chance of rank 3 of 6 is 0.0143


def test_a_narrow_headline_stays_narrow_and_one_without_bounds_stays_without() -> None:
    trials = [_trial(n, (70.0 + n,) * 2, (80.0, 82.0)) for n in range(8)]
    narrow, unknown = Interval(81.0, 80.9, 81.1, 10), Interval(81.0, None, None, 1)
    found = luck_of(trials, Estimate(narrow, unknown))
    assert found is not None
    assert found.estimate.this_graph.half_width == pytest.approx(0.1)
    assert found.estimate.other_nodes == unknown


def test_the_root_mean_square_of_other_winners_is_added_as_independent_errors_are() -> None:
    trials = [_trial(n, (70.0 + n,) * 2, (80.0 + n,) * 2) for n in range(5)]
    found = luck_of(trials, _HEADLINE)
    assert found is not None
    draws = [max(draw) - 4 for draw in product(range(5), repeat=5)]
    luck = np.mean(np.square(draws)) ** 0.5
    assert found.points == pytest.approx(luck)
    for with_luck, alone in (
        (found.estimate.this_graph, _HEADLINE.this_graph),
        (found.estimate.other_nodes, _HEADLINE.other_nodes),
    ):
        assert alone is not None
        assert with_luck is not None
        assert alone.error is not None
        assert with_luck.error == pytest.approx((alone.error**2 + luck**2) ** 0.5)
        assert (with_luck.mean, with_luck.freedom) == (alone.mean, alone.freedom)


def test_other_nodes_are_never_known_better_than_these_however_large_the_luck() -> None:
    """Its error has more degrees of freedom, and t is smaller: 2.04 instead of 12.7."""
    trials = [_trial(n, (70.0 + n,) * 2, (80.0 + 9 * n,) * 2) for n in range(5)]
    two_splits = Estimate(Interval(81.0, 80.0, 82.0, 2), Interval(81.0, 79.0, 83.0, 2, 30.0))
    found = luck_of(trials, two_splits)
    assert found is not None
    assert found.estimate.other_nodes is not None
    assert found.estimate.other_nodes.half_width == found.estimate.this_graph.half_width


def test_without_the_nodes_there_is_the_first_interval_alone() -> None:
    trials = [_trial(n, (70.0 + n,) * 2, (80.0, 82.0)) for n in range(8)]
    found = luck_of(trials, Estimate(_HEADLINE.this_graph, None))
    assert found is not None
    assert found.estimate.other_nodes is None


def test_a_trial_that_was_raced_out_is_never_chosen() -> None:
    trials = [_trial(n, (70.0 + n,) * 2, (80.0,) * 2) for n in range(6)]
    lucky = _trial(9, (99.0,) * 2, (10.0,) * 2)
    raced = replace(lucky, status=TrialStatus.RACED_OUT)
    found = luck_of([*trials, raced], _HEADLINE)
    assert found is not None
    assert (found.trials, found.points) == (7, 0.0)


def test_every_split_counts_once_however_many_seeds_it_has() -> None:
    trials = [_trial(n, (70.0 + n,) * 4, (n, n, 3 * n, 5 * n)) for n in range(5)]
    split_of = (0, 0, 1, 2)
    for place, each in enumerate(trials):
        assert each.result is not None
        seeds = tuple(replace(seed, split=split_of[seed.seed]) for seed in each.result.seeds)
        trials[place] = replace(each, result=replace(each.result, seeds=seeds))
    found = luck_of(trials, _HEADLINE)
    assert found is not None
    draws = [3 * (max(draw) - 4) for draw in product(range(5), repeat=5)]  # the mean is 3 n
    assert found.points == pytest.approx(np.mean(np.square(draws)) ** 0.5)


def test_the_luck_is_that_of_searches_that_have_a_winner() -> None:
    """Of seven trials two were raced out: draws of these two alone have no winner."""
    trials = [_trial(n, (70.0 + n,) * 2, (80.0 + n,) * 2) for n in range(7)]
    raced = [replace(each, status=TrialStatus.RACED_OUT) for each in trials[:2]]
    found = luck_of([*raced, *trials[2:]], _HEADLINE)
    assert found is not None
    ends = (np.arange(8) / 7) ** 7  # at most these ranks are drawn
    chances = np.diff(ends)[2:] / (1.0 - ends[2])
    assert found.points == pytest.approx((chances @ np.arange(-4.0, 1.0) ** 2) ** 0.5, rel=1e-9)
    assert found.estimate.this_graph.mean == 81.0
    assert found.to_mapping() == {
        **found.estimate.to_mapping(),
        "luck": found.points,
        "trials": 7,
        "likely_winners": int((chances >= 0.01).sum()),
    }


def test_nothing_is_told_of_few_or_sealed_or_unconfirmed_trials() -> None:
    trials = [_trial(n, (70.0 + n,) * 2, (80.0,) * 2) for n in range(6)]
    assert luck_of(trials[:4], _HEADLINE) is None
    assert luck_of(trials, None) is None
    assert luck_of(trials, Estimate(Interval(80.0, None, None, 1), None)) is None
    sealed = [_sealed(each) for each in trials]
    assert luck_of(sealed, _HEADLINE) is None
    assert luck_of([sealed[0], *trials[1:]], _HEADLINE) is None


def _sealed(trial: TrialRecord) -> TrialRecord:
    assert trial.result is not None
    seeds: tuple[SeedResult, ...] = tuple(replace(s, test=None) for s in trial.result.seeds)
    return replace(trial, result=replace(trial.result, seeds=seeds))


@pytest.mark.parametrize(("ceiling", "at_least"), [(True, 0.90), (False, 0.75)])
def test_it_covers_what_such_searches_find_on_average_where_the_headline_alone_does_not(
    ceiling: bool, at_least: float
) -> None:
    """Searches of 15 random trials, of configurations with and without a ceiling of scores."""
    rng = np.random.default_rng(0)
    repeats, trials = 300, 15
    found, headlines, lucks = [], [], []
    for _ in range(repeats):
        level = 85.0 - 10.0 * rng.random(trials) if ceiling else rng.normal(80.0, 3.0, trials)
        test_level = level + rng.normal(0.0, 0.3, trials)
        split = rng.normal(0.0, 0.3, _SPLITS)
        val = level[:, None] + split + rng.normal(0.0, 0.3, (trials, _SPLITS))
        test = test_level[:, None] + split + rng.normal(0.0, 0.3, (trials, _SPLITS))
        winner = int(val.mean(axis=1).argmax())
        found.append(test_level[winner])
        fresh = test_level[winner] + split + rng.normal(0.0, 0.3, _SPLITS)
        headline = mean_interval(dict(enumerate(fresh)), {n: n for n in range(_SPLITS)})
        estimate = Estimate(headline, None)
        luck = luck_of([_trial(n, val[n], test[n]) for n in range(trials)], estimate)
        assert luck is not None
        headlines.append(headline)
        lucks.append(luck.estimate.this_graph)
    target = float(np.mean(found))
    alone, with_luck = (
        np.mean([(each.low or 0.0) <= target <= (each.high or 0.0) for each in intervals])
        for intervals in (headlines, lucks)
    )
    assert alone < 0.50
    assert with_luck >= at_least


def test_with_other_nodes_it_covers_what_such_searches_find_on_other_graphs_of_the_kind() -> None:
    """As above, with a ceiling; each search on a graph of its own, with nodes of its own."""
    rng = np.random.default_rng(3)
    repeats, trials, nodes, tested = 300, 15, 183, 37
    units = {split: split for split in range(_SPLITS)}
    found: list[float] = []
    headlines: list[Interval] = []
    lucks: list[Estimate] = []
    for _ in range(repeats):
        level = 85.0 - 10.0 * rng.random(trials)
        test_level = level + rng.normal(0.0, 0.3, trials)
        hard = rng.normal(0.0, 12.0, nodes)
        tests = [np.sort(rng.permutation(nodes)[:tested]) for _ in range(_SPLITS)]
        by_split = np.array([hard[each].mean() for each in tests])
        val = level[:, None] + rng.normal(0.0, 0.5, (trials, _SPLITS))
        test = test_level[:, None] + by_split + rng.normal(0.0, 0.5, (trials, _SPLITS))
        winner = int(val.mean(axis=1).argmax())
        found.append(test_level[winner])
        hits = {
            split: NodeHits(each, test_level[winner] + hard[each] + rng.normal(0.0, 3.0, tested))
            for split, each in enumerate(tests)
        }
        scores = {split: float(each.values.mean()) for split, each in hits.items()}
        headline = Estimate(mean_interval(scores, units), crossed_interval(hits, units))
        luck = luck_of([_trial(n, val[n], test[n]) for n in range(trials)], headline)
        assert luck is not None
        headlines.append(headline.this_graph)
        lucks.append(luck.estimate)
    target = float(np.mean(found))
    there = [each.other_nodes for each in lucks if each.other_nodes is not None]
    alone, with_luck, for_others = (
        np.mean([(each.low or 0.0) <= target <= (each.high or 0.0) for each in intervals])
        for intervals in (headlines, [each.this_graph for each in lucks], there)
    )
    assert len(there) == repeats
    assert alone < with_luck < for_others
    assert for_others >= 0.92
