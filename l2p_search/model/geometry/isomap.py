"""Isomap of a graph: positions in the plane whose distances are numbers of hops.

Tenenbaum, de Silva and Langford, Science 2000, https://doi.org/10.1126/science.290.5500.2319:
shortest paths, then classical multidimensional scaling. A graph is its own neighbourhood graph,
so the paths run along its edges.
"""

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from l2p_search.data.graph import Graph

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_ALL_NODES = 3500
"""Up to this many nodes, each is a landmark: 100 MB of distances, 6 s for the spectrum."""

_LANDMARKS = 500
"""Landmarks of larger graphs. A node has two unknown coordinates in the plane, so its distances
to some hundreds of landmarks determine them well."""

_DIGITS = 6
"""Decimals kept. Further ones are an eigensolver's rounding, and would give nodes with equal
distances different positions at random."""


def isomap_positions(graph: Graph) -> Floats:
    """Each connected component scaled by itself, then all of them laid side by side.

    Between components there is no distance. Any constant put in its place would be the largest
    of all, and the plane would then show which component a node is in, and nothing else.

    Args:
        graph: Only its edges are read.

    Returns:
        Positions, [N, 2].
    """
    edges = graph.edges.numpy()
    ones = np.ones(edges.shape[1], dtype=np.int8)
    shape = (graph.num_nodes, graph.num_nodes)
    count, component = connected_components(coo_array((ones, tuple(edges)), shape), directed=False)

    sizes = np.bincount(component, minlength=count)
    by_component = np.argsort(component, kind="stable")
    members = np.split(by_component, np.cumsum(sizes)[:-1])
    index = np.empty(graph.num_nodes, dtype=np.int64)
    index[by_component] = np.arange(graph.num_nodes) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    owner = component[edges[0]]
    edge_counts = np.bincount(owner, minlength=count)
    edge_order = np.argsort(owner, kind="stable")
    inner = np.split(index[edges[:, edge_order]], np.cumsum(edge_counts)[:-1], axis=1)

    positions = np.zeros((graph.num_nodes, 2))
    for nodes, own_edges in zip(members, inner, strict=True):
        landmarks = choose_landmarks(len(nodes))
        hops = hop_distances(own_edges, len(nodes), landmarks)
        positions[nodes] = scaled_to_plane(hops.astype(np.float64), landmarks)
    _lay_side_by_side(positions, sorted(members, key=len, reverse=True))
    return positions


def hop_distances(
    edges: Ints, num_nodes: int, sources: Ints, limit: int | None = None
) -> npt.NDArray[np.int16]:
    """Lengths of the shortest paths from some sources.

    One breadth-first search for all sources: a node holds one bit per source, and each round
    takes the union over its neighbours. Its own bits are among them, so no union is empty.

    Args:
        edges: [2, E], both directions of every edge.
        num_nodes: N.
        sources: Nodes to start from, [B].
        limit: Longer paths are not looked for.

    Returns:
        Hops [N, B], -1 where there is no path (within the limit).

    Example:
        >>> hop_distances(np.array([[0, 1, 1, 2], [1, 0, 2, 1]]), 4, np.array([0])).ravel()
        array([ 0,  1,  2, -1], dtype=int16)
    """
    loops = np.arange(num_nodes)
    row, column = np.concatenate([edges[0], loops]), np.concatenate([edges[1], loops])
    order = np.argsort(row, kind="stable")
    column, starts = column[order], np.searchsorted(row[order], loops)

    at_source = np.zeros((num_nodes, len(sources)), dtype=bool)
    at_source[sources, np.arange(len(sources))] = True
    reached = np.packbits(at_source, axis=1)
    hops = np.where(at_source, 0, -1).astype(np.int16)
    step = 0
    while limit is None or step < limit:
        step += 1
        union = np.bitwise_or.reduceat(reached[column], starts, axis=0)
        new = union ^ reached
        if not new.any():
            break
        hops[np.unpackbits(new, axis=1, count=len(sources)).view(bool)] = step
        reached = union
    return hops


def choose_landmarks(count: int) -> Ints:
    """The landmarks among `count` points: all of them, or a fixed random sample of many."""
    if count <= _ALL_NODES:
        return np.arange(count)
    sample = np.random.default_rng(0).choice(count, size=_LANDMARKS, replace=False)
    return np.sort(sample).astype(np.int64)


def scaled_to_plane(distances: Floats, landmarks: Ints) -> Floats:
    """Landmark multidimensional scaling (de Silva and Tenenbaum, Stanford report, 2004).

    With B = -1/2 J D^2 J of the landmarks and its two largest eigenpairs (l, v), a node with
    squared distances d lies at  -1/2 l^-1/2 v.T (d - mean of the landmarks' d). When every node is
    a landmark, these are the rows of v l^1/2: classical scaling. The eigenvectors' signs are
    fixed; an axis without extent is zero.

    Args:
        distances: From every node to every landmark, [N, L].
        landmarks: The landmarks' nodes, [L].

    Returns:
        Positions, [N, 2].
    """
    squared = distances**2
    own = squared[landmarks]
    mean = own.mean(axis=0)
    gram = -0.5 * (own - mean - mean[:, None] + mean.mean())
    # All eigenpairs: asked for two only, LAPACK finds none when many are equal, as in a star.
    values, vectors = np.linalg.eigh(gram)

    positions = np.zeros((len(distances), 2))
    for axis in range(min(2, len(landmarks))):
        value, vector = values[-1 - axis], vectors[:, -1 - axis]
        if value > 10.0**-_DIGITS:
            vector = vector * np.sign(vector[np.abs(vector).argmax()])
            positions[:, axis] = -0.5 * ((squared - mean) @ vector) / np.sqrt(value)
    # Adding zero turns -0.0 into 0.0: equal positions then have equal bits.
    return np.round(positions, _DIGITS) + 0.0


def _lay_side_by_side(positions: Floats, components: list[Ints]) -> None:
    """Move the components, largest first, into rows of a near-square, one hop apart."""
    sizes = [np.ptp(positions[nodes], axis=0) + 1.0 for nodes in components]
    row_width = max(np.sqrt(sum(size.prod() for size in sizes)), max(size[0] for size in sizes))
    corner, row_height = np.zeros(2), 0.0
    for nodes, size in zip(components, sizes, strict=True):
        if corner[0] + size[0] > row_width:
            corner, row_height = np.array([0.0, corner[1] + row_height]), 0.0
        positions[nodes] += corner - positions[nodes].min(axis=0)
        corner[0] += size[0]
        row_height = max(row_height, size[1])
