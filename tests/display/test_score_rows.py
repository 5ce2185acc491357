"""All scores of a search in one table, with both intervals under their names."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from l2p_search.display.score_rows import ScoreRow, as_lists, score_rows, score_table
from l2p_search.display.summary import Summary
from l2p_search.held import Against, HeldAgainst, LabelAccess
from l2p_search.intervals import Interval
from l2p_search.other_nodes import Estimate
from l2p_search.results import TrialResult
from l2p_search.verdicts import Judged, verdict_on
from tests.searching.records.made import result

_DIFFERENCE = Interval(-1.0, -3.0, 1.0, 10)


def _everything(summary: Summary) -> Summary:
    """A summary that has all there can be."""
    other: TrialResult = result((81.0, 82.0))
    mlp = Against("mlp", "MLP", other, _DIFFERENCE, _DIFFERENCE, judged=verdict_on(_DIFFERENCE))
    default = replace(mlp, role="default", name="the default configuration", trial=3)
    labels = LabelAccess(
        share=0.5,
        optimism=Interval(0.7, 0.1, 1.3, 10),
        test=Estimate(Interval(80.0, 79.0, 81.0, 10), Interval(80.0, 78.0, 82.0, 10)),
        control="APPNP on the same labels",
        control_test=Estimate(Interval(70.0, 69.0, 71.0, 10), None),
        difference=Estimate(Interval(10.0, 9.0, 11.0, 10), Interval(10.0, 8.0, 12.0, 10)),
        judged=Judged("better"),
    )
    held = HeldAgainst(
        (default, mlp), fresh_splits=other, rule="20x48/32/20", own_share=0.2, labels=labels
    )
    return replace(
        summary,
        elsewhere=Interval(80.0, 76.0, 84.0, 10),
        luck=Estimate(Interval(80.0, 77.0, 83.0, 10), Interval(80.0, 75.0, 85.0, 10)),
        nested=Estimate(Interval(81.0, 80.0, 82.0, 10), Interval(81.0, 78.0, 84.0, 10)),
        overtuning=Interval(0.4, -0.1, 0.9, 10),
        paper="85.20 % (l2q)",
        held=held,
        confirmations={**summary.confirmations, 99: other},
    )


def _named(summary: Summary) -> dict[str, ScoreRow]:
    return {row.name.strip(): row for row in score_rows(summary)}


def test_the_number_to_quote_comes_first_with_both_intervals(summary: Summary) -> None:
    row = score_rows(_everything(summary))[0]
    confirmed = summary.confirmed
    assert confirmed is not None
    assert row.name == "CONFIRMED on 3 fresh seeds"
    assert row.mean == f"{confirmed.mean:.2f}"
    assert row.here == f"{confirmed.low:.2f} to {confirmed.high:.2f}"
    assert row.elsewhere == "76.00 to 84.00"
    assert score_rows(summary)[0].elsewhere == "not recorded"


def test_what_a_reviewer_asks_for_has_a_row_each(summary: Summary) -> None:
    rows = _named(_everything(summary))
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
    assert score_table(bare, 100) is None
    none = HeldAgainst(no_fresh_splits="splits by time cannot be drawn anew")
    (row, *_) = score_rows(replace(bare, held=none))
    assert row == ScoreRow("on fresh splits: none, splits by time cannot be drawn anew")


def test_a_sealed_search_says_that_there_is_no_protocol(summary: Summary) -> None:
    said = [row.name for row in score_rows(replace(summary, protocol=None))]
    assert "the paper's protocol: sealed, trials have no test score" in said


@pytest.mark.parametrize("width", [60, 90, 100, 160])
def test_the_table_fits_and_names_both_intervals(summary: Summary, width: int) -> None:
    console = Console(file=io.StringIO(), width=width)
    console.print(score_table(_everything(summary), width))
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    words = " ".join(text.split())
    assert "76.00 to 84.00" in words
    for word in ("this graph,", "seeds and splits", "other nodes", "kind"):
        assert word in words


def test_a_page_takes_the_same_rows_as_cells(summary: Summary) -> None:
    rows = score_rows(_everything(summary))
    cells = as_lists(rows)
    assert len(cells) == len(rows)
    assert cells[0] == [rows[0].name, rows[0].mean, rows[0].here, rows[0].elsewhere]


def test_the_numbers_of_a_name_over_two_lines_stand_on_one(summary: Summary) -> None:
    held = replace(_everything(summary).held, rule="20x81/37/32-nodes")
    console = Console(file=io.StringIO(), width=90)
    console.print(score_table(replace(_everything(summary), held=held), 90))
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
