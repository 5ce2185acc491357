"""A search keeps the confirmed seeds of its winner: once, of the present winner, and safely."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from l2p_search.data.graph import Graph
from l2p_search.saved import folder as folder_module
from l2p_search.saved.folder import identity_of, read_folder
from l2p_search.saved.trained_model import load_model
from l2p_search.searching.records.controls import fresh_seeds
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import read_outcome
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.searching.running.keeping import FOLDER, ModelKeeper
from l2p_search.searching.running.tasks import Task
from l2p_search.searching.running.worker import run_task
from l2p_search.searching.space.space_file import parse_space
from l2p_search.training.fit import fit
from tests.searching import pretend


def _searched(
    journal: Journal, graph: Graph, trials: int, *, keep: bool = True, confirm: int = 3
) -> tuple[list[Task], list[str]]:
    """Search on to so many trials; what was trained, and what was told."""
    goal, told, trained = Goal(trials=trials, confirm=confirm, ties=2), [], []
    journal.begin(goal, {})
    keeper = ModelKeeper(journal.directory, graph, told.append) if keep else None
    coordinator = Coordinator(journal, goal, concurrency=1, keeper=keeper)
    if not coordinator.has_work:
        return [], told
    real = coordinator.next_task

    def next_task() -> Task | None:
        task = real()
        if task is not None:
            trained.append(task)
        return task

    coordinator.next_task = next_task  # type: ignore[method-assign]
    pretend.drive(coordinator, graph)
    assert coordinator.fatal is None
    return trained, told


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return pretend.begin(tmp_path / "first", seeds=4, sampler="grid")


def _winner(journal: Journal) -> tuple[str, tuple[int, ...]]:
    best = read_outcome(journal).best
    assert best is not None
    return best.config.config_id, fresh_seeds(journal.settings, 3)


def test_the_winners_fresh_seeds_are_kept_and_told_with_their_megabytes(
    journal: Journal, small_graph: Graph
) -> None:
    trained, told = _searched(journal, small_graph, 6)
    folder = journal.directory / FOLDER
    assert identity_of(folder) == _winner(journal)
    assert told == [f"kept the winner's 3 fresh seeds in {folder} (0.00 MB)"]
    evidence = read_folder(folder)[0]["evidence"]
    assert (evidence["search"], evidence["trials"]) == (journal.directory.name, 6)
    confirmations = [task for task in trained if task.kind == "confirmation"]
    assert len(confirmations) > 1, "ties are confirmed too"
    assert [task.with_weights for task in confirmations] == [True] + [False] * (
        len(confirmations) - 1
    )


def test_a_finished_search_trains_nothing_again(journal: Journal, small_graph: Graph) -> None:
    _searched(journal, small_graph, 6)
    assert _searched(journal, small_graph, 6) == ([], [])


def test_without_a_keeper_nothing_is_kept_or_sent(journal: Journal, small_graph: Graph) -> None:
    trained, _ = _searched(journal, small_graph, 6, keep=False)
    assert not any(task.with_weights for task in trained)
    assert not (journal.directory / FOLDER).exists()


def test_a_new_winner_replaces_the_model_and_the_same_one_leaves_it(
    journal: Journal, small_graph: Graph
) -> None:
    _searched(journal, small_graph, 2)
    first = _winner(journal)
    assert identity_of(journal.directory / FOLDER) == first
    _searched(journal, small_graph, 24)
    assert _winner(journal) != first
    assert identity_of(journal.directory / FOLDER) == _winner(journal)


def test_a_model_that_is_missing_or_broken_is_trained_again_and_noted_once(
    journal: Journal, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    _searched(journal, small_graph, 6, keep=False)
    noted = read_outcome(journal).to_mapping()
    again: list[object] = []
    monkeypatch.setattr(Journal, "confirm", lambda journal, result: again.append(result))
    for harm in (lambda: None, lambda: (journal.directory / FOLDER / "config.yaml").unlink()):
        harm()
        trained, _ = _searched(journal, small_graph, 6)
        assert [(task.kind, task.with_weights) for task in trained] == [("confirmation", True)]
        assert identity_of(journal.directory / FOLDER) == _winner(journal)
    assert again == []
    assert read_outcome(journal).to_mapping() == noted


def test_other_fresh_seeds_are_another_model(journal: Journal, small_graph: Graph) -> None:
    _searched(journal, small_graph, 6)
    _searched(journal, small_graph, 6, confirm=5)
    found = identity_of(journal.directory / FOLDER)
    assert found is not None
    assert found[1] == (4, 5, 6, 7, 8)


def test_a_place_of_something_else_harms_no_search(journal: Journal, small_graph: Graph) -> None:
    (journal.directory / FOLDER).mkdir()
    (journal.directory / FOLDER / "mine.txt").write_text("precious")
    _, told = _searched(journal, small_graph, 6)
    assert len(told) == 1
    assert told[0].startswith(f"no model is kept: {journal.directory / FOLDER}: holds other files")
    assert read_outcome(journal).confirmed is not None
    assert (journal.directory / FOLDER / "mine.txt").read_text() == "precious"


def test_a_full_disk_harms_no_search(
    journal: Journal, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, content: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folder_module, "write_whole", full)
    _, told = _searched(journal, small_graph, 6)
    assert "no model is kept: " in told[0]
    assert "No space left on device" in told[0]
    assert not list(journal.directory.glob(".model*"))
    assert read_outcome(journal).confirmed is not None


def test_a_training_without_weights_is_told(tmp_path: Path, small_graph: Graph) -> None:
    told: list[str] = []
    result = pretend.pretend_training(small_graph, pretend.settings().base, [0])
    keeper = ModelKeeper(tmp_path, small_graph, told.append)
    keeper.keep(keeper.with_weights(replace(result, weights=None), None), 1)
    assert told == ["no model is kept: the training gave no weights"]


def test_weights_that_cannot_be_read_are_told_and_harm_no_result(
    tmp_path: Path, small_graph: Graph
) -> None:
    told: list[str] = []
    keeper = ModelKeeper(tmp_path, small_graph, told.append)
    result = replace(
        pretend.pretend_training(small_graph, pretend.settings().base, [0]), weights=None
    )
    assert keeper.with_weights(result, b"no weights") is result
    assert len(told) == 1
    assert told[0].startswith("what a worker sent ")


def test_a_worker_sends_weights_only_when_the_task_asks(small_graph: Graph) -> None:
    for asked in (False, True):
        task = Task("confirmation", 0, pretend.settings().base, ((0, 1),), with_weights=asked)
        messages: list[dict[str, object]] = []
        run_task(task.to_mapping(), small_graph, pretend.pretend_training, messages.append)
        assert [("weights" in message) for message in messages] == [asked]


def test_what_is_kept_predicts_as_the_confirmation_judged(
    tmp_path: Path, small_graph: Graph
) -> None:
    space = parse_space("tiny", {"K": {"choices": [1, 2]}, "epochs": 4, "hidden": 4})
    digest = small_graph.digest
    journal = pretend.begin(tmp_path / "real", space=space, seeds=2, data_digest=digest)
    goal = Goal(trials=2, confirm=2, ties=0)
    journal.begin(goal, {})
    keeper = ModelKeeper(journal.directory, small_graph)
    pretend.drive(Coordinator(journal, goal, keeper=keeper), small_graph, fit)
    outcome, model = read_outcome(journal), load_model(journal.directory / FOLDER)
    assert outcome.best is not None
    confirmed = outcome.confirmations[outcome.best.number]
    assert model.seeds == (2, 3)
    assert (model.evidence.test, model.evidence.search) == (confirmed.test_mean, "real")
    assert model.evidence.confirmed
    for result in confirmed.finished:
        test = small_graph.test[result.split]
        hits = model.predict(small_graph, seed=result.seed)[test] == small_graph.y[test]
        assert 100.0 * float(hits.double().mean()) == pytest.approx(result.test)
    assert torch.is_tensor(model.propagation(small_graph))
