from dataclasses import dataclass, fields
from typing import Literal

import pytest

from l2p_search.errors import ConfigError
from l2p_search.keys import POSITIVE, about, checked, key, usual


@dataclass(frozen=True)
class _Config:
    rate: float = key(0.5, "a rate", {"gcn"}, low=POSITIVE, high=1.0, remedy="give up to 1")
    steps: int = key(4, "steps", {"gcn", "mlp"}, by_kind=(3, 2), unless=("rate", 1.0))
    kind: Literal["a", "b"] = key("a", "`a` or `b`", {"mlp"})


_RATE, _STEPS, _KIND = fields(_Config)


def test_a_field_has_its_default_and_all_that_was_said_about_it() -> None:
    assert _Config() == _Config(rate=0.5, steps=4, kind="a")
    assert (about(_RATE).meaning, about(_RATE).read_by) == ("a rate", {"gcn"})
    assert about(_STEPS).unless == ("rate", 1.0)


def test_usual_values_are_the_defaults_of_all_kinds() -> None:
    assert usual(_RATE) == (0.5,)
    assert usual(_STEPS) == (4, 3, 2)


def test_a_value_gets_the_type_of_its_field() -> None:
    assert type(checked(_RATE, float, 1)) is float
    assert type(checked(_STEPS, int, 3.0)) is int
    assert checked(_KIND, Literal["a", "b"], "b") == "b"


@pytest.mark.parametrize("value", [0, -0.1, 1.1])
def test_a_number_out_of_bounds_gets_the_remedy(value: float) -> None:
    with pytest.raises(ConfigError, match=f"rate={float(value)} is out of range: give up to 1"):
        checked(_RATE, float, value)


def test_a_number_is_never_negative_unless_its_field_says_so() -> None:
    with pytest.raises(ConfigError, match="steps=-1 is out of range"):
        checked(_STEPS, int, -1)


def test_a_name_that_is_no_choice_gets_the_choices() -> None:
    with pytest.raises(ConfigError, match="kind='zebra' is unknown; choose one of a, b"):
        checked(_KIND, Literal["a", "b"], "zebra")
