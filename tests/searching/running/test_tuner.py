"""What is said to Ray Tune, without a Ray: its loop is played by hand."""

import copy
import json
import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ray.exceptions import RayError
from ray.tune.schedulers import TrialScheduler
from ray.tune.search import Searcher

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.errors import SearchError, TrainingBugError, in_shell
from l2p_search.progress import Event, Snapshot
from l2p_search.results import TrialStatus
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running import tuner
from l2p_search.searching.running.cluster import Cluster, Resources
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.searching.running.pool import Assignment, Job, Pool
from tests.searching.pretend import begin, pretend_training


class _Tune:
    """One search of two trials with a race, and the adapters that Tune would be given."""

    def __init__(self, directory: Path, graph: Graph, concurrency: int = 1) -> None:
        self.graph = graph
        self.journal: Journal = begin(directory, race="paired", seeds=8)
        self.events: list[Event] = []
        goal = Goal(trials=2, confirm=0)

        def on_event(event: Event, snapshot: Snapshot) -> None:
            self.events.append(event)

        def open_it() -> Coordinator:
            return Coordinator(self.journal, goal, on_event=on_event)

        self.pool = Pool([Job(graph=graph, begin=open_it)], concurrency)
        self.tasks: dict[str, Assignment] = {}
        self.proposals = tuner._Proposals(self.pool, self.tasks)
        self.reports = tuner._Reports(self.pool, self.tasks)

    def report(self, trial: str, **message: Any) -> str:
        return self.reports.on_trial_result(None, SimpleNamespace(trial_id=trial), message)  # type: ignore[arg-type]

    def measured(self, trial: str, group: int) -> str:
        """Report a group of seeds as trained."""
        task = self.tasks[trial].task
        result = pretend_training(self.graph, task.config, task.groups[group])
        return self.report(trial, measured=json.dumps(result.measured()))

    def lose(self, trial: str, error_file: Path | None) -> None:
        lost = SimpleNamespace(trial_id=trial, error_file=error_file and str(error_file))
        self.reports.on_trial_error(None, lost)  # type: ignore[arg-type]
        self.proposals.on_trial_complete(trial, error=True)


@pytest.fixture
def played(tmp_path: Path, small_graph: Graph) -> _Tune:
    return _Tune(tmp_path / "s", small_graph)


def test_a_task_is_given_as_json_with_the_digest_of_its_graph(
    played: _Tune, small_graph: Graph
) -> None:
    given = played.proposals.suggest("t1")
    assert given["graph"] == small_graph.digest
    task = json.loads(given["task"])
    assert TrialConfig.from_mapping(task["config"]) == played.tasks["t1"].task.config
    assert [seed for group in task["groups"] for seed in group] == list(range(8))


def test_tune_waits_while_all_workers_are_busy_and_ends_when_the_pool_is_done(
    played: _Tune,
) -> None:
    for trial in ("t1", "t2"):
        assert isinstance(played.proposals.suggest(trial), dict)
        assert played.proposals.suggest("too many") is None
        played.report(trial, error="boom", traceback="")
        played.proposals.on_trial_complete(trial)
    assert played.proposals.suggest("t3") == Searcher.FINISHED
    assert [record.reason for record in played.journal.records()] == ["boom", "boom"]


def test_a_trial_goes_on_group_by_group_and_is_not_stopped_after_its_last(played: _Tune) -> None:
    played.proposals.suggest("t1")
    groups = len(played.tasks["t1"].task.groups)
    assert groups > 1
    for group in range(groups):
        assert played.measured("t1", group) == TrialScheduler.CONTINUE
    (record,) = played.journal.records()
    assert record.status is TrialStatus.COMPLETE


def test_what_training_warned_of_is_told_and_the_trial_goes_on(played: _Tune) -> None:
    played.proposals.suggest("t1")
    task = played.tasks["t1"].task
    result = pretend_training(played.graph, task.config, task.groups[0])
    message = {"measured": json.dumps(result.measured()), "notes": json.dumps(["less memory"])}
    assert played.report("t1", **message) == TrialScheduler.CONTINUE
    assert [e.reason for e in played.events if e.kind == "noted"] == ["less memory"]


def test_a_trial_that_lost_its_race_is_stopped(
    played: _Tune, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("l2p_search.searching.running.standing.is_losing", lambda *scores: True)
    played.proposals.suggest("t1")
    for group in range(len(played.tasks["t1"].task.groups)):
        played.measured("t1", group)
    played.proposals.on_trial_complete("t1")
    played.proposals.suggest("t2")
    assert played.measured("t2", 0) == TrialScheduler.STOP
    assert played.journal.records()[1].status is TrialStatus.RACED_OUT


def test_a_bug_stops_the_pool_and_tunes_loop_is_left(played: _Tune) -> None:
    leave = tuner._LeaveWhenStopping(played.pool, played.tasks)
    played.proposals.suggest("t1")
    leave.on_step_end(1, [])
    assert played.report("t1", bug="KeyError: 'x'", traceback="..") == TrialScheduler.CONTINUE
    assert isinstance(played.pool.fatal, TrainingBugError)
    with pytest.raises(tuner._Stopping):
        leave.on_step_end(2, [])
    assert not issubclass(tuner._Stopping, Exception)  # Tune would catch it and wait


def test_a_lost_worker_gives_its_task_back_once(played: _Tune, tmp_path: Path) -> None:
    error = tmp_path / "error.txt"
    error.write_text("The actor died because its node has died.")
    played.proposals.suggest("t1")
    played.lose("t1", error)
    assert [event.kind for event in played.events] == ["started", "retried"]
    assert played.events[1].reason == "its machine was lost"
    played.proposals.suggest("t2")
    assert played.tasks["t2"].task.config == played.tasks["t1"].task.config
    played.lose("t2", None)
    (record,) = played.journal.records()
    assert record.reason == "its worker died, 2 times"


@pytest.mark.parametrize(
    ("error", "says"),
    [
        ("1 worker(s) were killed due to the node running low on memory.", "for want of memory"),
        ("ray.exceptions.OutOfMemoryError: Task was killed", "for want of memory"),
        ("The actor died because its node has died. Node Id: 12", "its machine was lost"),
        ("The actor is dead because its worker process has died.", "its worker died"),
        ("", "its worker died"),
    ],
)
def test_rays_account_of_a_lost_worker_becomes_a_few_words(error: str, says: str) -> None:
    assert tuner._why_lost(error).endswith(says)


def test_what_tune_saves_of_itself_holds_no_pool(played: _Tune) -> None:
    for adapter in (played.proposals, played.reports):
        assert copy.deepcopy(adapter) is adapter
        assert vars(pickle.loads(pickle.dumps(adapter))) == {}  # noqa: S301 - our own


@pytest.fixture
def fitted(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the tuner was made with, one that fits nothing; and no store for graphs."""
    made: list[dict[str, Any]] = []

    class Tuner:
        def __init__(self, trainable: object, **parts: Any) -> None:
            made.append(parts)

        def fit(self) -> None:
            if isinstance(error := made[-1].get("raises"), BaseException):
                raise error

    monkeypatch.setattr(tuner.tune, "Tuner", Tuner)
    monkeypatch.setattr(tuner.tune, "with_parameters", lambda trainable, **parameters: trainable)
    monkeypatch.setattr(tuner.ray, "put", lambda graph: graph.digest)
    return made


def _run(played: _Tune, tmp_path: Path) -> None:
    cluster = Cluster(1, tmp_path)
    tuner.tune_tasks(played.pool, [played.graph], pretend_training, cluster, Resources())


def test_tune_runs_until_the_pool_is_done_and_tries_nothing_again_itself(
    played: _Tune, fitted: list[dict[str, Any]], tmp_path: Path
) -> None:
    _run(played, tmp_path)
    (made,) = fitted
    assert made["tune_config"].num_samples == -1
    assert made["tune_config"].reuse_actors
    assert made["run_config"].failure_config.max_failures == 0
    assert made["run_config"].storage_path == str(tmp_path)


def test_a_graph_is_put_into_rays_store_once_and_workers_get_a_reference(
    played: _Tune,
    fitted: list[dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put: list[object] = []
    given: list[dict[str, Any]] = []

    def store(graph: object) -> str:
        put.append(graph)
        return "reference"

    monkeypatch.setattr(tuner.ray, "put", store)
    monkeypatch.setattr(
        tuner.tune, "with_parameters", lambda trainable, **parts: given.append(parts) or trainable
    )
    _run(played, tmp_path)
    assert put == [played.graph]
    assert given[0]["graphs"] == {played.graph.digest: "reference"}


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (RayError("the head is gone\nand a long stack"), "the head is gone"),
        (RayError(), "RayError"),
    ],
)
def test_an_error_of_ray_is_one_line_that_says_how_to_go_on(
    error: RayError,
    says: str,
    played: _Tune,
    fitted: list[dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fit(self: object) -> None:
        raise error

    monkeypatch.setattr(tuner.tune.Tuner, "fit", fit)
    with pytest.raises(SearchError) as raised:
        _run(played, tmp_path)
    assert in_shell(raised.value.message) == (
        f"Ray failed ({says}); what ended is kept: add --resume to continue, and see"
        " --log-file for more"
    )


def test_stopping_is_no_error(
    played: _Tune,
    fitted: list[dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fit(self: object) -> None:
        raise tuner._Stopping

    monkeypatch.setattr(tuner.tune.Tuner, "fit", fit)
    _run(played, tmp_path)
