"""Geom-GCN's structural neighbourhoods: who is near in a latent plane, and on which side.

Pei, Wei, Chang, Lei and Yang, ICLR 2020, https://arxiv.org/abs/2002.05287: nodes get positions in
a plane; a node aggregates from its neighbours in the graph and from those in the plane, separately
for each of the four directions they can lie in.
"""

from typing import Literal, assert_never

import numpy as np
import numpy.typing as npt
import torch
from scipy.spatial import cKDTree
from torch import Tensor

from l2p_search.data.graph import Graph
from l2p_search.model.geometry.isomap import isomap_positions
from l2p_search.model.geometry.poincare import hyperbolic_distance, poincare_positions
from l2p_search.model.geometry.struc2vec import struc2vec_positions

LatentSpace = Literal["isomap", "poincare", "struc2vec"]

RELATIONS = ("upper left", "upper right", "lower left", "lower right")
"""Where the source lies as seen from the target; the opposite of relation r is 3 - r."""

Floats = npt.NDArray[np.float64]

_SPREAD = 1e-9
"""Size of the noise that separates coincident nodes, as a share of the plane's extent."""

_EXCESS = 1.05
"""The search for the radius ends when it holds at most this multiple of the wanted pairs; those
that are too many are then sorted out by their distance."""


def latent_positions(graph: Graph, space: LatentSpace) -> Tensor:
    """Positions of the nodes in the plane; the same bits for the same graph.

    Args:
        graph: Only its edges are read.
        space: Isomap for Geom-GCN-I, Poincare for -P, struc2vec for -S.

    Returns:
        Positions [N, 2] (float64).
    """
    match space:
        case "isomap":
            positions = isomap_positions(graph)
        case "poincare":
            positions = poincare_positions(graph)
        case "struc2vec":
            positions = struc2vec_positions(graph)
        case _:
            assert_never(space)
    return torch.from_numpy(positions)


def structural_relations(
    graph: Graph, positions: Tensor, space: LatentSpace
) -> list[tuple[Tensor, Tensor]]:
    """The pairs of both neighbourhoods, by relation.

    Args:
        graph: Its edges are the first neighbourhood.
        positions: Of its nodes in the plane, [N, 2]; the nearest pairs are the second.
        space: How distances are measured there.

    Returns:
        Eight patterns of target rows and source columns: those of the graph by the four
        relations, then those of the plane. Every pair of a neighbourhood is in exactly one of
        its relations, sorted by row and column.
    """
    positions = spread_apart(positions, space)
    source, target = graph.edges
    latent_target, latent_source = latent_pairs(positions, graph.num_edges, space)
    patterns = []
    for rows, columns in ((target, source), (latent_target, latent_source)):
        order = torch.argsort(rows * graph.num_nodes + columns)
        rows, columns = rows[order], columns[order]
        relation = relations_of(positions[rows], positions[columns])
        for number in range(len(RELATIONS)):
            chosen = relation == number
            patterns.append((rows[chosen], columns[chosen]))
    return patterns


def relations_of(target: Tensor, source: Tensor) -> Tensor:
    """The number of each pair's relation in RELATIONS (table 1 of Pei et al.).

    A source with the same height as its target counts as upper, one with the same horizontal
    coordinate as right.

    Args:
        target: Positions of the nodes that aggregate, [P, 2].
        source: Positions of their neighbours, [P, 2].

    Returns:
        Numbers from 0 to 3, [P].

    Example:
        >>> target, source = torch.zeros(2, 2), torch.tensor([[-1.0, 1.0], [1.0, -1.0]])
        >>> [RELATIONS[number] for number in relations_of(target, source)]
        ['upper left', 'lower right']
    """
    right = source[:, 0] >= target[:, 0]
    lower = source[:, 1] < target[:, 1]
    return 2 * lower.long() + right.long()


def latent_pairs(positions: Tensor, count: int, space: LatentSpace) -> Tensor:
    """The nearest pairs of nodes in the plane.

    In Pei et al. the radius grows until the mean latent degree is that of the graph: this is the
    case when it holds as many pairs as the graph has edges. Of pairs equally near, the first by
    their numbers are taken: call `spread_apart` before.

    Args:
        positions: [N, 2].
        count: How many pairs; of fewer than that, all.
        space: How distances are measured.

    Returns:
        Both directions of each pair, [2, 2 count].
    """
    nodes = len(positions)
    count = min(count, nodes * (nodes - 1) // 2)
    if count == 0:
        return positions.new_zeros(2, 0, dtype=torch.int64)
    hyperbolic = space == "poincare"
    places = positions.numpy()
    near = _pairs_within_some_radius(places, count, hyperbolic)
    first, second = torch.from_numpy(places)[near]
    if hyperbolic:
        distance = hyperbolic_distance(first, second)
    else:
        distance = (first - second).square().sum(dim=1)
    near = near[:, torch.argsort(distance, stable=True)[:count]]
    return torch.cat([near, near.flip(0)], dim=1)


def spread_apart(positions: Tensor, space: LatentSpace) -> Tensor:
    """Separate coincident nodes (all leaves of a hub, say) by noise far below other distances.

    They then lie in all directions of each other, and each is near a few of the others instead of
    all. The noise is fixed, so that a graph has one result.

    Args:
        positions: [N, 2].
        space: In the Poincare disk the noise shrinks towards the border, as lengths do there.

    Returns:
        Positions, [N, 2].
    """
    places: Floats = positions.numpy()
    noise = np.random.default_rng(0).uniform(-1.0, 1.0, size=places.shape)
    if space == "poincare":
        # A hyperbolic unit shrinks towards the border, by a factor of 1e-5 at BORDER itself.
        return torch.from_numpy(places + 100 * _SPREAD * noise * (1.0 - _squared_norm(places)))
    extent = float(np.ptp(places, axis=0).max())
    return torch.from_numpy(places + _SPREAD * noise * (extent if extent > 0.0 else 1.0))


def _pairs_within_some_radius(places: Floats, count: int, hyperbolic: bool) -> Tensor:
    """All pairs i < j [2, P] within one radius, chosen so that P is `count` or little more."""
    tree = cKDTree(places)
    low, high = 0.0, _diameter(places, hyperbolic)
    while True:
        middle = (low + high) / 2.0
        if middle in (low, high):
            break
        balls = _balls(places, middle, hyperbolic)
        found = int(tree.query_ball_point(*balls, return_length=True).sum()) - len(places)
        if found < 2 * count:
            low = middle
        else:
            high = middle
            if found <= _EXCESS * 2 * count:
                break
    members = tree.query_ball_point(*_balls(places, high, hyperbolic))
    sizes = np.array([len(ball) for ball in members])
    rows, columns = np.repeat(np.arange(len(places)), sizes), np.concatenate(members)
    # By rounding, i may lie in the ball of j and j outside that of i: a pair is in if either is.
    keys = np.unique(np.minimum(rows, columns) * len(places) + np.maximum(rows, columns))
    pairs = np.stack([keys // len(places), keys % len(places)]).astype(np.int64)
    return torch.from_numpy(pairs[:, pairs[0] != pairs[1]])


def _balls(places: Floats, radius: float, hyperbolic: bool) -> tuple[Floats, Floats]:
    """Euclidean centres and radii, which the k-d tree needs, of the balls around all places.

    A hyperbolic ball is a Euclidean one with another centre: with t = tanh(radius / 2), around p
    it is centred at p (1 - t^2) / (1 - t^2 |p|^2), with radius t (1 - |p|^2) / (1 - t^2 |p|^2).
    """
    if not hyperbolic:
        return places, np.full(len(places), radius)
    t, norm = np.tanh(radius / 2.0), _squared_norm(places)
    shrink = 1.0 - t**2 * norm
    return places * (1.0 - t**2) / shrink, (t * (1.0 - norm) / shrink)[:, 0]


def _diameter(places: Floats, hyperbolic: bool) -> float:
    """A radius whose ball around any place holds all others, with a margin for rounding."""
    if hyperbolic:
        largest = 4.0 * np.arctanh(np.sqrt(_squared_norm(places).max()))
    else:
        largest = np.linalg.norm(np.ptp(places, axis=0))
    return 1.01 * float(largest)


def _squared_norm(places: Floats) -> Floats:
    squared: Floats = np.square(places).sum(axis=1, keepdims=True)
    return squared
