"""The table of the best trials."""

from collections.abc import Collection, Sequence

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

    Returns:
        The table, for a rich console.
    """
    table = Table(title=title, title_style="", title_justify="left")
    table.add_column("trial", justify="right")
    table.add_column(f"{briefly('validation', metric)} %", justify="right", no_wrap=True)
    table.add_column("sd", justify="right")
    table.add_column("seeds", justify="right")
    table.add_column("seconds", justify="right")
    table.add_column("", no_wrap=True)
    for key in keys:
        table.add_column(key, justify="right")
    for record in records:
        result, values = record.result, record.config.to_mapping()
        score, spread = "-", "-"
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
        table.add_row(
            str(record.number),
            score,
            spread,
            str(len(result.finished)) if result else "-",
            f"{result.seconds:.1f}" if result else "-",
            note,
            *(plain(values[key]) for key in keys),
        )
    return table
