"""What the field of a hyperparameter says about itself: meaning, bounds, and who reads it.

`key` makes such a field, `about` gives back what it says, `checked` holds a value against it.
"""

import dataclasses
import math
from collections.abc import Set
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, get_args, get_origin

from l2p_search.errors import ConfigError, did_you_mean, shown

KINDS = ("homophily", "heterophily")
"""The kinds of graph that have defaults of their own."""
POSITIVE = math.ulp(0.0)
"""The smallest number above 0, as a bound that leaves out 0."""
BELOW_ONE = math.nextafter(1.0, 0.0)
"""The largest number below 1, as a bound that leaves out 1."""
HUGE = 1e9
"""No hyperparameter is larger: a bound where no other makes sense."""

_T = TypeVar("_T")
_ABOUT = "about"
_TYPE_NAMES = {int: "a whole number", float: "a number"}


@dataclass(frozen=True, kw_only=True)
class Key:
    """What is known about a hyperparameter besides its name, its type and its default.

    Attributes:
        meaning: One line for the table of keys, in Markdown.
        read_by: The networks whose training it changes (see `TrialConfig.network`).
        unless: Another key with the value at which this one is not read after all.
        by_kind: Its defaults for the kinds of graph in `KINDS`; None where they do not differ.
        low: The smallest allowed number.
        high: The largest allowed number.
        remedy: What to give instead of a number outside of these bounds.
    """

    meaning: str
    read_by: Set[str]
    unless: tuple[str, Any] | None
    by_kind: tuple[Any, Any] | None
    low: float
    high: float
    remedy: str


def key(
    default: _T,
    meaning: str,
    read_by: Set[str],
    *,
    unless: tuple[str, Any] | None = None,
    by_kind: tuple[_T, _T] | None = None,
    low: float = 0.0,
    high: float = HUGE,
    remedy: str = "",
) -> _T:
    """A dataclass field with that default, and with a `Key` of the other arguments.

    To a type checker it is the default itself, so the field keeps its type.

    Args:
        default: The value of a configuration that does not name the key.
        meaning: See `Key`, as for all that follow.
        read_by: Names of networks.
        unless: Such as `("encoder", "linear")`.
        by_kind: Such as `(0.7, 0.2)`.
        low: Of a number.
        high: Of a number.
        remedy: Of a number.

    Returns:
        The field.

    Example:
        >>> @dataclass
        ... class Config:
        ...     lr: float = key(0.01, "learning rate", {"gcn"}, low=POSITIVE)
        >>> Config().lr
        0.01
        >>> about(dataclasses.fields(Config)[0]).meaning
        'learning rate'
    """
    described = Key(
        meaning=meaning,
        read_by=frozenset(read_by),
        unless=unless,
        by_kind=by_kind,
        low=low,
        high=high,
        remedy=remedy,
    )
    return dataclasses.field(default=default, metadata={_ABOUT: described})


def about(field: "dataclasses.Field[Any]") -> Key:
    """What `key` was told when it made the field.

    Args:
        field: One of `dataclasses.fields(TrialConfig)`.

    Returns:
        Its meaning, bounds and readers.

    Example:
        >>> from l2p_search.config import TrialConfig
        >>> about(TrialConfig.__dataclass_fields__["dropout"]).by_kind
        (0.7, 0.2)
    """
    described: Key = field.metadata[_ABOUT]
    return described


def usual(field: "dataclasses.Field[Any]") -> tuple[Any, ...]:
    """The defaults of a field: the general one, and those by kind of graph.

    Args:
        field: A field that `key` made.

    Returns:
        One value, or three.

    Example:
        >>> from l2p_search.config import TrialConfig
        >>> usual(TrialConfig.__dataclass_fields__["K"])
        (16, 10, 8)
    """
    return (field.default, *(about(field).by_kind or ()))


def checked(field: "dataclasses.Field[Any]", wanted: Any, value: Any) -> Any:
    """A value as the type of its field, when it is within the bounds.

    Args:
        field: A field that `key` made.
        wanted: Its type: int, float or a Literal of names.
        value: Anything, for example a value from a YAML file.

    Returns:
        The value, converted where that loses nothing (16.0 to 16, 1 to 1.0).

    Raises:
        ConfigError: The value has another type, is unknown, or is out of bounds.

    Example:
        >>> from l2p_search.config import TrialConfig
        >>> checked(TrialConfig.__dataclass_fields__["K"], int, 16.0)
        16
    """
    name = field.name
    if get_origin(wanted) is Literal:
        options = get_args(wanted)
        if value not in options:
            raise ConfigError(
                f"{name}={shown(value)} is unknown; {did_you_mean(str(value), options)}"
            )
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ConfigError(f"{name}={shown(value)} must be {_TYPE_NAMES[wanted]}")
    if not abs(value) <= HUGE:  # nor is nan
        raise ConfigError(f"{name}={str(value)[:20]} must be finite and not above {HUGE:g}")
    if wanted is int and value != int(value):
        raise ConfigError(f"{name}={value!r} must be {_TYPE_NAMES[wanted]}")
    described, number = about(field), wanted(value)
    if not described.low <= number <= described.high:
        raise ConfigError(f"{name}={number!r} is out of range: {described.remedy}")
    return number
