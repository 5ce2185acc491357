"""When MLflow is written to, and what is said if it cannot be."""

import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from l2p_search.api import recording
from l2p_search.api.mlflow_entries import search_entry
from l2p_search.api.recording import Tracking, attach, sync, tracking
from l2p_search.data.graph import Graph
from l2p_search.errors import ModelError, in_python, in_shell
from l2p_search.progress import Event
from l2p_search.results import TrialStatus
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.searching.running.keeping import FOLDER
from l2p_search.tracking.entries import SearchEntry, TrialEntry
from l2p_search.tracking.quiet import explained
from l2p_search.tracking.store import Store
from tests.api.kept import search_with_model
from tests.searching.pretend import begin, drive


class _Recorder:
    """Keeps what it is given; fails at the end if told to."""

    made: "list[_Recorder]"
    failure: str | None
    seconds = 0.0
    version: str | None = None

    def __init__(self, store: Store) -> None:
        self.store, self.begun = store, False
        self.trials: dict[str, TrialEntry] = {}
        self.closed: tuple[SearchEntry, bool] | None = None
        _Recorder.made.append(self)

    def begin(self, search: Callable[[], SearchEntry]) -> None:
        self.search, self.begun = search(), True

    def record(self, uid: str, make: Callable[[], TrialEntry]) -> None:
        self.trials[uid] = make()

    def close(self, entry: SearchEntry, interrupted: bool) -> str | None:
        self.closed = (entry, interrupted)
        if entry.model is not None and entry.model.registered is not None:
            self.version = "7"
        return _Recorder.failure


@pytest.fixture
def recorders(monkeypatch: pytest.MonkeyPatch) -> list[_Recorder]:
    _Recorder.made, _Recorder.failure = [], None
    monkeypatch.setattr(recording, "Recorder", _Recorder)
    return _Recorder.made


def _searching(journal: Journal, graph: Graph, where: Tracking, note: Any = print) -> None:
    goal = Goal(trials=2, confirm=0)
    journal.begin(goal, {})
    with tracking(journal, where, note) as record:
        drive(Coordinator(journal, goal, on_event=lambda event, _: record(event)), graph)


def _live(store: Store) -> dict[str, str]:
    """The tags of a search's run that is not finished, once the store has it."""
    from mlflow import MlflowClient

    client, until = MlflowClient(store.uri), time.monotonic() + 60.0
    while time.monotonic() < until:
        experiments = [each.experiment_id for each in client.search_experiments()]
        for run in client.search_runs(experiments, "tags.kind = 'search'"):
            assert run.info.status == "RUNNING"
            return dict(run.data.tags)
        time.sleep(0.1)
    raise AssertionError("the run of the search has not begun within a minute")


def test_a_run_in_mlflow_names_its_command_versions_and_device_while_the_search_runs(
    tmp_path: Path, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # MLflow makes a folder for files where it is
    journal, goal = begin(tmp_path / "s"), Goal(trials=2, confirm=0)
    where = Tracking(uri=f"sqlite:///{tmp_path}/mlflow.db")
    with explained(where.store):
        where.store.prepare()  # so that the thread is not still making it when it is read here
        with tracking(journal, where, print) as record:
            # As a search does: it notes its invocation when MLflow's copy is open already.
            noted = {"command": "l2p-search --dataset demo", "versions": {"torch": "9.9"}}
            journal.begin(goal, {**noted, "device": "cuda"})
            drive(Coordinator(journal, goal, on_event=lambda e, _: record(e)), small_graph)
            tags = _live(where.store)
    assert tags["command"] == "l2p-search --dataset demo"
    assert tags["versions"] == "torch 9.9"
    assert tags["device"] == "cuda"


def test_every_trial_is_written_once_it_has_ended_and_the_search_at_the_end(
    tmp_path: Path, small_graph: Graph, recorders: list[_Recorder]
) -> None:
    journal = begin(tmp_path / "s")
    _searching(journal, small_graph, Tracking(uri="sqlite:///x"))
    (recorder,) = recorders
    assert recorder.store.uri == "sqlite:///x"
    assert list(recorder.trials) == [f"{journal.uid}/0", f"{journal.uid}/1"]
    assert recorder.closed is not None
    entry, interrupted = recorder.closed
    assert (entry.metrics["trials_complete"], interrupted) == (2.0, False)


def test_trials_of_an_earlier_session_are_written_too_but_none_that_runs(
    tmp_path: Path, small_graph: Graph, recorders: list[_Recorder]
) -> None:
    journal = begin(tmp_path / "s")
    drive(Coordinator(journal, Goal(trials=3, confirm=0)), small_graph, stop_after=2)
    assert journal.records()[-1].status is TrialStatus.RUNNING
    with tracking(journal, Tracking(), print):
        pass
    (recorder,) = recorders
    assert [entry.number for entry in recorder.trials.values()] == [0, 1]
    assert recorder.closed is not None
    assert recorder.closed[1] is True  # a trial is open: the search was interrupted


def test_a_search_that_raises_is_written_as_interrupted(
    tmp_path: Path, recorders: list[_Recorder]
) -> None:
    journal = begin(tmp_path / "s")
    with pytest.raises(ZeroDivisionError), tracking(journal, Tracking(), print):
        raise ZeroDivisionError
    assert recorders[0].closed is not None
    assert recorders[0].closed[1] is True


def test_what_could_not_be_written_is_said_once_with_the_way_to_bring_it(
    tmp_path: Path, small_graph: Graph, recorders: list[_Recorder]
) -> None:
    _Recorder.failure = "no answer"
    notes: list[str] = []
    _searching(begin(tmp_path / "two words"), small_graph, Tracking(), notes.append)
    (note,) = notes
    said = "MLflow is behind (no answer); the trials are safe: bring them there with "
    assert in_python(note) == said + "l2p.open_search('two words').sync()"
    assert in_shell(note) == said + "l2p-search sync 'two words'"


def test_the_version_of_the_model_is_told_once_it_is_registered(
    tmp_path: Path, small_graph: Graph, recorders: list[_Recorder]
) -> None:
    goal = {"register": "small", "champion": True}
    journal = search_with_model(tmp_path / "s", small_graph, **goal)
    notes: list[str] = []
    with tracking(journal, Tracking(), notes.append):
        pass
    assert notes == ["registered in MLflow: version 7 of small, candidate and champion"]


def test_a_damaged_model_is_told_and_all_else_is_written(
    tmp_path: Path, small_graph: Graph, recorders: list[_Recorder]
) -> None:
    journal = search_with_model(tmp_path / "s", small_graph, register="small")
    (journal.directory / FOLDER / "config.yaml").unlink()
    notes: list[str] = []
    with tracking(journal, Tracking(), notes.append):
        pass
    (note,) = notes
    assert note.startswith("the search's model is not in MLflow: ")
    assert "config.yaml: is missing" in note
    assert recorders[0].closed is not None
    assert recorders[0].closed[0].model is None
    assert len(recorders[0].trials) == 4


def test_nothing_is_written_where_tracking_is_off(
    tmp_path: Path, small_graph: Graph, recorders: list[_Recorder], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    journal = begin(tmp_path / "s")
    _searching(journal, small_graph, Tracking(on=False))
    attach([journal], {"x": b""}, Tracking(on=False))
    assert recorders == []
    assert not (tmp_path / "mlflow").exists()


def test_only_an_end_is_written(tmp_path: Path, recorders: list[_Recorder]) -> None:
    journal = begin(tmp_path / "s")
    with tracking(journal, Tracking(), print) as record:
        record(Event("started", None))
        record(Event("exhausted"))
    assert recorders[0].trials == {}


def test_the_store_is_that_of_the_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where = Tracking()
    monkeypatch.chdir(tmp_path)
    assert where.store.uri == f"sqlite:///{tmp_path / 'mlflow' / 'mlflow.db'}"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://server")
    assert where.store.uri == "http://server"
    assert Tracking(uri="http://other").store.uri == "http://other"


class _Tracker:
    """A store in memory; tests of the real one are in tests/tracking."""

    def __init__(self) -> None:
        self.trials: dict[str, TrialEntry] = {}
        self.finished: list[bool] = []
        self.models: list[str] = []
        self.restored: list[int] = []
        self.files: dict[str, dict[str, bytes]] = {}

    def begin(self, search: SearchEntry) -> str:
        self.files.setdefault(search.name, {})
        return search.uid

    def recorded(self, parent: str) -> int:
        return len(self.trials)

    def has(self, parent: str, uid: str) -> bool:
        return uid in self.trials

    def record(self, parent: str, search: SearchEntry, trial: TrialEntry) -> None:
        assert trial.uid not in self.trials
        self.trials[trial.uid] = trial

    def restore(self, parent: str, trial: TrialEntry) -> None:
        assert trial.uid in self.trials
        self.restored.append(trial.number)

    def finish(self, parent: str, search: SearchEntry, interrupted: bool) -> None:
        assert search.description
        self.finished.append(interrupted)
        if search.model is not None:
            self.models.append(search.model.uid)

    def attach(self, search: SearchEntry, files: dict[str, bytes]) -> bool:
        if search.name not in self.files:
            return False
        self.files[search.name] |= files
        return True


@pytest.fixture
def tracker(monkeypatch: pytest.MonkeyPatch) -> _Tracker:
    made = _Tracker()
    monkeypatch.setattr(recording, "MlflowTracker", lambda store: made)
    monkeypatch.setattr(recording, "explained", lambda store: nullcontext())
    return made


def test_what_is_missing_is_brought_to_mlflow_and_nothing_twice(
    recorded: Journal, tracker: _Tracker
) -> None:
    assert sync(recorded, Tracking()) == (10, 0)
    del tracker.trials[f"{recorded.uid}/4"]
    assert sync(recorded, Tracking()) == (1, 9)
    assert sorted(tracker.restored) == [0, 1, 2, 3, 5, 6, 7, 8, 9]
    assert sync(recorded, Tracking(on=False)) == (0, 10)  # it was asked for by name
    assert tracker.finished == [False, False, False]


def test_the_model_is_brought_to_mlflow_with_the_rest(
    tmp_path: Path, small_graph: Graph, tracker: _Tracker
) -> None:
    journal = search_with_model(tmp_path / "s", small_graph)
    assert sync(journal, Tracking()) == (4, 0)
    assert len(tracker.models) == 1
    (journal.directory / FOLDER / "config.yaml").unlink()
    with pytest.raises(ModelError, match=r"config.yaml: is missing"):
        sync(journal, Tracking())


def test_a_search_that_runs_is_not_written_as_ended(
    tmp_path: Path, small_graph: Graph, tracker: _Tracker
) -> None:
    journal = begin(tmp_path / "s")
    drive(Coordinator(journal, Goal(trials=3, confirm=0)), small_graph, stop_after=2)
    assert sync(journal, Tracking()) == (2, 0)
    assert tracker.finished == []
    journal.close()  # as if killed: a trial is left open
    assert sync(Journal.read(journal.directory), Tracking()) == (0, 2)
    assert tracker.finished == [True]


def test_every_search_is_given_the_files(recorded: Journal, tracker: _Tracker) -> None:
    tracker.begin(search_entry(recorded))
    attach([recorded], {"drawn.svg": b"x"}, Tracking())
    assert tracker.files == {"pretended": {"drawn.svg": b"x"}}
    assert tracker.trials == {}


def test_a_search_that_mlflow_does_not_have_is_written_before_its_files(
    recorded: Journal, tracker: _Tracker
) -> None:
    attach([recorded], {"drawn.svg": b"x"}, Tracking())
    assert tracker.files == {"pretended": {"drawn.svg": b"x"}}
    assert len(tracker.trials) == 10
    assert tracker.finished == [False]
