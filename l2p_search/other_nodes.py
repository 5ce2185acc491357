"""Other nodes of this kind: how far a mean test score would be off on nodes that nobody saw.

A confirmed mean has two errors under two names. *This graph, other seeds and splits*: the test
nodes are those of this graph, and what varies is the training (`intervals`). *Other nodes of this
kind*: the test nodes were drawn as well, and others could have been. It is the larger one: on
Cora's 1,000 test nodes 20 seeds leave 0.5 points, the nodes 2.

Both are crossed: every seed is judged by many nodes, and a node judges many seeds. A crossed
bootstrap resamples units (splits, or seeds of one split) and nodes independently. What it
converges to can be written down, and is computed here without drawing anything:

    Var(mean) = Var(units) / U + mean over pairs of units of Cov(u, v)
    Cov(u, v) = sum over the nodes that judge both of  (y_ui - m_u)(y_vi - m_v) / (n_u n_v)

with y_ui the contribution of node i to the score m_u of unit u, over its n_u test nodes. The
first term is the interval of this graph. The second is what the units have in common because they
are judged by the same nodes: all of them on a graph with one split; on ten splits those nodes that
are in several test sets. A bootstrap of both counts the interaction of unit and node three times
(Owen 2007), which would be too wide on small graphs; here it is counted once.

Nodes are taken as independent draws, which the nodes of a graph are not quite; the training nodes
are not redrawn, but for what the splits do.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from l2p_search.intervals import Interval, interval_of_test, quantile
from l2p_search.node_hits import NodeHits
from l2p_search.results import SeedResult, TrialResult

THIS_GRAPH = "this graph, other seeds and splits"
OTHER_NODES = "other nodes of this kind"
NOT_RECORDED = "not recorded"
_NO_NOISE = 1e-12
"""The share of a squared variance up to which its own variance is rounding and no noise."""
_Table = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A mean, or a difference of means, with its two 95 % intervals.

    Attributes:
        this_graph: For the nodes of this graph, with other seeds and splits.
        other_nodes: For other nodes of this kind; None where the nodes were not recorded.

    Example:
        >>> here, there = Interval(85.6, 82.7, 88.5, 10), Interval(85.6, 80.8, 90.4, 10)
        >>> print(Estimate(here, there))
        85.60 ± 2.90 (other nodes: 80.80 to 90.40)
    """

    this_graph: Interval
    other_nodes: Interval | None

    @property
    def mean(self) -> float:
        """In percent, or in points."""
        return self.this_graph.mean

    @property
    def elsewhere(self) -> str:
        """The interval of other nodes for people: 80.80 to 90.40."""
        if self.other_nodes is None:
            return NOT_RECORDED
        return self.other_nodes.bounds() or "unknown"

    @property
    def beside(self) -> str:
        """The interval of other nodes in brackets, to stand behind the mean; empty without one."""
        return "" if self.other_nodes is None else f" (other nodes: {self.elsewhere})"

    @property
    def lines(self) -> list[str]:
        """Both intervals under their names, a line each."""
        here = self.this_graph.bounds() or "unknown"
        width = max(len(here), len(self.elsewhere))
        return [
            f"{here:<{width}}   {THIS_GRAPH}",
            f"{self.elsewhere:<{width}}   {OTHER_NODES}",
        ]

    def to_mapping(self) -> dict[str, Any]:
        """Plain JSON values; `low` and `high` are those of this graph."""
        return {
            **self.this_graph.to_mapping(),
            "this_graph_other_seeds_and_splits": _bounds(self.this_graph),
            "other_nodes_of_this_kind": _bounds(self.other_nodes),
        }

    def __str__(self) -> str:
        """For people, in one line; what was not recorded is not named."""
        return f"{self.this_graph}{self.beside}"


@dataclass(frozen=True)
class NodeTerm:
    """What the draw of the test nodes adds to the variance of a mean.

    Attributes:
        variance: The mean covariance of two units through the nodes that judge both.
        noise: The variance of that estimate.
    """

    variance: float
    noise: float


def estimate_of_test(result: TrialResult) -> Estimate | None:
    """The mean test score of a result with both intervals; None when no seed finished."""
    interval = interval_of_test(result)
    return None if interval is None else Estimate(interval, interval_over_nodes(result))


def interval_over_nodes(result: TrialResult) -> Interval | None:
    """The mean test score with its 95 % interval for other nodes of this kind.

    Args:
        result: A result whose seeds kept what each test node contributes.

    Returns:
        The interval around the same mean as `interval_of_test`; None where the nodes were not
        recorded, as in journals of earlier versions, or where no seed finished.
    """
    kept = [(seed, seed.hits) for seed in result.finished]
    hits = {seed.seed: each for seed, each in kept if each is not None}
    if not hits or len(hits) < len(kept):
        return None
    return crossed_interval(hits, _splits(result.finished))


def difference_over_nodes(first: TrialResult, second: TrialResult) -> Interval | None:
    """The second's mean test score minus the first's, for other nodes of this kind.

    Args:
        first: What is compared with.
        second: What is compared, on the same graph and splits.

    Returns:
        The interval of the paired difference on the seeds that both have; None where the nodes
        of one of them were not recorded, or where a seed was not judged by the same nodes.
    """
    one = {seed.seed: seed for seed in first.finished}
    two = {seed.seed: seed for seed in second.finished}
    found = {}
    for seed in one.keys() & two.keys():
        a, b = one[seed].hits, two[seed].hits
        if a is None or b is None or not np.array_equal(a.nodes, b.nodes):
            return None
        found[seed] = NodeHits(a.nodes, b.values - a.values)
    return crossed_interval(found, _splits(first.finished)) if found else None


def sampling_of_nodes(result: TrialResult) -> float | None:
    """The variance of a score by drawing its test nodes anew, in as large a number.

    Args:
        result: A result whose seeds kept what each test node contributes.

    Returns:
        The mean over splits of the variance between nodes, seeds averaged, over their number;
        None where the nodes were not recorded.
    """
    seeds_of: dict[int, list[NodeHits]] = defaultdict(list)
    for seed in result.finished:
        if seed.hits is None:
            return None
        seeds_of[seed.split].append(seed.hits)
    found = []
    for group in seeds_of.values():
        values = np.mean([each.values for each in group], axis=0)
        if len(values) > 1:
            found.append(float(values.var(ddof=1)) / len(values))
    return float(np.mean(found)) if found else None


def crossed_interval(hits: Mapping[int, NodeHits], splits: Mapping[int, int]) -> Interval:
    """The mean of crossed contributions with its 95 % interval over units and nodes.

    Args:
        hits: Seed -> what each of its test nodes contributes to the score, in percent.
        splits: Seed -> split.

    Returns:
        The interval, without bounds where one unit tells nothing of the spread. A split's seeds
        are averaged first; on a graph with one split the seeds are the units.
    """
    values, tested = _by_unit(hits, splits)
    units, means = len(values), values.sum(axis=1) / tested.sum(axis=1)
    mean = float(means.mean())
    if units < 2:
        return Interval(mean, None, None, units)
    own, term = float(means.var(ddof=1)) / units, _shared_by_nodes(values, tested)
    if own + term.variance <= 0.0 and float(np.ptp(values[tested])) > 0.0:
        return Interval(mean, None, None, units)  # nodes differ, and no two units tell by how much
    return _widened(mean, own, units, term)


def node_term(result: TrialResult) -> NodeTerm | None:
    """What the draw of its test nodes adds to the variance of a configuration's mean.

    Args:
        result: A result whose seeds kept what each test node contributes.

    Returns:
        The term; None where the nodes were not recorded, or for fewer than two units.
    """
    kept = [(seed, seed.hits) for seed in result.finished]
    hits = {seed.seed: each for seed, each in kept if each is not None}
    if len(hits) < 2 or len(hits) < len(kept):
        return None
    return _shared_by_nodes(*_by_unit(hits, _splits(result.finished)))


def with_nodes(interval: Interval, term: NodeTerm | None) -> Estimate:
    """A mean whose own nodes were not kept, with the node term of another result.

    The term is a covariance of different seeds through the nodes that judge both, so that no
    seed's own noise is in it: the same configuration on the same splits has the same one,
    whichever its seeds. For another configuration of the search it is a stand-in, and too large
    rather than too small for a mean that mixes several: these agree less on which nodes are hard.

    Args:
        interval: The mean with its interval for this graph, other seeds and splits.
        term: Of a result on the same graph and splits.

    Returns:
        The mean with both intervals; without the second where there is no term.
    """
    if term is None or interval.error is None:
        return Estimate(interval, None)
    own = interval.error**2
    return Estimate(interval, _widened(interval.mean, own, interval.units, term))


def _widened(mean: float, own: float, units: int, term: NodeTerm) -> Interval:
    """The interval for other nodes of a mean over units whose own variance is known."""
    variance = own + term.variance
    if variance <= 0.0:
        return Interval(mean, mean, mean, units)
    uncertain = own**2 / (units - 1) + term.noise / 2.0
    freedom = units - 1.0  # where units are alike and so are nodes, nothing tells of the error
    if uncertain > _NO_NOISE * variance**2:
        freedom = variance**2 / uncertain
    # With few units the summed variance has more degrees of freedom than the units' own, and a
    # smaller t: what also holds for other nodes is never known better than what holds for these.
    width = max(quantile(freedom) * math.sqrt(variance), quantile(units - 1.0) * math.sqrt(own))
    return Interval(mean, mean - width, mean + width, units, freedom)


def _shared_by_nodes(values: _Table, tested: npt.NDArray[np.bool_]) -> NodeTerm:
    """The mean covariance of two units through their common nodes, and its own variance.

    Contributions are [units, nodes], zero where a node does not judge a unit. Removing the units'
    means takes a little of the covariance away; it is put back.
    """
    units = len(values)
    size = tested.sum(axis=1).astype(np.float64)
    influence = (values - (values.sum(axis=1) / size)[:, None] * tested) / size[:, None]
    together = tested.astype(np.float64) @ tested.T
    left = 1.0 - 1.0 / size[:, None] - 1.0 / size[None, :]
    left = left + together / (size[:, None] * size[None, :])
    apart = ~np.eye(units, dtype=bool) & (left > 1e-9)
    products = influence @ influence.T
    pairs = units * (units - 1)
    raw = float(products[apart].sum()) / pairs
    shared = float((products[apart] / left[apart]).sum()) / pairs
    if shared <= 0.0 or raw <= 0.0:
        return NodeTerm(0.0, 0.0)
    by_node = (influence.sum(axis=0) ** 2 - (influence**2).sum(axis=0)) / pairs
    noise = len(by_node) * float(by_node.var(ddof=1)) * (shared / raw) ** 2
    return NodeTerm(shared, noise)


def _by_unit(
    hits: Mapping[int, NodeHits], splits: Mapping[int, int]
) -> tuple[_Table, npt.NDArray[np.bool_]]:
    """Contributions [units, nodes] and which nodes judge which unit, over all nodes that do."""
    one_split = len({splits[seed] for seed in hits}) == 1
    seeds_of: dict[int, list[int]] = defaultdict(list)
    for seed in sorted(hits):
        seeds_of[seed if one_split else splits[seed]].append(seed)
    nodes = np.unique(np.concatenate([each.nodes for each in hits.values()]))
    values = np.zeros((len(seeds_of), len(nodes)))
    tested = np.zeros(values.shape, dtype=bool)
    for unit, seeds in enumerate(seeds_of.values()):
        place = np.searchsorted(nodes, hits[seeds[0]].nodes)
        values[unit, place] = np.mean([hits[seed].values for seed in seeds], axis=0)
        tested[unit, place] = True
    return values, tested


def _bounds(interval: Interval | None) -> dict[str, float | None] | None:
    return None if interval is None else {"low": interval.low, "high": interval.high}


def _splits(seeds: Sequence[SeedResult]) -> dict[int, int]:
    return {seed.seed: seed.split for seed in seeds}
