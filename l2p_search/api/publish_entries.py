"""What is published: the winners of several searches, as rows and columns of one table.

A column is a graph, a row a method. All numbers of a column are on the same fresh seeds, which
chose none of the winners, so that they can be compared seed by seed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from l2p_search.api.found import Search
from l2p_search.api.method_names import printed_name
from l2p_search.api.spent import Spent, spent
from l2p_search.errors import SearchError, UserError, argument, either
from l2p_search.intervals import Interval, interval_of_test
from l2p_search.metrics import Metric, title
from l2p_search.results import TrialResult, TrialStatus
from l2p_search.searching.records.journal_lines import JournalLines, journal_lines
from l2p_search.searching.space.shipped import models_of_spaces
from l2p_search.trial_record import TrialRecord


@dataclass(frozen=True, kw_only=True)
class Entry:
    """The winner of one search.

    Attributes:
        search: The search.
        best: Its best trial by validation.
        fresh: That configuration on all fresh seeds of its confirmation.
        result: The same on the seeds that all entries of the graph have.
        lines: Where it stands in the journal.
    """

    search: Search
    best: TrialRecord
    fresh: TrialResult
    result: TrialResult
    lines: JournalLines

    @cached_property
    def score(self) -> Interval:
        """The test score on the common fresh seeds."""
        found = interval_of_test(self.result)
        if found is None:
            raise ValueError(f"search '{self.search.name}' has no finished fresh seed")
        return found

    @property
    def line(self) -> int:
        """The line of the journal that has these fresh seeds."""
        seeds = tuple(each.seed for each in self.fresh.seeds)
        return self.lines.confirmations[self.best.config.config_id, seeds, None]

    @cached_property
    def spent(self) -> Spent:
        """What the search was given, and took."""
        fresh = self.search.journal.checked().values()
        return spent(self.search.settings, self.search.outcome.records, fresh)


@dataclass(frozen=True)
class Column:
    """A graph.

    Attributes:
        label: Its name, and its digest where two graphs have one name.
        digest: The hash of its content.
        metric: What all its searches are judged by.
        seeds: The fresh seeds that all its entries have.
        splits: How many splits these are on.
    """

    label: str
    digest: str
    metric: Metric
    seeds: tuple[int, ...]
    splits: int


@dataclass(frozen=True, kw_only=True)
class Entries:
    """The table of winners; a cell may be missing.

    Attributes:
        rows: The names of the methods.
        columns: The graphs.
        cells: (row, digest of the graph) -> entry.
    """

    rows: Sequence[str]
    columns: Sequence[Column]
    cells: Mapping[tuple[str, str], Entry]

    def of(self, column: Column) -> dict[str, Entry]:
        """The entries of a graph by the name of their row."""
        return {
            row: self.cells[row, column.digest]
            for row in self.rows
            if (row, column.digest) in self.cells
        }


def collected(searches: Sequence[Search]) -> Entries:
    """Arrange searches as a table.

    Args:
        searches: At least one; each once.

    Returns:
        The table, rows and columns in the order in which the searches are given.

    Raises:
        UserError: A search is running, unfinished or unconfirmed; or those of one graph have
            different metrics, or no fresh seeds in common.
    """
    found = [_entry(search) for search in searches]
    rows = _row_names(found)
    columns = []
    cells: dict[tuple[str, str], Entry] = {}
    labels = _column_names(found)
    for digest, label in labels.items():
        inside = [
            (row, entry)
            for row, entry in zip(rows, found, strict=True)
            if entry.fresh.data_digest == digest
        ]
        column, entries = _on_common_seeds(label, [entry for _, entry in inside])
        columns.append(column)
        for (row, _), entry in zip(inside, entries, strict=True):
            cells[row, digest] = entry
    return Entries(rows=list(dict.fromkeys(rows)), columns=columns, cells=cells)


def method_of(search: Search) -> str:
    """What was searched, in a word: the winner's method, unless the space has several.

    Args:
        search: A search with a complete trial.

    Returns:
        Such as "l2q", "gcn-tuned" or, where the posterior was searched too, "l2p".
    """
    space, best = search.settings.space, search.best
    if best is None:
        raise ValueError(f"search '{search.name}' has no complete trial")
    method = best.config.method
    of_space = models_of_spaces().get(space.name, "")
    if _plain(of_space) == _plain(method):  # a user's own file may have any name
        return of_space
    return f"l2p{method[3:]}" if "posterior" in space.dimensions else method


def _entry(search: Search) -> Entry:
    """The winner of a search, if it has one that can be published."""
    name, outcome = f"search '{search.name}'", search.outcome
    if search.running:
        raise SearchError(f"{name}: is running; publish it when it has ended")
    goal = outcome.goal
    ended = sum(each.status is not TrialStatus.RUNNING for each in outcome.records)
    wanted = None if goal is None else outcome.settings.at_most(goal.trials)
    resume = either(
        f"l2p.open_search({search.name!r}).resume()", f"l2p-search --resume --name {search.name}"
    )
    if ended < len(outcome.records) or (
        goal is not None and goal.time_budget is None and wanted is not None and ended < wanted
    ):
        total = wanted if wanted is not None else len(outcome.records)
        raise SearchError(f"{name}: has {ended} of {total} trials; finish it with {resume}")
    best = outcome.best
    if best is None:
        raise SearchError(f"{name}: no trial has all its seeds: nothing to publish")
    fresh = outcome.confirmations.get(best.number)
    if fresh is None:
        raise SearchError(
            f"{name}: its best was not confirmed on fresh seeds; resume it with"
            f" {argument('confirm', 20)}"
        )
    if fresh.reason is not None:
        raise SearchError(f"{name}: of its confirmation {fresh.reason}: nothing to publish")
    lines = journal_lines(search.directory)
    return Entry(search=search, best=best, fresh=fresh, result=fresh, lines=lines)


def _on_common_seeds(label: str, entries: Sequence[Entry]) -> tuple[Column, list[Entry]]:
    """A graph, and its entries cut to the fresh seeds that all of them have."""
    first = entries[0]
    for other in entries[1:]:
        if other.fresh.metric != first.fresh.metric:
            raise UserError(
                f"{argument('searches')}: on {label}, '{first.search.name}' is judged by"
                f" {title(first.fresh.metric)} and '{other.search.name}' by"
                f" {title(other.fresh.metric)}; publish searches of one metric per graph"
            )
    shared = set.intersection(*({seed.seed for seed in each.fresh.seeds} for each in entries))
    if not shared:
        spans = ", ".join(f"'{each.search.name}' {_span(each.fresh)}" for each in entries)
        raise UserError(
            f"{argument('searches')}: on {label} they have no fresh seeds in common ({spans});"
            f" search with the same {argument('seeds')} and {argument('confirm')}"
        )
    cut = [
        replace(
            each,
            result=replace(
                each.fresh, seeds=tuple(s for s in each.fresh.seeds if s.seed in shared)
            ),
        )
        for each in entries
    ]
    splits = len({seed.split for seed in cut[0].result.seeds})
    digest = first.fresh.data_digest
    return Column(label, digest, first.fresh.metric, tuple(sorted(shared)), splits), cut


def _row_names(entries: Sequence[Entry]) -> list[str]:
    """The shortest names of which no two are on one graph: method, space too, or the search."""
    ways: list[Callable[[Entry], str]] = [
        lambda entry: printed_name(method_of(entry.search)),
        lambda entry: (
            f"{printed_name(method_of(entry.search))}, {entry.search.settings.space.name}"
        ),
        lambda entry: f"{printed_name(method_of(entry.search))}, {entry.search.name}",
    ]
    for way in ways:
        names = [way(entry) for entry in entries]
        cells = [(n, e.fresh.data_digest) for n, e in zip(names, entries, strict=True)]
        if len(set(cells)) == len(cells):
            return names
    return [str(entry.search.directory) for entry in entries]


def _column_names(entries: Sequence[Entry]) -> dict[str, str]:
    """Digest -> the graph's name, with its digest where two graphs have one name."""
    names = {entry.fresh.data_digest: entry.fresh.dataset for entry in reversed(entries)}
    order = dict.fromkeys(entry.fresh.data_digest for entry in entries)
    several = [name for name in names.values() if list(names.values()).count(name) > 1]
    return {d: f"{names[d]} ({d[:8]})" if names[d] in several else names[d] for d in order}


def _plain(method: str) -> str:
    """A method without what a point of its space may leave out: gcn for gcn-tuned."""
    return method.removesuffix("-drop").removesuffix("-tuned")


def _span(result: TrialResult) -> str:
    seeds = [each.seed for each in result.seeds]
    return f"{min(seeds)} to {max(seeds)}"
