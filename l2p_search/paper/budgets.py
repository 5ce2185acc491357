"""Studies: the searches that a table or figure of the paper needs, and how large each one is."""

import dataclasses
from dataclasses import dataclass
from typing import Any

from l2p_search import defaults
from l2p_search.config import DEFAULTS, TrialConfig
from l2p_search.data.catalogue import find_dataset
from l2p_search.display.phrases import count
from l2p_search.searching.records.settings import Goal, Sampler
from l2p_search.searching.space.search_space import Choices, SearchSpace
from l2p_search.searching.space.shipped import load_space, space_of_model


@dataclass(frozen=True)
class Budget:
    """How much of the paper's protocol is run.

    Layered models, whose propagation steps have weights of their own (GCN, GAT, GCNII and those
    built on them), cost a multiple of the others. A small budget gives them fewer steps and
    epochs; on graphs of more than ten thousand nodes half of these epochs.

    Args:
        trials: Per search.
        seeds: Per trial.
        confirm: Fresh seeds on which the best trial of a search is trained again.
        narrow: Whether only part of each space is searched: one learning rate, one width, and
            few steps.
        most_steps: The largest K of a narrow search.
        most_layers: The largest K of a narrow search of a layered model.
        epochs: At the most; None for the default of the kind of graph.
        layered_epochs: The same for layered models. 200 are those of Kipf and Welling's GCN.
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
        """Describe the budget in a sentence, for readers of its results."""
        words = f"the best on validation of {count(self.trials, 'trial')} of {self.seeds} seeds"
        if self.narrow:
            words += (
                f" in part of each space (K up to {self.most_steps}, or {self.most_layers} where"
                " steps have weights of their own)"
            )
        if self.layered_epochs is not None:
            words += (
                f", {self.layered_epochs} epochs at the most for models with weights per step"
                f" ({self.layered_epochs // 2} on graphs of more than {_LARGE:,} nodes)"
            )
        return words


_LARGE = 10_000
"""Nodes above which an epoch of a layered model takes seconds."""
BUDGETS = {
    "smoke": Budget(trials=1, seeds=2, confirm=2, most_steps=4, epochs=5, layered_epochs=5),
    "quick": Budget(trials=3, seeds=4, confirm=10, layered_epochs=200),
    "full": Budget(trials=200, seeds=20, confirm=20, narrow=False),
}
"""smoke: minutes, to see that it works; quick: about an hour per table; full: all of the paper's
ranges and seeds."""
_LINEAR = {"l2q", "l2s", "mlp", "appnp", "gprgnn", "dagnn"}
"""Methods that are not layered."""
_ATTENTIVE, _MOST_ATTENTIVE = {"gat", "l2q-gat", "l2s-gat"}, 2
"""Attention costs most of all: methods, and their largest K in a narrow search."""
_RATE, _WIDTHS = 0.01, (64, 16)
"""The learning rate of a narrow search, and its width: the first of these that the space has."""


@dataclass(frozen=True)
class Study:
    """One search that a table or figure needs.

    Args:
        name: Of the search.
        dataset: The name of the graph.
        space: What varies.
        base: The values of hyperparameters that the space does not name.
        seeds: Per trial.
        goal: Trials and confirmations.
        sampler: Which of Optuna's samplers proposes configurations.
    """

    name: str
    dataset: str
    space: SearchSpace
    base: TrialConfig
    seeds: int
    goal: Goal
    sampler: Sampler = defaults.SAMPLER


def method_study(method: str, dataset: str, budget_name: str) -> Study:
    """The search of a method on a dataset, for tables 1 to 3.

    Args:
        method: Such as l2q, gcn or jknet-drop.
        dataset: The name of the graph.
        budget_name: A key of `BUDGETS`.

    Returns:
        The study.

    Raises:
        ConfigError: There is no such method.
        DataError: There is no such dataset.

    Example:
        >>> method_study("gcn", "texas", "quick").name
        'paper-quick-texas-gcn'
    """
    budget = BUDGETS[budget_name]
    space = load_space(space_of_model(method))
    epochs, most = budget.layered_epochs, budget.most_layers
    if epochs is not None and _is_large(dataset):
        epochs //= 2
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
    """A search of every combination of some values, for what a figure compares.

    Args:
        name: Part of the name of the search.
        dataset: The name of the graph.
        budget_name: A key of `BUDGETS`; seeds and epochs are read from it.
        varied: Hyperparameter -> the values to compare.
        fixed: Hyperparameter -> its value.

    Returns:
        The study, a grid without confirmation.

    Example:
        >>> study = grid_study("both", "texas", "quick", {"posterior": ["quit", "select"]}, {})
        >>> study.goal.trials
        2
    """
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


def _is_large(dataset: str) -> bool:
    """Whether an epoch of a layered model takes seconds."""
    figures = find_dataset(dataset).paper
    return figures is not None and figures.nodes > _LARGE


def base_of(dataset: str, epochs: int | None) -> TrialConfig:
    """The default configuration for a dataset.

    Args:
        dataset: The name of the graph.
        epochs: At the most; None for the default.

    Returns:
        The defaults of its kind of graph, with a patience of at most `epochs`.
    """
    base = DEFAULTS[find_dataset(dataset).kind]
    if epochs is None:
        return base
    return dataclasses.replace(base, epochs=epochs, patience=min(base.patience, epochs))


def narrowed(space: SearchSpace, most_steps: int) -> SearchSpace:
    """Part of a space: one learning rate, one width, and few steps.

    Args:
        space: The whole space.
        most_steps: The largest K that is kept.

    Returns:
        The part. A hyperparameter of which one value is left becomes fixed, one that would have
        none keeps all, and start points lose the values that are gone.
    """
    keep: dict[str, Any] = {
        "lr": lambda values: [v for v in values if v == _RATE],
        "hidden": lambda values: [
            v for v in values if v == next((w for w in _WIDTHS if w in values), None)
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
