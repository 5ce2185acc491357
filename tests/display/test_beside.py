"""An MLP and the luck of the search in words."""

import pytest

from l2p_search.display.beside import luck_text, mlp_text
from l2p_search.held import Against, HeldAgainst
from l2p_search.intervals import Interval
from l2p_search.verdicts import verdict_on
from tests.searching.records.made import result

_RESULT = result((81.0, 81.0))


def _one(role: str, name: str, low: float, high: float, **more: object) -> Against:
    interval = Interval((low + high) / 2, low, high, 10)
    return Against(
        role,  # type: ignore[arg-type]
        name,
        _RESULT,
        interval,
        judged=verdict_on(interval),
        **more,  # type: ignore[arg-type]
    )


def test_l2p_that_learned_to_be_an_mlp_is_told_with_the_paired_difference() -> None:
    held = HeldAgainst((_one("mlp", "MLP", -0.82, 1.10),), own_share=0.987)
    said = mlp_text(held, "accuracy")
    assert said is not None
    assert said.startswith("It learned to be an MLP: q(0) is 0.99")
    assert "+0.14 ± 0.96 points of test accuracy, equivalent" in said
    assert mlp_text(HeldAgainst(own_share=0.5), "accuracy") is None
    assert str(mlp_text(HeldAgainst(own_share=0.95), "accuracy")).endswith("neighbours.")


@pytest.mark.parametrize(
    ("interval", "said"),
    [
        (Interval(80.0, 78.0, 82.0, 10), "78.00 to 82.00 %"),
        (Interval(80.0, None, None, 1), "80.00 %"),
        (Interval(80.0, -20.0, 180.0, 2), "80.00 ± over 50 %"),
    ],
)
def test_the_luck_of_the_search_is_an_interval_where_there_is_one(
    interval: Interval, said: str
) -> None:
    assert luck_text(interval) == f"{said}   for other trials too, drawn anew from these"
