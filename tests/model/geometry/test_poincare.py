import networkx
import numpy as np
import pytest
import torch

from l2p_search.data.graph import Graph
from l2p_search.model.geometry.poincare import BORDER, hyperbolic_distance, poincare_positions
from tests.model.shapes import graph_of, in_pieces, social, without_edges

_TREE = networkx.balanced_tree(3, 3)


def _all_distances(positions: np.ndarray) -> np.ndarray:
    at = torch.from_numpy(positions)
    return hyperbolic_distance(at[:, None], at[None, :]).numpy()


def test_the_distance_from_the_origin_is_that_of_the_radius() -> None:
    """d(0, r) = 2 artanh r."""
    radius = torch.tensor([1e-12, 1e-3, 0.5, 0.99, BORDER], dtype=torch.float64)
    at = torch.stack([torch.zeros_like(radius), radius], dim=1)
    found = hyperbolic_distance(torch.zeros_like(at), at)
    torch.testing.assert_close(found, 2 * torch.atanh(radius), rtol=1e-9, atol=0.0)


def test_the_distance_adds_up_along_a_diameter() -> None:
    at = torch.tensor([[-0.9, 0.0], [0.2, 0.0], [0.7, 0.0]], dtype=torch.float64)
    legs = hyperbolic_distance(at[:2], at[1:]).sum()
    torch.testing.assert_close(hyperbolic_distance(at[0], at[2]), legs)


@pytest.mark.parametrize("graph", [social(), in_pieces(), graph_of(_TREE)])
def test_neighbours_are_nearer_than_random_pairs(graph: Graph) -> None:
    positions = poincare_positions(graph)
    assert positions.shape == (graph.num_nodes, 2)
    distances = _all_distances(positions)
    linked = np.zeros_like(distances, dtype=bool)
    linked[tuple(graph.edges.numpy())] = True
    apart = ~linked & ~np.eye(graph.num_nodes, dtype=bool)
    nearer = distances[linked][:, None] < distances[apart][None, :]
    assert nearer.mean() > 0.85


def test_the_depth_of_a_tree_is_the_distance_from_the_centre() -> None:
    radius = np.linalg.norm(poincare_positions(graph_of(_TREE)), axis=1)
    depth = np.array(list(networkx.single_source_shortest_path_length(_TREE, 0).values()))
    means = [np.arctanh(radius[depth == d]).mean() for d in range(4)]
    assert means == sorted(means)


@pytest.mark.parametrize("graph", [social(), in_pieces(), without_edges()])
def test_all_positions_are_inside_the_disk(graph: Graph) -> None:
    radius = np.linalg.norm(poincare_positions(graph), axis=1)
    assert (radius <= BORDER + 1e-12).all()


def test_a_complete_graph_has_no_negatives_and_stays_finite() -> None:
    assert np.isfinite(poincare_positions(graph_of(networkx.complete_graph(3)))).all()
