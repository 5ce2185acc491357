from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import pytest

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.progress import Event, Running, Snapshot, Stage
from l2p_search.results import TrialStatus
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from tests.searching.pretend import begin, drive

_SNAPSHOT = Snapshot(
    goal=10,
    counts={
        TrialStatus.COMPLETE: 4,
        TrialStatus.RACED_OUT: 2,
        TrialStatus.FAILED: 1,
        TrialStatus.RUNNING: 3,
    },
    best=None,
    best_so_far=(),
    seeds_trained=90,
    seconds=30.0,
    seconds_left=None,
    confirming=0,
    confirmed=0,
)


def test_all_but_the_running_trials_have_ended() -> None:
    assert _SNAPSHOT.ended == 7
    assert replace(_SNAPSHOT, counts=dict.fromkeys(TrialStatus, 0)).ended == 0


def test_the_speed_is_in_seeds_and_no_error_before_any_time_has_passed() -> None:
    assert _SNAPSHOT.seeds_per_second == 3.0
    assert replace(_SNAPSHOT, seconds=0.0).seeds_per_second == 0.0


def test_what_a_display_was_told_does_not_change_afterwards() -> None:
    for told in (_SNAPSHOT, Event("exhausted")):
        with pytest.raises(FrozenInstanceError):
            told.reason = "another"  # type: ignore[union-attr, misc]


def test_a_search_tells_how_it_stands_with_every_event(tmp_path: Path, small_graph: Graph) -> None:
    told: list[tuple[Event, Snapshot]] = []
    now = iter(range(100))
    coordinator = Coordinator(
        begin(tmp_path / "s"),
        Goal(trials=3, confirm=2, ties=0),
        on_event=lambda event, snapshot: told.append((event, snapshot)),
        clock=lambda: float(next(now)),
    )
    drive(coordinator, small_graph)
    kinds = [event.kind for event, _ in told]
    assert kinds == ["started", "ended"] * 3 + ["started", "confirmed"]
    ended = [snapshot.ended for _, snapshot in told]
    assert ended == [0, 1, 1, 2, 2, 3, 3, 3]
    *_, (event, last) = told
    assert event.result is not None
    assert [seed.seed for seed in event.result.seeds] == [20, 21]
    assert (last.confirming, last.confirmed) == (1, 1)
    assert last.seeds_trained == 3 * 20 + 2
    assert len(last.best_so_far) == 3
    assert list(last.best_so_far) == sorted(last.best_so_far)
    assert last.best is not None
    assert last.best_so_far[-1] == last.best.objective
    times = [snapshot.seconds for _, snapshot in told]
    assert times == sorted(times)
    assert told[0][1].seconds_left is None  # nothing to estimate it from
    assert told[1][1].seconds_left == pytest.approx(2.1)  # two trials of 1 s, 2 of 20 fresh seeds


def test_what_running_trials_have_done_counts_for_the_speed() -> None:
    half = Running(
        stage="trials",
        number=1,
        title="trial 1",
        config=TrialConfig(),
        seeds=20,
        finished=5,
        training=15,
        epoch=100,
        epochs=300,
    )
    assert half.seeds_done == 10.0
    assert half.share == 0.5
    assert replace(_SNAPSHOT, running=(half,), training_seconds=20.0).seeds_per_second == 5.0
    assert replace(half, epochs=0, epoch=0).seeds_done == 5.0


def test_the_confirmation_is_a_stage_once_it_begins() -> None:
    assert _SNAPSHOT.stages == (Stage("trials", 7, 10),)
    assert replace(_SNAPSHOT, total=8).stages == (Stage("trials", 7, 8),)
    later = replace(_SNAPSHOT, confirming=3, confirmed=1)
    assert later.stages[-1] == Stage("confirmation", 1, 3)
