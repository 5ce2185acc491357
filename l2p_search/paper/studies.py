"""Running studies: each searched once, read when it is recorded, all on the same workers."""

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from l2p_search.api.conducting import command_line
from l2p_search.durations import format_duration
from l2p_search.errors import SearchError
from l2p_search.paper.budgets import Study
from l2p_search.search.records.directory import searches_folder
from l2p_search.search.records.journal import Journal
from l2p_search.search.records.outcome import Outcome, read_outcome
from l2p_search.search.records.settings import SearchSettings

if TYPE_CHECKING:
    from l2p_search.data.graph import Graph
    from l2p_search.search.running.coordinator import Coordinator
    from l2p_search.search.running.pool import Job


class InterruptedStudyError(Exception):
    """A search of a study was stopped; what is recorded is kept. Holds the exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def outcomes_of(
    args: argparse.Namespace, studies: Sequence[Study], graphs: "Mapping[str, Graph]"
) -> list[Outcome]:
    """What the studies found: read where it is recorded whole, else searched or continued.

    Those that have to be searched share the workers.
    """
    folder = searches_folder(args.dir)
    open_studies = [
        _OpenStudy(args, study, graphs[study.dataset], folder / study.name)
        for study in studies
        if not _is_whole(study, graphs[study.dataset], folder / study.name)
    ]
    if open_studies:
        # The longest first: at the end no worker waits long for another.
        _search(args, sorted(open_studies, key=lambda study: -study.size))
    return [read_outcome(Journal.read(folder / study.name)) for study in studies]


def _search(args: argparse.Namespace, studies: "Sequence[_OpenStudy]") -> None:
    from l2p_search.api.conducting import resources
    from l2p_search.cli.signals import Signals
    from l2p_search.search.running.run import run_jobs

    display = _Lines([study.size for study in studies], args.quiet)
    with Signals(command_line()) as signals:
        stopped = run_jobs(
            [study.job(display) for study in studies],
            resources(args),
            memory_gb=args.memory,
            on_pool=signals.watch,
        )
        if stopped:
            raise InterruptedStudyError(signals.exit_code)


class _OpenStudy:
    """A study that is to be searched: its journal is opened when its turn comes."""

    def __init__(
        self, args: argparse.Namespace, study: Study, graph: "Graph", directory: Path
    ) -> None:
        self._args, self._study, self._graph, self._directory = args, study, graph, directory
        self._until_the_end = ExitStack()

    @property
    def size(self) -> int:
        """What its time grows with, more or less."""
        return self._graph.num_nodes

    def job(self, display: "_Lines") -> "Job":
        """For the pool."""
        from l2p_search.search.running.pool import Job

        def end(coordinator: "Coordinator") -> None:
            display.ended(self._study, self.size, read_outcome(self._journal))
            self._until_the_end.close()

        def begin() -> "Coordinator":
            display.began(self.size)
            return self._begin()

        any_order = self._study.sampler == "grid"
        return Job(graph=self._graph, any_order=any_order, begin=begin, end=end)

    def _begin(self) -> "Coordinator":
        from l2p_search.api.recording import tracking
        from l2p_search.progress import Event, Snapshot
        from l2p_search.search.records.versions import versions
        from l2p_search.search.running.coordinator import Coordinator

        if Journal.exists(self._directory):
            self._journal = Journal.resume(self._directory)
        else:
            settings = _settings(self._study, self._graph)
            self._journal = Journal.create(self._directory, settings)
        self._until_the_end.callback(self._journal.close)
        goal = self._study.goal
        self._journal.begin(goal, {"command": command_line(), "versions": versions()})
        record = self._until_the_end.enter_context(tracking(self._args, self._journal))

        def on_event(event: Event, snapshot: Snapshot) -> None:
            record(event)

        return Coordinator(self._journal, goal, on_event=on_event)


class _Lines:
    """A line for every study that has ended, with the time that the others may take."""

    def __init__(self, sizes: Sequence[int], quiet: bool) -> None:
        self._total, self._size, self._quiet = len(sizes), sum(sizes), quiet
        self._ended, self._done, self._running = 0, 0, 0
        self._started = time.monotonic()
        # This stderr itself: what is printed to it meanwhile, by Ray, is sent elsewhere.
        self._file = sys.stderr

    def began(self, size: int) -> None:
        """Count it as running."""
        self._running += size

    def ended(self, study: Study, size: int, outcome: Outcome) -> None:
        """Say what it found."""
        self._ended += 1
        self._done += size
        self._running -= size
        if self._quiet:
            return
        found = "no trial has all its seeds"
        if outcome.best is not None:
            found = f"validation {outcome.best.objective:.2f} %"
        if outcome.confirmed is not None:
            found += f", test {outcome.confirmed} % on fresh seeds"
        took = time.monotonic() - self._started
        behind = self._done + self._running / 2  # of what runs, about half
        left = took / behind * (self._size - behind)
        print(
            f"[{self._ended}/{self._total}] {study.name}: {found}; {format_duration(took)},"
            f" about {format_duration(left)} left",
            file=self._file,
            flush=True,
        )


def _settings(study: Study, graph: "Graph") -> SearchSettings:
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


def _is_whole(study: Study, graph: "Graph", directory: Path) -> bool:
    """Whether everything that the study asks for is recorded."""
    if not Journal.exists(directory):
        return False
    journal = Journal.read(directory)
    if journal.settings != _settings(study, graph):
        raise SearchError(
            f"search '{directory.name}' was made with other settings; move it out of"
            f" {directory.parent}, or name another folder with --dir"
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
