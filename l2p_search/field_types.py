"""Values that were read from a file, held against the types that their fields declare.

JSON that was damaged, or written by somebody else, is good JSON all the same: a word stands where
a number belongs, and is found out much later and far away. So it is checked where it is read.
"""

import math
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

_LARGEST = 2**63 - 1
"""Larger whole numbers fit into no tensor, and into no database."""


def check_fields(instance: Any, **hints: Any) -> None:
    """Refuse a dataclass one of whose values is not of the type that its field declares.

    Args:
        instance: As it was made of what a file says.
        **hints: Field -> its type, where only these are to be checked.

    Raises:
        ValueError: It names the field.

    Example:
        >>> from l2p_search.learned import Curves
        >>> check_fields(Curves((1, 2), (0.5, 0.4), (0.6, 0.5), (70.0, "high")))
        Traceback (most recent call last):
        ValueError: 'val' is not what belongs there
    """
    for name, hint in (hints or _hints(instance.__class__)).items():
        if not is_of(getattr(instance, name), hint):
            raise ValueError(f"'{name}' is not what belongs there")


def check_mapping(mapping: Mapping[str, Any], hints: Mapping[str, Any]) -> None:
    """Refuse a mapping one of whose values is not of its key's type; a key may be missing.

    Args:
        mapping: As a file says it. Keys that are not in `hints` may have any value.
        hints: Key -> the type of its value.

    Raises:
        ValueError: It names the key.
    """
    for key, hint in hints.items():
        if key in mapping and not is_of(mapping[key], hint):
            raise ValueError(f"'{key}' is not what belongs there")


def is_of(value: Any, hint: Any) -> bool:
    """Whether a value is of a type, or as JSON becomes one: a list for a tuple, 1 for 1.0.

    Numbers have to be finite and of a usual size.
    """
    if hint is Any:
        return True
    origin, inner = _parts(hint)
    if origin in (UnionType, Union):
        return any(is_of(value, each) for each in inner)
    if origin is Literal:
        return isinstance(value, str) and value in inner
    if origin is tuple:
        return isinstance(value, list | tuple) and _all_of(value, inner[0])
    if origin in (dict, Mapping):
        return isinstance(value, Mapping) and all(
            is_of(key, inner[0]) and is_of(each, inner[1]) for key, each in value.items()
        )
    if hint in (None, NoneType):
        return value is None
    if isinstance(value, bool):
        return hint is bool
    if hint is float and isinstance(value, float):
        return math.isfinite(value)
    if hint in (int, float):
        return isinstance(value, int) and abs(value) <= _LARGEST
    if isinstance(value, Mapping) and hasattr(hint, "_fields"):  # a named tuple, in JSON
        named = _hints(hint)
        return set(value) == set(named) and all(is_of(value[n], named[n]) for n in named)
    return isinstance(value, hint)


def _all_of(values: list[Any] | tuple[Any, ...], hint: Any) -> bool:
    if hint is float and set(map(type, values)) <= {float}:
        return all(map(math.isfinite, values))  # curves and profiles are most of a journal
    return all(is_of(value, hint) for value in values)


@cache
def _parts(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """Of `tuple[int, ...]` for example: `tuple` and (`int`, ..); asked for millions of values."""
    return get_origin(hint), get_args(hint)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    names = getattr(kind, "_fields", None) or [each.name for each in fields(kind)]
    return {name: hints[name] for name in names}
