"""Searches that belong to a larger question: named, run once, reused when they are recorded."""

import argparse
import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from l2p_search.config import DEFAULTS, TrialConfig
from l2p_search.data.catalogue import find_dataset
from l2p_search.errors import SearchError
from l2p_search.search.files import load_space, space_of_model
from l2p_search.search.journal import Journal
from l2p_search.search.outcome import Outcome, read_outcome
from l2p_search.search.settings import Goal, Sampler, SearchSettings
from l2p_search.search.space import Choices, SearchSpace

if TYPE_CHECKING:
    from l2p_search.data.graph import Graph


@dataclass(frozen=True)
class Budget:
    """How much of the paper's protocol is done.

    A narrow budget searches part of each model's space: one learning rate and width, and no more
    than so many steps, fewer where each step has weights of its own.
    """

    trials: int
    seeds: int
    confirm: int
    narrow: bool = True
    most_steps: int = 16
    most_layers: int = 8
    epochs: int | None = None


BUDGETS = {
    "smoke": Budget(trials=1, seeds=2, confirm=2, most_steps=4, most_layers=4, epochs=5),
    "quick": Budget(trials=4, seeds=5, confirm=10),
    "full": Budget(trials=200, seeds=20, confirm=20, narrow=False, most_steps=64, most_layers=64),
}
_LINEAR = {"l2q", "l2s", "mlp", "appnp", "gprgnn", "dagnn"}
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
    if budget.narrow:
        space = narrowed(space, budget.most_steps if method in _LINEAR else budget.most_layers)
    return Study(
        name=f"paper-{budget_name}-{dataset}-{method}",
        dataset=dataset,
        space=space,
        base=base_of(dataset, budget),
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
        base=base_of(dataset, budget),
        seeds=budget.seeds,
        goal=Goal(trials=space.size or 1, confirm=0, ties=0),
        sampler="grid",
    )


def base_of(dataset: str, budget: Budget) -> TrialConfig:
    """The defaults of the dataset's kind of graph."""
    base = DEFAULTS[find_dataset(dataset).kind]
    if budget.epochs is None:
        return base
    return dataclasses.replace(base, epochs=budget.epochs, patience=budget.epochs)


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
    return dataclasses.replace(space, dimensions=dimensions, fixed=fixed)


def outcome_of(args: argparse.Namespace, study: Study, graph: "Graph") -> Outcome:
    """What the study found: read when it is recorded whole, else searched or continued."""
    from l2p_search.cli.conduct import conduct
    from l2p_search.search.directory import searches_folder

    settings = SearchSettings(
        dataset=study.dataset,
        data_digest=graph.digest,
        space=study.space,
        base=study.base,
        seeds=study.seeds,
        sampler=study.sampler,
        seed=0,
        race=False,
    )
    directory = searches_folder(args.dir) / study.name
    if Journal.exists(directory):
        journal = Journal.read(directory)
        _check_same(directory, journal.settings, settings)
        outcome = read_outcome(journal)
        if _whole(outcome, study):
            return outcome
        journal = Journal.resume(directory)
    else:
        journal = Journal.create(directory, settings)
    try:
        finish, code = conduct(args, journal, graph, study.goal)
    finally:
        journal.close()
    if code != 0:
        raise InterruptedStudyError(code)
    return finish.outcome


def _check_same(directory: Path, recorded: SearchSettings, wanted: SearchSettings) -> None:
    if recorded != wanted:
        raise SearchError(
            f"search '{directory.name}' was made with other settings; move it out of"
            f" {directory.parent}, or name another folder with --dir"
        )


def _whole(outcome: Outcome, study: Study) -> bool:
    ended = [record for record in outcome.records if record.status != "running"]
    if len(ended) < study.space.at_most(study.goal.trials) or len(ended) < len(outcome.records):
        return False
    best = outcome.best
    if study.goal.confirm == 0 or best is None:
        return True
    confirmed = outcome.confirmations.get(best.number)
    return confirmed is not None and len(confirmed.seeds) >= study.goal.confirm
