from pathlib import Path

import pytest

from l2p_search.config import TrialConfig
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.pacing import Ahead, Pace, ahead_of
from l2p_search.searching.running.standing import Standing
from l2p_search.searching.running.tasks import Task
from tests.searching.pretend import searched


class _Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def _task(number: int, kind: str = "trial", seeds: int = 10) -> Task:
    return Task(kind, number, TrialConfig(K=number + 1), (tuple(range(seeds)),))  # type: ignore[arg-type]


def _ahead(**changes: object) -> Ahead:
    usual: dict[str, object] = {
        "trials": 0,
        "confirmations": [],
        "trial_seconds": None,
        "seed_seconds": None,
    }
    return Ahead(**{**usual, **changes})  # type: ignore[arg-type]


def test_nothing_is_estimated_before_anything_is_known() -> None:
    pace = Pace(clock := _Clock())
    assert pace.training_seconds is None
    pace.begin(_task(0), "trial 0")
    clock.now = 9.0
    assert pace.seconds_left(_ahead(trials=5), 1) == (None, False)
    assert pace.training_seconds == 9.0


def test_before_a_trial_has_ended_the_running_one_tells_at_most_how_long_it_takes() -> None:
    pace = Pace(clock := _Clock())
    pace.begin(_task(0), "trial 0")
    clock.now = 5.0
    pace.progress(_task(0), {"training": 10, "epoch": 50, "epochs": 200})
    (running,) = pace.running
    assert (running.share, running.seeds_done, running.seconds) == (0.25, 2.5, 5.0)
    # 20 s a trial, of which 5 are over; two more; a confirmation on 5 of 10 seeds.
    assert pace.seconds_left(_ahead(trials=2, confirmations=[5]), 1) == (15 + 40 + 10, True)


def test_what_is_left_counts_the_confirmation_and_shares_the_workers() -> None:
    pace = Pace(clock := _Clock())
    pace.begin(_task(3), "trial 3")
    clock.now = 4.0
    ahead = _ahead(trials=3, confirmations=[20, 20], trial_seconds=10.0, seed_seconds=0.5)
    assert pace.seconds_left(ahead, 1) == (6 + 30 + 20, False)
    assert pace.seconds_left(ahead, 2) == (18 + 10, False)


def test_the_last_task_is_waited_for_however_many_workers_there_are() -> None:
    pace = Pace(clock := _Clock())
    pace.begin(_task(3, "confirmation", seeds=20), "trial 3 on fresh seeds")
    clock.now = 1.0
    ahead = _ahead(trial_seconds=10.0, seed_seconds=0.5)
    assert pace.seconds_left(ahead, 64) == (9.0, False)


def test_no_trial_is_begun_after_the_time_budget() -> None:
    ahead = _ahead(trials=1000, trial_seconds=2.0, seed_seconds=0.1, budget=30.0)
    assert Pace(_Clock()).seconds_left(ahead, 1) == (32.0, False)


def test_a_task_that_has_ended_runs_no_longer_and_late_words_of_it_are_dropped() -> None:
    pace = Pace(_Clock())
    for number in (4, 2):
        pace.begin(_task(number), f"trial {number}")
    assert [each.title for each in pace.running] == ["trial 2", "trial 4"]
    pace.end(_task(4))
    pace.progress(_task(4), {"epoch": 3})
    assert [each.number for each in pace.running] == [2]


def test_confirmations_are_expected_until_they_are_known() -> None:
    standing, goal = Standing([], race=None), Goal(trials=29, confirm=7)
    ahead = ahead_of(standing, goal, pieces=6, trials=29, confirmations=None, seconds=0.0)
    assert list(ahead.confirmations) == [7] * 6
    begun = [_task(0, seeds=3)]
    known = ahead_of(standing, goal, pieces=6, trials=0, confirmations=begun, seconds=0.0)
    assert list(known.confirmations) == [3]


def test_a_confirmation_that_takes_longer_than_expected_is_told_by_how_far_it_is() -> None:
    pace = Pace(clock := _Clock())
    task = _task(3, "confirmation", seeds=20)
    pace.begin(task, "trial 3 on fresh seeds")
    clock.now = 30.0
    ahead = _ahead(trial_seconds=10.0, seed_seconds=0.5)
    assert pace.seconds_left(ahead, 1) == (0.5, False)
    pace.progress(task, {"training": 20, "epoch": 80, "epochs": 100})
    assert pace.seconds_left(ahead, 1)[0] == pytest.approx(7.5)


def test_fresh_seeds_are_expected_to_take_the_longest_of_what_is_known(tmp_path: Path) -> None:
    """The winner may be the quickest trial; what it is held against is not."""
    goal = Goal(trials=2, confirm=10, ties=0)
    journal = searched(tmp_path / "s", None, goal)  # type: ignore[arg-type]
    standing = Standing(journal.each_record(), race=None)

    def left() -> float | None:
        known = ahead_of(standing, goal, pieces=1, trials=0, confirmations=None, seconds=0.0)
        return known.seed_seconds

    assert left() == 1.0 / 20, "a trial of an earlier invocation: the winner's own seconds"
    standing.trained(20, 3.0)
    standing.trained(20, 1.0)
    assert left() == 4.0 / 40
    standing.trained(10, 5.0, fresh=True)
    assert left() == 5.0 / 10
