from dataclasses import replace
from pathlib import Path

from l2p_search.api.summarising import class_names, summary_of
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import read_outcome
from l2p_search.searching.records.settings import Goal
from tests.searching.pretend import begin


def test_what_is_told_is_what_the_search_found(recorded: Journal) -> None:
    outcome = read_outcome(recorded)
    told = summary_of(outcome, "mine")
    assert (told.name, told.dataset, told.seeds) == ("mine", "small", 20)
    assert (told.best, told.confirmed, told.protocol) == (
        outcome.best,
        outcome.confirmed,
        outcome.protocol_estimate,
    )
    assert told.ties == {record.number for record in outcome.ties}
    assert told.looks == str(outcome.looks)
    assert (told.exhausted, told.unconfirmed, told.importance) == (False, {}, None)


def test_a_search_without_a_complete_trial_has_no_best(begun: Journal) -> None:
    told = summary_of(replace(read_outcome(begun), records=[]), "mine")
    assert (told.best, told.paper, told.confirmed) == (None, None, None)


def test_the_names_of_classes_are_those_that_the_search_noted_last(tmp_path: Path) -> None:
    journal, goal = begin(tmp_path / "s"), Goal(trials=1, confirm=0)
    assert class_names(journal) == []
    journal.begin(goal, {"classes": ["chess", "choir"]})
    journal.begin(goal, {})
    assert class_names(journal) == ["chess", "choir"]
