"""Tell a search's result on one screen, or in full: all numbers, the best trials, importance."""

import io

from rich.console import Console

from l2p_search.display.charts import bar, bar_chart
from l2p_search.display.headline import headline, in_short, verdicts
from l2p_search.display.leaderboard import LEGEND, leaderboard
from l2p_search.display.phrases import count
from l2p_search.display.score_rows import beside_rows, score_rows, score_table
from l2p_search.display.summary import Summary
from l2p_search.effects import Effects
from l2p_search.metrics import Metric, title
from l2p_search.results import TrialStatus
from l2p_search.trial_record import best_first

_SHOWN = 5
"""Trials in the table; `l2p-search trials` has the others."""
PIPED_WIDTH = 100
"""Columns of a result that goes to a file or a pipe."""
_UNDECIDED = (
    "undecided: either may be better; more fresh seeds (--confirm) tell smaller differences"
)
_NEXT_STEPS = 8
"""Lines that follow a result on the screen."""


def summary_text(summary: Summary, width: int | None = None, *, full: bool = False) -> str:
    """The summary as plain text.

    Args:
        summary: What it says.
        width: The width of its lines in characters.
        full: Whether everything is told, not only what fits on a screen.

    Returns:
        Lines of text.
    """
    console = Console(file=io.StringIO(), width=width or PIPED_WIDTH)
    (print_full if full else print_result)(summary, console)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def print_to_terminal(summary: Summary, console: Console) -> None:
    """Print the result; where its first lines leave the screen, the number once more at its end.

    Args:
        summary: What it says.
        console: A terminal.
    """
    print_result(summary, console)
    lines = len(summary_text(summary, console.width).splitlines())
    again = in_short(summary)
    if again is not None and lines + _NEXT_STEPS > console.height:
        console.print()
        console.print(again, highlight=False)


def print_verdict(summary: Summary, console: Console) -> None:
    """Print the first lines of the summary alone: one of several searches that are compared.

    Args:
        summary: What it says.
        console: Where; lines take its width.
    """
    console.print(headline(summary), highlight=False)
    if (lines := verdicts(summary.held)) is not None:
        console.print()
        console.print(lines, highlight=False)
    _print_exceptions(summary, console)


def print_result(summary: Summary, console: Console) -> None:
    """Print what a person wants to know at the end of a search, on one screen.

    Args:
        summary: What it says.
        console: Where; lines take its width.
    """
    console.print(headline(summary), highlight=False)
    if (scores := score_table(summary, beside_rows(summary), console.width)) is not None:
        console.print()
        console.print(scores, highlight=False)
    if summary.held.together:
        console.print(summary.held.together, highlight=False, markup=False)
    elif summary.held.undecided:
        console.print(_UNDECIDED, highlight=False)
    _print_exceptions(summary, console)


def print_full(summary: Summary, console: Console) -> None:
    """Print everything: the verdict, all scores, the best trials, what mattered.

    Args:
        summary: What it says.
        console: Where; lines take its width.
    """

    def say(line: str = "") -> None:
        console.print(line, highlight=False, markup=False)

    print_verdict(summary, console)
    best = summary.best
    if best is None or best.result is None:
        return
    if best.result.profile is not None:
        say()
        say(f"q(t), the share of step t, of trial {best.number} over all nodes")
        say(bar_chart(best.result.profile))
    if (scores := score_table(summary, score_rows(summary), console.width)) is not None:
        say()
        console.print(scores, highlight=False)
    for line in _asides(summary):
        say(line)
    complete = [r for r in summary.records if r.status is TrialStatus.COMPLETE]
    say()
    console.print(
        leaderboard(
            best_first(complete)[:_SHOWN],
            keys=summary.keys,
            best=best,
            ties=summary.ties,
            title="",
            metric=summary.metric,
            width=console.width,
        )
    )
    say(LEGEND)
    if summary.importance is not None:
        say()
        for line in _importance(summary.importance, summary.metric):
            say(line)


def _print_exceptions(summary: Summary, console: Console) -> None:
    for line in _exceptions(summary):
        console.print(line, highlight=False, markup=False)


def _exceptions(summary: Summary) -> list[str]:
    lines = []
    failed = [r for r in summary.records if r.status is TrialStatus.FAILED]
    if failed:
        lines.append(f"{count(len(failed), 'trial')} failed; the first: {failed[0].reason}")
    if summary.exhausted:
        lines.append(
            f"Every configuration of the space was visited: {len(summary.records)} in all."
        )
    lines += [f"{name} could not be trained: {why}" for name, why in summary.unchecked.items()]
    return lines


def _asides(summary: Summary) -> list[str]:
    """What is told of the numbers beyond themselves: where their spread is from, who looked."""
    lines = []
    if summary.spread is not None:
        told, _, plan = str(summary.spread).partition("; ")
        lines += [f"spread of test {title(summary.metric)} (sd): {told}", *[plan] * bool(plan)]
    if summary.looks:
        lines.append(summary.looks)
    return lines


def _importance(effects: Effects, metric: Metric) -> list[str]:
    head = f"importance for validation {title(metric)}"
    if not effects.told:
        return [
            f"{head}: nothing to be told",
            "  from the hyperparameters it cannot be predicted which trials are good",
            f"  {effects.basis}",
        ]
    rows = [(key, str(each), each.share) for key, each in effects.shares.items()]
    rows.append(("interactions", f"{effects.interactions:.2f}", effects.interactions))
    width = max(len(key) for key, _, _ in rows)
    return [
        f"{head}: shares of its variance over the space (fANOVA; 95 % interval)",
        *(
            f"  {key:<{width}}  {words:<19}  {bar(share, 30)}".rstrip()
            for key, words, share in rows
        ),
        f"  {effects.basis}",
    ]
