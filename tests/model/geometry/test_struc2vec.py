import networkx
import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from l2p_search.model.geometry import isomap
from l2p_search.model.geometry.struc2vec import struc2vec_positions, warping_distances
from tests.model.shapes import graph_of, in_pieces, without_edges


def _warp_by_definition(a: list[tuple[float, int]], b: list[tuple[float, int]]) -> float:
    table = np.full((len(a) + 1, len(b) + 1), np.inf)
    table[0, 0] = 0.0
    for i, (x, r) in enumerate(a):
        for j, (y, s) in enumerate(b):
            cost = (max(x, y) / min(x, y) - 1.0) * max(r, s)
            table[i + 1, j + 1] = cost + min(table[i, j], table[i, j + 1], table[i + 1, j])
    return float(table[-1, -1])


def test_warping_agrees_with_its_recurrence() -> None:
    generator = np.random.default_rng(0)
    degrees = np.array([0.5, 1.5, 2.5, 4.5, 9.5, 30.5])
    counts = generator.integers(1, 5, size=(12, 6)) * (generator.random((12, 6)) < 0.6)
    counts[:, 2] += counts.sum(axis=1) == 0
    pairs = np.stack(np.triu_indices(12))
    rows = [[(degrees[d], row[d]) for d in np.flatnonzero(row)] for row in counts]
    expected = [_warp_by_definition(rows[a], rows[b]) for a, b in pairs.T]
    found = warping_distances(counts.astype(np.int32), degrees, pairs)
    np.testing.assert_allclose(found, expected)
    np.testing.assert_array_equal(found[pairs[0] == pairs[1]], 0.0)


def test_the_leaves_of_a_star_are_one_place_and_the_hub_another() -> None:
    positions = struc2vec_positions(graph_of(networkx.star_graph(7)))
    np.testing.assert_array_equal(positions[1:], np.tile(positions[1], (7, 1)))
    assert np.linalg.norm(positions[0] - positions[1]) > 0.1


def test_the_mirrored_halves_of_a_barbell_coincide() -> None:
    """Two cliques of 6 joined by a path of 4: node i mirrors node 15 - i."""
    positions = struc2vec_positions(graph_of(networkx.barbell_graph(6, 4)))
    clique, path = [0, 1, 2, 3, 4], [6, 7, 8, 9]
    for i in clique:
        np.testing.assert_array_equal(positions[i], positions[0])
        np.testing.assert_array_equal(positions[15 - i], positions[0])
    for i in path:
        np.testing.assert_array_equal(positions[i], positions[15 - i])
    np.testing.assert_array_equal(positions[5], positions[10])
    distinct = pdist(positions[[0, 5, 6, 7]])
    assert distinct.min() > 0.05


def test_copies_of_a_component_coincide_however_far() -> None:
    tree = networkx.balanced_tree(2, 3)
    twice = struc2vec_positions(graph_of(networkx.disjoint_union(tree, tree)))
    np.testing.assert_array_equal(twice[:15], twice[15:])


def test_like_degrees_are_nearer_than_unlike_ones() -> None:
    graph = graph_of(networkx.barabasi_albert_graph(200, 2, seed=0))
    distances = squareform(pdist(struc2vec_positions(graph)))
    degree = np.bincount(graph.edges[0])
    hubs, leaves = np.argsort(degree)[-5:], np.flatnonzero(degree == 2)
    across = distances[np.ix_(hubs, leaves)].mean()
    assert across > 2 * distances[np.ix_(leaves, leaves)].mean()


def test_landmarks_alone_give_the_shape_of_all_distances(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = graph_of(networkx.barabasi_albert_graph(200, 2, seed=0))
    full = pdist(struc2vec_positions(graph))
    monkeypatch.setattr(isomap, "_ALL_NODES", 50)
    monkeypatch.setattr(isomap, "_LANDMARKS", 50)
    assert np.corrcoef(full, pdist(struc2vec_positions(graph)))[0, 1] > 0.95


def test_isolated_nodes_coincide_apart_from_the_others() -> None:
    positions = struc2vec_positions(in_pieces())
    np.testing.assert_array_equal(positions[-1], positions[-2])
    assert np.linalg.norm(positions[:-2] - positions[-1], axis=1).min() > 0.1


def test_without_edges_all_nodes_are_one_place() -> None:
    np.testing.assert_array_equal(struc2vec_positions(without_edges()), np.zeros((5, 2)))
