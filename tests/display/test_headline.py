"""The first lines of a result, at every width."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from l2p_search.display.headline import headline, verdicts
from l2p_search.display.summary import Summary
from l2p_search.display.travel import travel_in_words
from l2p_search.held import Against, HeldAgainst, judged_together
from l2p_search.intervals import Interval
from l2p_search.trial_record import best_first
from l2p_search.verdicts import Judged, verdict_on
from tests.display.told import everything
from tests.searching.records.made import result


def _said(summary: Summary, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width)
    console.print(headline(summary), highlight=False)
    if (lines := verdicts(summary.held)) is not None:
        console.print(lines, highlight=False)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.splitlines())


def _one(role: str, name: str, low: float, high: float, **more: object) -> Against:
    interval = Interval((low + high) / 2, low, high, 10)
    return Against(
        role,  # type: ignore[arg-type]
        name,
        result((81.0, 81.0)),
        interval,
        judged=verdict_on(interval),
        **more,  # type: ignore[arg-type]
    )


def test_the_first_lines_say_which_configuration_which_number_and_how_far(
    summary: Summary,
) -> None:
    best = summary.best
    assert best is not None
    assert best.result is not None
    lines = _said(summary).splitlines()
    assert lines[0] == "search told: 12 trials on small, 12 with all 20 seeds"
    one = _said(replace(summary, seeds=1)).splitlines()[0]
    assert one == "search told: 12 trials on small, 12 with their one seed"
    assert summary.confirmed is not None
    assert lines[2] == f"L2Q reaches {summary.confirmed.mean:.2f} % test accuracy on small."
    del lines[2:4]
    assert lines[2].startswith("best configuration       dropout=")
    assert lines[2].endswith(f"(trial {best.number})")
    assert lines[3] == f"on validation            {best.objective:.2f} %"
    assert lines[4].startswith(f"CONFIRMED TEST ACCURACY  {summary.confirmed} %  on 3 fresh seeds")
    assert lines[4].endswith("that chose nothing: the number to quote")
    assert lines[5].strip() == ("± is the 95 % interval for this graph, other seeds and splits")
    assert lines[6].strip() == "for other nodes of this kind it is not recorded"
    assert lines[7] == f"how far nodes look       {travel_in_words(best.result)}"


def test_without_a_confirmation_nothing_is_there_to_quote(summary: Summary) -> None:
    bare = replace(summary, confirmed=None, confirmations={})
    said = _said(bare)
    assert "CONFIRMED" not in said
    assert "to quote" not in said
    assert "±" not in said
    words = " ".join(said.split())
    assert "L2Q has the best validation score of 12 trials on small; no test score of" in words
    assert "it is confirmed on fresh seeds." in words
    assert summary.best is not None
    failed = replace(bare, unconfirmed={summary.best.number: "its worker died"})
    assert "not confirmed" in _said(failed)
    assert "its worker died" in _said(failed)


def test_every_verdict_is_a_line_with_its_paired_difference(summary: Summary) -> None:
    held = HeldAgainst(
        (
            _one("default", "the default configuration", 1.0, 3.0, trial=7),
            _one("mlp", "MLP", -0.82, 1.10),
            _one("backbone", "APPNP", -3.0, -1.0),
        )
    )
    lines = _said(replace(summary, held=held)).splitlines()[-3:]
    assert [line.split("  ")[0] for line in lines] == [
        "better than the default?",
        "better than MLP?",
        "better than APPNP?",
    ]
    assert "better " in lines[0].partition("?")[2]
    assert lines[0].endswith("+2.00 ± 1.00 points")
    assert "equivalent within 1 point" in lines[1]
    assert lines[2].endswith("worse                      -2.00 ± 1.00 points")
    itself = HeldAgainst((_one("default", "d", 0.0, 0.0, trial=0, is_winner=True),))
    assert "better than the default?  it is the winner" in _said(replace(summary, held=itself))


def test_the_answer_says_what_it_is_better_than_and_what_is_open(summary: Summary) -> None:
    told = everything(summary)
    score = f"L2Q reaches {summary.confirmed.mean:.2f} % test accuracy on small"  # type: ignore[union-attr]
    words = " ".join(_said(told).split())
    assert f"{score}: better than APPNP on the same labels; undecided against the default" in words
    assert "undecided against the default configuration and MLP." in words
    small = Judged("better", 1.0, p_difference=0.01, p_equivalence=0.01)
    worse, alike = Judged("worse"), Judged("equivalent", 0.5)
    others = [replace(told.held.others[1], judged=each) for each in (alike, worse, small)]
    words = " ".join(_said(replace(told, held=HeldAgainst(tuple(others)))).split())
    assert (
        f"{score}: better than MLP by less than 1 point; worse than MLP; equivalent to MLP within"
        " 0.5 points." in words
    )


def test_a_verdict_that_only_holm_leaves_undecided_is_explained(summary: Summary) -> None:
    barely = _one("mlp", "MLP", 0.05, 2.0)
    alone, three = (
        replace(summary, held=HeldAgainst(judged_together([barely] * number))) for number in (1, 3)
    )
    note = "undecided though an interval leaves out 0: the 3 verdicts are to hold together (Holm)"
    assert _said(three).splitlines()[-1] == note
    assert "Holm" not in _said(alone)


def test_two_seeds_that_disagree_are_said_to_tell_nothing(summary: Summary) -> None:
    wide = Interval(52.96, 52.96 - 460.43, 52.96 + 460.43, 2)
    said = _said(replace(summary, confirmed=wide, elsewhere=wide))
    assert "CONFIRMED TEST ACCURACY  52.96 ± over 50 %" in said
    assert "3 fresh seeds cannot tell how far off that is: --confirm 10 or more can" in said
    assert "460" not in said
    assert "the 95 % interval" not in said


def test_one_seed_has_no_interval_to_explain(summary: Summary) -> None:
    alone = Interval(58.73, None, None, 1)
    said = _said(replace(summary, confirmed=alone, elsewhere=alone))
    assert "CONFIRMED TEST ACCURACY  58.73 %" in said
    assert "cannot tell how far off that is: --confirm 10 or more can" in said
    assert "±" not in said.partition("better than")[0]


def test_l2p_that_learned_to_be_an_mlp_is_told(summary: Summary) -> None:
    assert "learned to be an MLP" not in _said(summary)
    said = _said(replace(summary, held=HeldAgainst(own_share=0.987)), width=140)
    assert "; it learned to be an MLP: q(0) is 0.99" in said


def test_ties_and_raced_out_rivals_are_counted(summary: Summary) -> None:
    best = summary.best
    assert best is not None
    assert summary.ties == {best.number}
    assert "tied with" not in _said(summary)
    others = [record.number for record in best_first(summary.records)][1:]
    tied = replace(summary, ties={best.number, others[1]}, still_open=2)
    told = f" %, tied with 1 other: trial {others[1]}; 2 raced-out trials may be as good, too"
    assert told in _said(tied)
    many = replace(summary, ties={best.number, *others[:8]})
    named = ", ".join(map(str, others[:6]))
    assert f" %, tied with 8 others: trials {named}, ..\n" in _said(many)


def test_a_search_without_a_result_says_so(summary: Summary) -> None:
    bare = replace(summary, records=[], best=None, ties=set(), confirmed=None, confirmations={})
    assert "No trial finished, so there is no best one." in _said(bare)


@pytest.mark.parametrize("width", [60, 80, 100])
def test_no_line_is_wider_than_the_screen_and_none_is_cut(summary: Summary, width: int) -> None:
    held = HeldAgainst((_one("backbone", "GCNII", -103.0, 101.0),))
    said = _said(replace(summary, held=held), width)
    assert max(map(len, said.splitlines())) <= width
    assert "…" not in said
    assert "better than GCNII?" in said
