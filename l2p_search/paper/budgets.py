"""Studies: the searches that a table or a figure of the paper needs, and how much of each."""

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
    """How much of the paper's protocol is done.

    A narrow budget searches part of each model's space: one learning rate and width, and no more
    than so many steps. Models whose steps have weights of their own cost a multiple of the linear
    ones: they get fewer steps, and as many epochs as Kipf and Welling's GCN, or half of that on
    a graph of more than ten thousand nodes.
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
            words += (
                f", {self.layered_epochs} epochs at the most for models with weights a step"
                f" ({self.layered_epochs // 2} on graphs of more than {_LARGE:,} nodes)"
            )
        return words


_LARGE = 10_000
BUDGETS = {
    "smoke": Budget(trials=1, seeds=2, confirm=2, most_steps=4, epochs=5, layered_epochs=5),
    "quick": Budget(trials=3, seeds=4, confirm=10, layered_epochs=200),
    "full": Budget(trials=200, seeds=20, confirm=20, narrow=False),
}
_LINEAR = {"l2q", "l2s", "mlp", "appnp", "gprgnn", "dagnn"}
_ATTENTIVE, _MOST_ATTENTIVE = {"gat", "l2q-gat", "l2s-gat"}, 2
_RATE, _WIDTHS = 0.01, (64, 16)


@dataclass(frozen=True)
class Study:
    """One search: its name, the graph, what varies, and how much of it is looked at."""

    name: str
    dataset: str
    space: SearchSpace
    base: TrialConfig
    seeds: int
    goal: Goal
    sampler: Sampler = defaults.SAMPLER


def method_study(method: str, dataset: str, budget_name: str) -> Study:
    """The search of a method on a dataset, as tables 1 to 3 need it."""
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


def _is_large(dataset: str) -> bool:
    """Whether an epoch of a model with weights a step takes seconds."""
    figures = find_dataset(dataset).paper
    return figures is not None and figures.nodes > _LARGE


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
