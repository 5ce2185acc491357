"""Where published numbers come from: the line of a journal, the trial and the seeds of each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from l2p_search.api.publish_entries import Column, Entries, Entry
from l2p_search.results import TrialResult


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


def fresh_splits_source(entry: Entry) -> dict[str, Any]:
    """The line with the winner on fresh splits."""
    held = entry.search.outcome.held
    seeds = () if held.fresh_splits is None else _seeds(held.fresh_splits)
    line = entry.lines.confirmations.get((entry.best.config.config_id, seeds, held.rule))
    return {**fresh_source(entry), "line": line, "seeds": list(seeds), "splits": held.rule}


def control_source(entry: Entry, result: TrialResult) -> dict[str, Any]:
    """The line with a configuration that the winner is held against."""
    seeds = _seeds(result)
    line = entry.lines.confirmations.get((result.config.config_id, seeds, None))
    trial = {"trial": None, "config_id": result.config.config_id}
    return {**fresh_source(entry), **trial, "line": line, "seeds": list(seeds)}


def _seeds(result: TrialResult) -> tuple[int, ...]:
    return tuple(seed.seed for seed in result.seeds)


def trials_source(entry: Entry) -> dict[str, Any]:
    """The lines of a journal with the results of all trials, on the search's own seeds."""
    return {
        "journal": str(entry.lines.path),
        "lines": dict(entry.lines.trials),
        "seeds": list(range(entry.search.settings.seeds)),
    }


def each_entry(entries: Entries) -> Iterator[tuple[str, Column, Entry]]:
    """The entries graph by graph, each with its row and column."""
    for column in entries.columns:
        for row, entry in entries.of(column).items():
            yield row, column, entry
