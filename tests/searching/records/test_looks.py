"""How often test labels were read for a search: counted from results, and noted by commands."""

from dataclasses import replace
from pathlib import Path

import pytest

from l2p_search.data.graph import Graph
from l2p_search.results import TrialResult
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.looks import Looks, looks_of, note_look
from l2p_search.searching.records.outcome import read_outcome
from l2p_search.searching.records.settings import Goal
from tests.searching.pretend import begin, outcomes, searched
from tests.searching.records.made import record, result


def _sealed(found: TrialResult) -> TrialResult:
    return replace(found, seeds=tuple(replace(seed, test=None) for seed in found.seeds))


def test_every_seed_that_has_a_test_score_is_one_look() -> None:
    open_trial, other = record(0, (80.0, 81.0)), record(1, (70.0, 71.0))
    assert other.result is not None
    sealed = replace(other, result=_sealed(other.result))
    found = looks_of([open_trial, sealed, record(2)], [result((80.0,) * 3)], [])
    assert (found.trials, found.confirmation, found.total) == (2, 3, 5)


def test_what_commands_have_noted_is_added_up_by_command() -> None:
    noted = [
        {"by": "compare", "seeds": 4},
        {"by": "train", "seeds": 2},
        {"by": "compare", "seeds": 1},
    ]
    found = looks_of([], [], noted)
    assert found.elsewhere == {"compare": 5, "train": 2}
    assert found.to_mapping() == {
        "trials": 0,
        "confirmation": 0,
        "elsewhere": {"compare": 5, "train": 2},
        "total": 7,
    }


def test_looks_are_told_with_who_looked() -> None:
    assert str(Looks()) == "no test label was looked at"
    assert str(Looks(1)) == "1 look at test labels: 1 by trials, 0 by the confirmation"
    assert str(Looks(1, 1)) == "2 looks at test labels: 1 by trials, 1 by the confirmation"
    assert str(Looks(4000, 20, {"compare": 40})) == (
        "4,060 looks at test labels: 4,000 by trials, 20 by the confirmation, 40 by compare"
    )


def test_a_look_is_in_the_journal_and_changes_nothing_else_of_the_search(
    tmp_path: Path, small_graph: Graph
) -> None:
    journal = searched(tmp_path / "s", small_graph, Goal(trials=3, confirm=2, ties=0))
    before = outcomes(journal)
    journal.close()
    assert note_look(tmp_path / "s", "compare", 4)
    assert note_look(tmp_path / "s", "compare", 5)
    again = Journal.read(tmp_path / "s")
    assert outcomes(again) == before
    assert [(look["by"], look["seeds"]) for look in again.looks] == [
        ("compare", 4),
        ("compare", 5),
    ]
    looks = read_outcome(again).looks
    assert (looks.trials, looks.confirmation, looks.elsewhere) == (60, 2, {"compare": 9})


def test_a_search_that_runs_or_never_began_cannot_be_noted_in(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    journal = begin(tmp_path / "s")
    assert not note_look(tmp_path / "s", "train", 1)
    journal.close()
    (tmp_path / "none").mkdir()
    assert not note_look(tmp_path / "none", "train", 1)
    assert caplog.text.count("are not counted") == 2
