"""What is in MLflow's registry after a search, after a resume, after a crash."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from l2p_search.data.graph import Graph
from l2p_search.errors import UserError, in_shell
from l2p_search.saved.trained_model import Model, load_model
from l2p_search.tracking import registry
from l2p_search.tracking.entries import SearchEntry
from l2p_search.tracking.mlflow_tracker import MlflowTracker
from l2p_search.tracking.model_entry import CANDIDATE, CHAMPION, ModelEntry
from l2p_search.tracking.quiet import quiet_mlflow
from l2p_search.tracking.registry import keep_model, loading_lines
from l2p_search.tracking.store import Store
from tests.saved.tables import table_of


class _Run:
    """The run of a search in the store, and the models that are written to it."""

    def __init__(self, store: Store, name: str, kept: tuple[Path, Model]) -> None:
        folder, model = kept
        self.name = name
        tracker = MlflowTracker(store)
        self.client = tracker._client
        search = SearchEntry(uid=name, name=name, dataset="small", data_digest="0", params={})
        self.run = tracker.begin(search)
        self.entry = ModelEntry(
            uid=f"{name}-a",
            folder=folder,
            model=model,
            name=name,
            tags={"search": name},
            metrics={"confirmed_test_accuracy": 61.5},
            description="a model",
            registered=name,
        )

    def keep(self, **changes: Any) -> str | None:
        return keep_model(self.client, self.run, replace(self.entry, **changes))

    def logged(self) -> list[Any]:
        experiment = self.client.get_run(self.run).info.experiment_id
        found = self.client.search_logged_models([experiment], f"tags.search = '{self.name}'")
        return list(found)

    def versions(self) -> dict[str, list[str]]:
        """Version -> its aliases."""
        found = self.client.search_model_versions(f"name = '{self.name}'")
        one = self.client.get_model_version
        return {str(each.version): one(self.name, each.version).aliases for each in found}


@pytest.fixture
def run(
    database: Store, kept: tuple[Path, Model], request: pytest.FixtureRequest
) -> Iterator[_Run]:
    with quiet_mlflow():
        yield _Run(database, request.node.name[5:60], kept)


def test_a_model_belongs_to_the_run_of_its_search(run: _Run) -> None:
    assert run.keep(registered=None) is None
    (logged,) = run.logged()
    assert (logged.status, logged.source_run_id) == ("READY", run.run)
    assert [(each.key, each.value) for each in logged.metrics] == [
        ("confirmed_test_accuracy", 61.5)
    ]
    outputs = run.client.get_run(run.run).outputs.model_outputs
    assert [output.model_id for output in outputs] == [logged.model_id]
    assert run.versions() == {}


def test_a_number_that_the_run_has_already_becomes_no_second_point_of_it(run: _Run) -> None:
    run.client.log_metric(run.run, "confirmed_test_accuracy", 61.5, timestamp=1000, step=0)
    run.keep(registered=None)
    points = run.client.get_metric_history(run.run, "confirmed_test_accuracy")
    assert [(each.value, each.timestamp) for each in points] == [(61.5, 1000)]
    (logged,) = run.logged()
    assert [(each.key, each.value) for each in logged.metrics] == [
        ("confirmed_test_accuracy", 61.5)
    ]


def test_the_same_model_is_one_version_however_often_it_is_sent(run: _Run) -> None:
    assert [run.keep(), run.keep(), run.keep()] == ["1", "1", "1"]
    assert run.versions() == {"1": [CANDIDATE]}
    assert len(run.logged()) == 1


def test_another_model_is_another_version_and_the_candidate(run: _Run) -> None:
    assert [run.keep(), run.keep(uid="other")] == ["1", "2"]
    assert run.versions() == {"1": [], "2": [CANDIDATE]}
    assert run.keep() == "1"  # an older one that is sent again is no candidate
    assert run.versions() == {"1": [], "2": [CANDIDATE]}


def test_a_champion_is_named_when_it_is_asked_for(run: _Run) -> None:
    run.keep()
    run.keep(uid="other", aliases=(CANDIDATE, CHAMPION))
    assert {name: sorted(had) for name, had in run.versions().items()} == {
        "1": [],
        "2": [CANDIDATE, CHAMPION],
    }
    run.keep(aliases=(CANDIDATE, CHAMPION))  # the first one, which is the candidate no more
    assert run.versions() == {"1": [CHAMPION], "2": [CANDIDATE]}


def test_an_alias_that_a_person_has_moved_stays(run: _Run) -> None:
    run.keep()
    run.keep(uid="other")
    run.client.set_registered_model_alias(run.name, CANDIDATE, "1")
    run.keep(uid="other")
    assert run.versions() == {"1": [CANDIDATE], "2": []}


def test_a_version_tells_what_it_is_and_where_it_is_from(run: _Run) -> None:
    run.keep()
    version = run.client.get_model_version(run.name, "1")
    assert version.run_id == run.run
    assert version.tags["search"] == run.name
    assert version.description == f"a model\n\n{loading_lines(run.name, '1')}"
    assert f'"models:/{run.name}/1"' in version.description
    (logged,) = run.logged()
    assert f'"{run.name}"' in logged.tags["mlflow.modelVersions"]


@pytest.mark.parametrize(
    "broken",
    [
        "log_model_artifacts",
        "finalize_logged_model",
        "log_outputs",
        "create_model_version",
        "update_model_version",
        "set_registered_model_alias",
        "set_model_version_tag",
    ],
)
def test_what_an_outage_has_cut_off_is_completed(
    run: _Run, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*given: Any, **named: Any) -> None:
        raise ConnectionError("no answer")

    with monkeypatch.context() as patched:
        patched.setattr(run.client, broken, fails)
        with pytest.raises(ConnectionError):
            run.keep()
    assert run.keep() == "1"
    assert run.versions() == {"1": [CANDIDATE]}
    (logged,) = run.logged()
    assert logged.status == "READY"
    outputs = run.client.get_run(run.run).outputs.model_outputs
    assert [output.model_id for output in outputs] == [logged.model_id]
    assert "a model" in run.client.get_model_version(run.name, "1").description


def test_a_model_is_found_by_its_alias_and_predicts(
    run: _Run,
    database: Store,
    small_graph: Graph,
    kept: tuple[Path, Model],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import mlflow

    run.keep()
    monkeypatch.setenv("MLFLOW_ALLOW_PICKLE_DESERIALIZATION", "false")
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(database.uri)
    try:
        uri = f"models:/{run.name}@{CANDIDATE}"
        found = mlflow.pyfunc.load_model(uri).predict(table_of(small_graph))
        downloaded = load_model(mlflow.artifacts.download_artifacts(uri))
    finally:
        mlflow.set_tracking_uri(before)
    wanted = kept[1].predictions(small_graph)
    assert found["p(0)"].tolist() == wanted["p(0)"].tolist()
    assert downloaded.predictions(small_graph).equals(wanted)


@pytest.mark.parametrize(
    ("code", "why"),
    [("ENDPOINT_NOT_FOUND", "does not know the request"), ("FEATURE_DISABLED", "no registry")],
)
def test_a_store_without_models_is_named_in_one_line(
    run: _Run, code: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mlflow.exceptions import MlflowException
    from mlflow.protos import databricks_pb2

    def old(*given: Any, **named: Any) -> None:
        raise MlflowException("404\nlong", databricks_pb2.ErrorCode.Value(code))

    monkeypatch.setattr(run.client, "search_logged_models", old)
    with pytest.raises(UserError, match=f"^this store of MLflow keeps no models .*{why}") as error:
        run.keep()
    assert "--tracking-uri" in in_shell(error.value.message)
    assert "\n" not in str(error.value)


def test_another_failure_stays_what_it_is(run: _Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from mlflow.exceptions import MlflowException

    def fails(*given: Any, **named: Any) -> None:
        raise MlflowException("the disk is full")

    monkeypatch.setattr(registry, "write_pyfunc", fails)
    with pytest.raises(MlflowException, match="the disk is full"):
        run.keep()
