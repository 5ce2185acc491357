from dataclasses import replace

import torch

from l2p_search.data.graph import Graph
from l2p_search.model.layers import Adjacency, Noise
from l2p_search.model.propagation import normalised_adjacency


def _dense(adjacency: Adjacency, values: torch.Tensor) -> torch.Tensor:
    dense = torch.zeros(len(values), adjacency.num_nodes, adjacency.num_nodes).double()
    dense[:, adjacency.row, adjacency.column] = values
    return dense


def test_without_dropout_it_is_the_normalised_adjacency(small_graph: Graph) -> None:
    adjacency = Adjacency(small_graph, 0.0, torch.float64)
    values = adjacency.values(2, Noise(None))
    eye = torch.eye(small_graph.num_nodes).double()
    wanted = normalised_adjacency(small_graph, torch.float64).times(eye)
    torch.testing.assert_close(_dense(adjacency, values), torch.stack([wanted] * 2))
    assert adjacency.noise_size == 0


def _weighted(graph: Graph) -> Graph:
    source, target = graph.edges
    return replace(graph, weights=0.5 + ((source + 1) * (target + 1) % 7).float())


def test_weights_are_those_of_the_normalised_adjacency(small_graph: Graph) -> None:
    graph = _weighted(small_graph)
    adjacency = Adjacency(graph, 0.0, torch.float64)
    eye = torch.eye(graph.num_nodes).double()
    wanted = normalised_adjacency(graph, torch.float64).times(eye)
    torch.testing.assert_close(_dense(adjacency, adjacency.values(1, Noise(None)))[0], wanted)


def test_drop_edge_normalises_by_the_weights_that_are_left(small_graph: Graph) -> None:
    graph = _weighted(small_graph)
    adjacency = Adjacency(graph, 0.5, torch.float64)
    noise = torch.randint(
        0, 256, (5, adjacency.noise_size), generator=torch.Generator().manual_seed(0)
    )
    dense = _dense(adjacency, adjacency.values(5, Noise(noise)))
    assert graph.weights is not None
    whole = torch.eye(graph.num_nodes).double()
    whole[graph.edges[0], graph.edges[1]] = graph.weights.double()
    for one in dense:
        kept = (one > 0).double() * whole
        assert int((kept > 0).sum()) < int((whole > 0).sum())
        scale = kept.sum(dim=1).rsqrt()
        torch.testing.assert_close(one, kept * scale[:, None] * scale)


def test_drop_edge_drops_pairs_and_normalises_what_is_left(small_graph: Graph) -> None:
    adjacency = Adjacency(small_graph, 0.5, torch.float64)
    noise = torch.randint(
        0, 256, (200, adjacency.noise_size), generator=torch.Generator().manual_seed(0)
    )
    dense = _dense(adjacency, adjacency.values(200, Noise(noise)))
    assert torch.equal(dense, dense.transpose(1, 2))
    for one in dense[:5]:
        kept = (one > 0).double()
        assert kept.diagonal().min() == 1
        scale = kept.sum(dim=1).rsqrt()
        torch.testing.assert_close(one, kept * scale[:, None] * scale)
    edges = dense[:, small_graph.edges[0], small_graph.edges[1]] > 0
    assert abs(edges.double().mean().item() - 0.5) < 0.03
    assert (dense.diagonal(dim1=1, dim2=2) > 0).all()
