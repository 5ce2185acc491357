"""What a search found, in words: the number to quote first, exceptions named."""

from dataclasses import replace
from pathlib import Path

import pytest

from l2p_search.api.found import Search
from l2p_search.data.graph import Graph
from l2p_search.display.summary import Summary, summary_text
from l2p_search.display.travel import travel_in_words
from l2p_search.effects import Effect, Effects
from l2p_search.intervals import Interval, interval_of_test
from l2p_search.results import TrialStatus
from l2p_search.searching.records.settings import Goal
from tests.searching.pretend import searched


@pytest.fixture(scope="module")
def summary(tmp_path_factory: pytest.TempPathFactory, small_graph: Graph) -> Summary:
    folder: Path = tmp_path_factory.mktemp("told") / "told"
    return Search(searched(folder, small_graph, Goal(trials=12, confirm=3))).summary()


def test_the_confirmed_number_is_the_one_to_quote(summary: Summary) -> None:
    said = summary_text(summary)
    assert said.startswith("search told: 12 trials on small, 12 with all 20 seeds")
    assert f"CONFIRMED TEST ACCURACY: {summary.confirmed} %   on 3 fresh seeds" in said
    assert f"the paper's protocol:    {summary.protocol} %   on the search's own seeds" in said
    assert said.index("CONFIRMED") < said.index("the paper's protocol")
    assert "The first number is the one to quote" in said


def test_without_a_confirmation_nothing_is_there_to_quote(summary: Summary) -> None:
    said = summary_text(replace(summary, confirmed=None, confirmations={}))
    assert "CONFIRMED" not in said
    assert "to quote" not in said
    assert summary.best is not None
    failed = {summary.best.number: "its worker died"}
    said = summary_text(replace(summary, confirmed=None, confirmations={}, unconfirmed=failed))
    assert "not confirmed: its worker died" in said


def test_ten_trials_are_shown_the_best_first(summary: Summary) -> None:
    said = summary_text(summary)
    rows = [line for line in said.splitlines() if line.startswith("│")]
    assert len(rows) == 10
    assert "best" in rows[0]
    assert summary.best is not None
    assert rows[0].split("│")[1].strip() == str(summary.best.number)


def test_ties_are_counted_and_told_with_their_confirmation(summary: Summary) -> None:
    best, other = summary.best, summary.records[0]
    assert best is not None
    assert other.number != best.number
    assert other.result is not None
    alone = summary_text(summary)
    assert summary.ties == {best.number}
    assert "tied with" not in alone
    assert "ties on the same" not in alone
    tied = replace(
        summary,
        ties={best.number, other.number},
        confirmations={**summary.confirmations, other.number: other.result},
    )
    said = summary_text(tied)
    assert " %, tied with 1 other\n" in said
    accuracy = interval_of_test(other.result)
    assert f"  ties on the same fresh seeds: trial {other.number} {accuracy}\n" in said


def test_what_the_other_splits_choose_stands_beside_the_headline(summary: Summary) -> None:
    assert (summary.nested is None) == (summary.overtuning is None)
    made = replace(
        summary,
        nested=Interval(81.0, 80.0, 82.0, 10),
        overtuning=Interval(0.4, -0.1, 0.9, 10),
    )
    said = summary_text(made)
    line = "nested:                  81.00 ± 1.00 %   each split with what the other splits choose"
    assert f"{line}; 0.40 ± 0.50 points below" in said
    assert "nested:" not in summary_text(replace(made, nested=None))


def test_the_papers_number_stands_beside_where_there_is_one(summary: Summary) -> None:
    assert "the paper reports" not in summary_text(summary)
    said = summary_text(replace(summary, paper="85.20 % (l2q)"))
    assert "the paper reports:       85.20 % (l2q)" in said


def test_the_profile_and_the_importance_are_drawn(summary: Summary) -> None:
    said = summary_text(summary)
    assert summary.best is not None
    assert summary.best.result is not None
    words = travel_in_words(summary.best.result)
    assert f"profile of trial {summary.best.number}: {words}" in said
    assert "step  0  0.500" in said
    effects = Effects({"lr": Effect(0.7, 0.55, 0.8)}, 0.3, r2=0.6, trials=40, partial=9)
    said = summary_text(replace(summary, importance=effects))
    drawn = said[said.index("importance for validation accuracy") :].splitlines()
    assert drawn[0].endswith("shares of its variance over the space (fANOVA; 95 % interval)")
    assert drawn[1].startswith("  lr            0.70 (0.55 to 0.80)  █")
    assert drawn[2].startswith("  interactions  0.30                 █")
    assert drawn[3] == "  R² 0.60 out of bag, 40 trials, 9 of them raced out"
    said = summary_text(replace(summary, importance=replace(effects, r2=0.01)))
    assert "importance for validation accuracy: nothing to be told\n" in said
    assert "(R² 0.01 out of bag, 40 trials, 9 of them raced out)" in said
    assert "0.70" not in said[said.index("nothing to be told") :]
    assert "importance" not in summary_text(replace(summary, importance=None))


def test_failures_and_an_exhausted_space_are_said(summary: Summary) -> None:
    records = [
        replace(record, status=TrialStatus.FAILED, reason="out of memory")
        if record.number in (2, 3)
        else record
        for record in summary.records
    ]
    said = summary_text(replace(summary, records=records, exhausted=True))
    assert "2 trials failed; the first: out of memory" in said
    assert "Every configuration of the space was visited: 12 in all." in said


def test_a_search_without_a_result_says_so(summary: Summary) -> None:
    bare = replace(
        summary,
        records=[],
        best=None,
        ties=set(),
        confirmed=None,
        protocol=None,
        confirmations={},
    )
    assert "No trial finished, so there is no best one." in summary_text(bare)


def test_a_line_with_brackets_is_no_markup(summary: Summary) -> None:
    said = summary_text(replace(summary, paper="[bold]85[/bold]"))
    assert "[bold]85[/bold]" in said


def test_the_table_is_as_wide_as_it_is_told(summary: Summary) -> None:
    for width in (80, 120):
        rows = [line for line in summary_text(summary, width).splitlines() if line[:1] == "│"]
        assert rows
        assert max(map(len, rows)) <= width
