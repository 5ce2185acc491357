"""What a model's description says, held against the types that it is to become.

The hash in model.json tells a damaged file from a whole one, but whoever writes a file can write
its hash: what it says is trusted only when it has the keys and the types that a model has.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, get_type_hints

from l2p_search.field_types import is_of
from l2p_search.saved.evidence import Evidence
from l2p_search.saved.expected import Expected


class Described(NamedTuple):
    """A description that was checked: the seeds' numbers, the graph, how good the model is."""

    seeds: tuple[int, ...]
    expected: Expected
    evidence: Evidence


def described(description: Mapping[str, Any]) -> Described:
    """Check a description, and read it.

    Args:
        description: The object of model.json.

    Returns:
        Its parts.

    Raises:
        ValueError: It names the key that is missing, unknown, or of another type.

    Example:
        >>> described({"seeds": [0, "one"]})
        Traceback (most recent call last):
        ValueError: 'seeds' is not what a model says there
    """
    if not is_of(description.get("seeds"), tuple[int, ...]) or not description["seeds"]:
        raise ValueError("'seeds' is not what a model says there")
    _check("expected", description.get("expected"), Expected)
    _check("evidence", description.get("evidence"), Evidence)
    expected = Expected.from_mapping(description["expected"])
    if min(expected.features, expected.nodes, len(expected.classes)) < 1:
        raise ValueError("'expected' has no features, nodes or classes")
    standard = expected.standard
    if standard and {len(standard.center), len(standard.spread)} != {expected.features}:
        raise ValueError("'expected.standard' is not of as many features as there are")
    if expected.feature_names and len(expected.feature_names) != expected.features:
        raise ValueError("'expected.feature_names' are not as many as the features")
    evidence = Evidence.from_mapping(description["evidence"])
    return Described(tuple(description["seeds"]), expected, evidence)


_LATER = frozenset({"nodes_low", "nodes_high"})
"""Keys that models of earlier versions do not have."""


def _check(part: str, found: Any, kind: type) -> None:
    if not isinstance(found, Mapping):
        raise ValueError(f"'{part}' is missing, or no object")
    hints = get_type_hints(kind)
    for name in [*hints, *found]:
        if name not in hints:
            raise ValueError(f"'{part}.{name}' is no key of a model")
        if name not in found:
            if name in _LATER:
                continue
            raise ValueError(f"'{part}.{name}' is missing")
        if not is_of(found[name], hints[name]):
            raise ValueError(f"'{part}.{name}' is not what a model says there")
