"""The summary of a search: the number to quote, a table of trials, and small charts."""

import io
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from rich.console import Console

from l2p_search.display.beside import (
    control_lines,
    default_text,
    fresh_splits_text,
    label_lines,
    luck_text,
    mlp_text,
)
from l2p_search.display.charts import bar, bar_chart
from l2p_search.display.leaderboard import LEGEND, leaderboard
from l2p_search.display.phrases import count
from l2p_search.display.travel import travel_in_words
from l2p_search.effects import Effects
from l2p_search.held import HeldAgainst
from l2p_search.intervals import Interval, interval_of_validation
from l2p_search.metrics import Metric, briefly, title
from l2p_search.other_nodes import THIS_GRAPH, Estimate, estimate_of_test
from l2p_search.results import TrialResult, TrialStatus
from l2p_search.trial_record import TrialRecord, best_first
from l2p_search.variances import Spread

_SHOWN = 10
_PIPED_WIDTH = 140


@dataclass(frozen=True, kw_only=True)
class Summary:
    """What a summary says.

    Attributes:
        name: The search's name.
        dataset: The graph's name.
        seeds: Seeds per trial.
        keys: The hyperparameters that vary.
        records: All trials.
        best: The complete trial with the highest validation score; None without one.
        ties: The numbers of the best and of the trials that validation cannot tell from it.
        confirmations: Trial number -> its result on fresh seeds.
        confirmed: The best's test accuracy on fresh seeds.
        elsewhere: The same for other nodes of this kind; None where nodes were not recorded.
        spread: Where the spread of test accuracy comes from.
        still_open: How many raced-out trials are not ruled out.
        protocol: Its test accuracy on the search's own seeds.
        nested: Test accuracy on each split with what the other splits choose.
        overtuning: `protocol` minus `nested`, paired by split.
        paper: What the paper reports, as text.
        importance: What mattered; None where there are too few trials.
        exhausted: Whether every configuration of the space was visited.
        unconfirmed: Trial number -> why training on fresh seeds failed.
        luck: `confirmed` with the luck of the search in its interval; None where unknown.
        looks: How often test labels were read, in words.
        held: The best on those seeds beside the default configuration and controls.
        unchecked: What of these could not be trained, by name -> why.
    """

    name: str
    dataset: str
    seeds: int
    keys: Sequence[str]
    records: Sequence[TrialRecord]
    best: TrialRecord | None
    ties: Collection[int]
    confirmations: Mapping[int, TrialResult]
    confirmed: Interval | None
    protocol: Interval | None
    paper: str | None
    importance: Effects | None
    metric: Metric = "accuracy"
    nested: Interval | None = None
    overtuning: Interval | None = None
    exhausted: bool = False
    unconfirmed: Mapping[int, str]
    elsewhere: Interval | None = None
    spread: Spread | None = None
    still_open: int = 0
    luck: Interval | None = None
    looks: str = ""
    held: HeldAgainst = field(default_factory=HeldAgainst)
    unchecked: Mapping[str, str] = field(default_factory=dict)


def summary_text(summary: Summary, width: int | None = None) -> str:
    """The summary as plain text.

    Args:
        summary: What it says.
        width: The width of the table in characters.

    Returns:
        Lines of text.
    """
    console = Console(file=io.StringIO(), width=width or _PIPED_WIDTH)
    print_summary(summary, console)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text


def print_summary(summary: Summary, console: Console) -> None:
    """Print the summary.

    Args:
        summary: What it says.
        console: Where; the table takes its width.
    """
    records, best = summary.records, summary.best
    complete = [r for r in records if r.status is TrialStatus.COMPLETE]
    heading = (
        f"search {summary.name}: {count(len(records), 'trial')} on {summary.dataset},"
        f" {len(complete)} with all {count(summary.seeds, 'seed')}"
    )
    console.print(
        leaderboard(
            best_first(complete)[:_SHOWN],
            keys=summary.keys,
            best=best,
            ties=summary.ties,
            title=heading,
            metric=summary.metric,
            width=console.width,
        )
    )
    lines = [LEGEND, *_exceptions(summary)]
    if best is None or best.result is None:
        lines.append("No trial finished, so there is no best one.")
    else:
        lines += ["", *_scores(summary, best, best.result)]
        if best.result.profile is not None:
            lines += [
                "",
                f"profile of trial {best.number}: {travel_in_words(best.result)}",
                bar_chart(best.result.profile),
            ]
        if summary.importance is not None:
            lines += ["", *_importance(summary.importance, summary.metric)]
    # A terminal would break words; a file keeps its lines.
    whole = not console.is_terminal
    console.print("\n".join(lines), highlight=False, markup=False, soft_wrap=whole)


def _exceptions(summary: Summary) -> list[str]:
    lines = []
    failed = [r for r in summary.records if r.status is TrialStatus.FAILED]
    if failed:
        lines.append(f"{count(len(failed), 'trial')} failed; the first: {failed[0].reason}")
    if summary.exhausted:
        lines.append(
            f"Every configuration of the space was visited: {len(summary.records)} in all."
        )
    return lines


def _scores(summary: Summary, best: TrialRecord, result: TrialResult) -> list[str]:
    ties = len(summary.ties) - 1
    headline = f"CONFIRMED TEST {title(summary.metric).upper()}:"
    width = max(len(headline), len("the paper's protocol:   "))
    lines = [
        f"best on {briefly('validation', summary.metric)}: trial {best.number},"
        f" {interval_of_validation(result)} %"
        + (f", tied with {count(ties, 'other')}" if ties > 0 else "")
    ]
    if summary.still_open:
        lines[0] += f"; {count(summary.still_open, 'raced-out trial')} may be as good, too"
    if summary.confirmed is not None:
        seeds = len(summary.confirmations[best.number].seeds)
        lines.append(f"{headline:<{width}} {summary.confirmed} %   on {seeds} fresh seeds")
        both = Estimate(summary.confirmed, summary.elsewhere)
        lines += [f"{'':<{width}} {line}" for line in both.lines]
        if summary.luck is not None:
            word = "with the search's luck:"
            lines.append(f"{word:<{width}} {luck_text(summary.luck)}")
    elif best.number in summary.unconfirmed:
        lines.append(f"not confirmed: {summary.unconfirmed[best.number]}")
    if (splits := fresh_splits_text(summary.held)) is not None:
        lines.append(f"{'on fresh splits:':<{width}} {splits}")
    elif summary.held.no_fresh_splits is not None:
        lines.append(f"{'on fresh splits:':<{width}} none: {summary.held.no_fresh_splits}")
    own = "the paper's protocol:"
    if summary.protocol is not None:
        lines.append(f"{own:<{width}} {summary.protocol} %   on the search's own seeds")
    else:
        lines.append(f"{own:<{width}} sealed: the trials have no test score")
    if summary.nested is not None:
        lines.append(
            f"{'nested:':<{width}} {summary.nested} %   each split with what the other splits"
            f" choose; {summary.overtuning} points below"
        )
    if summary.paper is not None:
        lines.append(f"{'the paper reports:':<{width}} {summary.paper}")
    quote = f"  ± is the 95 % interval for {THIS_GRAPH}, with a split's seeds taken as one."
    if summary.confirmed is not None:
        quote += " The first number is the one to quote:\n  its seeds chose nothing."
    lines.append(quote)
    others = [
        f"trial {number} {estimate_of_test(confirmed)}"
        for number, confirmed in summary.confirmations.items()
        if number != best.number
    ]
    if others:
        lines.append(f"  ties on the same fresh seeds: {', '.join(others)}")
    if summary.spread is not None:
        lines.append(f"spread of test {title(summary.metric)} (sd): {summary.spread}")
    return [*lines, *_beside(summary)]


def _beside(summary: Summary) -> list[str]:
    """What else was trained on the fresh seeds, and what the winner is above it."""
    held, metric = summary.held, summary.metric
    lines = []
    if (default := default_text(held, metric)) is not None:
        lines += ["", default]
    if controls := control_lines(held, metric):
        lines += ["controls at the winner's settings, on the same fresh seeds, paired:"]
        lines += [f"  {line}" for line in controls]
    if (mlp := mlp_text(held, metric)) is not None:
        lines.append(mlp)
    lines += label_lines(held, metric)
    if summary.looks:
        lines.append(summary.looks)
    lines += [f"{name} could not be trained: {why}" for name, why in summary.unchecked.items()]
    return lines


def _importance(effects: Effects, metric: Metric) -> list[str]:
    head = f"importance for validation {title(metric)}"
    if not effects.told:
        return [
            f"{head}: nothing to be told",
            f"  from the hyperparameters it cannot be predicted which trials are good"
            f" ({effects.basis})",
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
