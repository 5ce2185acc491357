"""What MLflow is told of a search's model."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import l2p_search as l2p
from l2p_search.api.kept_model import model_entry
from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.errors import ModelError
from l2p_search.metrics import Metric
from l2p_search.results import TrialResult
from l2p_search.saved.trained_model import Model, load_model
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import read_outcome
from l2p_search.searching.running.keeping import FOLDER
from l2p_search.searching.running.worker import Train
from l2p_search.tracking.mlflow_tracker import MlflowTracker
from l2p_search.tracking.model_entry import CANDIDATE, CHAMPION, ModelEntry
from l2p_search.tracking.quiet import quiet_mlflow
from l2p_search.tracking.store import find_store
from l2p_search.training.fit import fit
from tests.api.in_process import SPACE, without_ray
from tests.api.kept import keep_best, search_with_model
from tests.searching.pretend import pretend_training


@pytest.fixture
def journal(tmp_path: Path, small_graph: Graph) -> Journal:
    return search_with_model(tmp_path / "s", small_graph, register="small")


def _entry(journal: Journal) -> ModelEntry:
    entry = model_entry(journal, read_outcome(journal))
    assert entry is not None
    return entry


def test_the_tags_answer_how_good_it_is_and_where_it_is_from(
    journal: Journal, small_graph: Graph
) -> None:
    entry, outcome = _entry(journal), read_outcome(journal)
    assert outcome.best is not None
    evidence = load_model(journal.directory / FOLDER).evidence
    assert evidence.test is not None
    interval = f"{evidence.test:.2f}"
    if evidence.low is not None:
        interval += f" ± {evidence.test - evidence.low:.2f}"
    assert entry.tags == {
        "confirmed_test_accuracy": interval,
        "config_id": outcome.best.config.config_id,
        "dataset": "small",
        "data_digest": small_graph.digest,
        "search": "s",
    }
    assert entry.metrics["confirmed_test_accuracy"] == round(evidence.test, 2)
    assert entry.description.startswith(f"Confirmed test accuracy: {interval} % on 2 fresh seeds")
    assert f"trial {outcome.best.number} of the search `s`" in entry.description
    assert (entry.registered, entry.aliases) == ("small", (CANDIDATE,))


def test_a_champion_has_both_aliases(tmp_path: Path, small_graph: Graph) -> None:
    journal = search_with_model(tmp_path / "s", small_graph, register="small", champion=True)
    assert _entry(journal).aliases == (CANDIDATE, CHAMPION)


def test_a_search_that_registers_nothing_has_a_logged_model_all_the_same(
    tmp_path: Path, small_graph: Graph
) -> None:
    assert _entry(search_with_model(tmp_path / "s", small_graph)).registered is None


def test_the_same_weights_are_the_same_model_whatever_the_evidence(
    journal: Journal, small_graph: Graph
) -> None:
    before = _entry(journal).uid
    keep_best(journal, small_graph)  # the same training again
    assert _entry(journal).uid == before
    model = load_model(journal.directory / FOLDER)
    result = fit(small_graph, model.config, [3, 4])
    Model.of(small_graph, result, confirmed=True, trials=100).save(journal.directory / FOLDER)
    assert _entry(journal).uid == before
    Model.of(small_graph, fit(small_graph, model.config, [3, 5])).save(journal.directory / FOLDER)
    assert _entry(journal).uid != before


def test_another_search_with_the_same_weights_has_a_model_of_its_own(
    journal: Journal, tmp_path: Path, small_graph: Graph
) -> None:
    other = search_with_model(tmp_path / "t", small_graph, register="small")
    mine = _entry(journal)
    assert mine.uid != _entry(other).uid
    assert mine.uid.rpartition("-")[2] == _entry(other).uid.rpartition("-")[2]


def test_the_model_of_a_former_best_is_not_sent(journal: Journal, small_graph: Graph) -> None:
    config = TrialConfig(K=1, hidden=4, epochs=2)
    Model.of(small_graph, fit(small_graph, config, [3, 4])).save(journal.directory / FOLDER)
    assert model_entry(journal, read_outcome(journal)) is None


def test_a_search_without_a_model_or_a_complete_trial_sends_none(
    tmp_path: Path, recorded: Journal, begun: Journal, small_graph: Graph
) -> None:
    assert model_entry(recorded, read_outcome(recorded)) is None
    model = Model.of(small_graph, fit(small_graph, TrialConfig(hidden=4, epochs=2), [3]))
    model.save(begun.directory / FOLDER)
    assert model_entry(begun, read_outcome(begun)) is None


def test_a_damaged_model_is_named(journal: Journal) -> None:
    (journal.directory / FOLDER / "weights.safetensors").write_bytes(b"")
    with pytest.raises(ModelError, match=r"weights.safetensors: has 0 of .* bytes"):
        _entry(journal)


def _with_weights(
    graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric
) -> TrialResult:
    """Pretended scores, and weights that were trained."""
    weights = fit(graph, config, seeds).weights
    return replace(pretend_training(graph, config, seeds, metric=metric), weights=weights)


def _improving() -> Train:
    """A training by which every further configuration is better than those before it."""
    met: list[str] = []

    def train(
        graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric
    ) -> TrialResult:
        if config.config_id not in met:
            met.append(config.config_id)
        result = _with_weights(graph, config, seeds, metric=metric)
        val = 60.0 + 3 * met.index(config.config_id)
        return replace(result, seeds=tuple(replace(seed, val=val) for seed in result.seeds))

    return train


class _Notes:
    """A display that keeps what it is told about the registry."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def update(self, event: object, snapshot: object) -> None: ...

    def note(self, text: str) -> None:
        if "MLflow" in text:
            self.notes.append(text)


def test_a_search_makes_one_version_and_another_one_when_its_best_changes(
    tmp_path: Path, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    without_ray(monkeypatch, _improving())
    with quiet_mlflow():
        MlflowTracker(find_store(None)).views(1)  # makes the database, which takes its time
    display = _Notes()
    space = {"K": SPACE["K"], "epochs": 2, "hidden": 4}
    options: dict[str, Any] = {"seeds": 3, "confirm": 2, "confirm_ties": 0, "display": display}
    found = l2p.search(
        small_graph, space=space, sampler="grid", trials=1, name="s", register="small", **options
    )
    for trials in (1, 4):
        found = l2p.search(
            small_graph, name="s", resume=True, trials=trials, confirm=2, display=display
        )
    said = "registered in MLflow: version {} of small, candidate"
    assert display.notes == [said.format(version) for version in (1, 1, 2)]
    assert found.best is not None
    assert found.best.number == 3
    assert found.model.config == found.best.config
    assert found.sync() == (0, 4)
    with quiet_mlflow():
        client = MlflowTracker(find_store(None))._client
        assert len(client.search_model_versions("name = 'small'")) == 2
        candidate = client.get_model_version_by_alias("small", "candidate")
        assert candidate.tags["config_id"] == found.model.config.config_id
        run = client.get_run(candidate.run_id)
    assert run.info.run_name == "s"


def test_a_search_goes_on_when_the_store_is_down_and_sync_registers_later(
    tmp_path: Path, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
    without_ray(monkeypatch, _with_weights)
    display = _Notes()
    found = l2p.search(
        small_graph,
        space={"K": SPACE["K"], "epochs": 2, "hidden": 4},
        trials=2,
        seeds=2,
        confirm=2,
        name="s",
        register="small",
        display=display,
    )
    (note,) = display.notes
    assert note.startswith("MLflow is behind (")
    assert found.model.seeds == (2, 3)
    monkeypatch.delenv("MLFLOW_TRACKING_URI")
    assert l2p.open_search("s").sync() == (2, 0)
    with quiet_mlflow():
        client = MlflowTracker(find_store(None))._client
        assert [each.version for each in client.search_model_versions("name = 'small'")] == [1]
