import pytest
import torch
from torch import Generator, Tensor

from l2p_search.data.graph import Graph
from l2p_search.model.convolved_layer import Moving, convolved_layer
from l2p_search.model.layers import Adjacency, Noise, drop_units
from l2p_search.model.neighbour_mean import NeighbourMean
from tests.problems import precise


def _normal(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, generator=Generator().manual_seed(sum(shape)))


@pytest.mark.parametrize("relu", [True, False])
@pytest.mark.parametrize("rectified", [True, False])
@pytest.mark.parametrize("with_own", [True, False])
@pytest.mark.parametrize("rate", [0.0, 0.3])
@pytest.mark.parametrize("kind", [Adjacency, NeighbourMean])
def test_it_is_the_layer_made_of_single_operations(
    kind: type[Adjacency],
    rate: float,
    with_own: bool,
    rectified: bool,
    relu: bool,
    small_graph: Graph,
) -> None:
    """With relu the gradient comes masked, and that of a rectified H is handed back masked."""
    adjacency, nodes = kind(precise(small_graph), 0.0), small_graph.num_nodes
    values = adjacency.values(3, Noise(None))
    given = [_normal(3, nodes, 4), _normal(3, 4, 5), _normal(3, 1, 5), _normal(3, 4, 5) - 0.3]
    if rectified:
        given[0].relu_()
    h, weight, bias, own = (value.requires_grad_() for value in given)
    noise = None
    if rate > 0.0:
        generator = Generator().manual_seed(1)
        noise = torch.randint(0, 256, h.shape, dtype=torch.uint8, generator=generator)
    moving = Moving(adjacency, values, noise, rate, rectified, relu)
    found = convolved_layer(h, weight, bias, own if with_own else None, moving)

    dropped = drop_units(h.relu() if rectified else h, noise, rate)
    wanted = adjacency.convolve(torch.bmm(dropped, weight), values) + bias
    wanted = wanted + torch.bmm(dropped, own) if with_own else wanted
    wanted = wanted.relu() if relu else wanted
    torch.testing.assert_close(found, wanted)
    of = (h, weight, bias, own) if with_own else (h, weight, bias)
    direction = _normal(*found.shape) * (found > 0.0 if relu else 1.0)
    pairs = zip(
        torch.autograd.grad((found * direction).sum(), of),
        torch.autograd.grad((wanted * direction).sum(), of),
        strict=True,
    )
    for one, other in pairs:
        torch.testing.assert_close(one, other)
