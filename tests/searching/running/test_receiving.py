"""Messages reach the pool, and say whether the worker may go on."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.progress import Event
from l2p_search.results import TrialStatus
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.searching.running.pool import Assignment, Job, Pool
from l2p_search.searching.running.receiving import receive
from tests.searching.pretend import begin, pretend_training


class _Driver:
    def __init__(self, directory: Path, graph: Graph) -> None:
        self.graph, self.events = graph, list[Event]()
        self.journal = begin(directory, race="paired", seeds=8)
        coordinator = Coordinator(
            self.journal, Goal(trials=3, confirm=0), on_event=lambda e, s: self.events.append(e)
        )
        self.pool = Pool([Job(graph=graph, begin=lambda: coordinator)], 1)

    def given(self) -> Assignment:
        given = self.pool.next()
        assert given is not None
        return given

    def measured(self, config: TrialConfig, seeds: Sequence[int]) -> dict[str, Any]:
        result = pretend_training(self.graph, config, seeds)
        return {"measured": json.dumps(replace(result, weights=None).measured())}


@pytest.fixture
def driver(tmp_path: Path, small_graph: Graph) -> _Driver:
    return _Driver(tmp_path / "s", small_graph)


def test_progress_is_told_and_wants_no_decision(driver: _Driver) -> None:
    given = driver.given()
    far = {"finished": 0, "training": 3, "epoch": 5, "epochs": 10, "best_val": 60.0}
    assert receive(driver.pool, given, {"progress": json.dumps(far)})
    assert [event.kind for event in driver.events] == ["started", "progressed"]


def test_the_last_group_lets_the_worker_return_by_itself(driver: _Driver) -> None:
    given = driver.given()
    for group in given.task.groups:
        assert receive(driver.pool, given, driver.measured(given.task.config, group))
    assert driver.journal.records()[0].status is TrialStatus.COMPLETE


def test_an_error_and_a_note_are_passed_on(driver: _Driver) -> None:
    given = driver.given()
    notes = json.dumps(["less memory"])
    assert receive(driver.pool, given, {"error": "boom", "traceback": "", "notes": notes})
    assert [event.kind for event in driver.events] == ["started", "noted", "ended"]
    assert driver.journal.records()[0].reason == "boom"


def test_a_bug_ends_everything(driver: _Driver) -> None:
    assert receive(driver.pool, driver.given(), {"bug": "KeyError: 'x'", "traceback": ".."})
    assert driver.pool.stopping


def test_a_loser_is_stopped(driver: _Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("l2p_search.searching.running.standing.is_losing", lambda *scores: True)
    first = driver.given()
    for group in first.task.groups:
        receive(driver.pool, first, driver.measured(first.task.config, group))
    driver.pool.release(first)
    second = driver.given()
    message = driver.measured(second.task.config, second.task.groups[0])
    assert not receive(driver.pool, second, message)


def test_weights_are_taken_out_of_the_message(driver: _Driver) -> None:
    given = driver.given()
    message = {**driver.measured(given.task.config, given.task.groups[0]), "weights": b"many"}
    receive(driver.pool, given, message)
    assert "weights" not in message
