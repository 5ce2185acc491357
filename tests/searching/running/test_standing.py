import random
from dataclasses import replace

import pytest

from l2p_search.config import TrialConfig
from l2p_search.progress import Running
from l2p_search.results import TrialStatus
from l2p_search.searching.records.outcome import best_of
from l2p_search.searching.running.standing import Standing
from l2p_search.trial_record import TrialRecord
from tests.searching.records.made import record


def _trials(count: int) -> list:  # type: ignore[type-arg]
    draws = random.Random(0)
    statuses = [TrialStatus.COMPLETE, TrialStatus.COMPLETE, TrialStatus.RACED_OUT]
    made = []
    for number in range(count):
        scores = [float(draws.randrange(70, 74)) for _ in range(4)]
        status = statuses[number % 3]
        made.append(record(number, scores, status, lr=0.001 * (number + 1)))
    return [*made, record(count, status=TrialStatus.FAILED, lr=5.0)]


def test_the_best_is_that_of_all_records_in_whatever_order_they_end() -> None:
    trials = _trials(12)
    for seed in range(20):
        random.Random(seed).shuffle(trials)
        assert Standing(trials, race=None).best == best_of(trials)


def test_a_trial_is_open_until_it_ends_and_is_counted_once() -> None:
    standing = Standing([], race=None)
    for trial in _trials(3):
        running = record(trial.number, status=TrialStatus.RUNNING, lr=trial.config.lr)
        standing.keep(running)
        assert standing.open == {trial.number: running}
        assert standing.known[trial.config.config_id].objective is None
        standing.keep(trial)
        assert standing.known[trial.config.config_id].objective == trial.objective
        assert not standing.open
    assert len(standing) == standing.ended == 4
    running = [
        Running(stage=stage, number=9, title="trial 9", config=TrialConfig(), seeds=2)
        for stage in ("trials", "trials", "confirmation")
    ]
    shown = standing.snapshot(
        goal=9,
        total=24,
        running=tuple(running),
        seconds=1.0,
        seconds_left=(None, False),
        training_seconds=None,
        confirming=0,
        confirmed=0,
    )
    assert (shown.goal, shown.total) == (9, 24)
    assert shown.counts == {
        TrialStatus.COMPLETE: 2,
        TrialStatus.RACED_OUT: 1,
        TrialStatus.FAILED: 1,
        TrialStatus.RUNNING: 2,
    }


def test_without_a_best_trial_nobody_is_beaten_and_a_clear_loser_is_beaten_by_the_best() -> None:
    scores = {seed: 50.0 + seed % 2 for seed in range(4)}
    assert Standing([], race="paired").why_stop(2, scores) is None
    standing = Standing(
        [record(0, [80.0, 81.0] * 10), record(1, [79.0, 82.0] * 10, lr=0.5)], race="paired"
    )
    assert standing.best is not None
    said = standing.why_stop(2, scores)
    assert said == f"worse than trial {standing.best.number} on its first 4 seeds"
    assert standing.why_stop(3, {seed: 90.0 + seed % 2 for seed in range(4)}) is None


def test_the_best_trial_says_nothing_of_the_spread_of_differences_from_itself() -> None:
    """Its own differences are all zero: a near loser would seem to lose surely."""
    standing = Standing([record(0, [80.0, 81.0] * 10)], race="paired")
    assert standing.why_stop(1, {0: 80.5, 1: 80.5, 2: 78.5}) is None


def _raced_out(number: int, scores: list[float]) -> TrialRecord:
    stopped = record(number, scores, lr=0.1 + number / 100)
    return replace(stopped, status=TrialStatus.RACED_OUT, reason="")


def test_a_halving_race_knows_complete_and_stopped_trials_but_none_that_failed() -> None:
    failed = replace(record(7, [99.0] * 2, lr=0.7), status=TrialStatus.FAILED)
    standing = Standing(
        [record(0, [80.0] * 20), _raced_out(1, [70.0] * 2), failed], race="halving"
    )
    assert standing.why_stop(2, {0: 81.0, 1: 81.0}) is None  # the best so far
    said = standing.why_stop(3, {0: 79.0, 1: 79.0})
    assert said == "number 3 of 4 trials on its first 2 seeds, the best quarter goes on"


def test_what_this_invocation_trained_is_told_and_earlier_trials_are_not() -> None:
    standing = Standing(_trials(6), race=None)
    assert (standing.seeds_trained, standing.seconds_per_trial()) == (0, None)
    standing.trained(20, 3.0)
    standing.trained(20, 5.0)
    standing.trained(5, 9.0, fresh=True)  # a confirmation
    assert (standing.seeds_trained, standing.seconds_per_trial()) == (45, 4.0)
    assert standing.seconds_per_seed == 8.0 / 40
    assert standing.seconds_per_fresh_seed == 9.0 / 5


def test_trials_that_run_have_not_ended() -> None:
    standing = Standing([*_trials(3), record(9, status=TrialStatus.RUNNING, lr=0.9)], race=None)
    assert (len(standing), standing.ended, set(standing.open)) == (5, 4, {9})
    assert (standing.seconds_per_seed, standing.seconds_per_fresh_seed) == (0.0, 0.0)
    standing.trained(1, 6.0, fresh=True)
    assert standing.seconds_per_fresh_seed == 6.0


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_of_equal_trials_the_earlier_one_is_the_best_whichever_ended_first(
    order: tuple[int, int],
) -> None:
    standing = Standing([record(number, (80.0,), K=number) for number in order], race=None)
    assert standing.best is not None
    assert standing.best.number == 1


def test_one_seed_is_counted_as_one() -> None:
    standing = Standing([], race=None)
    standing.trained(1, 3.0)
    standing.trained(1, 5.0, fresh=True)
    assert (standing.seconds_per_seed, standing.seconds_per_fresh_seed) == (3.0, 5.0)


def test_the_best_so_far_never_falls() -> None:
    scores = (80.0, 82.0, 81.0, 83.0, 70.0)
    trials = [record(number, (score,), K=number + 1) for number, score in enumerate(scores)]
    assert Standing(trials, race=None)._best_so_far == [80.0, 82.0, 82.0, 83.0, 83.0]
