import networkx
import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.manifold import Isomap

from l2p_search.data.graph import Graph
from l2p_search.model.geometry import isomap
from l2p_search.model.geometry.isomap import hop_distances, isomap_positions, scaled_to_plane
from tests.model.shapes import graph_of, in_pieces, social, without_edges

_GRID = networkx.convert_node_labels_to_integers(networkx.grid_2d_graph(12, 8))


def _paths(graph: Graph) -> np.ndarray:
    shape = networkx.Graph(graph.edges.t().tolist())
    shape.add_nodes_from(range(graph.num_nodes))
    paths = dict(networkx.all_pairs_shortest_path_length(shape))
    nodes = range(graph.num_nodes)
    return np.array([[paths[a].get(b, -1) for b in nodes] for a in nodes])


@pytest.mark.parametrize("graph", [social(), in_pieces(), without_edges()])
def test_hops_are_shortest_paths(graph: Graph) -> None:
    sources = np.array([2, 0, 4])
    found = hop_distances(graph.edges.numpy(), graph.num_nodes, sources)
    expected = _paths(graph)[:, sources]
    np.testing.assert_array_equal(found, expected)
    within = hop_distances(graph.edges.numpy(), graph.num_nodes, sources, limit=2)
    np.testing.assert_array_equal(within, np.where(expected <= 2, expected, -1))


@pytest.mark.parametrize("graph", [social(), graph_of(_GRID)])
def test_agrees_with_classical_scaling_of_the_paths(graph: Graph) -> None:
    """B = -1/2 J D^2 J by matrix products; positions are equal up to a rotation."""
    nodes = graph.num_nodes
    centring = np.eye(nodes) - 1.0 / nodes
    gram = -0.5 * centring @ (_paths(graph) ** 2.0) @ centring
    values, vectors = np.linalg.eigh(gram)
    expected = vectors[:, -2:] * np.sqrt(values[-2:])
    np.testing.assert_allclose(pdist(isomap_positions(graph)), pdist(expected), atol=1e-5)


def test_agrees_with_scikit_learn_on_a_graph_that_is_a_neighbourhood_graph() -> None:
    """On a ring of points, the two nearest neighbours are the edges of a cycle."""
    angle = 2 * np.pi * np.arange(15) / 15
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    expected = Isomap(n_neighbors=2, n_components=2, eigen_solver="dense").fit_transform(ring)
    expected /= np.linalg.norm(ring[0] - ring[1])
    found = isomap_positions(graph_of(networkx.cycle_graph(15)))
    np.testing.assert_allclose(pdist(found), pdist(expected), atol=1e-5)


def test_a_path_lies_on_a_line_hop_by_hop() -> None:
    positions = isomap_positions(graph_of(networkx.path_graph(9)))
    np.testing.assert_allclose(np.abs(np.diff(positions[:, 0])), 1.0)
    np.testing.assert_array_equal(positions[:, 1], 0.0)


def test_landmarks_alone_give_the_shape_of_all_distances(monkeypatch: pytest.MonkeyPatch) -> None:
    grid = graph_of(_GRID)
    full = pdist(isomap_positions(grid))
    monkeypatch.setattr(isomap, "_ALL_NODES", 50)
    monkeypatch.setattr(isomap, "_LANDMARKS", 30)
    few = pdist(isomap_positions(grid))
    assert np.corrcoef(full, few)[0, 1] > 0.98
    assert np.median(few) == pytest.approx(np.median(full), rel=0.1)


def test_landmarks_place_points_of_the_plane_exactly() -> None:
    points = np.random.default_rng(0).normal(size=(40, 2))
    distances = squareform(pdist(points))
    landmarks = np.arange(0, 40, 5)
    found = scaled_to_plane(distances[:, landmarks], landmarks)
    np.testing.assert_allclose(pdist(found), pdist(points), atol=1e-5)


def test_components_keep_their_shape_and_stay_a_hop_apart() -> None:
    graph = in_pieces()
    distances = squareform(pdist(isomap_positions(graph)))
    paths = _paths(graph)
    assert distances[paths < 0].min() >= 1.0 - 1e-5
    cycle = slice(15, 21)
    alone = isomap_positions(graph_of(networkx.cycle_graph(6)))
    np.testing.assert_allclose(distances[cycle, cycle], squareform(pdist(alone)), atol=1e-5)


def test_isolated_nodes_have_places_of_their_own() -> None:
    assert len(np.unique(isomap_positions(without_edges()), axis=0)) == 5
