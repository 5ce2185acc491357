"""Verdicts: better, worse, equivalent or undecided, for one difference and for a table of them.

- better, worse: a paired t-test says that the difference is not zero, two-sided at 5 %.
- equivalent: two one-sided t-tests say that it is within the margin on either side, at 5 %
  (Schuirmann 1987): the 90 % interval lies within the margin.
- undecided: neither. A difference of 1.35 ± 4.67 points is no tie; nobody knows yet.

A difference can be both: certain, and smaller than the margin. It is called better or worse then,
and `in_words` adds that it is small. In a table the p-values are adjusted by Holm (1979), so that
all its verdicts together err in at most 5 % of tables.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from scipy.special import stdtr

from l2p_search import defaults
from l2p_search.intervals import CONFIDENCE, Interval

Verdict = Literal["better", "worse", "equivalent", "undecided"]
MARGIN = defaults.MARGIN
RISK = 1.0 - CONFIDENCE


@dataclass(frozen=True)
class Judged:
    """The verdict on one difference.

    Attributes:
        word: The verdict.
        margin: The points within which scores are called equivalent.
        p_difference: The p-value of "there is no difference", two-sided; None with one value.
        p_equivalence: The p-value of "the difference is at least the margin"; None likewise.
        comparisons: How many comparisons the table has that both p-values are adjusted for.
    """

    word: Verdict
    margin: float = MARGIN
    p_difference: float | None = None
    p_equivalence: float | None = None
    comparisons: int = 1

    @property
    def within_margin(self) -> bool:
        """Whether the difference is surely smaller than the margin, be there one or not."""
        return self.p_equivalence is not None and self.p_equivalence <= RISK

    @property
    def in_words(self) -> str:
        """The verdict for people, with the margin that it rests on.

        Example:
            >>> Judged("equivalent", 1.0).in_words
            'equivalent within 1 point'
        """
        if self.word == "equivalent":
            return f"equivalent within {points(self.margin)}"
        if self.word != "undecided" and self.within_margin:
            return f"{self.word}, by less than {points(self.margin)}"
        return self.word

    def to_mapping(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "verdict": self.word,
            "margin": self.margin,
            "within_margin": self.within_margin,
            "p_difference": self.p_difference,
            "p_equivalence": self.p_equivalence,
            "holm_comparisons": self.comparisons,
        }


def verdict_on(difference: Interval | None, margin: float = MARGIN) -> Judged:
    """The verdict on one difference.

    Args:
        difference: The mean of paired differences, in points, with its 95 % interval.
        margin: The points within which two scores are called equivalent.

    Returns:
        The verdict on what stands first in the difference: "better" if it is above zero.

    Example:
        >>> verdict_on(Interval(1.35, -3.32, 6.02, 10)).word
        'undecided'
        >>> verdict_on(Interval(0.02, -0.30, 0.34, 20)).word
        'equivalent'
    """
    return verdicts_on([difference], margin)[0]


def verdicts_on(differences: Sequence[Interval | None], margin: float = MARGIN) -> list[Judged]:
    """The verdicts of one table of comparisons, by Holm.

    Args:
        differences: As of `verdict_on`, one for each comparison of the table; None, or one
            without bounds, where nothing is known: it is undecided, and is not counted.
        margin: The points within which two scores are called equivalent.

    Returns:
        A verdict for each.
    """
    tested = [None if each is None else p_values(each, margin) for each in differences]
    known = [each for each in tested if each is not None]
    apart = iter(holm([p for p, _ in known]))
    alike = iter(holm([p for _, p in known]))
    judged = []
    for difference, found in zip(differences, tested, strict=True):
        if difference is None or found is None:
            judged.append(Judged("undecided", margin, comparisons=len(known)))
            continue
        p, q = next(apart), next(alike)
        word: Verdict = "undecided"
        if p <= RISK:
            word = "better" if difference.mean > 0.0 else "worse"
        elif q <= RISK:
            word = "equivalent"
        judged.append(Judged(word, margin, p, q, len(known)))
    return judged


def no_surer(verdict: Judged, than: Judged) -> Judged:
    """A verdict that claims no more than another one on the same difference.

    Differences that are all alike are judged by their number here and by a t-test for other nodes:
    what also holds for other nodes must hold for these.

    Args:
        verdict: For other nodes of this kind.
        than: For the nodes of this graph.

    Returns:
        The verdict with the larger p-values of both.
    """
    if None in (verdict.p_difference, than.p_difference):
        return verdict
    p = max(verdict.p_difference or 0.0, than.p_difference or 0.0)
    q = max(verdict.p_equivalence or 0.0, than.p_equivalence or 0.0)
    word: Verdict = "equivalent" if q <= RISK else "undecided"
    return replace(
        verdict, word=verdict.word if p <= RISK else word, p_difference=p, p_equivalence=q
    )


def p_values(difference: Interval, margin: float = MARGIN) -> tuple[float, float] | None:
    """The p-values of "no difference" (two-sided) and of "at least the margin" (two one-sided).

    Args:
        difference: The mean of paired differences with its 95 % interval.
        margin: In points.

    Returns:
        Both; None without an interval. Differences that are all alike have no spread to test
        with, and are often so by chance where few nodes are counted: the p-values are those of
        a sign test then, so that six values at least are needed for a verdict.
    """
    error, freedom = difference.error, difference.freedom
    if error is None or freedom is None:
        return None
    mean = difference.mean
    if error < 1e-12:
        by_chance = 2.0 ** (1 - difference.units)
        apart = 1.0 if abs(mean) < 1e-12 else by_chance
        return apart, by_chance if abs(mean) < margin else 1.0
    apart = 2.0 * float(stdtr(freedom, -abs(mean) / error))
    return apart, float(stdtr(freedom, (abs(mean) - margin) / error))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for their number, by Holm's step-down method.

    Args:
        p_values: Of the comparisons of one table, in any order.

    Returns:
        The adjusted ones in the same order: those up to 0.05 can all be called significant, and
        in at most 5 % of tables one of them is so by chance.

    Example:
        >>> holm([0.01, 0.04, 0.03])
        [0.03, 0.06, 0.06]
    """
    count, highest = len(p_values), 0.0
    adjusted = [0.0] * count
    for place, index in enumerate(sorted(range(count), key=lambda i: p_values[i])):
        highest = max(highest, min(1.0, (count - place) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def points(margin: float) -> str:
    """A number of points for people: 1 point, 0.5 points."""
    return f"{margin:g} point{'s' * (not math.isclose(margin, 1.0))}"
