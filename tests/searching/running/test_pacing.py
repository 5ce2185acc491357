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


def test_seconds_count_from_when_a_worker_had_the_task_and_seeds_of_all_groups_count() -> None:
    pace = Pace(clock := _Clock())
    clock.now = 100.0
    task = Task("trial", 0, TrialConfig(), ((0, 1), (2, 3, 4)))
    fresh = _task(1, "confirmation", seeds=4)
    pace.begin(task, "trial 0")
    pace.begin(fresh, "trial 1 on fresh seeds")
    clock.now = 103.0
    assert [(each.stage, each.seeds, each.seconds) for each in pace.running] == [
        ("trials", 5, 3.0),
        ("confirmation", 4, 3.0),
    ]
    assert pace.training_seconds == 3.0
    # Seven of ten seconds of the trial, and one of four of the fresh seeds, one after another.
    ahead = _ahead(trial_seconds=10.0, seed_seconds=1.0)
    assert pace.seconds_left(ahead, 1) == (7.0 + 1.0, False)


@pytest.mark.parametrize(("epoch", "left"), [(19, (None, False)), (20, (49.0, True))])
def test_a_fiftieth_of_a_training_is_enough_to_tell_the_rest_by(
    epoch: int, left: tuple[float | None, bool]
) -> None:
    pace = Pace(clock := _Clock())
    pace.begin(_task(0), "trial 0")
    pace.progress(_task(0), {"training": 10, "epoch": epoch, "epochs": 1000})
    clock.now = 1.0
    assert pace.seconds_left(_ahead(), 1) == left


def test_several_that_run_tell_by_their_mean() -> None:
    pace = Pace(clock := _Clock())
    for number, epoch in ((0, 100), (1, 50)):
        pace.begin(_task(number), f"trial {number}")
        pace.progress(_task(number), {"training": 10, "epoch": epoch, "epochs": 200})
    clock.now = 6.0
    # One takes 12 s at this pace, the other 24: 18 are usual, of which 6 are over.
    assert pace.seconds_left(_ahead(trials=0), 2) == (12.0, True)


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
    pace.progress(task, {"training": 20, "epoch": 999, "epochs": 1000})
    assert pace.seconds_left(ahead, 1)[0] == pytest.approx(0.5)  # a little, to the end


def test_what_has_taken_all_its_time_at_its_beginning_takes_as_long_again() -> None:
    pace = Pace(clock := _Clock())
    task = _task(3, "confirmation", seeds=20)
    pace.begin(task, "trial 3 on fresh seeds")
    pace.progress(task, {"training": 20, "epoch": 20, "epochs": 1000})
    clock.now = 10.0
    ahead = _ahead(trial_seconds=10.0, seed_seconds=0.5)
    assert pace.seconds_left(ahead, 1) == (10.0, False)


def test_a_tie_is_expected_to_take_what_its_own_trial_took() -> None:
    """The quick winner says nothing of a tie of 64 steps."""
    slow, quick = _task(63, "confirmation"), _task(1, "confirmation")
    own = {slow.config.config_id: 8.0, quick.config.config_id: 0.5}
    pace = Pace(clock := _Clock())
    pace.begin(slow, "trial 63 on fresh seeds")
    clock.now = 10.0
    ahead = _ahead(
        trial_seconds=10.0,
        seed_seconds=1.0,
        confirmations=[10, 10],
        configs=[quick.config.config_id, "unknown"],
        own=own,
    )
    assert pace.seconds_left(ahead, 1) == (70 + 5 + 10, False)


def test_what_is_begun_last_is_waited_for_after_what_comes_before_it() -> None:
    ahead = _ahead(trial_seconds=1.0, seed_seconds=1.0, confirmations=[4, 4, 10])
    assert Pace(_Clock()).seconds_left(ahead, 2) == (4 + 10, False)


def test_a_confirmation_that_goes_on_slowly_is_expected_to_go_on_so() -> None:
    """Two workers share a core, or a worker starts: the seconds of training do not show it."""
    pace = Pace(clock := _Clock())
    first, second = _task(1, "confirmation"), _task(2, "confirmation")
    ahead = _ahead(trial_seconds=10.0, seed_seconds=1.0, confirmations=[10])
    pace.begin(first, "trial 1 on fresh seeds")
    assert pace.seconds_left(ahead, 1) == (20.0, False)
    clock.now = 25.0
    pace.end(first)
    assert pace.seconds_left(ahead, 1) == (25.0, False)
    pace.begin(second, "trial 2 on fresh seeds")
    assert pace.seconds_left(ahead, 1) == (50.0, False)
    pace.end(second)
    assert pace.seconds_left(ahead, 1)[0] == pytest.approx(12.5)


def test_a_confirmation_that_stood_still_is_not_expected_to_do_so_again() -> None:
    """A laptop that slept for the night: no seed takes a hundred times what it took before."""
    pace = Pace(clock := _Clock())
    task = _task(1, "confirmation")
    ahead = _ahead(trial_seconds=10.0, seed_seconds=1.0, confirmations=[10])
    pace.begin(task, "trial 1 on fresh seeds")
    assert pace.seconds_left(ahead, 1) == (20.0, False)
    clock.now = 1000.0
    pace.end(task)
    assert pace.seconds_left(ahead, 1) == (4.0 * 10.0, False)


def test_fractions_of_a_second_tell_of_a_slow_machine_too() -> None:
    pace = Pace(clock := _Clock())
    task = _task(1, "confirmation")
    ahead = _ahead(trial_seconds=1.0, seed_seconds=0.05, confirmations=[10])
    pace.begin(task, "trial 1 on fresh seeds")
    assert pace.seconds_left(ahead, 1) == (1.0, False)
    clock.now = 1.0
    pace.end(task)
    assert pace.seconds_left(ahead, 1) == (1.0, False)  # twice of what ten seeds should take


def test_trials_that_are_confirmed_tell_what_a_seed_of_them_takes(tmp_path: Path) -> None:
    goal = Goal(trials=2, confirm=10, ties=0)
    journal = searched(tmp_path / "s", None, goal)  # type: ignore[arg-type]
    records = list(journal.each_record())
    ahead = ahead_of(
        Standing(records, race=False),
        goal,
        pieces=1,
        trials=0,
        confirmations=[_task(0, "confirmation", seeds=3)],
        seconds=0.0,
        confirmed=records,
    )
    assert ahead.own == {record.config.config_id: 1.0 / 20 for record in records}
    assert list(ahead.configs) == [_task(0).config.config_id]


def test_trials_that_failed_tell_what_a_seed_takes_when_nothing_runs() -> None:
    """10 s for 20 seeds: a confirmation on 10 takes 5 s, though no trial is the best yet."""
    standing, goal = Standing([], race=None), Goal(trials=3, confirm=10)
    standing.trained(20, 10.0)
    ahead = ahead_of(standing, goal, pieces=1, trials=2, confirmations=None, seconds=0.0)
    assert (ahead.trial_seconds, ahead.seed_seconds) == (10.0, 0.5)
    assert Pace(_Clock()).seconds_left(ahead, 1) == (2 * 10 + 5, False)


def test_fresh_seeds_are_expected_to_take_the_longest_of_what_is_known(tmp_path: Path) -> None:
    """The winner may be the quickest trial; what it is held against is not."""
    goal = Goal(trials=2, confirm=10, ties=0)
    journal = searched(tmp_path / "s", None, goal)  # type: ignore[arg-type]
    standing = Standing(journal.each_record(), race=None)

    def left() -> float | None:
        known = ahead_of(standing, goal, pieces=1, trials=0, confirmations=None, seconds=0.0)
        return known.seed_seconds

    limited = ahead_of(
        standing,
        Goal(trials=2, time_budget=60.0),
        pieces=1,
        trials=0,
        confirmations=None,
        seconds=45.0,
    )
    assert limited.budget == 15.0
    late = Goal(trials=2, time_budget=40.0)
    over = ahead_of(standing, late, pieces=1, trials=0, confirmations=None, seconds=45.0)
    assert over.budget == 0.0
    # This invocation has trained no trial: the winner's own seconds tell, if only it is left.
    assert over.trial_seconds == 1.0
    more = ahead_of(standing, late, pieces=1, trials=1, confirmations=None, seconds=45.0)
    assert more.trial_seconds is None
    assert left() == 1.0 / 20, "a trial of an earlier invocation: the winner's own seconds"
    standing.trained(20, 3.0)
    own = ahead_of(standing, goal, pieces=1, trials=0, confirmations=None, seconds=0.0)
    assert own.trial_seconds == 3.0, "what this invocation has trained tells more"
    standing.trained(20, 1.0)
    assert left() == 4.0 / 40
    standing.trained(10, 5.0, fresh=True)
    assert left() == 5.0 / 10
