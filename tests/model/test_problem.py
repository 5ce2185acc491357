from collections.abc import Callable

import pytest
import torch
from torch import Generator, Tensor

from l2p_search.data.graph import Graph
from l2p_search.model.problem import Problem
from tests.problems import precise

_META = torch.device("meta")


def test_fractions_get_the_dtype_and_all_tensors_the_device(small_graph: Graph) -> None:
    problem = Problem(small_graph, _META, torch.float64)
    for tensor in (torch.ones(2), torch.ones(2, dtype=torch.uint8), small_graph.train):
        placed = problem.placed(tensor)
        assert placed.device == _META
        assert placed.dtype == (torch.float64 if tensor.is_floating_point() else tensor.dtype)
    for made in (problem.zeros(2, 3), problem.ones(2, 3)):
        assert (made.shape, made.dtype, made.device) == ((2, 3), torch.float64, _META)


def test_the_graph_stays_where_it_is(small_graph: Graph) -> None:
    problem = Problem(small_graph, _META)
    rows = problem.labelled(small_graph.train, [0, 1])
    assert {part.device for part in (rows.nodes, rows.labels, rows.weights)} == {_META}
    assert problem.graph.x.device == torch.device("cpu")


@pytest.mark.parametrize(
    ("draw", "bound"), [(Problem.glorot, (6 / 40) ** 0.5), (Problem.fan_in, 30**-0.5)]
)
def test_initial_weights_fill_their_bound_and_are_a_seeds_own(
    small_graph: Graph, draw: Callable[..., Tensor], bound: float
) -> None:
    def weights(*seeds: int) -> Tensor:
        generators = [Generator().manual_seed(seed) for seed in seeds]
        return draw(precise(small_graph), generators, (30, 10))

    together = weights(4, 7)
    assert together.shape == (2, 30, 10)
    assert 0.98 * bound < together.abs().max() <= bound
    assert torch.equal(together[1], weights(7)[0])
