"""Checks of arguments: each refuses a bad value in one line that names the argument."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args

from l2p_search.durations import parse_duration
from l2p_search.errors import ConfigError, UserError, argument, shown
from l2p_search.metrics import METRICS
from l2p_search.searching.records.settings import Race, Sampler
from l2p_search.searching.space.search_space import SearchSpace
from l2p_search.whole_file import is_path

_THREADS = 4096
"""More threads than any machine has; with more, torch fails or the machine stands still."""
SpaceLike = str | Path | Mapping[str, Any] | SearchSpace
"""A space: the name of a shipped one, a file's path, its content, or the space itself."""

_UNNAMED = frozenset("/:@%\\'\"`\n\r\t")
"""Characters that MLflow refuses in a model's name, or that `models:/NAME@alias` cannot hold."""


def whole(name: str, value: Any, least: int, most: int) -> None:
    """Refuse a value that is not a whole number from `least` to `most`.

    Args:
        name: The argument that the value was given for.
        value: The value; None stands for "not given" and is accepted.
        least: The smallest number that is accepted.
        most: The largest: beyond it nothing would ever end.

    Raises:
        UserError: One line with the argument, its value and what it may be.
    """
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise UserError(
            f"{argument(name, _short(value))}: must be a whole number of at least {least}"
        )
    if value > most:
        raise UserError(f"{argument(name, _short(value))}: must be at most {most}")


def above_zero(name: str, value: Any, most: float = sys.float_info.max) -> None:
    """Refuse a value that is not a number above 0 and at most `most`; None is accepted."""
    if value is not None and not (_is_finite(value) and value > 0):
        raise UserError(f"{argument(name, _short(value))}: must be a number above 0")
    _at_most(name, value, most)


def at_least_zero(name: str, value: Any, most: float = sys.float_info.max) -> None:
    """Refuse a value that is not a number from 0 to `most`; None is accepted."""
    if value is not None and not (_is_finite(value) and value >= 0):
        raise UserError(f"{argument(name, _short(value))}: must be a number of at least 0")
    _at_most(name, value, most)


def _at_most(name: str, value: Any, most: float) -> None:
    if value is not None and value > most:
        raise UserError(f"{argument(name, _short(value))}: must be at most {most:g}")


def one_of(name: str, value: Any, known: tuple[str, ...]) -> None:
    """Refuse a value that is not among the known ones; None is accepted."""
    if value is not None and value not in known:
        raise UserError(f"{argument(name, value)}: must be one of {', '.join(known)}")


def text(name: str, value: Any) -> None:
    """Refuse a value that is not a string; None is accepted."""
    if value is not None and not isinstance(value, str):
        raise UserError(f"{argument(name)}: {shown(value)} must be a string")


def yes_or_no(name: str, value: Any) -> None:
    """Refuse a value that is neither True nor False; None is accepted."""
    if value is not None and not isinstance(value, bool):
        raise UserError(f"{argument(name)}: {shown(value)} must be True or False")


def rule_of_a_race(name: str, value: Any) -> None:
    """Refuse a value that is neither True, False nor the name of a rule; None is accepted."""
    rules = get_args(Race)
    if value is not None and not isinstance(value, bool) and value not in rules:
        raise UserError(
            f"{argument(name)}: {shown(value)} must be True, False or one of {', '.join(rules)}"
        )


def path_of(name: str, value: Any) -> Path | None:
    """The path that a caller gives as a string or as a `Path`; None stays None.

    Raises:
        UserError: It is neither, or no file could have such a name.
    """
    if value is None:
        return None
    if not isinstance(value, str | Path) or not value:
        raise UserError(f"{argument(name)}: {shown(value)} must be a path")
    path = Path(value)
    if not is_path(path):
        raise UserError(
            f"{argument(name)}: {str(path)[:60]!r} is no path, as a name in it is too long or"
            " holds what no name can hold; choose another"
        )
    return path


def seconds(name: str, value: float | str | None) -> float | None:
    """A duration in seconds, from a number of seconds or from a string such as '8h'.

    Args:
        name: The argument that the duration was given for.
        value: The duration; None stays None.

    Returns:
        Seconds, above 0.

    Raises:
        UserError: It is no duration.

    Example:
        >>> seconds("time_budget", "1h30m")
        5400.0
    """
    if isinstance(value, str):
        try:
            return parse_duration(value)
        except ValueError as error:
            raise UserError(f"{argument(name)}: {error}") from None
    above_zero(name, value)
    return value


def registered(name: str, value: Any) -> None:
    """Refuse what cannot be the name of a model in MLflow's registry; None is accepted."""
    text(name, value)
    if value is None:
        return
    if value != value.strip() or value in ("", ".", "..") or not _UNNAMED.isdisjoint(value):
        raise UserError(
            f"{argument(name)}: {shown(value)} must be a name that MLflow's registry takes,"
            " without /, :, @, % and quotes, such as wisconsin"
        )


def display(name: str, value: Any) -> None:
    """Refuse a display of a search that cannot be told anything."""
    if not (_is_word(value, "auto", "off") or (_has(value, "update") and _has(value, "note"))):
        raise UserError(
            f"{argument(name)}: {shown(value)} must be 'auto', 'off', or an object with"
            " update(event, snapshot) and note(text)"
        )


def on_epoch(name: str, value: Any) -> None:
    """Refuse a display of a training that is neither known nor a function."""
    if not (_is_word(value, "auto", "off") or callable(value)):
        raise UserError(
            f"{argument(name)}: {shown(value)} must be 'auto', 'off', or a function of a Progress"
        )


def event(name: str, value: Any) -> None:
    """Refuse what cannot be asked whether it is set; None is accepted."""
    if value is not None and not (_has(value, "is_set") and _has(value, "set")):
        raise UserError(f"{argument(name)}: {shown(value)} must be a threading.Event")


def space_of(given: SpaceLike) -> SearchSpace:
    """The space that a caller means.

    Args:
        given: The name of a shipped space, the path of a YAML file, the content of one, or a
            space.

    Returns:
        The space; one that was given by its content is called "own".

    Raises:
        ConfigError: The file or its content is no space.
        UserError: It is nothing of that kind.
    """
    from l2p_search.searching.space.shipped import load_space
    from l2p_search.searching.space.space_file import parse_space

    if isinstance(given, SearchSpace):
        return given
    if isinstance(given, Mapping):
        try:
            return parse_space("own", dict(given))
        except ConfigError as error:
            raise ConfigError(f"{argument('space')}: {error.message}") from None
    if not isinstance(given, str | Path):
        raise UserError(
            f"{argument('space')}: {shown(given)} must be the name of a space, the path of a YAML"
            " file, its content as a dict, or a SearchSpace"
        )
    return load_space(str(given))


def _device(name: str, value: object) -> None:
    # Commands that only look at searches would wait for torch to be imported.
    from l2p_search.model.devices import check_name

    check_name(name, value)


CHECKS: dict[str, Callable[[str, Any], None]] = {
    "trials": lambda name, value: whole(name, value, 1, 10**6),
    "seeds": lambda name, value: whole(name, value, 1, 10**4),
    "seed": lambda name, value: whole(name, value, 0, 2**32 - 1),
    "confirm": lambda name, value: whole(name, value, 0, 10**4),
    "confirm_ties": lambda name, value: whole(name, value, 0, 10**4),
    "train": lambda name, value: whole(name, value, 1, 10**4),
    "concurrency": lambda name, value: whole(name, value, 1, 10**4),
    "cpus_per_trial": lambda name, value: whole(name, value, 1, _THREADS),
    "device": _device,
    "gpus_per_trial": lambda name, value: at_least_zero(name, value, 10**4),
    "threads": lambda name, value: whole(name, value, 1, _THREADS),
    "node": lambda name, value: whole(name, value, 0, 2**63 - 1),
    "margin": lambda name, value: above_zero(name, value, 100),
    "memory_gb": lambda name, value: above_zero(name, value, 10**6),
    "sampler": lambda name, value: one_of(name, value, get_args(Sampler)),
    "metric": lambda name, value: one_of(name, value, ("auto", *METRICS)),
    "name": text,
    "model": text,
    "address": text,
    "tracking_uri": text,
    "register": registered,
    "champion": yes_or_no,
    "sealed": yes_or_no,
    "controls": yes_or_no,
    "fresh_splits": yes_or_no,
    "race": rule_of_a_race,
    "resume": yes_or_no,
    "tracking": yes_or_no,
    "keep_model": yes_or_no,
    "display": display,
    "stop": event,
}
"""Argument -> what refuses a value of it."""


def check(**given: Any) -> None:
    """Check arguments by their names, as `CHECKS` has them.

    Raises:
        UserError: One line on the first argument that cannot be what it is.

    Example:
        >>> check(trials=0)
        Traceback (most recent call last):
        ...
        l2p_search.errors.UserError: trials=0: must be a whole number of at least 1
    """
    for name, value in given.items():
        CHECKS[name](name, value)


def _is_finite(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and abs(value) < float("inf")


def _short(value: Any) -> Any:
    """A value for a message; of a number with hundreds of digits the first ones."""
    if not isinstance(value, int) or abs(value) < 10**30:
        return value
    try:
        return f"{str(value)[:20]}.."
    except ValueError:  # Python writes no number of over 4300 digits
        return "a number of thousands of digits"


def _is_word(value: Any, *words: str) -> bool:
    return isinstance(value, str) and value in words


def _has(value: Any, method: str) -> bool:
    return callable(getattr(value, method, None))
