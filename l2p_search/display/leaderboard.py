"""The table of the best trials."""

from collections.abc import Collection, Sequence

from rich.box import SIMPLE
from rich.table import Table

from l2p_search.display.phrases import plain
from l2p_search.metrics import Metric, briefly
from l2p_search.results import TrialStatus
from l2p_search.trial_record import TrialRecord

LEGEND = (
    "sd is the standard deviation over seeds. A tie may be as good as the best: Hsu's comparison"
    " with the best, at 5 %, does not rule it out."
)
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
) -> Table:
    """A table of trials: their score, whether they tie with the best, hyperparameters.

    Args:
        records: The trials to show, in this order.
        keys: The hyperparameters that get a column.
        best: The search's best trial.
        ties: The numbers of the trials that tie with it.
        title: The line above the table.
        metric: What the trials are judged by.
        alive: Whether the search runs now; if not, a trial without an end was interrupted.
        width: Columns of the screen. Where hyperparameters do not fit side by side, a trial has
            them in one column that goes on in the next line. None for as many as it takes.

    Returns:
        The table, for a rich console.
    """
    rows = [_row(record, best, ties, alive) for record in records]
    values = [record.config.to_mapping() for record in records]
    score = f"{briefly('validation', metric)} %"
    heads = ["trial", score, "sd", "seeds", "seconds", ""]
    settings = [[plain(each[key]) for key in keys] for each in values]
    whole = _width([*heads, *keys], [[*a, *b] for a, b in zip(rows, settings, strict=True)])
    if width is None or whole <= width:
        table = Table(title=title, title_style="", title_justify="left")
        for head in (*heads, *keys):
            table.add_column(head, justify="left" if head == "" else "right", no_wrap=True)
        for row, setting in zip(rows, settings, strict=True):
            table.add_row(*row, *setting)
        return table
    # Too narrow for a column each: the configuration in one, which goes on in the next line.
    table = Table(title=title, title_style="", title_justify="left", box=SIMPLE, pad_edge=False)
    for head in ("trial", score, "sd", ""):
        table.add_column(head, justify="left" if head == "" else "right", no_wrap=True)
    table.add_column("configuration", overflow="fold")
    for row, setting in zip(rows, settings, strict=True):
        config = " ".join(f"{key}={value}" for key, value in zip(keys, setting, strict=True))
        table.add_row(*row[:3], row[5], config)
    return table


def _row(
    record: TrialRecord, best: TrialRecord | None, ties: Collection[int], alive: bool
) -> list[str]:
    """What a trial has in every table: number, score, spread, seeds, seconds, note."""
    result, score, spread = record.result, "-", "-"
    if result is not None and result.val_mean is not None:
        score = f"{result.val_mean:.2f}"
        spread = f"{result.val_std:.2f}" if len(result.finished) > 1 else "-"
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
    """Characters that a table takes: its columns, a blank on either side of each, and lines."""
    columns = zip(heads, *rows, strict=True) if rows else ((head,) for head in heads)
    return sum(max(map(len, column)) + 3 for column in columns) + 1
