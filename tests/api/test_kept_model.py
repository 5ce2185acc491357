"""What MLflow is told of a search's model."""

from pathlib import Path

import pytest

from l2p_search.api.kept_model import MODEL, model_entry
from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.errors import ModelError
from l2p_search.saved.trained_model import Model, load_model
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import read_outcome
from l2p_search.tracking.model_entry import CANDIDATE, CHAMPION, ModelEntry
from l2p_search.training.fit import fit
from tests.api.kept import keep_best, search_with_model


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
    evidence = load_model(journal.directory / MODEL).evidence
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
    model = load_model(journal.directory / MODEL)
    result = fit(small_graph, model.config, [3, 4])
    Model.of(small_graph, result, confirmed=True, trials=100).save(journal.directory / MODEL)
    assert _entry(journal).uid == before
    Model.of(small_graph, fit(small_graph, model.config, [3, 5])).save(journal.directory / MODEL)
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
    Model.of(small_graph, fit(small_graph, config, [3, 4])).save(journal.directory / MODEL)
    assert model_entry(journal, read_outcome(journal)) is None


def test_a_search_without_a_model_or_a_complete_trial_sends_none(
    tmp_path: Path, recorded: Journal, begun: Journal, small_graph: Graph
) -> None:
    assert model_entry(recorded, read_outcome(recorded)) is None
    model = Model.of(small_graph, fit(small_graph, TrialConfig(hidden=4, epochs=2), [3]))
    model.save(begun.directory / MODEL)
    assert model_entry(begun, read_outcome(begun)) is None


def test_a_damaged_model_is_named(journal: Journal) -> None:
    (journal.directory / MODEL / "weights.safetensors").write_bytes(b"")
    with pytest.raises(ModelError, match=r"weights.safetensors: has 0 of .* bytes"):
        _entry(journal)
