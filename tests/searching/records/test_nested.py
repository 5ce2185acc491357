"""Choices anew for each split: by hand, by simulation, and against labels that are permuted."""

from dataclasses import replace

import numpy as np
import pytest

from l2p_search.other_nodes import NodeTerm
from l2p_search.results import SeedResult, TrialResult, TrialStatus
from l2p_search.searching.records.nested import nested
from l2p_search.searching.records.outcome import best_of
from l2p_search.trial_record import TrialRecord
from tests.searching.records.made import record

_K = (2, 4, 8, 16)


def _trial(number: int, val: list[float], test: list[float], splits: int) -> TrialRecord:
    made = record(number, [1.0], K=_K[number % 4], dropout=0.01 * (number % 50))
    seeds = tuple(
        SeedResult(seed=seed, split=seed % splits, epochs=1, val=one, test=other)
        for seed, (one, other) in enumerate(zip(val, test, strict=True))
    )
    result = TrialResult(
        config=made.config, dataset="small", data_digest="0", seeds=seeds, seconds=1.0
    )
    return TrialRecord(
        number=number, status=TrialStatus.COMPLETE, config=made.config, result=result
    )


def test_the_winner_of_a_split_is_that_of_the_others_and_is_tested_there() -> None:
    """Trial 0 is best by splits 0 and 1, trial 1 by split 2, which it wins by most."""
    first = _trial(0, [80.0, 80.0, 60.0], [1.0, 2.0, 3.0], splits=3)
    second = _trial(1, [70.0, 70.0, 90.0], [10.0, 20.0, 30.0], splits=3)
    found = nested([first, second])
    assert found is not None
    # Without split 0 or 1 the second leads (80 against 70), without split 2 the first.
    assert found.by_others.mean == pytest.approx((10.0 + 20.0 + 3.0) / 3)
    assert found.by_own.mean == pytest.approx((1.0 + 2.0 + 30.0) / 3)
    # Over all splits the second is the best.
    assert found.overtuning.mean == pytest.approx((0.0 + 0.0 + 27.0) / 3)
    assert (found.chosen, found.by_others.this_graph.units) == (2, 3)


@pytest.mark.parametrize("later", [10.0, 20.0])
def test_of_equal_trials_the_earlier_one_is_the_searchs_choice_in_whatever_order(
    later: float,
) -> None:
    """Both have the same scores; without a split, and over all of them, trial 0 is chosen."""
    first = _trial(0, [80.0, 80.0], [50.0, 60.0], splits=2)
    second = _trial(1, [80.0, 80.0], [later, later], splits=2)
    for trials in ([first, second], [second, first]):
        found = nested(trials)
        assert found is not None
        assert found.by_others.mean == pytest.approx(55.0)
        assert (found.overtuning.mean, found.chosen) == (0.0, 1)


def test_the_searchs_own_choice_may_be_its_first_trial() -> None:
    first = _trial(0, [90.0, 90.0, 60.0], [1.0, 2.0, 3.0], splits=3)
    second = _trial(1, [70.0, 70.0, 90.0], [10.0, 20.0, 30.0], splits=3)
    found = nested([first, second])
    assert found is not None
    # Without split 0 or 1 the second leads (80 against 75), over all the first (80 against 76.7).
    assert found.by_others.mean == pytest.approx((10.0 + 20.0 + 3.0) / 3)
    assert found.overtuning.mean == pytest.approx((-9.0 - 18.0 + 0.0) / 3)


def test_several_seeds_of_a_split_count_as_one() -> None:
    first = _trial(0, [80.0, 60.0, 81.0], [50.0, 70.0, 54.0], splits=2)
    second = _trial(1, [60.0, 80.0, 60.0], [10.0, 20.0, 30.0], splits=2)
    found = nested([first, second])
    assert found is not None
    # Split 0 (seeds 0 and 2) is chosen for by split 1: the second, with 10 and 30.
    assert found.by_others.mean == pytest.approx((20.0 + 70.0) / 2)


def test_the_choice_counts_every_split_once_as_that_of_the_search_does() -> None:
    """By seed the first leads (80, 80, 60 against 72), by split the second (70 against 72)."""
    first = _trial(0, [80.0, 60.0, 80.0], [1.0, 2.0, 3.0], splits=2)
    second = _trial(1, [72.0, 72.0, 72.0], [10.0, 20.0, 30.0], splits=2)
    assert best_of([first, second]) is second
    found = nested([first, second])
    assert found is not None
    # Split 0 is chosen for by split 1 (the second: 20), split 1 by split 0 (the first: 2).
    assert found.by_others.mean == pytest.approx((20.0 + 2.0) / 2)
    assert found.overtuning.mean == pytest.approx((0.0 + 18.0) / 2)


def test_other_nodes_take_what_nodes_add_from_the_confirmation() -> None:
    trials = [_trial(n, [80.0, 81.0 + n], [70.0, 71.0], splits=2) for n in range(2)]
    alone, both = nested(trials), nested(trials, NodeTerm(25.0, 1.0))
    assert alone is not None
    assert both is not None
    assert alone.by_others.other_nodes is None
    assert both.by_others.this_graph == alone.by_others.this_graph
    for found in (both.by_others, both.by_own):
        assert found.other_nodes is not None
        assert (found.other_nodes.half_width or 0.0) > (found.this_graph.half_width or 0.0)


def test_one_split_one_trial_and_unfinished_trials_have_nothing_nested() -> None:
    trial = _trial(0, [80.0, 81.0], [70.0, 71.0], splits=2)
    assert nested([trial]) is None
    assert nested([]) is None
    assert nested([trial, record(1, [99.0], TrialStatus.RACED_OUT)]) is None
    alone = [_trial(number, [80.0, 81.0], [70.0, 71.0], splits=1) for number in range(3)]
    assert nested(alone) is None


def test_a_trial_that_was_raced_out_is_chosen_for_no_split() -> None:
    trials = [_trial(n, [80.0 + n] * 2, [70.0 + n] * 2, splits=2) for n in range(2)]
    lucky = _trial(2, [99.0] * 2, [10.0] * 2, splits=2)
    raced = replace(lucky, status=TrialStatus.RACED_OUT)
    assert nested([*trials, raced]) == nested(trials)


def test_one_seed_without_a_test_score_is_enough_to_tell_nothing() -> None:
    trials = [_trial(n, [80.0 + n] * 2, [70.0 + n] * 2, splits=2) for n in range(2)]
    assert trials[1].result is not None
    seeds = (trials[1].result.seeds[0], replace(trials[1].result.seeds[1], test=None))
    trials[1] = replace(trials[1], result=replace(trials[1].result, seeds=seeds))
    assert nested(trials) is None


def test_it_is_plain_json() -> None:
    found = nested([_trial(n, [80.0, 81.0 + n], [70.0, 71.0 + n], splits=2) for n in range(2)])
    assert found is not None
    assert found.to_mapping() == {
        "by_other_splits": found.by_others.to_mapping(),
        "by_own_validation": found.by_own.to_mapping(),
        "overtuning": found.overtuning.to_mapping(),
        "configurations": found.chosen,
    }


def test_the_gap_is_what_a_choice_among_equals_gained_from_its_own_splits() -> None:
    """Equal configurations, whose luck on a split shows on validation and test alike.

    The search's own choice is then above the truth, the nested one is not, and the gap says so.
    """
    generator = np.random.default_rng(0)
    search, inner = [], []
    for _ in range(200):
        luck = generator.normal(0.0, 2.0, (40, 10))
        trials = [
            _trial(n, list(70.0 + row), list(70.0 + row), splits=10) for n, row in enumerate(luck)
        ]
        found = nested(trials)
        assert found is not None
        inner.append(found.by_others.mean)
        search.append(found.by_others.mean + found.overtuning.mean)
    assert np.mean(search) > 71.0
    assert abs(np.mean(inner) - 70.0) < 0.3


def test_no_test_score_has_a_say_in_a_choice() -> None:
    generator = np.random.default_rng(1)
    val, test = generator.normal(70, 2, (2, 12, 10))
    pairs = list(zip(val, test, strict=True))
    honest = nested([_trial(n, list(v), list(t), 10) for n, (v, t) in enumerate(pairs)])
    lifted = nested([_trial(n, list(v), list(100 - t), 10) for n, (v, t) in enumerate(pairs)])
    assert honest is not None
    assert lifted is not None
    assert lifted.by_others.mean == pytest.approx(100 - honest.by_others.mean)
    assert lifted.by_own.mean == pytest.approx(100 - honest.by_own.mean)
