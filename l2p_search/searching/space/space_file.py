"""Reading a search space from a small typed YAML file.

A file has a line for each hyperparameter of a config, and may say how much to search:

    dropout: {choices: [0.2, 0.4, 0.6]}          # one of these
    lr: {low: 1e-3, high: 0.1, log: true}        # anything between, uniform in its logarithm
    K: {low: 2, high: 64}                        # a whole number, as K is one; `step` is optional
    posterior: select                            # fixed
    seeds: 20                                    # the seeds of a trial
    budget: {trials: 200, time: 8h}              # where the search ends
    start: {dropout: 0.5, K: 8}                  # tried first; a list of such for several

What is not named keeps the default for the dataset's kind of graph.
"""

from collections.abc import Mapping
from dataclasses import fields
from decimal import Decimal
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, get_type_hints

from l2p_search.config import EXCLUDING, TrialConfig
from l2p_search.durations import parse_duration
from l2p_search.errors import ConfigError, did_you_mean, shown
from l2p_search.keys import about, checked, usual
from l2p_search.searching.space.search_space import Choices, Dimension, Range, SearchSpace, plain
from l2p_search.yaml_file import read_yaml_mapping

_NOT_HYPERPARAMETERS = ("seeds", "budget", "start")
_MOST_CHOICES = 1000
_MOST_STEPS = 10**6
_MOST_COMBINATIONS = 10**5
_MOST = {"seeds": 10**4, "budget: trials": 10**6}
"""Bounds, beyond which a search would stand still before it has begun."""
_HYPERPARAMETERS = {field.name: field for field in fields(TrialConfig)}
_TYPES = get_type_hints(TrialConfig)
_DECIDING = EXCLUDING | {
    unless[0] for field in _HYPERPARAMETERS.values() if (unless := about(field).unless)
}
"""The keys whose values decide which others are read, or which other values are excluded."""


def read_space(path: Path) -> SearchSpace:
    """Read a space file.

    Args:
        path: A YAML file.

    Returns:
        The space, with the name of the file.

    Raises:
        ConfigError: The file is missing or wrong; the message names the file, the key and what to
            write instead.
    """
    try:
        return parse_space(path.stem, read_yaml_mapping(path))
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def parse_space(name: str, mapping: Mapping[str, Any], *, recorded: bool = False) -> SearchSpace:
    """A space from plain values, as a YAML file holds them.

    Args:
        name: The name of the space.
        mapping: The lines of the file.
        recorded: Whether it was recorded when a search began. A key that its model does not read
            is then accepted, so that the search can go on.

    Returns:
        The space.

    Raises:
        ConfigError: A key or a value is wrong; the message says what to write instead.

    Example:
        >>> print(parse_space("mine", {"lr": {"low": 0.01, "high": 0.1}}).dimensions["lr"])
        numbers from 0.01 to 0.1
    """
    dimensions: dict[str, Dimension] = {}
    fixed: dict[str, Any] = {}
    for key, value in mapping.items():
        if key in _NOT_HYPERPARAMETERS:
            continue
        if key not in _HYPERPARAMETERS:
            near = did_you_mean(str(key), {*_HYPERPARAMETERS, *_NOT_HYPERPARAMETERS})
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
    seeds = None if mapping.get("seeds") is None else _count("seeds", mapping["seeds"])
    start = _start(mapping.get("start"), dimensions)
    space = SearchSpace(name, dimensions, fixed, seeds, trials, time_budget, start)
    if not recorded:
        _refuse_impossible(space)
    return space


def _refuse_impossible(space: SearchSpace) -> None:
    """Refuse a space of which no point is possible, and a key that none of its networks reads.

    A search leaves out the points whose values exclude each other.
    """
    keys = (*space.dimensions, *space.fixed)
    given = {key: _possible(space, key) for key in keys if key in _DECIDING}
    if prod(map(len, given.values())) > _MOST_COMBINATIONS:
        raise ConfigError(
            f"{', '.join(given)} have more than {_MOST_COMBINATIONS} combinations; give them fewer"
            " choices"
        )
    configs, why = [], ""
    for values in product(*given.values()):
        try:
            configs.append(TrialConfig.recorded(dict(zip(given, values, strict=True))))
        except ConfigError as error:
            why = why or error.message
    if why and not all(_is_counted(space, key) for key in given):
        return  # between the ends of its ranges there may be possible points
    if not configs:
        raise ConfigError(why)
    for key in keys:
        value = space.fixed.get(key)
        reasons = [config.why_unread(key) for config in configs]
        if None in reasons or value in usual(_HYPERPARAMETERS[key]):
            continue
        what = key if value is None else f"{key}={value!r}"
        why = " or ".join(dict.fromkeys(filter(None, reasons)))
        raise ConfigError(f"{what} is not read {why}; leave it out")


def _is_counted(space: SearchSpace, key: str) -> bool:
    """Whether `_possible` gives every value of the key."""
    return key in space.fixed or isinstance(space.dimensions[key], Choices)


def _possible(space: SearchSpace, key: str) -> tuple[Any, ...]:
    """The values that a key may have; of a range its ends, as there may be no end of values."""
    if key in space.fixed:
        return (space.fixed[key],)
    dimension = space.dimensions[key]
    return dimension.values if isinstance(dimension, Choices) else (dimension.low, dimension.high)


def _dimension(key: str, spec: dict[str, Any]) -> Dimension:
    """What stands in braces after a key."""
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
    """The list after `choices`, each value once."""
    if not isinstance(values, list) or not values:
        raise ConfigError(f"{key}: choices={shown(values)} must be a list such as [1, 2]")
    if len(values) > _MOST_CHOICES:
        raise ConfigError(
            f"{key}: has {len(values)} choices, more than {_MOST_CHOICES}; give low and high"
        )
    checked = tuple(_checked(key, value) for value in values)
    for place, value in enumerate(checked):
        if value in checked[:place]:
            raise ConfigError(f"{key}: {value!r} is given twice; keep one of them")
    return Choices(checked)


def _range(key: str, spec: dict[str, Any]) -> Range:
    """The numbers after `low`, `high`, `log` and `step`."""
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
        raise ConfigError(f"{key}: log={shown(log)} must be true or false")
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
            f"{key}: step={shown(step)} must be {kind} above 0 and at most {plain(high - low)}"
        )
    if whole and not log:
        step = int(step or 1)
    if step is not None and (high - low) / step > _MOST_STEPS:
        raise ConfigError(f"{key}: has more than {_MOST_STEPS} values; give a larger step, or log")
    if step is not None:
        count = int((Decimal(str(high)) - Decimal(str(low))) / Decimal(str(step)))
        reached = Decimal(str(low)) + count * Decimal(str(step))
        high = int(reached) if whole else float(reached)  # as the sampler would, without a warning
    return Range(low, high, log, step, whole)


def _budget(budget: Any) -> tuple[int | None, float | None]:
    """Trials and seconds, None where the file sets no end."""
    if budget is None:
        return None, None
    if not isinstance(budget, dict):
        raise ConfigError(f"budget={shown(budget)} must be such as {{trials: 200, time: 8h}}")
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
    """One point, every value of which is in the space."""
    if not isinstance(point, dict) or not point:
        raise ConfigError(f"start={shown(point)} must be such as {{dropout: 0.5, K: 8}}")
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
            raise ConfigError(
                f"start: {key}={shown(value)} is not in the space; it has {dimension}"
            )
    return checked


def _count(key: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigError(f"{key}={shown(value)} must be a whole number of at least 1")
    if value > _MOST[key]:
        raise ConfigError(f"{key}: must be at most {_MOST[key]}")
    return value


def _duration(key: str, value: Any) -> float:
    try:
        return parse_duration(str(value))
    except ValueError as error:
        raise ConfigError(f"{key}: {error}") from None


def _checked(key: str, value: Any) -> Any:
    """The value as the type of its field, if it is within the bounds, whatever the model."""
    return checked(_HYPERPARAMETERS[key], _TYPES[key], value)
