from typing import get_args

import networkx
import numpy as np
import pytest
import torch
from torch import Tensor

from l2p_search.data.graph import Graph
from l2p_search.model.geometry.poincare import hyperbolic_distance
from l2p_search.model.geometry.relations import (
    RELATIONS,
    LatentSpace,
    latent_pairs,
    latent_positions,
    relations_of,
    spread_apart,
    structural_relations,
)
from tests.model.shapes import graph_of, in_pieces, social, without_edges

_SPACES: tuple[LatentSpace, ...] = get_args(LatentSpace)
_STAR = graph_of(networkx.star_graph(40))
_GRAPHS = {"social": social(), "pieces": in_pieces(), "star": _STAR, "empty": without_edges()}

spaces = pytest.mark.parametrize("space", _SPACES)
graphs = pytest.mark.parametrize("graph", _GRAPHS.values(), ids=_GRAPHS)


def _pairs(patterns: list[tuple[Tensor, Tensor]]) -> list[tuple[int, int]]:
    return [(int(t), int(s)) for pattern in patterns for t, s in zip(*pattern, strict=True)]


def _points(count: int = 60) -> Tensor:
    """Points in the unit disk, more of them near the rim than at its centre."""
    generator = torch.Generator().manual_seed(0)
    radius, turn = torch.rand(2, count, dtype=torch.float64, generator=generator)
    radius, angle = radius.sqrt() * 0.999, turn * 2 * torch.pi
    return torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1)


@spaces
@graphs
def test_every_graph_has_finite_positions_and_the_same_ones_again(
    graph: Graph, space: LatentSpace
) -> None:
    positions = latent_positions(graph, space)
    assert positions.shape == (graph.num_nodes, 2)
    assert positions.dtype == torch.float64
    assert torch.isfinite(positions).all()
    torch.manual_seed(7)
    again = latent_positions(graph, space)
    assert positions.numpy().tobytes() == again.numpy().tobytes()


@spaces
@graphs
def test_every_pair_is_in_exactly_one_relation(graph: Graph, space: LatentSpace) -> None:
    patterns = structural_relations(graph, latent_positions(graph, space), space)
    assert len(patterns) == 2 * len(RELATIONS)
    assert all(part.dtype == torch.int64 for pattern in patterns for part in pattern)
    own, latent = _pairs(patterns[:4]), _pairs(patterns[4:])
    assert sorted(own) == sorted((t, s) for s, t in graph.edges.t().tolist())
    assert len(set(latent)) == len(latent)
    assert all(row != column for row, column in latent)
    assert set(latent) == {(column, row) for row, column in latent}


@spaces
@graphs
def test_the_mean_latent_degree_is_that_of_the_graph(graph: Graph, space: LatentSpace) -> None:
    """Even on the star, whose forty leaves are one place to struc2vec."""
    patterns = structural_relations(graph, latent_positions(graph, space), space)
    assert len(_pairs(patterns[4:])) == graph.edges.shape[1]


@spaces
def test_a_reversed_pair_is_in_the_opposite_relation_unless_tied(space: LatentSpace) -> None:
    graph = social()
    positions = latent_positions(graph, space)
    patterns = structural_relations(graph, positions, space)
    for neighbourhood in (patterns[:4], patterns[4:]):
        relation = {
            pair: number for number, part in enumerate(neighbourhood) for pair in _pairs([part])
        }
        untied = [(v, u) for v, u in relation if (positions[v] != positions[u]).all()]
        assert untied
        assert all(relation[u, v] == 3 - relation[v, u] for v, u in untied)


def test_relations_say_where_the_source_lies() -> None:
    target = torch.zeros(4, 2)
    source = torch.tensor([[-1.0, 1.0], [1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
    assert relations_of(target, source).tolist() == [0, 1, 2, 3]


def test_ties_are_upper_and_right() -> None:
    target = torch.zeros(5, 2)
    source = torch.tensor([[0.0, 0.0], [0.0, 1.0], [0.0, -1.0], [1.0, 0.0], [-1.0, 0.0]])
    names = [RELATIONS[number] for number in relations_of(target, source)]
    assert names == ["upper right", "upper right", "lower right", "upper right", "upper left"]


@pytest.mark.parametrize("count", [1, 30, 500, 60 * 59 // 2, 10_000])
@spaces
def test_latent_pairs_are_the_nearest_of_all(space: LatentSpace, count: int) -> None:
    points = _points()
    if space == "poincare":
        distances = hyperbolic_distance(points[:, None], points[None, :])
    else:
        distances = torch.cdist(points, points)
    row, column = torch.triu_indices(60, 60, 1)
    nearest = torch.argsort(distances[row, column])[:count]
    expected = {(int(row[i]), int(column[i])) for i in nearest}
    found = latent_pairs(points, count, space)
    assert found.shape[1] == 2 * len(expected)
    assert set(map(tuple, found.t().tolist())) == expected | {(b, a) for a, b in expected}


@spaces
def test_coincident_nodes_share_the_pairs_evenly(space: LatentSpace) -> None:
    """400 nodes in one place have 80,000 pairs at distance zero, of which 1,000 are wanted."""
    points = torch.full((401, 2), 0.5, dtype=torch.float64)
    points[400] = 0.0
    found = latent_pairs(spread_apart(points, space), 1000, space)
    degree = np.bincount(found[0], minlength=401)
    assert found.shape[1] == 2000
    assert degree[400] == 0
    assert (degree[:400] > 0).mean() > 0.9
    assert degree.max() <= 20
