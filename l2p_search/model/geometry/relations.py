"""Geom-GCN's structural neighbourhoods: who is near in a latent plane, and on which side.

Pei et al. (ICLR 2020): nodes get positions in a plane; a node aggregates from its neighbours in
the graph and from those in the plane, apart for each of four directions they can lie in.
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
"""How far apart coincident nodes are put, in units of the plane's extent."""

_EXCESS = 1.05
"""The search for the radius ends at so many times the pairs wanted; the rest are sorted out."""


def latent_positions(graph: Graph, space: LatentSpace) -> Tensor:
    """Positions [N, 2] (float64) of the nodes in the plane; one graph, one result, bit by bit."""
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
    """Eight patterns (target rows, source columns): graph, then latent, by the four relations.

    Every pair of a neighbourhood is in exactly one of its relations, sorted by row and column.
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
    """The number of each pair's relation, for positions [P, 2] each (the paper's table 1).

    A source exactly level with its target counts as upper, one exactly in line with it as right.
    """
    right = source[:, 0] >= target[:, 0]
    lower = source[:, 1] < target[:, 1]
    return 2 * lower.long() + right.long()


def latent_pairs(positions: Tensor, count: int, space: LatentSpace) -> Tensor:
    """The `count` nearest pairs in the plane, both ways -> [2, 2 count]; fewer if there are not.

    In the paper the radius grows until the mean latent degree is that of the graph. As many
    pairs as the graph has edges, the nearest ones, are just that. Of pairs equally near, the
    first by their numbers are taken: spread them apart before.
    """
    nodes = len(positions)
    count = min(count, nodes * (nodes - 1) // 2)
    if count == 0:
        return torch.zeros(2, 0, dtype=torch.int64)
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
    """Part the nodes at one place (all leaves of a hub) by a noise far below all other distances.

    They then lie in all directions of each other, and are neighbours of few of their many twins.
    The noise is fixed: one graph, one result.
    """
    places: Floats = positions.numpy()
    noise = np.random.default_rng(0).uniform(-1.0, 1.0, size=places.shape)
    if space == "poincare":
        # A hyperbolic unit shrinks towards the rim, by up to the 1e-5 that positions keep from it.
        return torch.from_numpy(places + 100 * _SPREAD * noise * (1.0 - _squared_norm(places)))
    extent = float(np.ptp(places, axis=0).max())
    return torch.from_numpy(places + _SPREAD * noise * (extent if extent > 0.0 else 1.0))


def _pairs_within_some_radius(places: Floats, count: int, hyperbolic: bool) -> Tensor:
    """Pairs i < j [2, P] of the nodes within some one radius of each other: count, or few more."""
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
    # Rounding at a ball's edge may have one way of a pair without the other.
    keys = np.unique(np.minimum(rows, columns) * len(places) + np.maximum(rows, columns))
    pairs = np.stack([keys // len(places), keys % len(places)]).astype(np.int64)
    return torch.from_numpy(pairs[:, pairs[0] != pairs[1]])


def _balls(places: Floats, radius: float, hyperbolic: bool) -> tuple[Floats, Floats]:
    """Centres and radii, as the k-d tree measures them, of the balls around all places.

    A hyperbolic ball is a Euclidean one with another centre: with t = tanh(radius / 2), around p
    it is centred at p (1 - t^2) / (1 - t^2 |p|^2), with radius t (1 - |p|^2) / (1 - t^2 |p|^2).
    """
    if not hyperbolic:
        return places, np.full(len(places), radius)
    t, norm = np.tanh(radius / 2.0), _squared_norm(places)
    shrink = 1.0 - t**2 * norm
    return places * (1.0 - t**2) / shrink, (t * (1.0 - norm) / shrink)[:, 0]


def _diameter(places: Floats, hyperbolic: bool) -> float:
    """A radius, with some margin for rounding, that holds everything."""
    if hyperbolic:
        largest = 4.0 * np.arctanh(np.sqrt(_squared_norm(places).max()))
    else:
        largest = np.linalg.norm(np.ptp(places, axis=0))
    return 1.01 * float(largest)


def _squared_norm(places: Floats) -> Floats:
    squared: Floats = np.square(places).sum(axis=1, keepdims=True)
    return squared
