"""What is in the store after a search, after a resume, and after an outage."""

import json
import re
import sqlite3
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from l2p_search.api.recording import search_entry, trial_entry, trial_uid
from l2p_search.cli.main import main
from l2p_search.data.graph import Graph
from l2p_search.errors import UserError
from l2p_search.results import TrialStatus
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import read_outcome
from l2p_search.searching.records.settings import Goal
from l2p_search.tracking.mlflow_tracker import MlflowTracker
from l2p_search.tracking.quiet import explained
from l2p_search.tracking.recorder import Recorder
from l2p_search.tracking.store import Store, find_store
from l2p_search.trial_record import TrialRecord, best_first
from tests.searching.pretend import searched
from tests.tracking.serving import contents


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def journal(tmp_path: Path, small_graph: Graph) -> Journal:
    found = searched(
        tmp_path / "searches" / "s", small_graph, Goal(trials=6, confirm=3), race="paired", seed=1
    )
    found.close()
    return Journal.read(tmp_path / "searches" / "s")


def _forget_stores() -> None:
    """MLflow keeps a store open that it was once given."""
    from mlflow.tracking._tracking_service.utils import _tracking_store_registry

    _tracking_store_registry._get_store_with_resolved_uri.cache_clear()


def _write(journal: Journal, store: Store) -> None:
    tracker = MlflowTracker(store)
    outcome = read_outcome(journal)
    search = search_entry(journal, outcome)
    parent = tracker.begin(search)
    for record in journal.records():
        tracker.record(parent, search, trial_entry(journal, record))
    tracker.finish(parent, search, interrupted=False)


def _record(recorder: Recorder, journal: Journal, record: TrialRecord) -> None:
    recorder.record(trial_uid(journal, record), lambda: trial_entry(journal, record))


def test_a_search_is_a_parent_run_and_each_trial_a_child(journal: Journal) -> None:
    store = find_store(None)
    _write(journal, store)
    found = contents(store)
    assert len(found) == 1 + len(journal.records())
    parent = found["s"]
    assert isinstance(parent, tuple)
    assert parent[0] == "FINISHED"
    assert "confirmed_test_accuracy" in parent[3]
    assert "Confirmed test accuracy" in parent[2]["mlflow.note.content"]
    assert {"best.yaml", "leaderboard.csv", "profile.svg", "space.yaml"} <= set(parent[4])
    statuses = {"complete": "FINISHED", "raced_out": "KILLED"}
    for record in journal.records():
        entry = trial_entry(journal, record)
        run = found[entry.name]
        assert isinstance(run, tuple)
        assert run[0] == statuses[record.status.value]
        assert run[1]["K"] == str(record.config.K)
        assert run[2]["mlflow.parentRunId"] == "s"
        assert record.result is not None
        assert len(run[3]["seed/val_accuracy"]) == len(record.result.finished)
        assert {"profile.npz", "profile.json", "profile.svg", "config.yaml"} <= set(run[4])
    assert any(r.status is TrialStatus.RACED_OUT for r in journal.records())


def test_a_resumed_search_runs_under_its_new_command(journal: Journal) -> None:
    store = find_store(None)
    tracker, search = MlflowTracker(store), search_entry(journal, read_outcome(journal))
    tracker.finish(tracker.begin(search), search, interrupted=False)
    again = replace(search, tags={**search.tags, "command": "l2p-search --resume --name s"})
    parent = tracker.begin(again)
    run = tracker._client.get_run(parent)
    assert run.info.status == "RUNNING"
    assert run.data.tags["command"] == "l2p-search --resume --name s"
    assert run.data.tags["data_digest"] == search.data_digest


def test_writing_again_changes_nothing(journal: Journal) -> None:
    store = find_store(None)
    _write(journal, store)
    before = contents(store)
    assert main(["sync"]) == 0
    after = contents(store)
    assert set(after) == set(before)
    trials = [name for name in before if name != "s"]
    assert {name: after[name] for name in trials} == {name: before[name] for name in trials}


def test_files_that_somebody_deleted_are_restored_by_sync(journal: Journal) -> None:
    store = find_store(None)
    _write(journal, store)
    before = contents(store)
    assert store.artifacts is not None
    deleted = [*store.artifacts.rglob("profile.svg"), *store.artifacts.rglob("config.yaml")]
    assert len(deleted) > len(journal.records())
    for path in deleted:
        path.unlink()
    assert main(["sync"]) == 0
    after = contents(store)
    assert {name: sorted(run[4]) for name, run in after.items()} == {
        name: sorted(run[4]) for name, run in before.items()
    }
    assert all(path.exists() for path in deleted)


def test_a_search_that_is_written_again_ended_when_it_did(journal: Journal) -> None:
    _write(journal, find_store(None))
    tracker = MlflowTracker(find_store(None))
    (run,) = [run for run in _runs(tracker) if run.data.tags["kind"] == "search"]
    time.sleep(0.01)
    _write(journal, find_store(None))
    (again,) = [run for run in _runs(tracker) if run.data.tags["kind"] == "search"]
    assert again.info.end_time == run.info.end_time
    assert again.info.status == "FINISHED"


def test_each_search_has_a_view_of_its_trials_with_its_hyperparameters(
    journal: Journal, tmp_path: Path, small_graph: Graph
) -> None:
    _write(journal, find_store(None))
    other = searched(tmp_path / "searches" / "other", small_graph, Goal(trials=2, confirm=0))
    _write(other, find_store(None))
    tracker = MlflowTracker(find_store(None))
    views = tracker.views(10)
    assert list(views) == ["all searches", "other", "s", "l2p-search/small"]
    (experiment,), key = views["other"]
    tags = tracker._client.get_experiment(experiment).tags
    view = json.loads(tags[f"mlflow.sharedViewState.{key}"])
    found = tracker._client.search_runs([experiment], view["searchFilter"])
    assert len(found) == 2
    assert "params.`dropout`" in view["selectedColumns"]
    assert "params.`hidden`" not in view["selectedColumns"]  # it does not vary there
    assert list(tracker.views(1)) == ["other", "l2p-search/small"]


def test_a_search_that_is_synced_later_has_the_times_at_which_it_ran(journal: Journal) -> None:
    began, ended = journal.span
    assert began is not None
    assert ended is not None
    assert main(["sync"]) == 0
    tracker = MlflowTracker(find_store(None))
    (run,) = [run for run in _runs(tracker) if run.data.tags["kind"] == "search"]
    assert run.info.start_time == round(1000 * began)
    assert run.info.end_time == round(1000 * ended)


def test_trials_say_where_they_stand_and_of_which_search_they_are(journal: Journal) -> None:
    _write(journal, find_store(None))
    outcome = read_outcome(journal)
    tracker = MlflowTracker(find_store(None))
    found = {run.data.tags.get("trial"): run for run in _runs(tracker)}
    ties = {record.number for record in outcome.ties}
    for rank, record in enumerate(best_first(outcome.records), start=1):
        run = found[str(record.number)]
        assert run.info.run_name == f"s/{record.number:03d}"
        assert run.data.tags["search"] == "s"
        if record.objective is None:
            assert "rank" not in run.data.tags
            continue
        assert run.data.metrics["rank"] == rank == float(run.data.tags["rank"])
        tie = "best" if rank == 1 else "yes" if record.number in ties else "no"
        assert run.data.tags["tie"] == tie
        assert run.data.metrics["behind_best"] >= 0.0


def test_the_page_of_a_dataset_says_what_is_best_and_links_the_views(journal: Journal) -> None:
    _write(journal, find_store(None))
    tracker = MlflowTracker(find_store(None))
    (run,) = [run for run in _runs(tracker) if run.data.tags["kind"] == "search"]
    tags = tracker._client.get_experiment(run.info.experiment_id).tags
    first = tags["mlflow.note.content"].splitlines()[0]
    assert first.startswith(f"{read_outcome(journal).confirmed} % (")
    assert f"/runs/{run.info.run_id}" in first  # a link to the search
    for key in re.findall(r"viewStateShareKey=([a-z0-9-]+)", tags["mlflow.note.content"]):
        assert f"mlflow.sharedViewState.{key}" in tags


def test_the_page_of_a_dataset_links_to_the_graphs_that_are_searched_later(
    journal: Journal,
) -> None:
    _write(journal, find_store(None))
    tracker = MlflowTracker(find_store(None))
    later = replace(search_entry(journal), uid="later", dataset="other", kind="search")
    tracker.finish(tracker.begin(later), later, interrupted=False)
    found = tracker._client.search_experiments(filter_string="name LIKE 'l2p-search/%'")
    ids = {each.name: each.experiment_id for each in found}
    assert len(ids) == 2
    for each in found:
        link = re.search(
            r"compare-experiments/s\?experiments=([^&]*)", each.tags["mlflow.note.content"]
        )
        assert link is not None
        assert all(f"%22{one}%22" in link[1] for one in ids.values())


def _runs(tracker: MlflowTracker) -> list[Any]:
    ((experiment,),) = {experiments for experiments, _ in tracker.views(10).values()}
    return list(tracker._client.search_runs([experiment]))


def test_sync_after_an_outage_equals_a_search_without_one(
    journal: Journal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = Store(f"sqlite:///{tmp_path}/whole.db", tmp_path / "whole")
    _write(journal, whole)
    # The store died after two trials, in the middle of the third.
    store = find_store(None)
    tracker = MlflowTracker(store)
    search = search_entry(journal)
    parent = tracker.begin(search)
    records = journal.records()
    for record in records[:2]:
        tracker.record(parent, search, trial_entry(journal, record))
    half = trial_entry(journal, records[2])
    tracker._client.create_run(
        tracker._experiment(search),
        run_name=half.name,
        tags={"mlflow.parentRunId": parent, "kind": "trial", **half.tags()},
    )
    assert main(["sync", "s"]) == 0
    assert "s: 3 trials written, 3 were there" in capsys.readouterr().out
    assert contents(store) == contents(whole)


def test_a_recorder_writes_what_it_is_given(journal: Journal) -> None:
    store = find_store(None)
    recorder = Recorder(store)
    recorder.begin(lambda: search_entry(journal))
    for record in journal.records():
        _record(recorder, journal, record)
    assert recorder.close(search_entry(journal, read_outcome(journal)), interrupted=False) is None
    assert len(contents(store)) == 1 + len(journal.records())


@pytest.mark.parametrize("broken", ["create_run", "log_batch", "log_artifacts", "search_runs"])
def test_a_recorder_mends_what_a_failing_store_left_half_written(
    broken: str, journal: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mlflow import MlflowClient

    whole = Store(f"sqlite:///{tmp_path}/whole.db", tmp_path / "whole")
    _write(journal, whole)
    works, calls = getattr(MlflowClient, broken), []

    def fails_at_times(*args: Any, **kwargs: Any) -> Any:
        calls.append(broken)
        answer = works(*args, **kwargs)
        if len(calls) in (1, 3):  # done, but the answer never came
            raise ConnectionError("no answer")
        return answer

    monkeypatch.setattr(MlflowClient, broken, fails_at_times)
    store = find_store(None)
    recorder = Recorder(store, pause=0.0)
    recorder.begin(lambda: search_entry(journal))
    for record in journal.records():
        _record(recorder, journal, record)
    assert recorder.close(search_entry(journal, read_outcome(journal)), interrupted=False) is None
    assert len(calls) > 3
    monkeypatch.undo()
    assert contents(store) == contents(whole)


@pytest.mark.parametrize(
    ("uri", "says"),
    [
        ("http://127.0.0.1:9", "MLflow cannot use it"),
        ("nonsense://x", "MLflow cannot use it"),
    ],
)
def test_a_store_that_cannot_be_used_gets_one_line(
    uri: str,
    says: str,
    journal: Journal,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    assert main(["sync", "--tracking-uri", uri]) == 2
    err = capsys.readouterr().err.splitlines()[-1]
    assert err.startswith(f"l2p-search: error: {uri}: {says}")


def test_a_foreign_or_damaged_database_gets_one_line(journal: Journal, tmp_path: Path) -> None:
    (tmp_path / "not.db").write_text("this is no database, and it is longer than a header" * 50)
    store = Store(f"sqlite:///{tmp_path}/not.db", tmp_path / "artifacts")
    with pytest.raises(UserError, match="MLflow cannot use it"), explained(store):
        MlflowTracker(store).begin(search_entry(journal))


def test_a_store_of_an_older_mlflow_says_how_to_bring_it_up_to_date(
    journal: Journal, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sync"]) == 0
    with sqlite3.connect("mlflow/mlflow.db") as database:
        database.execute("UPDATE alembic_version SET version_num = '451aebb31d03'")
    database.close()
    capsys.readouterr()
    _forget_stores()
    assert main(["sync"]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert "out-of-date database schema" in said
    assert "mlflow db upgrade" in said


@pytest.mark.skipif(not Path("/sys/kernel").is_dir(), reason="there is no read-only /sys")
def test_a_read_only_folder_gets_one_line(
    journal: Journal, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir("/sys/kernel")
    assert main(["sync", "--dir", str(journal.directory.parent)]) == 2
    assert "/sys/kernel/mlflow/artifacts: cannot be made (" in capsys.readouterr().err
    entry = search_entry(journal)
    failure = Recorder(find_store(None)).close(entry, interrupted=False)
    assert failure is not None
    assert "cannot be made" in failure


@pytest.mark.parametrize("name", ["a/b", "../up", ".."])
def test_a_name_with_slashes_is_refused(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["--dataset", "demo", "--name", name, "--trials", "1"]) == 2
    said = capsys.readouterr().err
    assert f"--name '{name}': must be the name of a folder" in said
    assert said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_name_in_another_script_just_works(tmp_path: Path, small_graph: Graph) -> None:
    searched(tmp_path / "searches" / "größe ✓ 图", small_graph, Goal(trials=2, confirm=0)).close()
    assert main(["sync"]) == 0
    assert "größe ✓ 图" in contents(find_store(None))


def test_an_empty_store_has_no_interface(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ui"]) == 2
    assert "no search is recorded there" in capsys.readouterr().err
