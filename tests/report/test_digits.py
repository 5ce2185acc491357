import doctest

import pytest

from l2p_search.intervals import Interval
from l2p_search.report import digits
from l2p_search.report.digits import decimals, interval_text


@pytest.mark.parametrize(
    ("mean", "half", "text"),
    [
        (85.594, 2.88, "85.6 ± 2.9"),
        (84.781, 0.342, "84.78 ± 0.34"),
        (82.43, 12.41, "82 ± 12"),
        (81.26, 9.97, "81 ± 10"),
        (81.26, 0.996, "81.3 ± 1.0"),
        (81.26, 0.0996, "81.26 ± 0.10"),
        (50.12345, 0.00123, "50.123 ± 0.001"),
        (-1.35, 4.67, "-1.4 ± 4.7"),
        (50.0, 0.0, "50.00 ± 0.00"),
    ],
)
def test_the_interval_has_two_digits_and_the_mean_as_many_decimals(
    mean: float, half: float, text: str
) -> None:
    assert interval_text(Interval(mean, mean - half, mean + half, 10)) == text


@pytest.mark.parametrize(
    ("mean", "half", "text"),
    [
        (0.144, 0.96, "+0.14 ± 0.96"),
        (-1.35, 4.67, "-1.4 ± 4.7"),
        (0.0, 0.0, "+0.00 ± 0.00"),
        (-0.001, 0.4, "+0.00 ± 0.40"),
        (3.14, 460.0, "+3.1 ± over 50"),
    ],
)
def test_a_difference_has_its_sign_and_zero_is_not_below_zero(
    mean: float, half: float, text: str
) -> None:
    assert interval_text(Interval(mean, mean - half, mean + half, 2), "+") == text


def test_a_mean_without_an_interval_claims_one_decimal() -> None:
    assert interval_text(Interval(85.594, None, None, 1)) == "85.6"
    assert decimals(None) == 1


def test_its_examples_run() -> None:
    assert doctest.testmod(digits).failed == 0
