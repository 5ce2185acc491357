"""Methods over several graphs: signed ranks of two, average ranks of many (Demsar 2006).

The graph is what is counted here: its score is one number per method, such as the confirmed mean.
Graphs with the same features and labels count once: cornell-legacy has those of Texas, byte for
byte. With few graphs little can be told, and it is said how little: five graphs can give no
p-value below 0.0625, whatever the methods do.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import stats

from l2p_search.verdicts import RISK, Verdict, holm

Table = Mapping[str, Mapping[str, float]]
"""Graph -> method -> score; more is better."""
_SAME_CONTENT = {"cornell-legacy": "texas"}
"""Names of graphs with the features and labels of another one, where no digest was recorded."""
_EQUAL = 1e-9
"""Points up to which two scores are equal but for rounding."""
_COUNTED = 50
"""Graphs up to which the signed-rank test counts all signs."""
_ENUMERATED = 50_000
"""Orders of all graphs' ranks up to which Friedman's test counts them instead of taking F."""


@dataclass(frozen=True)
class SignedRank:
    """Two methods over graphs, by Wilcoxon's signed-rank test.

    Attributes:
        first: The method that is compared with.
        second: The method that is compared.
        graphs: On how many distinct graphs both have a score.
        wins: On how many of them the second is ahead.
        losses: On how many the first is.
        median: The median of the second's score minus the first's, in points.
        balance: The ranks of the second's wins minus those of its losses, which p tests.
        p: The two-sided p-value, exact up to 50 graphs; adjusted by Holm in `signed_ranks`.
        comparisons: How many comparisons the p-value is adjusted for.
    """

    first: str
    second: str
    graphs: int
    wins: int
    losses: int
    median: float
    balance: float
    p: float
    comparisons: int = 1

    @property
    def verdict(self) -> Verdict:
        """Whether the second is better or worse than the first over graphs, or undecided."""
        if self.p > RISK:
            return "undecided"
        return "better" if self.balance > 0.0 else "worse"

    @property
    def least_p(self) -> float:
        """The smallest p-value that so many graphs can give, adjusted likewise."""
        return min(1.0, self.comparisons * 2.0 ** (1 - max(1, self.graphs)))

    def to_mapping(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "first": self.first,
            "second": self.second,
            "graphs": self.graphs,
            "wins": self.wins,
            "losses": self.losses,
            "median_difference": self.median,
            "p": self.p,
            "least_p": self.least_p,
            "holm_comparisons": self.comparisons,
            "verdict": self.verdict,
        }


@dataclass(frozen=True)
class Ranks:
    """The average ranks of several methods over the graphs that have them all.

    Attributes:
        average: Method -> its average rank, the best first; 1 is the best, equals share ranks.
        graphs: The graphs that are counted.
        critical_difference: Nemenyi's: two average ranks that differ by less cannot be told
            apart at 5 %; None with fewer than two graphs or methods.
        friedman_p: The p-value of "all methods rank alike", counted exactly on few graphs, else by
            Iman and Davenport's F (1980); None likewise.
        groups: The largest groups of methods that cannot be told apart, as a figure joins them
            by bars; the best first. A method that stands alone is in none. Where Friedman's test
            finds no difference at 5 %, all methods are one group.
    """

    average: Mapping[str, float]
    graphs: tuple[str, ...]
    critical_difference: float | None
    friedman_p: float | None
    groups: tuple[tuple[str, ...], ...]

    def to_mapping(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "average_ranks": dict(self.average),
            "graphs": list(self.graphs),
            "critical_difference": self.critical_difference,
            "friedman_p": self.friedman_p,
            "groups": [list(group) for group in self.groups],
        }


def distinct_graphs(digests: Mapping[str, str | None]) -> tuple[list[str], dict[str, str]]:
    """Leave out graphs whose features and labels are those of another one.

    Args:
        digests: Graph -> the digest of its features and labels (`Graph.node_digest`), in the order
            of preference; None where it is not known: names that are known to have one content
            are one graph then.

    Returns:
        The graphs that count, and for each that does not the one that it repeats.

    Example:
        >>> distinct_graphs({"texas": "1a", "cornell-legacy": "1a", "cora": "2b"})
        (['texas', 'cora'], {'cornell-legacy': 'texas'})
    """
    kept: list[str] = []
    repeats: dict[str, str] = {}
    for name in digests:
        earlier = next((each for each in kept if _same(each, name, digests)), None)
        if earlier is None:
            kept.append(name)
        else:
            repeats[name] = earlier
    return kept, repeats


def signed_rank(first: str, second: str, table: Table) -> SignedRank:
    """Compare two methods over graphs.

    Args:
        first: The method that is compared with.
        second: The method that is compared.
        table: Scores by graph; graphs without one of the two are left out. They must be distinct.

    Returns:
        The second against the first. Graphs on which both have the same score are ranked, and
        then left out (Pratt 1959).

    Example:
        >>> table = {f"graph {i}": {"a": 80.0, "b": 81.0 + i} for i in range(6)}
        >>> signed_rank("a", "b", table).p
        0.03125
    """
    found = np.array(
        [row[second] - row[first] for row in table.values() if first in row and second in row]
    )
    found[np.abs(found) <= _EQUAL] = 0.0
    ranks = stats.rankdata(np.abs(found)) * np.sign(found)
    return SignedRank(
        first=first,
        second=second,
        graphs=len(found),
        wins=int((found > 0.0).sum()),
        losses=int((found < 0.0).sum()),
        median=float(np.median(found)) if len(found) else 0.0,
        balance=float(ranks.sum()),
        p=_signed_rank_p(ranks),
    )


def signed_ranks(pairs: Sequence[tuple[str, str]], table: Table) -> list[SignedRank]:
    """Compare several pairs of methods over graphs, with p-values adjusted by Holm.

    Args:
        pairs: The first and the second method of each comparison.
        table: Scores by distinct graph.

    Returns:
        A comparison per pair.
    """
    found = [signed_rank(first, second, table) for first, second in pairs]
    adjusted = holm([each.p for each in found])
    return [
        replace(each, p=p, comparisons=len(found)) for each, p in zip(found, adjusted, strict=True)
    ]


def average_ranks(table: Table, methods: Sequence[str] | None = None) -> Ranks:
    """Rank the methods on every graph and average the ranks.

    Args:
        table: Scores by distinct graph.
        methods: Which methods; all that any graph has by default. Graphs without all of them are
            left out.

    Returns:
        The ranks with Nemenyi's critical difference.

    Example:
        >>> table = {f"graph {i}": {"a": 80.0 + i, "b": 81.0 + i, "c": 70.0} for i in range(6)}
        >>> found = average_ranks(table)
        >>> list(found.average.items()), round(found.critical_difference, 3)
        ([('b', 1.0), ('a', 2.0), ('c', 3.0)], 1.353)
        >>> found.groups
        (('b', 'a'), ('a', 'c'))
    """
    wanted = list(methods or dict.fromkeys(name for row in table.values() for name in row))
    graphs = tuple(name for name, row in table.items() if all(m in row for m in wanted))
    if not graphs:
        return Ranks({}, (), None, None, ())
    scores = np.array([[table[graph][method] for method in wanted] for graph in graphs])
    ranks = stats.rankdata(-scores, axis=1)
    mean = ranks.mean(axis=0)
    order = np.argsort(mean, kind="stable")
    average = {wanted[i]: float(mean[i]) for i in order}
    if len(graphs) < 2 or len(wanted) < 2:
        return Ranks(average, graphs, None, None, ())
    wide, p = critical_difference(len(wanted), len(graphs)), _friedman(ranks)
    # Nemenyi's difference is that of many graphs: on four, two equal methods exceed it in one
    # table of eight. It is asked only where Friedman's test tells that some method differs.
    groups = _groups(average, wide) if p <= RISK else (tuple(average),)
    return Ranks(average, graphs, wide, p, groups)


def critical_difference(methods: int, graphs: int) -> float:
    """Nemenyi's critical difference of average ranks at 5 %.

    q * sqrt(k (k + 1) / (6 N)), with q the studentised range's 5 % point over sqrt(2), for k
    methods on N graphs.

    Args:
        methods: At least two.
        graphs: At least one.

    Returns:
        The difference, in ranks.

    Example:
        >>> round(critical_difference(4, 14), 2)  # Demsar's example has 14 data sets
        1.25
    """
    q = float(stats.studentized_range.ppf(1.0 - RISK, methods, math.inf)) / math.sqrt(2.0)
    return q * math.sqrt(methods * (methods + 1) / (6.0 * graphs))


def _signed_rank_p(ranks: "np.typing.NDArray[np.float64]") -> float:
    """Two-sided: how likely signed ranks are as far apart, were every sign a toss of a coin.

    Up to 50 graphs all ways to toss are counted, which ties and zeros allow, too; their sums are
    whole numbers once ranks are doubled. Beyond, the sum is taken for normal.
    """
    sizes = np.rint(2.0 * np.abs(ranks[ranks != 0.0])).astype(int)
    if not sizes.size:
        return 1.0
    balance = 2.0 * abs(float(ranks.sum()))
    if len(sizes) > _COUNTED:
        return 2.0 * float(stats.norm.sf(balance / math.sqrt(float((sizes**2).sum()))))
    share = np.ones(1)  # of the tosses by the sum of the ranks that come up
    for size in sizes:
        share = (np.pad(share, (0, size)) + np.pad(share, (size, 0))) / 2.0
    apart = 2.0 * np.arange(len(share)) - sizes.sum()
    return min(1.0, float(share[np.abs(apart) >= balance - 0.5].sum()))


def _same(first: str, second: str, digests: Mapping[str, str | None]) -> bool:
    one, two = digests[first], digests[second]
    if one is not None and two is not None:
        return one == two
    return _SAME_CONTENT.get(first, first) == _SAME_CONTENT.get(second, second)


def _friedman(ranks: "np.typing.NDArray[np.float64]") -> float:
    """Friedman's test: exact on few graphs, else Iman and Davenport's F.

    If methods do not differ, every graph's ranks may stand in any order. Few graphs have few such
    orders, and F would claim less than the least p that they allow: three methods in one order on
    three graphs have p = 1/36.
    """
    graphs, methods = ranks.shape
    orders = math.factorial(methods)
    if orders ** (graphs - 1) <= _ENUMERATED:
        return _enumerated(ranks)
    between = graphs * ((ranks.mean(axis=0) - (methods + 1) / 2.0) ** 2).sum()
    within = ((ranks - (methods + 1) / 2.0) ** 2).sum() - between
    least = 1.0 / float(orders ** (graphs - 1))
    if within < 1e-12:
        return least if between > 1e-12 else 1.0
    f = between / within * (graphs - 1)
    return max(least, float(stats.f.sf(f, methods - 1, (methods - 1) * (graphs - 1))))


def _enumerated(ranks: "np.typing.NDArray[np.float64]") -> float:
    """The share of all orders in which the rank sums lie at least as far apart as they do."""
    sums = ranks[:1]  # the first graph's order names the methods
    for row in ranks[1:]:
        orders = np.array(list(itertools.permutations(row)))
        sums = (sums[:, None, :] + orders).reshape(-1, ranks.shape[1])
    apart = ((sums - sums.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    found = ranks.sum(axis=0)
    return float(np.mean(apart >= ((found - found.mean()) ** 2).sum() - 1e-9))


def _groups(average: Mapping[str, float], wide: float) -> tuple[tuple[str, ...], ...]:
    names, ranks = list(average), list(average.values())
    found: list[tuple[int, int]] = []
    for start in range(len(names)):
        end = max(i for i in range(start, len(names)) if ranks[i] - ranks[start] < wide)
        if end > start and not (found and found[-1][1] >= end):
            found.append((start, end))
    return tuple(tuple(names[start : end + 1]) for start, end in found)
