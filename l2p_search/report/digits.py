"""How many digits of a number mean something: as many as its interval leaves.

An interval is told with two significant digits, and its mean with as many decimals: 85.59 ± 2.88
becomes 85.6 ± 2.9, and 84.781 ± 0.342 becomes 84.78 ± 0.34.
"""

import math

from l2p_search.intervals import Interval

_SIGNIFICANT = 2
_MOST = 3
"""Decimals of a percent; a node in 100,000 is the third."""
_UNKNOWN = 1
"""Decimals of a mean whose error nobody knows."""


def decimals(half_width: float | None) -> int:
    """The decimals that an interval of this half width leaves.

    Args:
        half_width: Of the interval; None where it is not known.

    Returns:
        How many digits after the point.

    Example:
        >>> decimals(2.88), decimals(0.342), decimals(12.4), decimals(9.97), decimals(None)
        (1, 2, 0, 0, 1)
    """
    if half_width is None:
        return _UNKNOWN
    if half_width <= 0.0 or not math.isfinite(half_width):
        return _MOST - 1
    # Rounded before it is measured: 9.97 is 10, which has its two digits before the point.
    rounded = float(f"{half_width:.{_SIGNIFICANT - 1}e}")
    return min(_MOST, max(0, _SIGNIFICANT - 1 - math.floor(math.log10(rounded))))


def interval_text(value: Interval, sign: str = "") -> str:
    """A mean with its interval, both with the digits that mean something.

    Args:
        value: The mean and its interval.
        sign: "+" for a difference, which has its sign.

    Returns:
        Such as "85.6 ± 2.9"; the mean alone where the interval is not known, and "± over 50" where
        it is wider than the scale.

    Example:
        >>> interval_text(Interval(85.59, 82.71, 88.47, 10))
        '85.6 ± 2.9'
        >>> interval_text(Interval(0.14, -0.82, 1.1, 10), "+")
        '+0.14 ± 0.96'
    """
    width = value.half_width
    places = decimals(None if value.too_wide else width)
    mean = f"{round(value.mean, places) + 0.0:{sign}.{places}f}"  # never -0.0
    if width is None or value.too_wide:
        return f"{mean}{value.plus_minus}"
    return f"{mean} ± {width:.{places}f}"
