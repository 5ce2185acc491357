"""The tables of a paper kit, with the line of a journal for each of their numbers."""

from collections.abc import Mapping, Sequence

from l2p_search.api.publish_entries import Column, Entries
from l2p_search.api.publish_ledger import (
    Ledger,
    control_source,
    each_entry,
    fresh_source,
    fresh_splits_source,
    trials_source,
)
from l2p_search.api.publish_verdicts import Contest, Pair
from l2p_search.display.phrases import count, two_digits_or_none
from l2p_search.intervals import TOO_FEW, Interval
from l2p_search.metrics import title
from l2p_search.other_nodes import Estimate, interval_over_nodes
from l2p_search.report.digits import decimals, interval_text
from l2p_search.report.printed_table import MISSING, Cell, Table, name, number
from l2p_search.searching.records.luck import luck_of
from l2p_search.verdicts import points

_SELECTION = {
    "by other splits": ("chosen by other splits, %", "other nodes"),
    "by own validation": ("by own validation, %", "other nodes"),
    "overtuning": ("overtuning",),
    "with luck": ("with the search's luck, %", "other nodes"),
}
"""What a choice is worth -> the heads of its columns."""


def scores_table(entries: Entries, contests: Mapping[str, Contest], ledger: Ledger) -> Table:
    """The main table: a row a method, a column a graph.

    Args:
        entries: What is published.
        contests: Digest of a graph -> its best, and what cannot be told from it.
        ledger: Gets every number.

    Returns:
        The table.
    """
    rows = []
    for row in entries.rows:
        cells = [name(row)]
        for column in entries.columns:
            entry = entries.cells.get((row, column.digest))
            if entry is None:
                cells.append(MISSING)
                continue
            contest, shown = contests[column.digest], interval_text(entry.score)
            alone = len(entries.of(column)) == 1
            cells.append(
                Cell(
                    shown,
                    number=True,
                    best=row == contest.best and not alone,
                    tied=row in contest.tied,
                )
            )
            ledger.add(
                "scores", row, column.label, shown, entry.score.to_mapping(), [fresh_source(entry)]
            )
        rows.append(cells)
    return Table(
        label="scores",
        caption=_scores_caption(entries, contests),
        columns=["method", *(_head(column, entries.columns) for column in entries.columns)],
        rows=rows,
    )


def comparisons_table(pairs: Sequence[Pair], ledger: Ledger) -> Table:
    """Every method against the first one, graph by graph, with verdicts by Holm.

    Args:
        pairs: The comparisons.
        ledger: Gets every number.

    Returns:
        The table.
    """
    rows = []
    for pair in pairs:
        shown, p = interval_text(pair.difference, "+"), _p_text(pair.judged.p_difference)
        what = f"{pair.row} against {pair.reference}"
        ledger.add(
            "comparisons",
            what,
            pair.column.label,
            shown,
            pair.comparison.to_mapping() | pair.difference.to_mapping(),
            [fresh_source(pair.entry), fresh_source(pair.against)],
        )
        rows.append(
            [
                name(pair.column.label), name(pair.row), name(pair.reference), number(shown),
                number(p) if pair.judged.p_difference is not None else MISSING,
                name(pair.judged.in_words), _range(pair.comparison.elsewhere),
            ]
        )  # fmt: skip
    margin = pairs[0].judged.margin
    return Table(
        label="comparisons",
        caption="Differences in points, the method minus the one that it is compared with, paired"
        " by seed and split, with 95 % intervals. Verdicts are at 5 % after Holm's adjustment for"
        f" the {count(len(pairs), 'comparison')} of this table: better or worse by a paired"
        f" t-test, equivalent by two one-sided tests within {points(margin)}, else"
        " undecided. Last: the 95 % interval of the difference for other nodes of this kind (–:"
        " not recorded).",
        columns=["graph", "method", "compared with", "difference", "p (Holm)", "verdict",
                 "other nodes"],
        rows=rows,
    )  # fmt: skip


def details_table(entries: Entries, ledger: Ledger) -> Table:
    """A row a search: its intervals, the deviation over seeds, and what selected it.

    Args:
        entries: What is published.
        ledger: Gets every number.

    Returns:
        The table.
    """
    rows = []
    for row, column, entry in each_entry(entries):
        deviation = two_digits_or_none(entry.result.test_std)
        validation = f"{entry.best.objective:.2f}"
        source = fresh_source(entry)
        own = {
            **source,
            "line": entry.lines.trials[entry.best.number],
            "seeds": [seed.seed for seed in entry.best.result.seeds] if entry.best.result else [],
        }
        ledger.add("details", row, f"{column.label}: sd over seeds", deviation,
                   {"value": entry.result.test_std}, [source])  # fmt: skip
        ledger.add("details", row, f"{column.label}: validation", validation,
                   {"value": entry.best.objective}, [own])  # fmt: skip
        elsewhere = interval_over_nodes(entry.result)
        if elsewhere is not None:
            ledger.add("details", row, f"{column.label}: other nodes", _range(elsewhere).text,
                       elsewhere.to_mapping(), [source])  # fmt: skip
        on_fresh = entry.search.outcome.held.estimate_on_fresh_splits
        fresh = None if on_fresh is None else on_fresh.this_graph
        if fresh is not None:
            ledger.add("details", row, f"{column.label}: fresh splits", interval_text(fresh),
                       fresh.to_mapping(), [fresh_splits_source(entry)])  # fmt: skip
        fresh_nodes = None if on_fresh is None else on_fresh.other_nodes
        if fresh_nodes is not None:
            ledger.add("details", row, f"{column.label}: fresh splits, other nodes",
                       _range(fresh_nodes).text, fresh_nodes.to_mapping(),
                       [fresh_splits_source(entry)])  # fmt: skip
        rows.append(
            [
                name(row), name(column.label), number(interval_text(entry.score)),
                _range(elsewhere), MISSING if fresh is None else number(interval_text(fresh)),
                _range(fresh_nodes), number(deviation),
                number(str(len(entry.result.seeds))), number(str(column.splits)),
                number(validation), number(str(entry.best.number)),
                name(entry.best.config.config_id),
            ]
        )  # fmt: skip
    return Table(
        label="details",
        caption="The winners on fresh seeds: test score with its 95 % interval (this graph, other"
        " seeds and splits), its 95 % interval for other nodes of this kind (–: not recorded), the"
        " score on splits drawn anew by the graph's own rule with both intervals (–: not trained),"
        " standard deviation over seeds, number of fresh seeds and of splits; the validation score"
        " that selected the configuration, on the search's own seeds.",
        columns=["method", "graph", "test, %", "other nodes", "fresh splits, %",
                 "fresh, other nodes", "sd over seeds", "seeds", "splits", "validation, %",
                 "trial", "configuration"],
        rows=rows,
    )  # fmt: skip


def controls_table(entries: Entries, ledger: Ledger) -> Table | None:
    """The winners against the default configuration and, for L2P, MLP and the backbone alone.

    Args:
        entries: What is published.
        ledger: Gets every number.

    Returns:
        The table; None where no search has trained any.
    """
    rows = []
    for row, column, entry in each_entry(entries):
        for other in entry.search.outcome.held.others:
            if other.is_winner:
                continue
            shown = interval_text(other.difference, "+")
            values = {**other.difference.to_mapping(), **other.judged.to_mapping()}
            sources = [fresh_source(entry), control_source(entry, other.result)]
            ledger.add("controls", f"{row} against {other.name}", column.label, shown, values,
                       sources)  # fmt: skip
            if other.elsewhere is not None:
                ledger.add("controls", f"{row} against {other.name}",
                           f"{column.label}: other nodes", _range(other.elsewhere).text,
                           other.elsewhere.to_mapping(), sources)  # fmt: skip
            rows.append([name(row), name(column.label), name(other.name), number(shown),
                         _range(other.elsewhere), name(other.verdict)])  # fmt: skip
    if not rows:
        return None
    return Table(
        label="controls",
        caption="The winners minus what nobody searched for (the default configuration) and, for"
        " L2P, minus what is left of it without edges (MLP) and without learned steps (its"
        " backbone), at the winner's own settings and on the same fresh seeds, in points with the"
        " 95 % interval for this graph, other seeds and splits, and that for other nodes of this"
        " kind (–: not recorded). Verdicts at 5 %, by Holm over the controls of a search.",
        columns=["method", "graph", "control", "winner minus it", "other nodes", "verdict"],
        rows=rows,
    )


def selection_table(entries: Entries, ledger: Ledger) -> Table | None:
    """What the choice itself is worth: nested selection, and the luck of the search.

    Args:
        entries: What is published.
        ledger: Gets every number.

    Returns:
        The table; None where no search can tell any of it.
    """
    rows, told = [], False
    for row, column, entry in each_entry(entries):
        outcome, trials = entry.search.outcome, [trials_source(entry)]
        found: dict[str, Estimate] = {}
        if (nested := outcome.nested) is not None:
            found |= {
                "by other splits": nested.by_others,
                "by own validation": nested.by_own,
                "overtuning": Estimate(nested.overtuning, None),
            }
        score = Estimate(entry.score, interval_over_nodes(entry.result))
        if (luck := luck_of(outcome.records, score)) is not None:
            found["with luck"] = luck.estimate
        cells = []
        for key, heads in _SELECTION.items():
            if key not in found:
                cells += [MISSING] * len(heads)
                continue
            here, there = found[key].this_graph, found[key].other_nodes
            shown = interval_text(here, "+" if key == "overtuning" else "")
            with_fresh = [*trials, fresh_source(entry)]
            sources = with_fresh if key == "with luck" else trials
            ledger.add("selection", row, f"{column.label}: {key}", shown,
                       here.to_mapping(), sources)  # fmt: skip
            if there is not None:
                ledger.add("selection", row, f"{column.label}: {key}, other nodes",
                           _range(there).text, there.to_mapping(), with_fresh)  # fmt: skip
            cells += [number(shown), *[_range(there)] * (len(heads) - 1)]
        told = told or bool(found)
        rows.append([name(row), name(column.label), *cells])
    if not told:
        return None
    return Table(
        label="selection",
        caption="What the choice of a configuration is worth. Each split tested with what the"
        " other splits choose, and with what its own validation nodes choose alone, in percent on"
        " the search's own seeds; overtuning: the search's own choice minus the first, in points,"
        " paired by split; the score on fresh seeds with a 95 % interval for another draw"
        " of as many trials too. Other nodes: the 95 % interval for other nodes of this kind; for"
        " the first two what the nodes add to the variance is taken from the winner on fresh"
        " seeds. –: one split, fewer than two complete trials (five for the luck), nodes that were"
        " not recorded, or a sealed search, whose trials have no test score.",
        columns=["method", "graph", *(head for heads in _SELECTION.values() for head in heads)],
        rows=rows,
    )


def _scores_caption(entries: Entries, contests: Mapping[str, Contest]) -> str:
    metrics = {column.metric for column in entries.columns}
    what = title(entries.columns[0].metric) if len(metrics) == 1 else "score"
    seeds = sorted({len(column.seeds) for column in entries.columns})
    number_of = count(seeds[0], "fresh seed")
    if len(seeds) > 1:
        number_of = f"{seeds[0]} to {seeds[-1]} fresh seeds"
    words = (
        f"Test {what} in percent on {number_of} that chose nothing, with 95 % intervals of"
        " the mean over splits (over seeds where a graph has one split)."
    )
    if any(len(entries.of(column)) > 1 for column in entries.columns):
        words += (
            " Bold: the best of a graph; †: cannot be told from it (Hsu's comparison with the"
            " best, 5 %)."
        )
    if len(entries.cells) < len(entries.rows) * len(entries.columns):
        words += " –: not searched."
    return words


def _head(column: Column, columns: Sequence[Column]) -> str:
    if all(each.metric == "accuracy" for each in columns):
        return column.label
    return f"{column.label}, {title(column.metric)}"


def _range(found: Interval | None) -> Cell:
    """An interval by its ends."""
    if found is None or found.low is None or found.high is None:
        return MISSING
    if found.too_wide:
        return name(TOO_FEW)
    places = decimals(found.half_width)
    return number(f"{found.low:.{places}f} to {found.high:.{places}f}")


def _p_text(p: float | None) -> str:
    if p is None:
        return "-"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
