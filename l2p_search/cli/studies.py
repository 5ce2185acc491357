"""Searches that belong to a larger question: named, run once, reused when they are recorded."""

import argparse
import dataclasses
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from l2p_search.cli.conduct import command_line
from l2p_search.cli.words import count
from l2p_search.config import DEFAULTS, TrialConfig
from l2p_search.data.catalogue import find_dataset
from l2p_search.durations import format_duration
from l2p_search.errors import SearchError
from l2p_search.search.directory import searches_folder
from l2p_search.search.files import load_space, space_of_model
from l2p_search.search.journal import Journal
from l2p_search.search.outcome import Outcome, read_outcome
from l2p_search.search.settings import Goal, Sampler, SearchSettings
from l2p_search.search.space import Choices, SearchSpace

if TYPE_CHECKING:
    from l2p_search.data.graph import Graph
    from l2p_search.search.coordinator import Coordinator
    from l2p_search.search.pool import Job


@dataclass(frozen=True)
class Budget:
    """How much of the paper's protocol is done.

    A narrow budget searches part of each model's space: one learning rate and width, and no more
    than so many steps. Models whose steps have weights of their own cost a multiple of the linear
    ones: they get fewer steps, and as many epochs as Kipf and Welling's GCN.
    """

    trials: int
    seeds: int
    confirm: int
    narrow: bool = True
    most_steps: int = 16
    most_layers: int = 4
    epochs: int | None = None
    layered_epochs: int | None = None

    def in_words(self) -> str:
        """What a reader of its results has to know."""
        words = f"the best on validation of {count(self.trials, 'trial')} of {self.seeds} seeds"
        if self.narrow:
            words += (
                f" in part of each space (K up to {self.most_steps}, or {self.most_layers} where"
                " steps have weights)"
            )
        if self.layered_epochs is not None:
            words += f", {self.layered_epochs} epochs at the most for models with weights a step"
        return words


BUDGETS = {
    "smoke": Budget(trials=1, seeds=2, confirm=2, most_steps=4, epochs=5, layered_epochs=5),
    "quick": Budget(trials=3, seeds=4, confirm=10, layered_epochs=200),
    "full": Budget(trials=200, seeds=20, confirm=20, narrow=False),
}
_LINEAR = {"l2q", "l2s", "mlp", "appnp", "gprgnn", "dagnn"}
_ATTENTIVE, _MOST_ATTENTIVE = {"gat", "l2q-gat", "l2s-gat"}, 2
_RATE, _WIDTHS = 0.01, (64, 16)


class InterruptedStudyError(Exception):
    """A search of a study was stopped; what is recorded is kept. Holds the exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True)
class Study:
    """One search: its name, the graph, what varies, and how much of it is looked at."""

    name: str
    dataset: str
    space: SearchSpace
    base: TrialConfig
    seeds: int
    goal: Goal
    sampler: Sampler = "tpe"


def method_study(method: str, dataset: str, budget_name: str) -> Study:
    """The search of a method on a dataset, as tables 1 to 3 need it."""
    budget = BUDGETS[budget_name]
    space = load_space(space_of_model(method))
    epochs, most = budget.layered_epochs, budget.most_layers
    if method in _LINEAR:
        epochs, most = budget.epochs, budget.most_steps
    elif method in _ATTENTIVE:
        most = _MOST_ATTENTIVE
    return Study(
        name=f"paper-{budget_name}-{dataset}-{method}",
        dataset=dataset,
        space=narrowed(space, most) if budget.narrow else space,
        base=base_of(dataset, epochs),
        seeds=budget.seeds,
        goal=Goal(trials=budget.trials, confirm=budget.confirm, ties=0),
    )


def grid_study(
    name: str, dataset: str, budget_name: str, varied: dict[str, Any], fixed: dict[str, Any]
) -> Study:
    """Every combination of some values, everything else held: what a figure compares."""
    budget = BUDGETS[budget_name]
    dimensions = {key: Choices(tuple(values)) for key, values in varied.items()}
    space = SearchSpace(name, dict(dimensions), fixed)
    return Study(
        name=f"paper-{budget_name}-{dataset}-{name}",
        dataset=dataset,
        space=space,
        base=base_of(dataset, budget.epochs),
        seeds=budget.seeds,
        goal=Goal(trials=space.size or 1, confirm=0, ties=0),
        sampler="grid",
    )


def base_of(dataset: str, epochs: int | None) -> TrialConfig:
    """The defaults of the dataset's kind of graph, trained for so many epochs at the most."""
    base = DEFAULTS[find_dataset(dataset).kind]
    if epochs is None:
        return base
    return dataclasses.replace(base, epochs=epochs, patience=min(base.patience, epochs))


def narrowed(space: SearchSpace, most_steps: int) -> SearchSpace:
    """Fewer values of some hyperparameters; a single one that is left becomes fixed."""
    keep: dict[str, Any] = {
        "lr": lambda values: [v for v in values if v == _RATE],
        "hidden": lambda values: [
            v for v in values if v == next(w for w in _WIDTHS if w in values)
        ],
        "K": lambda values: [v for v in values if v <= most_steps],
    }
    dimensions, fixed = dict(space.dimensions), dict(space.fixed)
    for key, chosen in keep.items():
        dimension = dimensions.get(key)
        if isinstance(dimension, Choices):
            values = chosen(dimension.values) or list(dimension.values)
            dimensions[key] = Choices(tuple(values))
            if len(values) == 1:
                fixed[key] = values[0]
                del dimensions[key]
    start = [
        {
            key: value
            for key, value in point.items()
            if key in dimensions and value in (dimensions[key].enumerated() or ())
        }
        for point in space.start
    ]
    return dataclasses.replace(
        space, dimensions=dimensions, fixed=fixed, start=tuple(filter(None, start))
    )


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
        _search(args, open_studies)
    return [read_outcome(Journal.read(folder / study.name)) for study in studies]


def _search(args: argparse.Namespace, studies: "Sequence[_OpenStudy]") -> None:
    from l2p_search.cli.conduct import resources
    from l2p_search.cli.signals import Signals
    from l2p_search.search.run import run_jobs

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
        from l2p_search.search.pool import Job

        def end(coordinator: "Coordinator") -> None:
            display.ended(self._study, self.size, read_outcome(self._journal))
            self._until_the_end.close()

        any_order = self._study.sampler == "grid"
        return Job(graph=self._graph, any_order=any_order, begin=self._begin, end=end)

    def _begin(self) -> "Coordinator":
        from l2p_search.cli.tracked import tracking
        from l2p_search.search.coordinator import Coordinator
        from l2p_search.search.progress import Event, Snapshot
        from l2p_search.search.versions import versions

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
        self._total, self._left, self._quiet = len(sizes), sum(sizes), quiet
        self._ended, self._done, self._started = 0, 0, time.monotonic()
        # This stderr itself: what is printed to it meanwhile, by Ray, is sent elsewhere.
        self._file = sys.stderr

    def ended(self, study: Study, size: int, outcome: Outcome) -> None:
        """Say what it found."""
        self._ended, self._done, self._left = self._ended + 1, self._done + size, self._left - size
        if self._quiet:
            return
        found = "no trial has all its seeds"
        if outcome.best is not None:
            found = f"validation {outcome.best.objective:.2f} %"
        if outcome.confirmed is not None:
            found += f", test {outcome.confirmed} % on fresh seeds"
        took = time.monotonic() - self._started
        left = took / self._done * self._left
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
