"""The tables of what every method was given: budgets, and the spaces that they were spent in."""

from l2p_search.api.publish_entries import Entries, Entry
from l2p_search.api.publish_ledger import Ledger, each_entry, fresh_source, trials_source
from l2p_search.durations import format_duration
from l2p_search.report.printed_table import Cell, Table, name, number
from l2p_search.results import TrialStatus
from l2p_search.searching.space.search_space import Choices, Dimension, plain

_STATUSES = {TrialStatus.RACED_OUT: "raced out", TrialStatus.FAILED: "failed"}


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
        spent = entry.spent
        size, time = spent.configurations, _time(spent.cpu_seconds)
        stopped = [
            f"{count} {words}"
            for status, words in _STATUSES.items()
            if (count := sum(record.status is status for record in records))
        ]
        trials = f"{len(records)}" + (f" ({', '.join(stopped)})" if stopped else "")
        lines = [trials_source(entry), {**fresh_source(entry), "lines": _confirmed_lines(entry)}]
        values = {"space": settings.space.name, **spent.to_mapping()}
        ledger.add("budgets", row, column.label, f"{trials}; {time}", values,
                   lines)  # fmt: skip
        rows.append(
            [
                name(row), name(column.label), name(settings.space.name),
                number(str(spent.dimensions)),
                name("not countable") if size is None else number(f"{size:,}"),
                number(trials) if not stopped else name(trials),
                number(str(settings.seeds)), number(f"{spent.trainings:,}"),
                name(time), name(_time(spent.after)),
            ]
        )  # fmt: skip
    return Table(
        label="budgets",
        caption="What every method was given: its space, how many hyperparameters vary in it and"
        " how many configurations it has, trials, seeds per trial, trainings (every seed of every"
        " trial) and CPU time for them, and CPU time after the choice: the winner and its controls"
        " on fresh seeds.",
        columns=["method", "graph", "space", "keys", "configurations", "trials", "seeds",
                 "trainings", "CPU time", "and after"],
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


def _confirmed_lines(entry: Entry) -> list[int]:
    return sorted(entry.lines.confirmations.values())


def _values(dimension: Dimension) -> str:
    if isinstance(dimension, Choices):
        return ", ".join(plain(value) for value in dimension.values)
    scale = " (log)" if dimension.log else ""
    step = f" in steps of {plain(dimension.step)}" if dimension.step is not None else ""
    return f"{plain(dimension.low)} to {plain(dimension.high)}{scale}{step}"


def _time(seconds: float | None) -> str:
    return "not recorded" if seconds is None else format_duration(seconds)
