"""The table of the best trials."""

from collections.abc import Collection, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from l2p_search.display.phrases import plain, two_digits_or_none
from l2p_search.metrics import Metric, briefly
from l2p_search.results import TrialStatus
from l2p_search.trial_record import TrialRecord

LEGEND = (
    "sd: standard deviation over seeds; tie: Hsu's comparison with the best, at 5 %, keeps it in"
)
_GAP = 1
"""Blanks after a column, beside the one that the box has."""
_STATUS = {
    TrialStatus.COMPLETE: "",
    TrialStatus.RACED_OUT: "raced out",
    TrialStatus.FAILED: "failed",
    TrialStatus.RUNNING: "running",
}


def leaderboard(
    records: Sequence[TrialRecord],
    *,
    keys: Sequence[str],
    best: TrialRecord | None,
    ties: Collection[int],
    title: str,
    metric: Metric = "accuracy",
    alive: bool = True,
    width: int | None = None,
) -> RenderableType:
    """A table of trials: their score, whether they tie with the best, hyperparameters.

    Args:
        records: The trials to show, in this order.
        keys: The hyperparameters that get a column.
        best: The search's best trial.
        ties: The numbers of the trials that tie with it.
        title: The line above the table; empty for none.
        metric: What the trials are judged by.
        alive: Whether the search runs now; if not, a trial without an end was interrupted.
        width: Columns of the screen. Where hyperparameters do not fit side by side, a trial has
            them in a line of its own below its score. None for as many as it takes.

    Returns:
        The table, for a rich console.
    """
    rows = [_row(record, best, ties, alive) for record in records]
    values = [record.config.to_mapping() for record in records]
    heads = ["trial", f"{briefly('validation', metric)} %", "sd", "seeds", "seconds", ""]
    settings = [[plain(each[key]) for key in keys] for each in values]
    whole = _width([*heads, *keys], [[*a, *b] for a, b in zip(rows, settings, strict=True)])
    lines: list[RenderableType] = [Text(title)] if title else []
    if width is None or whole <= width:
        table = _table([*heads, *keys])
        for row, setting in zip(rows, settings, strict=True):
            table.add_row(*row, *setting)
        return Group(*lines, table)
    # Too narrow for a column each: the configuration below its trial.
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    lines.append(Text(_aligned(heads, widths), style="bold"))
    for row, setting in zip(rows, settings, strict=True):
        config = " ".join(f"{key}={value}" for key, value in zip(keys, setting, strict=True))
        lines += [Text(_aligned(row, widths)), Padding(Text(config), (0, 0, 0, widths[0] + 2))]
    return Group(*lines)


def _table(heads: Sequence[str]) -> Table:
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, _GAP, 0, 0))
    for head in heads:
        table.add_column(head, justify="left" if head == "" else "right", no_wrap=True)
    return table


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    """The cells of one line: numbers to the right, the note to the left."""
    *numbers, note = zip(cells, widths, strict=True)
    return "  ".join([*(f"{cell:>{width}}" for cell, width in numbers), note[0]])


def _row(
    record: TrialRecord, best: TrialRecord | None, ties: Collection[int], alive: bool
) -> list[str]:
    """What a trial has in every table: number, score, spread, seeds, seconds, note."""
    result, score, spread = record.result, "-", "-"
    if result is not None and result.val_mean is not None:
        score = f"{result.val_mean:.2f}"
        spread = two_digits_or_none(result.val_std)
    note = _STATUS[record.status]
    if record.status is TrialStatus.RUNNING and not alive:
        note = "interrupted"
    if best is not None and record.number == best.number:
        note = "best"
    elif record.number in ties:
        note = "tie"
    return [
        str(record.number),
        score,
        spread,
        str(len(result.finished)) if result else "-",
        f"{result.seconds:.1f}" if result else "-",
        note,
    ]


def _width(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Characters that a table takes: its columns and the blanks between them."""
    columns = zip(heads, *rows, strict=True) if rows else ((head,) for head in heads)
    return sum(max(map(len, column)) + _GAP + 1 for column in columns)
