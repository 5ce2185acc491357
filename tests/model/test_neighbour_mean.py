from dataclasses import replace

import torch

from l2p_search.data.graph import Graph
from l2p_search.model.layers import Noise
from l2p_search.model.neighbour_mean import NeighbourMean
from tests.problems import precise


def _dense(mean: NeighbourMean, values: torch.Tensor) -> torch.Tensor:
    dense = torch.zeros(len(values), mean.num_nodes, mean.num_nodes).double()
    dense[:, mean.row, mean.column] = values
    return dense


def test_a_row_is_the_mean_over_neighbours_and_zero_without_any(small_graph: Graph) -> None:
    mean = NeighbourMean(precise(small_graph), 0.0)
    adjacency = torch.zeros(12, 12).double()
    adjacency[small_graph.edges[0], small_graph.edges[1]] = 1.0
    degree = adjacency.sum(dim=1, keepdim=True)
    assert int((degree == 0).sum()) == 1
    values = mean.values(2, Noise(None))
    wanted = adjacency / degree.clamp_min(1.0)
    torch.testing.assert_close(_dense(mean, values), torch.stack([wanted] * 2))


def test_drop_edge_takes_the_mean_over_the_neighbours_that_are_left(small_graph: Graph) -> None:
    mean = NeighbourMean(precise(small_graph), 0.5)
    assert mean.noise_size == small_graph.num_edges
    generator = torch.Generator().manual_seed(0)
    noise = torch.randint(0, 256, (20, mean.noise_size), generator=generator)
    dense = _dense(mean, mean.values(20, Noise(noise)))
    kept = dense > 0
    assert torch.equal(kept, kept.transpose(1, 2)), "an edge is dropped in both directions"
    assert 0 < int(kept.sum()) < 20 * 2 * small_graph.num_edges
    sums = dense.sum(dim=2)
    torch.testing.assert_close(sums, kept.any(dim=2).double())


def test_the_backward_pass_is_the_transposed_product(small_graph: Graph) -> None:
    mean = NeighbourMean(precise(small_graph), 0.5)
    generator = torch.Generator().manual_seed(0)
    noise = torch.randint(0, 256, (3, mean.noise_size), generator=generator)
    values = mean.values(3, Noise(noise))
    dense = _dense(mean, values)
    assert not torch.equal(dense, dense.transpose(1, 2))
    h = torch.randn(3, 12, 2, dtype=torch.float64, generator=generator, requires_grad=True)
    torch.testing.assert_close(mean.convolve(h, values), dense @ h)
    assert torch.autograd.gradcheck(lambda h: mean.convolve(h, values), h)


def test_other_numbers_of_seeds_may_follow_one_another(small_graph: Graph) -> None:
    mean = NeighbourMean(precise(small_graph), 0.0)
    for seeds in (1, 4, 2):
        values = mean.values(seeds, Noise(None))
        h = torch.randn(seeds, 12, 3, dtype=torch.float64, requires_grad=True)
        torch.testing.assert_close(mean.convolve(h, values), _dense(mean, values) @ h)
        assert torch.autograd.gradcheck(lambda h, own=values: mean.convolve(h, own), h)


def test_weights_of_edges_make_it_the_weighted_mean(small_graph: Graph) -> None:
    source, target = small_graph.edges
    weights = 0.05 + ((source + 1) * (target + 1) % 7).float() / 10  # some sums are below 1
    mean = NeighbourMean(precise(replace(small_graph, weights=weights)), 0.0)
    adjacency = torch.zeros(12, 12).double()
    adjacency[source, target] = weights.double()
    sums = adjacency.sum(dim=1, keepdim=True)
    wanted = torch.where(sums > 0, adjacency / sums, 0.0)
    torch.testing.assert_close(_dense(mean, mean.values(1, Noise(None)))[0], wanted)


def test_equal_weights_change_nothing(small_graph: Graph) -> None:
    weights = torch.full(small_graph.edges.shape[1:], 0.25)
    plain, weighted = (
        NeighbourMean(precise(graph), 0.0).values(1, Noise(None))
        for graph in (small_graph, replace(small_graph, weights=weights))
    )
    torch.testing.assert_close(plain, weighted)
