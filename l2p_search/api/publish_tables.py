"""The tables of a paper kit, with the line of a journal for each of their numbers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from l2p_search.api.publish_entries import Column, Entries, Entry
from l2p_search.api.publish_verdicts import Contest, Pair
from l2p_search.durations import format_duration
from l2p_search.intervals import Interval
from l2p_search.metrics import title
from l2p_search.report.digits import interval_text
from l2p_search.report.printed_table import MISSING, Cell, Table, name, number
from l2p_search.results import TrialStatus
from l2p_search.searching.space.search_space import Choices, Dimension, plain
from l2p_search.verdicts import points

_STATUSES = {TrialStatus.RACED_OUT: "raced out", TrialStatus.FAILED: "failed"}


@dataclass
class Ledger:
    """Where each published number comes from, in the order in which they are printed."""

    numbers: list[dict[str, Any]] = field(default_factory=list)

    def add(
        self,
        where: str,
        row: str,
        column: str,
        shown: str,
        values: Mapping[str, Any],
        sources: Sequence[Mapping[str, Any]],
    ) -> None:
        """Note a number.

        Args:
            where: The table or figure.
            row: Of it.
            column: Of it.
            shown: The number as it is printed.
            values: The same with all digits.
            sources: The lines of journals that it was computed from.
        """
        place = {"where": where, "row": row, "column": column, "shown": shown}
        self.numbers.append({**place, **values, "sources": list(sources)})


def fresh_source(entry: Entry) -> dict[str, Any]:
    """The line of a journal with the fresh seeds of an entry, and which of them are used."""
    return {
        "journal": str(entry.lines.path),
        "line": entry.line,
        "trial": entry.best.number,
        "seeds": [seed.seed for seed in entry.result.seeds],
    }


def trials_source(entry: Entry) -> dict[str, Any]:
    """The lines of a journal with the results of all trials, on the search's own seeds."""
    return {
        "journal": str(entry.lines.path),
        "lines": dict(entry.lines.trials),
        "seeds": list(range(entry.search.settings.seeds)),
    }


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
        shown, p = _signed(pair.difference), _p_text(pair.judged.p_difference)
        what = f"{pair.row} against {pair.reference}"
        ledger.add(
            "comparisons",
            what,
            pair.column.label,
            shown,
            {**pair.difference.to_mapping(), **pair.judged.to_mapping()},
            [fresh_source(pair.entry), fresh_source(pair.against)],
        )
        rows.append(
            [
                name(pair.column.label), name(pair.row), name(pair.reference), number(shown),
                number(p) if pair.judged.p_difference is not None else MISSING,
                name(pair.judged.in_words),
            ]
        )  # fmt: skip
    margin = pairs[0].judged.margin
    return Table(
        label="comparisons",
        caption="Differences in points, the method minus the one that it is compared with, paired"
        " by seed and split, with 95 % intervals. Verdicts are at 5 % after Holm's adjustment for"
        f" the {len(pairs)} comparisons of this table: better or worse by a paired t-test,"
        f" equivalent by two one-sided tests within {points(margin)}, else"
        " undecided.",
        columns=["graph", "method", "compared with", "difference", "p (Holm)", "verdict"],
        rows=rows,
    )


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
        deviation = f"{entry.result.test_std:.2f}"
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
        rows.append(
            [
                name(row), name(column.label), number(interval_text(entry.score)),
                number(deviation), number(str(len(entry.result.seeds))),
                number(str(column.splits)), number(validation), number(str(entry.best.number)),
                name(entry.best.config.config_id),
            ]
        )  # fmt: skip
    return Table(
        label="details",
        caption="The winners on fresh seeds: test score with its 95 % interval (this graph, other"
        " seeds and splits), standard deviation over seeds, number of fresh seeds and of splits;"
        " the validation score that selected the configuration, on the search's own seeds.",
        columns=["method", "graph", "test, %", "sd over seeds", "seeds", "splits", "validation, %",
                 "trial", "configuration"],
        rows=rows,
    )  # fmt: skip


def budgets_table(entries: Entries, ledger: Ledger) -> Table:
    """What every method was given: trials, the size of its space, seeds and CPU time.

    Args:
        entries: What is published.
        ledger: Gets every number.

    Returns:
        The table.
    """
    rows = []
    for row, column, entry in each_entry(entries):
        settings, records = entry.search.settings, entry.search.outcome.records
        spent = entry.cpu_seconds
        time = "not recorded" if spent is None else format_duration(spent)
        trained = sum(len(each.seeds) for each in entry.trainings)
        size = settings.size
        stopped = [
            f"{count} {words}"
            for status, words in _STATUSES.items()
            if (count := sum(record.status is status for record in records))
        ]
        trials = f"{len(records)}" + (f" ({', '.join(stopped)})" if stopped else "")
        lines = [trials_source(entry), {**fresh_source(entry), "lines": _confirmed_lines(entry)}]
        values = {
            "trials": len(records), "space": settings.space.name, "configurations": size,
            "seeds": settings.seeds, "trainings": trained, "cpu_seconds": spent,
            "seconds": entry.seconds,
        }  # fmt: skip
        ledger.add("budgets", row, column.label, f"{trials}; {time}", values,
                   lines)  # fmt: skip
        rows.append(
            [
                name(row), name(column.label), name(settings.space.name),
                number(str(len(settings.space.dimensions))),
                name("not countable") if size is None else number(f"{size:,}"),
                number(trials) if not stopped else name(trials),
                number(str(settings.seeds)), number(f"{trained:,}"),
                name(time),
            ]
        )  # fmt: skip
    return Table(
        label="budgets",
        caption="What every method was given: its space, how many hyperparameters vary in it and"
        " how many configurations it has, trials, seeds per trial, trainings in all (every seed of"
        " every trial and of the confirmation), and CPU time for them.",
        columns=["method", "graph", "space", "keys", "configurations", "trials", "seeds",
                 "trainings", "CPU time"],
        rows=rows,
    )  # fmt: skip


def spaces_table(entries: Entries) -> Table:
    """The values that every hyperparameter of every space may have."""
    spaces: dict[tuple[str, str], list[list[Cell]]] = {}
    for _, _, entry in each_entry(entries):
        space = entry.search.settings.space
        keys = {key: _values(each) for key, each in space.dimensions.items()}
        keys |= {key: plain(value) for key, value in space.fixed.items()}
        rows = [[name(space.name), name(key), name(values)] for key, values in keys.items()]
        spaces.setdefault((space.name, str(keys)), rows)
    return Table(
        label="spaces",
        caption="The search spaces. A hyperparameter that is not here has its default value.",
        columns=["space", "hyperparameter", "values"],
        rows=[row for rows in spaces.values() for row in rows],
        wrapped=2,
    )


def each_entry(entries: Entries) -> Iterator[tuple[str, Column, Entry]]:
    """The entries graph by graph, each with its row and column."""
    for column in entries.columns:
        for row, entry in entries.of(column).items():
            yield row, column, entry


def _confirmed_lines(entry: Entry) -> list[int]:
    return sorted(entry.lines.confirmations.values())


def _scores_caption(entries: Entries, contests: Mapping[str, Contest]) -> str:
    metrics = {column.metric for column in entries.columns}
    what = title(entries.columns[0].metric) if len(metrics) == 1 else "score"
    seeds = sorted({len(column.seeds) for column in entries.columns})
    count = str(seeds[0]) if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]}"
    words = (
        f"Test {what} in percent on {count} fresh seeds that chose nothing, with 95 % intervals of"
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


def _values(dimension: Dimension) -> str:
    if isinstance(dimension, Choices):
        return ", ".join(plain(value) for value in dimension.values)
    scale = " (log)" if dimension.log else ""
    step = f" in steps of {plain(dimension.step)}" if dimension.step is not None else ""
    return f"{plain(dimension.low)} to {plain(dimension.high)}{scale}{step}"


def _signed(difference: Interval) -> str:
    return f"{'+' * (difference.mean > 0)}{interval_text(difference)}"


def _p_text(p: float | None) -> str:
    if p is None:
        return "-"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
