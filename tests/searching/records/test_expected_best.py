"""The expected best against every subset, one by one, and its unbiasedness over a population."""

import json
from dataclasses import replace
from itertools import combinations
from statistics import fmean

import pytest

from l2p_search.results import TrialStatus
from l2p_search.searching.records.expected_best import expected_best, ranked_trials
from l2p_search.trial_record import TrialRecord
from tests.searching.records.made import record

_VALUES = [71.0, 64.5, 80.0, 77.25, 69.0, 79.0, 50.0, 78.5, 66.0]


def _records(values: list[float]) -> list[TrialRecord]:
    return [record(number, [value, value]) for number, value in enumerate(values)]


def test_it_is_the_mean_of_the_best_over_all_subsets() -> None:
    found = expected_best(_records(_VALUES))
    assert [each.trials for each in found] == [1, 2, 4, 8, 9]
    for each in found:
        bests = sorted(max(subset) for subset in combinations(_VALUES, each.trials))
        assert each.val == pytest.approx(fmean(bests))
        assert each.test == pytest.approx(fmean(bests) - 1.0)  # test is a point below, as made
        assert each.low == bests[-(-len(bests) // 20) - 1]
        assert each.high == bests[-(-len(bests) * 19 // 20) - 1]


def test_it_is_unbiased_over_all_searches_of_a_population() -> None:
    """Every search of six of nine: the mean estimate for four trials is the truth for four."""
    truth = fmean(max(subset) for subset in combinations(_VALUES, 4))
    estimates = [expected_best(_records(list(six)))[2] for six in combinations(_VALUES, 6)]
    assert {each.trials for each in estimates} == {4}
    assert fmean(each.val for each in estimates) == pytest.approx(truth)


def _tested(trial: TrialRecord, test: float) -> TrialRecord:
    assert trial.result is not None
    seeds = tuple(replace(seed, test=test) for seed in trial.result.seeds)
    return replace(trial, result=replace(trial.result, seeds=seeds))


def test_the_test_score_is_that_of_the_trial_that_validation_chose() -> None:
    """The better a trial validates here, the worse it tests: by validation it is chosen."""
    trials = [_tested(record(number, [70.0 + number]), 69.0 - number) for number in range(2)]
    assert [each.test for each in expected_best(trials)] == [pytest.approx(68.5), 68.0]


def test_of_equal_trials_the_earlier_one_is_the_best_as_in_the_search() -> None:
    earlier, later = record(0, [80.0], K=2), _tested(record(1, [80.0], K=4), 90.0)
    for trials in ([earlier, later], [later, earlier]):
        assert ranked_trials(trials) == [later, earlier]
        assert expected_best(trials)[-1].test == 79.0


def test_a_trial_that_was_raced_out_counts_but_cannot_be_the_best() -> None:
    trials = [record(0, [80.0, 82.0]), record(1, [99.0], TrialStatus.RACED_OUT)]
    one, both = expected_best(trials)
    assert both.val == 81.0
    assert one.val == 81.0  # no better than the worst that has all seeds, by whatever luck


def test_a_trial_that_was_raced_out_counts_by_what_all_seeds_would_have_given() -> None:
    """Seed 0 is easier by 4 points than both seeds together."""
    trials = [record(0, [84.0, 76.0]), record(1, [78.0], TrialStatus.RACED_OUT)]
    one, both = expected_best(trials)
    assert (both.val, both.test) == (80.0, 79.0)
    assert one.val == pytest.approx((80.0 + 74.0) / 2)
    assert one.test == pytest.approx((79.0 + 73.0) / 2)
    assert (one.low, one.high) == (74.0, 80.0)


def test_more_trials_never_find_less_also_after_a_race_on_easy_seeds() -> None:
    complete = [record(number, [90.0 + number, 70.0 - number / 2]) for number in range(3)]
    raced = [record(3 + n, [89.0 + n / 3], TrialStatus.RACED_OUT) for n in range(9)]
    found = expected_best([*complete, *raced])
    for scores in ([each.val for each in found], [each.low for each in found]):
        assert scores == sorted(scores)
    assert all(each.low <= each.val <= each.high for each in found)


@pytest.mark.parametrize(("count", "low", "high"), [(20, 0, 18), (21, 1, 19), (40, 1, 37)])
def test_one_draw_of_twenty_is_as_low_as_the_band_and_one_as_high(
    count: int, low: int, high: int
) -> None:
    """Of single draws: at least 5 % are at or below the lower end, 95 % at or below the upper."""
    single = expected_best(_records([60.0 + number for number in range(count)]))[0]
    assert (single.low, single.high) == (60.0 + low, 60.0 + high)


def test_without_a_complete_trial_there_is_none() -> None:
    assert expected_best([]) == []
    assert expected_best([record(0, [80.0], TrialStatus.RACED_OUT)]) == []
    failed = record(1, [80.0], TrialStatus.FAILED)
    assert len(expected_best([record(0, [80.0]), failed])) == 1


def test_hundreds_of_trials_have_finite_numbers_and_it_is_told() -> None:
    found = expected_best(_records([60.0 + 0.01 * number for number in range(1100)]))
    assert found[-1].val == pytest.approx(60.0 + 10.99)
    assert [each.val for each in found] == sorted(each.val for each in found)
    told = json.dumps(found[0].to_mapping("accuracy"), allow_nan=False)
    assert json.loads(told) == {
        "trials": 1,
        "val_accuracy": found[0].val,
        "val_accuracy_low": found[0].low,
        "val_accuracy_high": found[0].high,
        "test_accuracy": found[0].test,
    }
    assert str(found[-1]) == "1100 trials 70.99 (70.99 to 70.99), 69.99"
