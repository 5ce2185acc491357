"""What a coordinator tells a display: events, and how the search stands."""

import logging
import time
from pathlib import Path

import pytest

from l2p_search.data.graph import Graph
from l2p_search.progress import Event, Snapshot
from l2p_search.results import TrialStatus
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from tests.searching.pretend import begin, pretend_training


def test_what_happens_is_told_with_how_the_search_stands(
    tmp_path: Path, small_graph: Graph, caplog: pytest.LogCaptureFixture
) -> None:
    now, told = 50.0, list[tuple[Event, Snapshot]]()
    journal = begin(tmp_path / "s", metric="roc_auc")
    coordinator = Coordinator(
        journal,
        Goal(trials=3, confirm=4, ties=0),
        on_event=lambda *given: told.append(given),
        clock=lambda: now,
    )
    with caplog.at_level(logging.DEBUG, logger="l2p_search"):
        task = coordinator.next_task()
        assert task is not None
        now = 53.0
        coordinator.progress(task, {"training": 20, "epoch": 50, "epochs": 100})
        coordinator.note(task, "little memory")
        result = pretend_training(small_graph, task.config, range(20), metric="roc_auc")
        assert coordinator.report(task, result.measured()) is False
        coordinator.finish()
    started, progressed, noted, ended, _ = told
    assert [(event.kind, event.reason) for event, _ in told] == [
        ("started", None),
        ("progressed", None),
        ("noted", "little memory"),
        ("ended", None),
        ("finished", None),
    ]
    for event, _ in (started, progressed, noted, ended):
        assert event.record is not None
        assert (event.record.number, event.record.metric) == (0, "roc_auc")
    lines = [(line.levelname, line.message.strip()) for line in caplog.records]
    assert ("DEBUG", "progressed, trial 0") in lines
    assert ("INFO", "noted, trial 0 little memory") in lines
    assert ("INFO", "finished, trial -") in lines

    stands = progressed[1]
    assert (stands.seconds, stands.training_seconds) == (3.0, 3.0)
    assert [(each.title, each.share) for each in stands.running] == [("trial 0", 0.5)]
    # Six seconds a trial: half of this one, two more, and four of twenty fresh seeds.
    assert stands.seconds_left == pytest.approx(3.0 + 12.0 + 1.2)
    assert stands.at_most
    stands = ended[1]
    assert stands.running == ()
    assert (stands.counts[TrialStatus.COMPLETE], stands.seeds_trained) == (1, 20)
    # It said that it took one second.
    assert (stands.seconds_left, stands.at_most) == (pytest.approx(2.0 + 0.2), False)
    record = ended[0].record
    assert record is not None
    assert record.ended is not None
    assert 0.0 <= time.time() - record.ended < 60.0


def test_trials_that_were_interrupted_are_among_those_that_are_left(
    tmp_path: Path, small_graph: Graph
) -> None:
    goal, journal = Goal(trials=3, confirm=4, ties=0), begin(tmp_path / "s")
    before = Coordinator(journal, goal, concurrency=2)
    assert [before.next_task() is None for _ in range(2)] == [False, False]
    told: list[Snapshot] = []
    coordinator = Coordinator(
        journal, goal, on_event=lambda event, snapshot: told.append(snapshot), clock=lambda: 7.0
    )
    task = coordinator.next_task()
    assert task is not None
    result = pretend_training(small_graph, task.config, range(20))
    coordinator.report(task, result.measured())
    # One of the two that were interrupted, one that was never begun; then four fresh seeds.
    assert told[-1].seconds_left == pytest.approx(2.0 + 0.2)


def test_a_confirmation_is_told_with_its_trial_and_late_words_with_the_metric(
    tmp_path: Path, small_graph: Graph
) -> None:
    told: list[Event] = []
    journal = begin(tmp_path / "s", metric="roc_auc")
    coordinator = Coordinator(
        journal,
        Goal(trials=1, confirm=4, ties=0),
        on_event=lambda event, snapshot: told.append(event),
    )
    task = coordinator.next_task()
    assert task is not None
    result = pretend_training(small_graph, task.config, range(20), metric="roc_auc")
    coordinator.report(task, result.measured())
    coordinator.note(task, "too late")
    late = told[-1].record
    assert late is not None
    assert (late.status, late.metric) == (TrialStatus.RUNNING, "roc_auc")
    coordinator.release(task)
    assert coordinator.next_task() is not None
    confirmed = told[-1].record
    assert confirmed is not None
    assert (told[-1].kind, confirmed.status) == ("started", TrialStatus.COMPLETE)
    assert confirmed.objective == pytest.approx(result.val_mean)


def test_trials_of_a_sealed_search_are_sealed_and_fresh_seeds_are_counted_apart(
    tmp_path: Path, small_graph: Graph
) -> None:
    goal = Goal(trials=1, confirm=4, ties=0)
    coordinator = Coordinator(begin(tmp_path / "s", sealed=True), goal)
    task = coordinator.next_task()
    assert task is not None
    assert (task.kind, task.sealed) == ("trial", True)
    coordinator.report(task, pretend_training(small_graph, task.config, range(20)).measured())
    coordinator.release(task)
    fresh = coordinator.next_task()
    assert fresh is not None
    assert (fresh.kind, fresh.sealed) == ("confirmation", False)
    coordinator.report(
        fresh, pretend_training(small_graph, fresh.config, range(20, 24)).measured()
    )
    standing = coordinator._standing
    assert (standing.seconds_per_trial(), standing.seeds_trained) == (1.0, 24)
    assert (standing.seconds_per_seed, standing.seconds_per_fresh_seed) == (1.0 / 20, 1.0 / 4)


def test_one_task_runs_at_once_unless_more_are_wanted_or_a_worker_is_spare(
    tmp_path: Path, small_graph: Graph
) -> None:
    goal = Goal(trials=1, confirm=4, ties=0, controls=True)
    coordinator = Coordinator(begin(tmp_path / "s"), goal)
    task = coordinator.next_task()
    assert task is not None
    assert (task.metric, task.attempt, task.role) == ("accuracy", 1, "winner")
    assert coordinator.next_task() is None
    assert coordinator.next_task(spare=True) is None  # trials come in an order that counts
    coordinator.report(task, pretend_training(small_graph, task.config, range(20)).measured())
    coordinator.release(task)
    assert coordinator.next_task() is not None
    assert coordinator.next_task() is None
    assert coordinator.next_task(spare=True) is not None
