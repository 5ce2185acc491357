"""Running studies: each searched once, read when it is recorded, all on the same workers."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from l2p_search import defaults
from l2p_search.api.conducting import Means, conduct_together
from l2p_search.api.planning import Plan
from l2p_search.data.graph import Graph
from l2p_search.data.loading import load_graph
from l2p_search.durations import format_duration
from l2p_search.errors import SearchError, argument
from l2p_search.paper.budgets import Study
from l2p_search.searching.records.directory import searches_folder
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import Outcome, read_outcome
from l2p_search.searching.records.settings import SearchSettings


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is asked of a table or a figure: how much of it, on what, by which means.

    `tell` is given a line for every search that has ended.
    """

    budget: str = defaults.BUDGET
    datasets: Sequence[str] | None = None
    methods: Sequence[str] | None = None
    folder: Path | None = None
    data_dir: Path | None = None
    means: Means = field(default_factory=Means)
    tell: Callable[[str], None] = lambda line: None

    def graphs(self, datasets: Iterable[str]) -> dict[str, Graph]:
        """The graphs by name, each loaded once."""
        return {name: load_graph(name, data_dir=self.data_dir) for name in dict.fromkeys(datasets)}


@dataclass(frozen=True, kw_only=True)
class Reproduction:
    """A table or a figure: Markdown with our numbers beside the paper's, and drawn files."""

    text: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)


class InterruptedStudyError(Exception):
    """The searches of a study were stopped; what is recorded is kept."""


def outcomes_of(
    request: Request, studies: Sequence[Study], graphs: Mapping[str, Graph]
) -> list[Outcome]:
    """What the studies found: read where it is recorded whole, else searched or continued.

    Those that have to be searched share the workers.

    Raises:
        InterruptedStudyError: They were stopped before the end.
    """
    folder = searches_folder(request.folder)
    plans = [
        _plan(study, graphs[study.dataset], folder / study.name)
        for study in studies
        if not _is_whole(study, graphs[study.dataset], folder / study.name)
    ]
    # The longest first: at the end no worker waits long for another.
    plans.sort(key=lambda plan: -plan.graph.num_nodes)
    if plans:
        lines = Lines([plan.graph.num_nodes for plan in plans], request.tell)
        stopped = conduct_together(
            plans,
            request.means,
            on_begin=lambda plan: lines.began(plan.graph.num_nodes),
            on_end=lambda plan, outcome: lines.ended(
                plan.directory.name, plan.graph.num_nodes, outcome
            ),
        )
        if stopped:
            raise InterruptedStudyError
    return [read_outcome(Journal.read(folder / study.name)) for study in studies]


class Lines:
    """A line for every study that has ended, with the time that the others may take."""

    def __init__(self, sizes: Sequence[int], tell: Callable[[str], None]) -> None:
        """`sizes` are the studies' graphs: their time grows with them, more or less."""
        self._total, self._size, self._tell = len(sizes), sum(sizes), tell
        self._ended, self._done, self._running = 0, 0, 0
        self._started = time.monotonic()

    def began(self, size: int) -> None:
        """Count it as running."""
        self._running += size

    def ended(self, name: str, size: int, outcome: Outcome) -> None:
        """Say what it found."""
        self._ended += 1
        self._done += size
        self._running -= size
        found = "no trial has all its seeds"
        if outcome.best is not None:
            found = f"validation {outcome.best.objective:.2f} %"
        if outcome.confirmed is not None:
            found += f", test {outcome.confirmed} % on fresh seeds"
        took = time.monotonic() - self._started
        behind = self._done + self._running / 2  # of what runs, about half
        left = took / behind * (self._size - behind)
        self._tell(
            f"[{self._ended}/{self._total}] {name}: {found}; {format_duration(took)},"
            f" about {format_duration(left)} left"
        )


def _plan(study: Study, graph: Graph, directory: Path) -> Plan:
    recorded = Journal.read(directory) if Journal.exists(directory) else None
    return Plan(
        directory=directory,
        graph=graph,
        settings=_settings(study, graph),
        goal=study.goal,
        recorded=recorded,
    )


def _settings(study: Study, graph: Graph) -> SearchSettings:
    return SearchSettings(
        dataset=study.dataset,
        data_digest=graph.digest,
        space=study.space,
        base=study.base,
        seeds=study.seeds,
        sampler=study.sampler,
        seed=0,
        race=False,
    )


def _is_whole(study: Study, graph: Graph, directory: Path) -> bool:
    """Whether everything that the study asks for is recorded."""
    if not Journal.exists(directory):
        return False
    journal = Journal.read(directory)
    if journal.settings != _settings(study, graph):
        raise SearchError(
            f"search '{directory.name}' was made with other settings; move it out of"
            f" {directory.parent}, or name another folder with {argument('folder')}"
        )
    outcome = read_outcome(journal)
    ended = [record for record in outcome.records if record.status != "running"]
    if len(ended) < study.space.at_most(study.goal.trials) or len(ended) < len(outcome.records):
        return False
    best = outcome.best
    if study.goal.confirm == 0 or best is None:
        return True
    confirmed = outcome.confirmations.get(best.number)
    return confirmed is not None and len(confirmed.seeds) >= study.goal.confirm
