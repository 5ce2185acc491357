"""SearchSpace: what may vary, read from a small typed YAML file.

A file has a line for each hyperparameter of a config, and may say how much to search:

    dropout: {choices: [0.2, 0.4, 0.6]}          # one of these
    lr: {low: 1e-3, high: 0.1, log: true}        # anything between, uniform in its logarithm
    K: {low: 2, high: 64}                        # a whole number, as K is one; `step` is optional
    posterior: select                            # fixed
    seeds: 20                                    # a trial's seeds
    budget: {trials: 200, time: 8h}              # where the search ends
    start: {dropout: 0.5, K: 8}                  # tried first; a list of such for several

What is not named keeps the default for the dataset's kind of graph.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from pathlib import Path
from typing import Any

from l2p_search.config import TrialConfig
from l2p_search.durations import parse_duration
from l2p_search.errors import ConfigError, did_you_mean
from l2p_search.yaml_file import read_yaml_mapping


@dataclass(frozen=True)
class Choices:
    """One of these values."""

    values: tuple[Any, ...]

    def __str__(self) -> str:
        """For people: the values, as a file would have them."""
        return ", ".join(_plain(value) for value in self.values)

    def enumerated(self) -> tuple[Any, ...]:
        """Every value."""
        return self.values


@dataclass(frozen=True)
class Range:
    """A number from low to high, both included."""

    low: float
    high: float
    log: bool = False
    step: float | None = None
    whole: bool = False

    def __str__(self) -> str:
        """For people: the bounds, and how they are filled."""
        kind = "whole numbers" if self.whole else "numbers"
        how = " in steps of " + _plain(self.step) if self.step not in (None, 1) else ""
        return f"{kind} from {_plain(self.low)} to {_plain(self.high)}{how}{', log' * self.log}"

    def enumerated(self) -> tuple[Any, ...] | None:
        """Every value, or None where they cannot be counted."""
        if self.step is None:
            return None
        low, high, step = (Decimal(str(part)) for part in (self.low, self.high, self.step))
        count = int((high - low) / step) + 1
        kind = int if self.whole else float
        return tuple(kind(low + index * step) for index in range(count))


Dimension = Choices | Range

_NOT_HYPERPARAMETERS = ("seeds", "budget", "start")


@dataclass(frozen=True)
class SearchSpace:
    """What varies, what is fixed, and how much of it a search looks at unless told otherwise."""

    name: str
    dimensions: dict[str, Dimension]
    fixed: dict[str, Any]
    seeds: int | None = None
    trials: int | None = None
    time_budget: float | None = None
    start: tuple[dict[str, Any], ...] = ()

    @property
    def size(self) -> int | None:
        """How many configurations there are; None when they cannot be counted."""
        counts = [dimension.enumerated() for dimension in self.dimensions.values()]
        return math.prod(len(c) for c in counts if c is not None) if None not in counts else None

    def at_most(self, trials: int) -> int:
        """How many of so many trials there can be: each has a configuration of its own."""
        return min(trials, self.size or trials)

    def point(self, index: int) -> dict[str, Any]:
        """One point of a countable space, counted in the file's order, the last key fastest."""
        point = {}
        for key, dimension in reversed(self.dimensions.items()):
            values = dimension.enumerated()
            if values is None:
                raise ValueError(f"the values of '{key}' cannot be counted")
            index, place = divmod(index, len(values))
            point[key] = values[place]
        return {key: point[key] for key in self.dimensions}

    def config(self, point: Mapping[str, Any], base: TrialConfig) -> TrialConfig:
        """A point as a complete config: the base, the fixed values, the point."""
        return TrialConfig.from_mapping({**self.fixed, **point}, base)

    def middle(self) -> dict[str, Any]:
        """A point in the middle of every dimension, to measure what a trial costs."""
        return {key: _middle(dimension) for key, dimension in self.dimensions.items()}

    def to_mapping(self) -> dict[str, Any]:
        """What a file would say; the inverse of `parse_space`."""
        mapping: dict[str, Any] = dict(self.fixed)
        for key, dimension in self.dimensions.items():
            if isinstance(dimension, Choices):
                mapping[key] = {"choices": list(dimension.values)}
                continue
            mapping[key] = {"low": dimension.low, "high": dimension.high}
            if dimension.log:
                mapping[key]["log"] = True
            elif dimension.step is not None:
                mapping[key]["step"] = dimension.step
        if self.seeds is not None:
            mapping["seeds"] = self.seeds
        budget = {"trials": self.trials, "time": self.time_budget}
        if given := {key: value for key, value in budget.items() if value is not None}:
            mapping["budget"] = given
        if self.start:
            mapping["start"] = [dict(point) for point in self.start]
        return mapping


def read_space(path: Path) -> SearchSpace:
    """Read a space file; every error names the file, the key and what to write instead."""
    try:
        return parse_space(path.stem, read_yaml_mapping(path))
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def parse_space(name: str, mapping: Mapping[str, Any]) -> SearchSpace:
    """A space from plain values, as a YAML file holds them."""
    known = {field.name: field.type for field in fields(TrialConfig)}
    dimensions: dict[str, Dimension] = {}
    fixed: dict[str, Any] = {}
    for key, value in mapping.items():
        if key in _NOT_HYPERPARAMETERS:
            continue
        if key not in known:
            near = did_you_mean(str(key), {*known, *_NOT_HYPERPARAMETERS})
            raise ConfigError(f"unknown key '{key}'; {near}")
        if isinstance(value, dict):
            dimensions[key] = _dimension(key, value)
        elif isinstance(value, list):
            raise ConfigError(f"{key}: a bare list; write {{choices: [..]}}")
        else:
            fixed[key] = _checked(key, value)
    if not dimensions:
        raise ConfigError(
            "nothing varies; give some hyperparameter choices, such as K: {choices: [2, 4, 8]}"
        )
    trials, time_budget = _budget(mapping.get("budget"))
    seeds = mapping.get("seeds")
    if seeds is not None:
        seeds = _count("seeds", seeds)
    start = _start(mapping.get("start"), dimensions)
    return SearchSpace(name, dimensions, fixed, seeds, trials, time_budget, start)


def _dimension(key: str, spec: dict[str, Any]) -> Dimension:
    allowed = {"choices"} if "choices" in spec else {"low", "high", "log", "step"}
    for part in spec:
        if part not in allowed:
            near = did_you_mean(str(part), allowed | {"choices"})
            together = " with 'choices'" if "choices" in spec else ""
            raise ConfigError(f"{key}: '{part}' is not understood{together}; {near}")
    if "choices" in spec:
        return _choices(key, spec["choices"])
    return _range(key, spec)


def _choices(key: str, values: Any) -> Choices:
    if not isinstance(values, list) or not values:
        raise ConfigError(f"{key}: choices={values!r} must be a list such as [1, 2]")
    checked = tuple(_checked(key, value) for value in values)
    for place, value in enumerate(checked):
        if value in checked[:place]:
            raise ConfigError(f"{key}: {value!r} is given twice; keep one of them")
    return Choices(checked)


def _range(key: str, spec: dict[str, Any]) -> Range:
    for bound in ("low", "high"):
        if bound not in spec:
            raise ConfigError(f"{key}: '{bound}' is missing; write {{low: .., high: ..}}")
    if isinstance(_checked(key, spec["low"]), str):
        raise ConfigError(f"{key}: takes names, not numbers; write {{choices: [..]}}")
    low, high = _checked(key, spec["low"]), _checked(key, spec["high"])
    log, step = spec.get("log", False), spec.get("step")
    whole = isinstance(low, int)
    if low >= high:
        raise ConfigError(f"{key}: low={low!r} must be below high={high!r}")
    if not isinstance(log, bool):
        raise ConfigError(f"{key}: log={log!r} must be true or false")
    if log and low <= 0:
        raise ConfigError(f"{key}: low={low!r} has no logarithm; give a low above 0 or leave log")
    if log and step is not None:
        raise ConfigError(f"{key}: log and step exclude each other; keep one of them")
    if step is not None and (
        isinstance(step, bool)
        or not isinstance(step, (int, float))
        or not 0 < step <= high - low
        or (whole and step != int(step))
    ):
        kind = "a whole number" if whole else "a number"
        raise ConfigError(
            f"{key}: step={step!r} must be {kind} above 0 and at most {_plain(high - low)}"
        )
    if whole and not log:
        step = int(step or 1)
    if step is not None:
        count = int((Decimal(str(high)) - Decimal(str(low))) / Decimal(str(step)))
        reached = Decimal(str(low)) + count * Decimal(str(step))
        high = int(reached) if whole else float(reached)  # as the sampler would, without a warning
    return Range(low, high, log, step, whole)


def _budget(budget: Any) -> tuple[int | None, float | None]:
    if budget is None:
        return None, None
    if not isinstance(budget, dict):
        raise ConfigError(f"budget={budget!r} must be such as {{trials: 200, time: 8h}}")
    for part in budget:
        if part not in ("trials", "time"):
            near = did_you_mean(str(part), {"trials", "time"})
            raise ConfigError(f"budget: '{part}' is not understood; {near}")
    trials, time = budget.get("trials"), budget.get("time")
    return (
        None if trials is None else _count("budget: trials", trials),
        None if time is None else _duration("budget: time", time),
    )


def _start(given: Any, dimensions: Mapping[str, Dimension]) -> tuple[dict[str, Any], ...]:
    """Points to begin with; what one leaves out is drawn."""
    points = given if isinstance(given, list) else [] if given is None else [given]
    return tuple(_start_point(point, dimensions) for point in points)


def _start_point(point: Any, dimensions: Mapping[str, Dimension]) -> dict[str, Any]:
    if not isinstance(point, dict) or not point:
        raise ConfigError(f"start={point!r} must be such as {{dropout: 0.5, K: 8}}")
    checked = {}
    for key, value in point.items():
        if key not in dimensions:
            near = did_you_mean(str(key), dimensions)
            raise ConfigError(f"start: '{key}' does not vary here; {near}")
        checked[key] = _checked(key, value)
        dimension = dimensions[key]
        values = dimension.enumerated()
        if isinstance(dimension, Range) and values is None:
            inside = dimension.low <= checked[key] <= dimension.high
        else:
            inside = checked[key] in (values or ())
        if not inside:
            raise ConfigError(f"start: {key}={value!r} is not in the space; it has {dimension}")
    return checked


def _count(key: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigError(f"{key}={value!r} must be a whole number of at least 1")
    return value


def _duration(key: str, value: Any) -> float:
    try:
        return parse_duration(str(value))
    except ValueError as error:
        raise ConfigError(f"{key}: {error}") from None


def _checked(key: str, value: Any) -> Any:
    """The value as its field's type, when a config can have it."""
    return getattr(TrialConfig.from_mapping({key: value}), key)


def _middle(dimension: Dimension) -> Any:
    if isinstance(dimension, Choices):
        return dimension.values[len(dimension.values) // 2]
    values = dimension.enumerated()
    if values is not None:
        return values[len(values) // 2]
    if dimension.log:
        middle = math.sqrt(dimension.low * dimension.high)
    else:
        middle = (dimension.low + dimension.high) / 2
    return round(middle) if dimension.whole else middle


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
