from dataclasses import replace

import torch

from l2p_search.data.graph import Graph
from l2p_search.model.dropout import drop, keep_scale
from l2p_search.model.layers import Adjacency, FixedMatrix, Noise, drop_units
from l2p_search.model.propagation import normalised_adjacency
from tests.problems import precise


def _dense(adjacency: Adjacency, values: torch.Tensor) -> torch.Tensor:
    dense = torch.zeros(len(values), adjacency.num_nodes, adjacency.num_nodes).double()
    dense[:, adjacency.row, adjacency.column] = values
    return dense


def test_without_dropout_it_is_the_normalised_adjacency(small_graph: Graph) -> None:
    adjacency = Adjacency(precise(small_graph), 0.0)
    values = adjacency.values(2, Noise(None))
    eye = torch.eye(small_graph.num_nodes).double()
    wanted = normalised_adjacency(precise(small_graph)).times(eye)
    torch.testing.assert_close(_dense(adjacency, values), torch.stack([wanted] * 2))
    assert adjacency.noise_size == 0


def _weighted(graph: Graph) -> Graph:
    source, target = graph.edges
    return replace(graph, weights=0.5 + ((source + 1) * (target + 1) % 7).float())


def test_weights_are_those_of_the_normalised_adjacency(small_graph: Graph) -> None:
    graph = _weighted(small_graph)
    adjacency = Adjacency(precise(graph), 0.0)
    eye = torch.eye(graph.num_nodes).double()
    wanted = normalised_adjacency(precise(graph)).times(eye)
    torch.testing.assert_close(_dense(adjacency, adjacency.values(1, Noise(None)))[0], wanted)


def test_drop_edge_normalises_by_the_weights_that_are_left(small_graph: Graph) -> None:
    graph = _weighted(small_graph)
    adjacency = Adjacency(precise(graph), 0.5)
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
    adjacency = Adjacency(precise(small_graph), 0.5)
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


def test_random_bytes_are_handed_out_in_order_and_none_at_rate_zero() -> None:
    noise = Noise(torch.arange(20).view(2, 10))
    first, none, second = (
        noise.take(3, rate=0.5),
        noise.take(4, rate=0.0),
        noise.take(2, 2, rate=1),
    )
    assert first is not None
    assert none is None
    assert second is not None
    assert first.tolist() == [[0, 1, 2], [10, 11, 12]]
    assert second.tolist() == [[[3, 4], [5, 6]], [[13, 14], [15, 16]]]
    assert Noise(None).take(3, rate=0.5) is None


def test_dropped_units_are_zero_and_so_are_their_gradients() -> None:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(4, 5, dtype=torch.float64, generator=generator, requires_grad=True)
    noise = torch.randint(0, 256, x.shape, dtype=torch.uint8, generator=generator)
    mask = drop(torch.ones_like(x), noise, 0.4) * keep_scale(0.4)
    torch.testing.assert_close(drop_units(x, noise, 0.4), x * mask)
    (gradient,) = torch.autograd.grad(drop_units(x, noise, 0.4).sum(), x)
    torch.testing.assert_close(gradient, mask)
    assert drop_units(x, None, 0.4) is x


def test_a_convolution_is_its_own_backward_pass(small_graph: Graph) -> None:
    adjacency = Adjacency(precise(small_graph), 0.5)
    generator = torch.Generator().manual_seed(0)
    noise = torch.randint(0, 256, (3, adjacency.noise_size), generator=generator)
    values = adjacency.values(3, Noise(noise))
    h = torch.randn(3, 12, 2, dtype=torch.float64, generator=generator, requires_grad=True)
    torch.testing.assert_close(adjacency.convolve(h, values), _dense(adjacency, values) @ h)
    assert torch.autograd.gradcheck(lambda h: adjacency.convolve(h, values), h)


def test_a_fixed_matrix_multiplies_any_number_of_seeds_and_transposes_on_the_way_back() -> None:
    row, column = torch.tensor([0, 0, 2]), torch.tensor([1, 2, 2])
    values = torch.tensor([2.0, 3.0, 5.0], dtype=torch.float64)
    matrix, dense = FixedMatrix(row, column, values, 3), torch.zeros(3, 3).double()
    dense[row, column] = values
    for seeds in (1, 4, 2):
        h = torch.randn(seeds, 3, 2, dtype=torch.float64, requires_grad=True)
        torch.testing.assert_close(matrix.times(h), dense @ h)
        assert torch.autograd.gradcheck(matrix.times, h)
