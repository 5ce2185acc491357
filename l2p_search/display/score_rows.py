"""The test scores of a search in one table: each mean with its two 95 % intervals."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from l2p_search.display.beside import rule_text
from l2p_search.display.phrases import count
from l2p_search.display.summary import Summary
from l2p_search.held import Against, LabelAccess
from l2p_search.intervals import TOO_FEW, Interval, interval_of_test, two_digits
from l2p_search.metrics import briefly
from l2p_search.other_nodes import (
    NOT_RECORDED,
    OTHER_NODES,
    THIS_GRAPH,
    Estimate,
    estimate_of_test,
)

_BOUNDS = len("-114.18 to +130.14")
"""Characters of an interval."""
_NARROW = 90
"""Columns below which names and numbers do not fit side by side."""
_OPTIMISM = "optimism of shared validation (points)"


@dataclass(frozen=True)
class ScoreRow:
    """One score, or a difference of two.

    Attributes:
        name: What it is the score of.
        mean: In percent, or in points with its sign; empty where there is none.
        here: Its interval for this graph, other seeds and splits.
        elsewhere: Its interval for other nodes of this kind, or that its nodes were not recorded;
            empty for a number that somebody else reports.
    """

    name: str
    mean: str = ""
    here: str = ""
    elsewhere: str = ""


def score_table(summary: Summary, rows: "Sequence[ScoreRow]", width: int) -> RenderableType | None:
    """Rows of scores for a console of that width; None without any.

    On a narrow one a score has two lines: its name, and its numbers below it.
    """
    if not rows:
        return None
    title = f"{briefly('test', summary.metric)} %"
    if width < _NARROW:
        return _narrow(rows, title)
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(f"{title}, and 95 % intervals for", overflow="fold", vertical="bottom")
    table.add_column("mean", justify="right", no_wrap=True, vertical="bottom")
    for name in (THIS_GRAPH, OTHER_NODES):
        table.add_column(name, justify="right", width=_BOUNDS, vertical="bottom")
    for row in rows:
        table.add_row(*map(Text, (row.name, row.mean, row.here, row.elsewhere)))
    return table


def _narrow(rows: "Sequence[ScoreRow]", title: str) -> RenderableType:
    head = f"{title}: mean; 95 % intervals for {THIS_GRAPH}; for {OTHER_NODES}"
    lines = [Text(head, style="bold")]
    for row in rows:
        lines.append(Text(row.name))
        if row.mean:
            numbers = f"{row.mean:>10}  {row.here:>{_BOUNDS}}  {row.elsewhere:>{_BOUNDS}}"
            lines.append(Text(numbers.rstrip()))
    return Group(*lines)


def score_rows(summary: Summary) -> list[ScoreRow]:
    """The rows of that table: the number to quote, what else is known of it, what it is beside.

    Args:
        summary: What a search found.

    Returns:
        The rows in their order; none where nothing was tested.
    """
    rows = [*_winner(summary), *_ties(summary)]
    for role in ("default", "mlp", "backbone"):
        other = summary.held.of(role)
        if other is not None and not other.is_winner:
            rows += _against(other)
    if summary.held.labels is not None:
        rows += _labels(summary.held.labels)
    return rows


def beside_rows(summary: Summary) -> list[ScoreRow]:
    """What belongs beside the number to quote: what it is better than, and how it holds otherwise.

    Args:
        summary: What a search found.

    Returns:
        Of the rows of `score_rows` those that say how far the headline can be trusted; what the
        winner is compared with stands in the line of the difference. None where nothing was
        tested.
    """
    rows = []
    for role in ("default", "mlp", "backbone"):
        other = summary.held.of(role)
        if other is not None and other.is_winner:
            rows.append(ScoreRow(f"{other.name} is the winner"))
        elif other is not None:
            name = "the default" if role == "default" else other.name
            if (reached := interval_of_test(other.result)) is not None:
                name += f" ({two_digits(reached.mean)} %)"
            rows.append(_minus(other, name))
    labels = summary.held.labels
    if labels is not None and labels.difference is not None:
        name = f"  the same with equal labels: {labels.judged.in_words}"
        rows.append(_row(name, labels.difference, "+"))
    rows += _otherwise(summary)
    if labels is not None:
        rows.append(_row(_OPTIMISM, labels.optimism, "+"))
    return rows


def _winner(summary: Summary) -> list[ScoreRow]:
    best = summary.best
    if best is None or summary.confirmed is None:
        return _otherwise(summary)
    seeds = count(len(summary.confirmations[best.number].seeds), "fresh seed")
    both = Estimate(summary.confirmed, summary.elsewhere)
    return [_row(f"CONFIRMED on {seeds}", both), *_otherwise(summary)]


def _otherwise(summary: Summary) -> list[ScoreRow]:
    """The winner's score by other trials, on other splits and seeds, by other rules of choice."""
    held, rows = summary.held, []
    if summary.confirmed is not None and summary.luck is not None:
        rows.append(_row("with the luck of the search: other trials, too", summary.luck))
    if held.estimate_on_fresh_splits is not None and held.rule is not None:
        number, _, rule = held.rule.partition("x")
        splits = count(int(number), "fresh split")
        rows.append(_row(f"on {splits}, {rule_text(rule)}", held.estimate_on_fresh_splits))
    elif held.no_fresh_splits is not None:
        rows.append(ScoreRow(f"on fresh splits: none, {held.no_fresh_splits}"))
    if summary.protocol is not None:
        rows.append(_row("the paper's protocol: the search's own seeds", summary.protocol))
    elif summary.confirmed is not None or rows:
        rows.append(ScoreRow("the paper's protocol: sealed, trials have no test score"))
    if summary.nested is not None:
        rows.append(_row("nested: each split with what the others choose", summary.nested))
    if summary.overtuning is not None:
        rows.append(_row("overtuning: the paper's protocol minus nested", summary.overtuning, "+"))
    if summary.paper is not None:
        number, _, method = summary.paper.partition(" % ")
        rows.append(ScoreRow(f"the paper reports {method}".rstrip(), number))
    return rows


def _ties(summary: Summary) -> list[ScoreRow]:
    """Those that are as good on validation, on the same fresh seeds."""
    best = None if summary.best is None else summary.best.number
    return [
        _row(f"tie: trial {number}", estimate)
        for number, result in summary.confirmations.items()
        if number != best and (estimate := estimate_of_test(result)) is not None
    ]


def _against(other: Against) -> list[ScoreRow]:
    was = "" if other.trial is None else f" (trial {other.trial})"
    default = other.role == "default"
    name = "default" if default else other.name
    whole = other.name if default else f"{other.name} with the winner's settings"
    rows = []
    if (score := estimate_of_test(other.result)) is not None:
        rows.append(_row(f"{whole}{was}", score))
    return [*rows, _minus(other, name, "  ")]


def _minus(other: Against, name: str, indented: str = "") -> ScoreRow:
    """The difference that a verdict rests on."""
    minus = Estimate(other.difference, other.elsewhere)
    return _row(f"{indented}winner minus {name}: {other.verdict}", minus, "+")


def _labels(labels: LabelAccess) -> list[ScoreRow]:
    """The winner and its backbone with the same labels, and what sharing validation flatters."""
    share = f"{labels.share:g} of validation"
    rows = []
    if labels.control_test is not None and labels.difference is not None:
        verdict = labels.judged.in_words
        rows = [
            _row(f"equal labels: phi on {share}", labels.test),
            _row(f"equal labels: {labels.control}", labels.control_test),
            _row(f"  the first minus the second: {verdict}", labels.difference, "+"),
        ]
    return [*rows, _row(_OPTIMISM, labels.optimism, "+")]


def _row(name: str, score: Estimate | Interval, sign: str = "") -> ScoreRow:
    here = score.this_graph if isinstance(score, Estimate) else score
    there = score.other_nodes if isinstance(score, Estimate) else None
    known = here.bounds(sign) or TOO_FEW
    elsewhere = known if here.low is None else NOT_RECORDED
    if there is not None:
        elsewhere = there.bounds(sign) or TOO_FEW
    return ScoreRow(name, two_digits(here.mean, sign), known, elsewhere)


def as_lists(rows: Sequence[ScoreRow]) -> list[list[str]]:
    """The rows as plain cells, for a page."""
    return [[row.name.strip(), row.mean, row.here, row.elsewhere] for row in rows]
