"""All scores of a search in one table, with both intervals under their names."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from l2p_search.display.score_rows import (
    ScoreRow,
    as_lists,
    beside_rows,
    score_rows,
    score_table,
)
from l2p_search.display.summary import Summary
from l2p_search.held import HeldAgainst
from l2p_search.intervals import Interval
from tests.display.told import everything


def _named(summary: Summary) -> dict[str, ScoreRow]:
    return {row.name.strip(): row for row in score_rows(summary)}


def test_the_number_to_quote_comes_first_with_both_intervals(summary: Summary) -> None:
    row = score_rows(everything(summary))[0]
    confirmed = summary.confirmed
    assert confirmed is not None
    assert row.name == "CONFIRMED on 3 fresh seeds"
    assert row.mean == f"{confirmed.mean:.2f}"
    assert row.here == f"{confirmed.low:.2f} to {confirmed.high:.2f}"
    assert row.elsewhere == "76.00 to 84.00"
    assert score_rows(summary)[0].elsewhere == "not recorded"


def test_what_a_reviewer_asks_for_has_a_row_each(summary: Summary) -> None:
    rows = _named(everything(summary))
    luck = rows["with the luck of the search: other trials, too"]
    assert (luck.here, luck.elsewhere) == ("77.00 to 83.00", "75.00 to 85.00")
    nested = rows["nested: each split with what the others choose"]
    assert (nested.mean, nested.elsewhere) == ("81.00", "78.00 to 84.00")
    below = rows["overtuning: the paper's protocol minus nested"]
    assert (below.mean, below.here) == ("+0.40", "-0.10 to +0.90")
    assert below.elsewhere == "not recorded"
    assert rows["optimism of shared validation (points)"].mean == "+0.70"
    assert rows["the paper reports (l2q)"].mean == "85.20"
    assert "on 20 fresh splits, 48/32/20 % of each class" in rows
    assert "the paper's protocol: the search's own seeds" in rows
    assert "tie: trial 99" in rows
    assert "the default configuration (trial 3)" in rows
    assert rows["winner minus default: undecided"].elsewhere == "-3.00 to +1.00"
    assert "MLP with the winner's settings" in rows
    assert rows["the first minus the second: better"].mean == "+10.00"
    assert rows["the first minus the second: better"].elsewhere == "+8.00 to +12.00"
    assert rows["equal labels: phi on 0.5 of validation"].elsewhere == "78.00 to 82.00"


def test_a_difference_of_nothing_has_no_minus(summary: Summary) -> None:
    told = replace(summary, overtuning=Interval(-1e-15, -1.0, 1.0, 10))
    (row,) = [row for row in score_rows(told) if row.name.startswith("overtuning")]
    assert row.mean == "+0.00"


def test_what_was_not_measured_has_no_row(summary: Summary) -> None:
    bare = replace(summary, confirmed=None, confirmations={}, protocol=None, nested=None)
    bare = replace(bare, overtuning=None, held=HeldAgainst(), luck=None)
    assert score_rows(bare) == []
    assert score_table(bare, score_rows(bare), 100) is None
    none = HeldAgainst(no_fresh_splits="splits by time cannot be drawn anew")
    (row, *_) = score_rows(replace(bare, held=none))
    assert row == ScoreRow("on fresh splits: none, splits by time cannot be drawn anew")


def test_a_sealed_search_says_that_there_is_no_protocol(summary: Summary) -> None:
    said = [row.name for row in score_rows(replace(summary, protocol=None))]
    assert "the paper's protocol: sealed, trials have no test score" in said


@pytest.mark.parametrize("width", [60, 90, 100, 160])
def test_the_table_fits_and_names_both_intervals(summary: Summary, width: int) -> None:
    console = Console(file=io.StringIO(), width=width)
    told = everything(summary)
    console.print(score_table(told, score_rows(told), width))
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    words = " ".join(text.split())
    assert "76.00 to 84.00" in words
    for word in ("this graph,", "seeds and splits", "other nodes", "kind"):
        assert word in words


def test_a_page_takes_the_same_rows_as_cells(summary: Summary) -> None:
    rows = score_rows(everything(summary))
    cells = as_lists(rows)
    assert len(cells) == len(rows)
    assert cells[0] == [rows[0].name, rows[0].mean, rows[0].here, rows[0].elsewhere]


def test_the_numbers_of_a_name_over_two_lines_stand_on_one(summary: Summary) -> None:
    held = replace(everything(summary).held, rule="20x81/37/32-nodes")
    console = Console(file=io.StringIO(), width=90)
    told = replace(everything(summary), held=held)
    console.print(score_table(told, score_rows(told), 90))
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    lines = text.splitlines()
    (place,) = [number for number, line in enumerate(lines) if line.startswith("on 20 fresh")]
    assert not any(character == "." for character in lines[place].partition("nodes,")[2])
    assert lines[place + 1].count(".") >= 1


def test_one_seed_has_a_score_and_too_few_seeds_for_an_interval(summary: Summary) -> None:
    alone = Interval(80.0, None, None, 1)
    rows = score_rows(replace(summary, confirmed=alone, elsewhere=alone, overtuning=alone))
    assert (rows[0].mean, rows[0].here, rows[0].elsewhere) == ("80.00", *["too few seeds"] * 2)
    below = {row.name: row for row in rows}["overtuning: the paper's protocol minus nested"]
    assert (below.mean, below.here, below.elsewhere) == ("+80.00", *["too few seeds"] * 2)


def test_beside_the_headline_stand_differences_in_the_order_of_their_questions(
    summary: Summary,
) -> None:
    rows = beside_rows(everything(summary))
    names = [row.name for row in rows]
    assert names == [
        "winner minus the default (80.50 %): undecided",
        "winner minus MLP (80.50 %): undecided",
        "  the same with equal labels: better",
        "with the luck of the search: other trials, too",
        "on 20 fresh splits, 48/32/20 % of each class",
        "the paper's protocol: the search's own seeds",
        "nested: each split with what the others choose",
        "overtuning: the paper's protocol minus nested",
        "the paper reports (l2q)",
        "optimism of shared validation (points)",
    ]
    everywhere = {row.name.strip(): row for row in score_rows(everything(summary))}
    equal = everywhere["the first minus the second: better"]
    assert rows[2] == replace(equal, name=rows[2].name)


def test_a_default_that_won_is_named_as_the_winner(summary: Summary) -> None:
    held = everything(summary).held
    itself = replace(held.others[0], is_winner=True)
    rows = beside_rows(replace(everything(summary), held=replace(held, others=(itself,))))
    assert ScoreRow("the default configuration is the winner") in rows
    assert not any(row.name.startswith("winner minus") for row in rows)
