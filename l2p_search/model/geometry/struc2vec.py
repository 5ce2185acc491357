"""struc2vec of a graph: positions in which nodes of like surroundings, however far, are near.

Ribeiro, Saverese and Figueiredo, KDD 2017, https://arxiv.org/abs/1704.03165, compare two nodes
ring by ring: f_k is the sum over the rings up to k hops of the warping distance between the rings'
sorted degrees.
"""

import math

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import cKDTree

from l2p_search.data.graph import Graph
from l2p_search.model.geometry.isomap import (
    Floats,
    Ints,
    choose_landmarks,
    hop_distances,
    scaled_to_plane,
)

_RINGS = 4
"""Rings compared, the node itself being the first. At more hops, most rings are most nodes."""

_SOURCES = 1024
"""Nodes whose rings are found at once."""

_CELLS = 1_000_000
"""Cells of a warping table's diagonal, over all pairs compared at once: 8 MB each."""


def struc2vec_positions(graph: Graph) -> Floats:
    """Shortest paths in the similarity graph, scaled to the plane.

    Ribeiro et al. walk at random from node to similar node and train a skip-gram on the walks.
    What the walks show is which nodes are few likely moves apart, and a move is the likelier the
    smaller f is; here the shortest paths with lengths by f show the same. Nothing is sampled, and
    nodes that the rings cannot tell apart (automorphic ones above all) are one node of the
    similarity graph: their positions are equal, which no walk guarantees. f spans orders of
    magnitude (it grows with the rings' sizes), so a move's length is log(1 + f): otherwise a few
    hubs would determine the whole plane.

    Args:
        graph: Only its edges are read.

    Returns:
        Positions, [N, 2].
    """
    rings, degrees = _ring_degrees(graph)
    flat, twin = np.unique(rings.reshape(graph.num_nodes, -1), axis=0, return_inverse=True)
    kinds = flat.reshape(-1, *rings.shape[1:])
    pairs = _candidate_pairs(kinds, degrees)
    lengths = np.log1p(sum(warping_distances(kinds[:, k], degrees, pairs) for k in range(_RINGS)))
    # Two kinds of rings may be at distance zero (warping does not see how often a degree repeats
    # in all), which a sparse matrix would read as no edge.
    lengths = np.maximum(lengths, 1e-9)
    first, second = pairs
    both = np.concatenate([first, second]), np.concatenate([second, first])
    similar = coo_array((np.tile(lengths, 2), both), shape=(len(kinds), len(kinds))).tocsr()
    landmarks = choose_landmarks(len(kinds))
    paths: Floats = dijkstra(similar, indices=landmarks).T
    return scaled_to_plane(paths, landmarks)[twin.reshape(-1)]


def _ring_degrees(graph: Graph) -> tuple[npt.NDArray[np.int32], Floats]:
    """How often each degree occurs in each ring [N, rings, D], and the degrees [D], ascending.

    An empty ring, beyond the farthest node, counts as one node of degree zero, so that all nodes
    have all rings. One half is added to the degrees: their ratios are compared, and a ratio with
    zero is not defined.
    """
    edges, count = graph.edges.numpy(), graph.num_nodes
    degree = np.bincount(edges[0], minlength=count)
    degrees, rank = np.unique(np.append(degree, 0), return_inverse=True)
    rank = rank.reshape(-1)[:-1]
    rings = np.empty((count, _RINGS, len(degrees)), dtype=np.int32)
    for start in range(0, count, _SOURCES):
        sources = np.arange(start, min(start + _SOURCES, count))
        hops = hop_distances(edges, count, sources, limit=_RINGS - 1)
        node, column = np.nonzero(hops >= 0)
        place = (column * _RINGS + hops[node, column]) * len(degrees) + rank[node]
        found = np.bincount(place, minlength=len(sources) * _RINGS * len(degrees))
        rings[sources] = found.reshape(len(sources), _RINGS, len(degrees))
    rings[..., 0] += rings.sum(axis=2) == 0
    return rings, degrees + 0.5


def _candidate_pairs(kinds: npt.NDArray[np.int32], degrees: Floats) -> Ints:
    """Pairs [2, P] of kinds of rings to compare: O(n log n) of them, which connect all kinds.

    As in the second optimisation of Ribeiro et al., a node is compared with the log n most
    similar ones; similar in the sizes and mean degrees of all rings, not in its own degree alone.
    The chain of all kinds by degree keeps the similarity graph connected.
    """
    sizes = kinds.sum(axis=2)
    means = kinds @ np.log(degrees) / sizes
    summary = np.concatenate([means, np.log(sizes)], axis=1)
    count = len(kinds)
    wanted = min(count, 2 * math.ceil(math.log2(count + 1)) + 1)
    nearest = cKDTree(summary).query(summary, k=np.arange(1, wanted + 1))[1]
    chain = np.lexsort(summary.T[::-1])
    first = np.concatenate([np.repeat(np.arange(count), wanted), chain[:-1]])
    second = np.concatenate([nearest.reshape(-1), chain[1:]])
    keys = np.unique(np.minimum(first, second) * count + np.maximum(first, second))
    pairs = np.stack([keys // count, keys % count])
    return pairs[:, pairs[0] != pairs[1]]


def warping_distances(counts: npt.NDArray[np.int32], degrees: Floats, pairs: Ints) -> Floats:
    """Dynamic time warping between the sorted degrees in one ring of two nodes.

    On compressed sequences, as in the first optimisation of Ribeiro et al.: equal degrees are one
    entry, and matching (a, r times) with (b, s times) costs
    (max(a, b) / min(a, b) - 1) max(r, s).

    Args:
        counts: How often each degree occurs in the ring of each of n nodes, [n, D].
        degrees: Ascending and above zero, [D].
        pairs: The nodes to compare, [2, P].

    Returns:
        Distances, [P].

    Example:
        >>> counts = np.array([[2, 0], [0, 1]], dtype=np.int32)
        >>> warping_distances(counts, np.array([1.0, 3.0]), np.array([[0], [1]]))
        array([4.])
    """
    lengths = (counts > 0).sum(axis=1)
    # The degrees that occur come first, ascending; what follows is beyond a sequence's length.
    packed = np.argsort(counts == 0, axis=1, kind="stable")[:, : lengths.max()]
    values = degrees[packed].T.copy()
    repeats = np.take_along_axis(counts, packed, axis=1).T.astype(np.float64)
    distances = np.empty(pairs.shape[1])
    longest = lengths[pairs].max(axis=0)
    order = np.argsort(longest, kind="stable")
    start = 0
    while start < len(order):
        end = start + max(1, _CELLS // int(longest[order[-1]]))
        chunk = order[start:end]
        size, (first, second) = longest[chunk[-1]], pairs[:, chunk]
        distances[chunk] = _warp(
            (values[:size, first], repeats[:size, first], lengths[first]),
            (values[:size, second], repeats[:size, second], lengths[second]),
        )
        start = end
    return distances


_Sequences = tuple[Floats, Floats, Ints]
"""Degrees [L, P], how often each [L, P], and lengths [P]."""


def _warp(first: _Sequences, second: _Sequences) -> Floats:
    """Fill the table of all pairs at once, diagonal by diagonal; row i + 1 holds the cell of i.

    The cells (i, j) of a diagonal, i + j = s, need only those of the two before it. Row 0 and
    the rows not yet filled are infinite, and stand for what is outside the table.
    """
    (a, a_repeats, a_length), (b, b_repeats, b_length) = first, second
    size, pairs = a.shape
    last, before, current = np.full((3, size + 1, pairs), np.inf)
    distances = np.empty(pairs)
    for s in range(2 * size - 1):
        low, high = max(0, s - size + 1), min(size, s + 1)
        rows, columns = slice(low, high), slice(s - high + 1, s - low + 1)
        x, y = a[rows], b[columns][::-1]
        cost = np.maximum(x, y) / np.minimum(x, y) - 1.0
        cost *= np.maximum(a_repeats[rows], b_repeats[columns][::-1])
        if s > 0:
            reached = np.minimum(last[low + 1 : high + 1], last[low:high])
            cost += np.minimum(reached, before[low:high], out=reached)
        current[low + 1 : high + 1] = cost
        (done,) = np.nonzero(a_length + b_length - 2 == s)
        distances[done] = current[a_length[done], done]
        last, before, current = current, last, before
    return distances
