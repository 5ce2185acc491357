"""The first worker is a real process here: it trains, dies and is stopped like one of Ray's."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from l2p_search.data.demo import demo_graph
from l2p_search.progress import Event
from l2p_search.results import TrialStatus
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.searching.running.first_worker import FirstWorker
from l2p_search.searching.running.pool import Job, Pool
from l2p_search.searching.space.space_file import parse_space
from tests.searching.pretend import settings


class _Search:
    def __init__(self, directory: Path, epochs: int = 5) -> None:
        self.graph, self.events = demo_graph(), list[Event]()
        space = parse_space("first", {"K": {"choices": [2, 3, 4]}, "epochs": epochs, "hidden": 8})
        self.journal = Journal.create(directory, settings(space, sampler="grid", seeds=2))
        coordinator = Coordinator(
            self.journal,
            Goal(trials=3, confirm=2, ties=0),
            on_event=lambda event, snapshot: self.events.append(event),
        )
        self.pool = Pool([Job(graph=self.graph, begin=lambda: coordinator)], 1)

    @property
    def kinds(self) -> list[str]:
        """Without how far trainings are, which is told once a second: never on a fast machine."""
        return [event.kind for event in self.events if event.kind != "progressed"]

    @property
    def progressed(self) -> bool:
        return any(event.kind == "progressed" for event in self.events)


@pytest.fixture
def worker() -> Iterator[FirstWorker]:
    worker = FirstWorker()
    worker.prepare([demo_graph()], threads=1, memory_gb=1.0, device="cpu")
    try:
        yield worker
    finally:
        worker.close()


def test_it_trains_everything_where_nobody_else_comes(
    tmp_path: Path, worker: FirstWorker, capfd: pytest.CaptureFixture[str]
) -> None:
    search = _Search(tmp_path / "s")
    worker.work_until(lambda: search.pool.done, search.pool)
    assert search.kinds == [*["started", "ended"] * 3, "started", "confirmed", "finished"]
    assert {record.status for record in search.journal.records()} == {TrialStatus.COMPLETE}
    assert not worker.busy
    captured = capfd.readouterr()
    assert captured.out == captured.err == ""


def test_the_task_it_has_when_others_are_there_is_its_last(
    tmp_path: Path, worker: FirstWorker
) -> None:
    search = _Search(tmp_path / "s")
    worker.work_until(lambda: worker.busy, search.pool)
    assert search.kinds == ["started"]
    worker.finish(search.pool)
    assert search.kinds == ["started", "ended"]
    assert not worker.busy


def test_a_trial_whose_worker_dies_is_tried_again_by_others(
    tmp_path: Path, worker: FirstWorker
) -> None:
    search = _Search(tmp_path / "s", epochs=100_000)
    worker.work_until(lambda: worker.busy, search.pool)
    os.kill(worker._process.pid, signal.SIGKILL)
    worker.finish(search.pool)
    assert search.kinds == ["started", "retried"]
    assert search.events[-1].reason == "its worker died"
    waits = iter([False, False, True])
    worker.work_until(lambda: next(waits), search.pool)  # the dead one takes no further task
    assert search.kinds == ["started", "retried"]


def test_stopping_leaves_the_loop_at_once_and_close_ends_the_process(
    tmp_path: Path, worker: FirstWorker
) -> None:
    search = _Search(tmp_path / "s", epochs=100_000)
    worker.work_until(lambda: search.progressed, search.pool)
    search.pool.stop()
    worker.work_until(lambda: False, search.pool)
    pid = worker._process.pid
    worker.close()
    assert not psutil.pid_exists(pid)
    worker.close()  # a second time does nothing


def test_it_ends_by_itself_when_nobody_is_there_any_more() -> None:
    worker = FirstWorker()
    assert worker._process.stdin is not None
    worker._outbox.put(None)
    time.sleep(0.1)
    worker._process.stdin.close()
    assert worker._process.wait(timeout=60) == 0
    worker.close()
