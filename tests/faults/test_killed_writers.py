"""What is written beside the journal, and killed at any write: MLflow's copy, a model, an export.

Written once more, it is as if nothing had happened, and until then there is the old or nothing.
"""

import os
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import l2p_search as l2p
from l2p_search.api import recording
from l2p_search.api.exporting import exported
from l2p_search.api.recording import Tracking, sync
from l2p_search.api.writing import write_file
from l2p_search.data.graph import Graph
from l2p_search.errors import ModelError
from l2p_search.saved.trained_model import Model
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import read_outcome
from l2p_search.searching.records.settings import Goal
from l2p_search.tracking.database import make_whole
from l2p_search.tracking.store import URI_VARIABLE
from tests.faults.conftest import Tried
from tests.faults.crashing import killed_at, writes_of
from tests.searching.pretend import searched


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of MLflow without a run."""
    path = tmp_path_factory.mktemp("made") / "mlflow.db"
    make_whole(path)
    return path


def _in_mlflow(folder: Path) -> dict[str, Any]:
    """Every run by its name, with all that it holds; deleted ones are not shown to a user."""
    from mlflow import MlflowClient

    client = MlflowClient(tracking_uri=f"sqlite:///{folder}/mlflow/mlflow.db")
    found = {}
    names: Counter[str] = Counter()
    for experiment in client.search_experiments():
        for run in client.search_runs([experiment.experiment_id]):
            names[run.info.run_name] += 1
            series = {
                key: [(p.step, p.value) for p in client.get_metric_history(run.info.run_id, key)]
                for key in run.data.metrics
            }
            files = {f.path: f.file_size for f in client.list_artifacts(run.info.run_id)}
            found[run.info.run_name] = (run.info.status, run.data.params, series, files)
    assert set(names.values()) == {1}, f"doubled: {names}"
    return found


def _once(make: Callable[..., Any]) -> Callable[..., Any]:
    """What a function of a journal gave first, for each trial or for the search."""
    made: dict[object, Any] = {}

    def known(journal: Journal, of: Any = None) -> Any:
        key = getattr(of, "number", None)
        if key not in made:
            made[key] = make(journal, of)
        return made[key]

    return known


class _Synced:
    """A recorded search and what MLflow has of it when nobody was killed."""

    def __init__(self, folder: Path, database: Path, graph: Graph) -> None:
        self._folder, self._database, self._tries = folder, database, 0
        searched(folder / "s", graph, Goal(trials=3, confirm=2), seeds=4).close()
        self._fresh()
        self.writes = writes_of(self.sync, folder / "count")
        whole = self._fresh()
        self.sync()
        self.found = _in_mlflow(whole)
        assert len(self.found) == 4

    def _fresh(self) -> Path:
        """Go to a folder with an empty store; MLflow keeps connections to those of before."""
        self._tries += 1
        folder = self._folder / f"try{self._tries}"
        (folder / "mlflow").mkdir(parents=True)
        shutil.copy(self._database, folder / "mlflow" / "mlflow.db")
        os.chdir(folder)
        return folder

    def sync(self) -> None:
        sync(Journal.read(self._folder / "s"), Tracking())

    def holds_when_killed(self, place: int, half: bool) -> None:
        folder = self._fresh()
        assert killed_at(place, self.sync, half=half)
        self.sync()
        assert _in_mlflow(folder) == self.found, f"killed at write {place}, half: {half}"
        os.chdir(self._folder)
        shutil.rmtree(folder)


@pytest.fixture
def synced(
    tmp_path: Path, database: Path, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> _Synced:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(URI_VARIABLE, raising=False)
    # The same figures each time: drawn once.
    monkeypatch.setattr(recording, "search_entry", _once(recording.search_entry))
    monkeypatch.setattr(recording, "trial_entry", _once(recording.trial_entry))
    return _Synced(tmp_path, database, small_graph)


def test_a_copy_in_mlflow_that_is_killed_is_whole_after_the_next_sync(synced: _Synced) -> None:
    assert synced.writes > 50
    for place in range(1, synced.writes + 1, synced.writes // 4):
        synced.holds_when_killed(place, half=False)


@pytest.mark.faults
def test_a_copy_in_mlflow_that_is_killed_at_any_write_is_whole_after_the_next_sync(
    synced: _Synced, tried: Tried
) -> None:
    tried("journal", "MLflow's database and files: killed at a write", synced.writes)
    for place in range(1, synced.writes + 1):
        synced.holds_when_killed(place, half=place % 2 == 0)


def _model(seed: int) -> Model:
    fitted = l2p.fit("demo", K=2, hidden=4, epochs=2, patience=2, seeds=[seed], display="off")
    assert fitted.model is not None
    return fitted.model


def _everywhere(
    work: Callable[[], object], holds: Callable[[], object], begin: Callable[[], object], n: int
) -> None:
    for half in (False, True):
        for place in range(1, n + 1):
            begin()
            assert killed_at(place, work, half=half)
            holds()


def test_a_model_that_is_killed_at_any_write_is_the_old_or_the_new_one(
    tmp_path: Path, tried: Tried
) -> None:
    old, new = _model(0), _model(1)
    place = tmp_path / "models" / "m"

    def begin() -> None:
        shutil.rmtree(place.parent, ignore_errors=True)
        old.save(place)

    def holds() -> None:
        assert l2p.load_model(place).seeds in (old.seeds, new.seeds)
        new.save(place)
        assert l2p.load_model(place).seeds == new.seeds
        assert list(place.parent.iterdir()) == [place], "something is left"

    begin()
    writes = writes_of(lambda: new.save(place), tmp_path / "count")
    tried("journal", "a model folder: killed at a write", 2 * writes)
    assert writes > 10
    _everywhere(lambda: new.save(place), holds, begin, writes)


def test_a_first_model_that_is_killed_at_any_write_is_there_or_not(
    tmp_path: Path, tried: Tried
) -> None:
    model, place = _model(0), tmp_path / "models" / "m"
    writes = writes_of(lambda: model.save(place), tmp_path / "count")
    tried("journal", "a model folder: killed at a write", 2 * writes)

    def holds() -> None:
        if place.exists():
            assert l2p.load_model(place).seeds == model.seeds
        else:
            with pytest.raises(ModelError):
                l2p.load_model(place)
        model.save(place)
        assert list(place.parent.iterdir()) == [place], "something is left"

    _everywhere(
        lambda: model.save(place),
        holds,
        lambda: shutil.rmtree(place.parent, ignore_errors=True),
        writes,
    )


def test_an_export_that_is_killed_at_any_write_is_the_old_or_the_new_file(
    tmp_path: Path, small_graph: Graph, tried: Tried
) -> None:
    journal = searched(tmp_path / "s", small_graph, Goal(trials=3, confirm=0))
    text = exported(journal, read_outcome(journal), "json")
    journal.close()
    path = tmp_path / "out" / "best.json"
    path.parent.mkdir()
    path.write_text("old")
    writes = writes_of(lambda: write_file(path, text), tmp_path / "count")
    tried("journal", "an export: killed at a write", 2 * writes)

    def holds() -> None:
        assert path.read_text() in ("old", text)

    _everywhere(lambda: write_file(path, text), holds, lambda: path.write_text("old"), writes)
