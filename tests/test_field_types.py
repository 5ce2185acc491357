"""What a file says is held against the types of the fields that it becomes."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import pytest

from l2p_search.field_types import check_fields, is_of


class _Pair(NamedTuple):
    first: int
    second: tuple[float, ...]


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (1, int),
        (-(2**63) + 1, int),
        (1, float),
        (0.5, float),
        (True, bool),
        ("a", str),
        (None, int | None),
        ("b", Literal["a", "b"]),
        ([1, 2.0], tuple[float, ...]),
        ([], tuple[float, ...]),
        ({"a": [0.5]}, dict[str, tuple[float, ...]]),
        ({"first": 1, "second": [0.5]}, _Pair),
        (object(), Any),
    ],
)
def test_a_value_of_its_type_is_taken(value: object, hint: object) -> None:
    assert is_of(value, hint)


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (True, int),
        (1, bool),
        (1.0, int),
        (2**63, int),
        (10**400, float),
        (float("nan"), float),
        (float("inf"), float),
        ("1", float),
        (None, int),
        ("c", Literal["a", "b"]),
        ([], Literal["a"]),
        ("ab", tuple[str, ...]),
        ([0.5, float("nan")], tuple[float, ...]),
        ([0.5, "x"], tuple[float, ...]),
        ([True], tuple[float, ...]),
        ({"a": "x"}, dict[str, tuple[float, ...]]),
        ([], dict[str, int]),
        ({"first": 1}, _Pair),
        ({"first": 1, "second": [], "third": 3}, _Pair),
        ({}, str),
    ],
)
def test_a_value_of_another_type_or_size_is_refused(value: object, hint: object) -> None:
    assert not is_of(value, hint)


def test_the_field_is_named() -> None:
    @dataclass
    class Both:
        good: int
        bad: str | None

    check_fields(Both(1, None))
    with pytest.raises(ValueError, match="'bad' is not what belongs there"):
        check_fields(Both(1, 2))  # type: ignore[arg-type]
    check_fields(Both(1, 2), good=int)  # type: ignore[arg-type]
