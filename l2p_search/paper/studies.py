"""Running studies: each is searched once and read from its journal afterwards."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from l2p_search import defaults
from l2p_search.api.conducting import Means, conduct_together
from l2p_search.api.planning import Plan
from l2p_search.data.graph import Graph
from l2p_search.data.loading import load_graph
from l2p_search.durations import format_duration
from l2p_search.errors import SearchError, argument, either
from l2p_search.paper.budgets import Study
from l2p_search.searching.records.directory import searches_folder
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import Outcome, read_outcome
from l2p_search.searching.records.settings import SearchSettings
from l2p_search.trial_record import TrialRecord


@dataclass(frozen=True, kw_only=True)
class Request:
    """What the user asks of a table or figure.

    Args:
        budget: How much of the paper's protocol is run.
        datasets: Names of graphs; None for those of the table or figure.
        methods: Names of methods; None for those of the table.
        margin: The points within which two scores are called equivalent.
        folder: That holds all searches; None for the default.
        data_dir: The folder of raw files; None for the default.
        means: What the searches run on.
        tell: Called with a line for every search that has ended.
    """

    budget: str = defaults.BUDGET
    datasets: Sequence[str] | None = None
    methods: Sequence[str] | None = None
    margin: float = defaults.MARGIN
    folder: Path | None = None
    data_dir: Path | None = None
    means: Means = field(default_factory=Means)
    tell: Callable[[str], None] = lambda line: None

    def graphs(self, datasets: Iterable[str]) -> dict[str, Graph]:
        """Load graphs.

        Args:
            datasets: Their names, which may repeat.

        Returns:
            Name -> graph, each loaded once.
        """
        return {name: load_graph(name, data_dir=self.data_dir) for name in dict.fromkeys(datasets)}


@dataclass(frozen=True, kw_only=True)
class Reproduction:
    """A table or figure that was reproduced.

    Args:
        text: Markdown, with our numbers beside the paper's.
        files: File name -> content of a figure.
    """

    text: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)


class InterruptedStudyError(Exception):
    """The searches were stopped before their end; the same request continues them."""


def outcomes_of(
    request: Request, studies: Sequence[Study], graphs: Mapping[str, Graph]
) -> list[Outcome]:
    """Get the outcomes of studies: a complete one is read, any other is searched or continued.

    Those that have to be searched share the workers.

    Args:
        request: What the user asks for.
        studies: The searches.
        graphs: Name -> graph, for all their datasets.

    Returns:
        The outcome of each study, in their order; the records of a grid in the order of its
        space, whatever the order in which they were trained.

    Raises:
        InterruptedStudyError: They were stopped before the end.
        SearchError: A search of that name was made with other settings.
    """
    folder = searches_folder(request.folder)
    plans = [
        _plan(study, graphs[study.dataset], folder / study.name)
        for study in studies
        if not _is_whole(study, graphs[study.dataset], folder / study.name)
    ]
    # The largest graphs first, so that at the end no worker waits long for another.
    plans.sort(key=lambda plan: -plan.graph.num_nodes)
    if plans:
        reused = len(studies) - len(plans)
        known = f", {reused} recorded ones are reused" if reused else ""
        noun = "search" if len(plans) == 1 else "searches"
        request.tell(f"{len(plans)} {noun} to run{known}; Ray starts ..")
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
    return [_as_listed(read_outcome(Journal.read(folder / study.name))) for study in studies]


def no_results(what: str, studies: Sequence[Study]) -> SearchError:
    """The error of a figure for which no trial has a result.

    Args:
        what: The figure.
        studies: Its searches.

    Returns:
        One line that says where the reasons are.
    """
    name = studies[0].name
    where = either(f"l2p.open_search({name!r})", f"l2p-search trials {name}")
    return SearchError(f"{what}: no trial of its searches has a result; see why with {where}")


class Lines:
    """Tells a line for every study that has ended, with an estimate of the time left."""

    def __init__(self, sizes: Sequence[int], tell: Callable[[str], None]) -> None:
        """Start the clock.

        Args:
            sizes: The number of nodes of each study's graph; the time that a study takes is
                assumed to be proportional to it.
            tell: Called with each line.
        """
        self._total, self._size, self._tell = len(sizes), sum(sizes), tell
        self._ended, self._done, self._running = 0, 0, 0
        self._started = time.monotonic()

    def began(self, size: int) -> None:
        """Count a study on a graph of that many nodes as running."""
        self._running += size

    def ended(self, name: str, size: int, outcome: Outcome) -> None:
        """Tell what a study found.

        Args:
            name: Of its search.
            size: The number of nodes of its graph.
            outcome: What it found.
        """
        self._ended += 1
        self._done += size
        self._running -= size
        found = "no trial has all its seeds"
        if outcome.best is not None:
            found = f"validation {outcome.best.objective:.2f} %"
        if outcome.confirmed is not None:
            found += f", test {outcome.confirmed} % on fresh seeds"
        took = time.monotonic() - self._started
        behind = self._done + self._running / 2  # running studies are half done on average
        left = took / behind * (self._size - behind)
        self._tell(
            f"[{self._ended}/{self._total}] {name}: {found}; {format_duration(took)},"
            f" about {format_duration(left)} left"
        )


def _as_listed(outcome: Outcome) -> Outcome:
    """The same outcome; of a grid, which is walked in a drawn order, with sorted records."""
    if outcome.settings.sampler != "grid":
        return outcome
    listed: dict[str, list[Any]] = {
        key: list(each.enumerated() or ())
        for key, each in outcome.settings.space.dimensions.items()
    }

    def place(record: TrialRecord) -> list[int]:
        config = record.config.to_mapping()
        return [values.index(config[key]) for key, values in listed.items()]

    return replace(outcome, records=sorted(outcome.records, key=place))


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
        race=None,
    )


def _is_whole(study: Study, graph: Graph, directory: Path) -> bool:
    """Whether the journal has every trial and confirmation that the study asks for."""
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
