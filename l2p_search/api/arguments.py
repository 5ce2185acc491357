"""Checks of what a caller gives: each refuses a value by the argument's name."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from l2p_search.durations import parse_duration
from l2p_search.errors import UserError, argument
from l2p_search.searching.space.search_space import SearchSpace

SpaceLike = str | Path | Mapping[str, Any] | SearchSpace
"""A space: the name of a shipped one, a file's path, its content, or the space itself."""


def whole(name: str, value: Any, least: int) -> None:
    """Refuse what is no whole number of at least `least`; None is not given, and fine.

    Raises:
        UserError: With the argument, its value and what it may be.
    """
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise UserError(f"{argument(name, value)}: must be a whole number of at least {least}")


def above_zero(name: str, value: Any) -> None:
    """Refuse what is no finite number above 0; None is not given, and fine."""
    if value is None:
        return
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not 0 < value < float("inf"):
        raise UserError(f"{argument(name, value)}: must be a number above 0")


def one_of(name: str, value: Any, known: tuple[str, ...]) -> None:
    """Refuse what is not among the known values; None is not given, and fine."""
    if value is not None and value not in known:
        raise UserError(f"{argument(name, value)}: must be one of {', '.join(known)}")


def seconds(name: str, value: float | str | None) -> float | None:
    """A duration in seconds, from a number or from text such as '8h'."""
    if isinstance(value, str):
        try:
            return parse_duration(value)
        except ValueError as error:
            raise UserError(f"{argument(name)}: {error}") from None
    above_zero(name, value)
    return value


def space_of(given: SpaceLike) -> SearchSpace:
    """The space that a caller means."""
    from l2p_search.searching.space.shipped import load_space
    from l2p_search.searching.space.space_file import parse_space

    if isinstance(given, SearchSpace):
        return given
    if isinstance(given, Mapping):
        return parse_space("own", dict(given))
    return load_space(str(given))


CHECKS: dict[str, Callable[[str, Any], None]] = {
    "trials": lambda name, value: whole(name, value, 1),
    "seeds": lambda name, value: whole(name, value, 1),
    "seed": lambda name, value: whole(name, value, 0),
    "confirm": lambda name, value: whole(name, value, 0),
    "confirm_ties": lambda name, value: whole(name, value, 0),
    "concurrency": lambda name, value: whole(name, value, 1),
    "cpus_per_trial": lambda name, value: whole(name, value, 1),
    "threads": lambda name, value: whole(name, value, 1),
    "memory_gb": above_zero,
    "sampler": lambda name, value: one_of(name, value, ("tpe", "random", "grid", "gp")),
}


def check(**given: Any) -> None:
    """Check arguments by their names, as `CHECKS` has them."""
    for name, value in given.items():
        CHECKS[name](name, value)
