import pytest
import torch
from torch import Generator, Tensor

from l2p_search.data.graph import Graph
from l2p_search.model.convolved_layer import Moving
from l2p_search.model.initial_residual import initial_residual
from l2p_search.model.layers import Adjacency, Noise, drop_units
from tests.problems import precise


def _normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, generator=Generator().manual_seed(seed))


@pytest.mark.parametrize("rate", [0.0, 0.3])
def test_two_layers_are_those_made_of_single_operations(rate: float, small_graph: Graph) -> None:
    adjacency, nodes = Adjacency(precise(small_graph), 0.0), small_graph.num_nodes
    values = adjacency.values(2, Noise(None))
    generator = Generator().manual_seed(1)
    drawn = torch.randint(0, 256, (2, 2, nodes, 4), dtype=torch.uint8, generator=generator)
    noise = [None, None] if rate == 0.0 else list(drawn)
    first = _normal(2, nodes, 4).requires_grad_()
    weights = [_normal(2, 4, 4, seed=seed).requires_grad_() for seed in range(1, 5)]

    h = kept = first.relu()
    other = start = first.relu()
    for layer in range(2):
        mapping, own = weights[2 * layer : 2 * layer + 2]
        moving = Moving(adjacency, values, noise[layer], rate, True, True)
        h, kept = initial_residual(h, kept, mapping, own, moving)
        dropped = adjacency.convolve(drop_units(other, noise[layer], rate), values)
        other = (torch.bmm(dropped, mapping) + torch.bmm(start, own)).relu()
    torch.testing.assert_close(h, other)
    pairs = zip(
        torch.autograd.grad(h.square().sum(), [first, *weights]),
        torch.autograd.grad(other.square().sum(), [first, *weights]),
        strict=True,
    )
    for one, wanted in pairs:
        torch.testing.assert_close(one, wanted)
