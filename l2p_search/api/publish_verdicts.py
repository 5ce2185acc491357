"""What may be said of published scores: ties with the best, pairs, and ranks over graphs."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from l2p_search.api.publish_entries import Column, Entries, Entry
from l2p_search.contenders import contenders
from l2p_search.intervals import Interval
from l2p_search.over_graphs import Ranks, SignedRank, average_ranks, distinct_graphs, signed_ranks
from l2p_search.report.comparison import Comparison, compare, judged_together
from l2p_search.verdicts import MARGIN, Judged


@dataclass(frozen=True)
class Contest:
    """One graph: which method is best, and which may be as good.

    Attributes:
        best: The row with the highest mean.
        tied: The rows that Hsu's comparison with the best does not rule out.
    """

    best: str
    tied: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Pair:
    """One method against the first one on a graph.

    Attributes:
        column: The graph.
        row: The method.
        reference: The method that it is compared with.
        entry: The method's winner.
        against: The reference's winner.
        difference: The method minus the reference, in points.
        judged: The verdict, by Holm over all pairs.
        comparison: The same with the interval and the verdict for other nodes of this kind.
    """

    column: Column
    row: str
    reference: str
    entry: Entry
    against: Entry
    difference: Interval
    judged: Judged
    comparison: Comparison


@dataclass(frozen=True, kw_only=True)
class OverGraphs:
    """All methods over distinct graphs.

    Attributes:
        ranks: Average ranks over the graphs that have every method.
        pairs: Signed-rank tests of all pairs, by Holm.
        repeats: Graph -> the graph that it repeats, and which is counted in its place.
        reason: Why there is no critical difference; empty where there is one.
    """

    ranks: Ranks
    pairs: Sequence[SignedRank]
    repeats: dict[str, str]
    reason: str


def contest_of(entries: Entries, column: Column) -> Contest:
    """Find the best of a graph, and what cannot be told from it.

    Args:
        entries: What is published.
        column: The graph.

    Returns:
        The contest; with one method it is the best, and nothing is tied with it.
    """
    inside = entries.of(column)
    best = max(inside, key=lambda row: inside[row].score.mean)
    others = [row for row in inside if row != best]
    splits = {seed.seed: seed.split for seed in inside[best].result.seeds}
    found = contenders(_scores(inside[best]), [_scores(inside[row]) for row in others], splits)
    tied = frozenset(row for row, each in zip(others, found, strict=True) if each.tied)
    return Contest(best, tied)


def pairs_of(entries: Entries, margin: float = MARGIN) -> list[Pair]:
    """Compare every method with that of the first row, on every graph that has both.

    Args:
        entries: What is published.
        margin: Points within which scores are called equivalent.

    Returns:
        The comparisons, adjusted for their number by Holm; empty where there is none.
    """
    reference = entries.rows[0]
    found = [
        (column, row, entry, inside[reference])
        for column in entries.columns
        if reference in (inside := entries.of(column))
        for row, entry in inside.items()
        if row != reference
    ]
    compared = judged_together(
        [compare(against.result, entry.result, "test", margin) for _, _, entry, against in found],
        margin,
    )
    return [
        Pair(
            column=column,
            row=row,
            reference=reference,
            entry=entry,
            against=against,
            difference=comparison.difference,
            judged=comparison.judged,
            comparison=comparison,
        )
        for (column, row, entry, against), comparison in zip(found, compared, strict=True)
    ]


def over_graphs(entries: Entries) -> OverGraphs:
    """Rank the methods over graphs.

    Args:
        entries: What is published.

    Returns:
        Their ranks, and the tests of all pairs of methods.
    """
    digests = {column.label: _content(entries, column) for column in entries.columns}
    kept, repeats = distinct_graphs(digests)
    table = {
        column.label: {row: entry.score.mean for row, entry in entries.of(column).items()}
        for column in entries.columns
        if column.label in kept
    }
    ranks = average_ranks(table, entries.rows)
    reason = ""
    if len(entries.rows) < 2:
        reason = "there is one method"
    elif ranks.critical_difference is None:
        count = len(ranks.graphs)
        have = "has them" if count == 1 else "have them"
        reason = f"every method is needed on at least 2 distinct graphs, and {count} {have}"
    pairs = signed_ranks(list(combinations(entries.rows, 2)), table)
    return OverGraphs(ranks=ranks, pairs=pairs, repeats=repeats, reason=reason)


def _content(entries: Entries, column: Column) -> str | None:
    """The digest of a graph's features and labels, if one of its searches has noted it."""
    for entry in entries.of(column).values():
        for invocation in entry.search.journal.invocations:
            if isinstance(found := invocation.get("node_digest"), str):
                return found
    return None


def _scores(entry: Entry) -> dict[int, float]:
    return {seed.seed: seed.test for seed in entry.result.seeds if seed.test is not None}
