"""What a search found, in words: the number to quote first, exceptions named."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from l2p_search.display.leaderboard import LEGEND
from l2p_search.display.result_text import print_to_terminal, print_verdict, summary_text
from l2p_search.display.score_rows import beside_rows
from l2p_search.display.summary import Summary
from l2p_search.effects import Effect, Effects
from l2p_search.results import TrialStatus
from l2p_search.verdicts import Judged
from tests.display.told import everything


def test_the_profile_and_the_importance_are_drawn(summary: Summary) -> None:
    said = summary_text(summary, full=True)
    assert summary.best is not None
    assert summary.best.result is not None
    assert f"q(t), the share of step t, of trial {summary.best.number} over all nodes" in said
    assert "step  0  0.500" in said
    effects = Effects({"lr": Effect(0.7, 0.55, 0.8)}, 0.3, r2=0.6, trials=40, partial=9)
    said = summary_text(replace(summary, importance=effects), full=True)
    drawn = said[said.index("importance for validation accuracy") :].splitlines()
    assert drawn[0].endswith("shares of its variance over the space (fANOVA; 95 % interval)")
    assert drawn[1].startswith("  lr            0.70 (0.55 to 0.80)  █")
    assert drawn[2].startswith("  interactions  0.30                 █")
    assert drawn[3] == "  R² 0.60 out of bag, 40 trials, 9 of them raced out"
    said = summary_text(replace(summary, importance=replace(effects, r2=0.01)), full=True)
    assert "importance for validation accuracy: nothing to be told\n" in said
    assert "  R² 0.01 out of bag, 40 trials, 9 of them raced out" in said
    assert "0.70" not in said[said.index("nothing to be told") :]
    assert "importance" not in summary_text(replace(summary, importance=None), full=True)


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


def test_a_line_with_brackets_is_no_markup(summary: Summary) -> None:
    said = summary_text(replace(summary, paper="[bold]85[/bold]"))
    assert "[bold]85[/bold]" in said


def test_the_verdict_comes_first_then_all_numbers_then_trials(summary: Summary) -> None:
    said = summary_text(summary, full=True)
    assert said.startswith("search told: 12 trials on small, 12 with all 20 seeds")
    parts = ("best configuration", "CONFIRMED TEST ACCURACY", "q(t), ", "CONFIRMED on 3")
    places = [said.index(part) for part in (*parts, "\ntrial  validation %")]
    assert places == sorted(places)


def test_five_trials_are_shown_the_best_first(summary: Summary) -> None:
    lines = summary_text(summary, full=True).splitlines()
    head = next(n for n, line in enumerate(lines) if line.startswith("trial  validation %"))
    rows = [line.split() for line in lines[head + 2 : head + 7]]
    assert summary.best is not None
    assert rows[0][0] == str(summary.best.number)
    assert rows[0][5] == "best"
    assert all(row[0].isdigit() for row in rows)
    assert lines[head + 7] == LEGEND


def test_where_the_spread_comes_from_and_who_looked_is_said_below_the_numbers(
    summary: Summary,
) -> None:
    said = summary_text(replace(summary, looks="43 looks at test labels"), full=True)
    assert "spread of test accuracy (sd): " in said
    assert "43 looks at test labels" in said
    assert said.index("CONFIRMED on") < said.index("spread of test")


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("width", [60, 80, 100, 160])
def test_no_line_is_wider_than_the_screen_and_none_is_cut(
    summary: Summary, width: int, full: bool
) -> None:
    told = replace(everything(summary), looks="43 looks at test labels")
    said = summary_text(told, width, full=full)
    assert max(map(len, said.splitlines())) <= width
    assert "…" not in said
    assert not any(line.endswith(" ") for line in said.splitlines())


def test_what_undecided_means_is_said_where_a_verdict_is(summary: Summary) -> None:
    told = everything(summary)
    assert any(each.judged.word == "undecided" for each in told.held.others)
    assert "\nundecided: either may be better;" in summary_text(told)
    sure = tuple(replace(each, judged=Judged("better")) for each in told.held.others)
    certain = replace(told, held=replace(told.held, others=sure))
    assert "undecided" not in summary_text(certain)


def test_a_result_and_its_next_steps_fit_on_a_screen_of_35_lines(summary: Summary) -> None:
    said = summary_text(everything(summary)).splitlines()
    assert len(said) <= 28  # a blank line, a heading and five commands follow
    assert len(summary_text(everything(summary), full=True).splitlines()) > 40


def test_what_a_reviewer_asks_for_is_on_the_first_screen(summary: Summary) -> None:
    said = summary_text(everything(summary))
    assert "for other nodes of this kind it is 76.00 to 84.00" in said
    for row in beside_rows(everything(summary)):
        (line,) = [each for each in said.splitlines() if each.startswith(row.name)]
        assert line.split(row.name)[1].split() == f"{row.mean} {row.here} {row.elsewhere}".split()
    for name in ("luck", "fresh splits", "protocol", "nested", "overtuning", "optimism"):
        assert any(name in row.name for row in beside_rows(everything(summary)))
    left_out = ("q(t), ", "\ntrial  validation %", "importance", "tie: trial", "spread of")
    assert not any(part in said for part in left_out)


def test_several_searches_have_their_verdicts_without_the_table(summary: Summary) -> None:
    console = Console(file=io.StringIO(), width=100)
    print_verdict(everything(summary), console)
    said = console.file.getvalue()  # type: ignore[attr-defined]
    assert "better than MLP?          undecided  -1.00 ± 2.00 points" in said
    assert "nested" not in said


@pytest.mark.parametrize(("height", "again"), [(24, True), (200, False)])
def test_a_result_that_is_taller_than_the_screen_ends_with_its_verdict(
    summary: Summary, height: int, again: bool
) -> None:
    console = Console(file=io.StringIO(), width=100, height=height, force_terminal=True)
    print_to_terminal(summary, console)
    said = console.file.getvalue()  # type: ignore[attr-defined]
    short = f"told: {summary.confirmed} % test accuracy on fresh seeds, with dropout="
    assert (short in said) == again
    assert said.count("CONFIRMED TEST ACCURACY") == 1
    bare = replace(summary, confirmed=None, confirmations={})
    print_to_terminal(bare, console)
    assert console.file.getvalue().count(short) == again  # type: ignore[attr-defined]
