import doctest

import pytest
import torch
from torch import Tensor
from torch_geometric.nn.conv.gcn_conv import gcn_norm
from torch_geometric.utils import add_self_loops, softmax, to_torch_csc_tensor

from l2p_search.nn import edges as module
from l2p_search.nn.edges import (
    Edges,
    edges_of,
    gcn_normalised,
    neighbour_mean,
    softmax_of_rows,
    with_loops,
    without_some,
)

_X = torch.eye(4, dtype=torch.float64)
_INDEX = torch.tensor([[0, 1, 1, 2, 2, 0, 3], [1, 0, 2, 1, 0, 2, 3]])  # the last is a self-loop
_WEIGHT = torch.tensor([1.0, 1.0, 2.0, 2.0, 0.5, 0.5, 7.0], dtype=torch.float64)


class _SparseTensor:
    """What torch_sparse's class says of itself."""

    def __init__(self, matrix: Tensor) -> None:
        entries = matrix.to_sparse_coo().coalesce()
        self._coo = (*entries.indices(), entries.values())

    def coo(self) -> tuple[Tensor, ...]:
        return self._coo


def _dense(edges: Edges) -> Tensor:
    return edges.times(torch.eye(edges.num_nodes, dtype=torch.float64))


@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize("weight", [None, _WEIGHT], ids=["plain", "weighted"])
def test_all_forms_of_one_graph_are_one_matrix_in_which_the_second_row_receives(
    weight: Tensor | None,
) -> None:
    directed = _INDEX[:, [0, 2, 4]]  # another matrix than its transpose
    own = None if weight is None else weight[[0, 2, 4]]
    wanted = torch.zeros(4, 4, dtype=torch.float64)
    wanted[directed[1], directed[0]] = 1.0 if own is None else own
    torch.testing.assert_close(_dense(edges_of(directed, own, _X)), wanted)
    for form in (
        wanted.to_sparse_coo(),
        wanted.to_sparse_csr(),
        wanted.to_sparse_csc(),
        _SparseTensor(wanted),
    ):
        torch.testing.assert_close(_dense(edges_of(form, None, _X)), wanted)
    transposed = to_torch_csc_tensor(directed, own, size=(4, 4)).t()  # as PyG's ToSparseTensor
    torch.testing.assert_close(_dense(edges_of(transposed, None, _X)), wanted)


@pytest.mark.parametrize("loop", [1.0, 0.3])
@pytest.mark.parametrize("weight", [None, _WEIGHT], ids=["plain", "weighted"])
def test_a_hat_is_that_of_torch_geometric(weight: Tensor | None, loop: float) -> None:
    index, own = _INDEX[:, :-1], None if weight is None else weight[:-1]
    ones = torch.ones(index.shape[1], dtype=torch.float64) if own is None else own
    looped = add_self_loops(index, ones, fill_value=loop, num_nodes=4)
    (column, row), values = gcn_norm(*looped, num_nodes=4, add_self_loops=False)
    wanted = torch.zeros(4, 4, dtype=torch.float64)
    wanted[row, column] = values
    found = _dense(gcn_normalised(edges_of(index, own, _X), loop))
    torch.testing.assert_close(found, wanted)
    # A self-loop that the graph has is replaced, and a node without neighbours receives nothing.
    torch.testing.assert_close(_dense(gcn_normalised(edges_of(_INDEX, weight, _X), loop)), wanted)
    assert _dense(gcn_normalised(edges_of(index, own, _X), 0.0))[3].tolist() == [0.0] * 4


def test_the_mean_over_neighbours_is_weighted_and_leaves_out_the_node() -> None:
    plain = _dense(neighbour_mean(edges_of(_INDEX, None, _X)))
    half = 0.5
    assert plain.tolist() == [
        [0.0, half, half, 0.0], [half, 0.0, half, 0.0], [half, half, 0.0, 0.0], [0.0] * 4,
    ]  # fmt: skip
    weighted = _dense(neighbour_mean(edges_of(_INDEX, _WEIGHT, _X)))
    wanted = [[0, 1 / 1.5, 0.5 / 1.5, 0], [1 / 3, 0, 2 / 3, 0], [0.2, 0.8, 0, 0], [0.0] * 4]
    torch.testing.assert_close(weighted, torch.tensor(wanted).double())


def test_dropped_edges_lose_both_directions_and_loops_stay() -> None:
    torch.manual_seed(0)
    edges = edges_of(_INDEX, _WEIGHT, _X)
    assert without_some(edges, 0.5, training=False) is edges
    assert without_some(edges, 0.0, training=True) is edges
    seen = set()
    for _ in range(40):
        dropped = _dense(without_some(edges, 0.5, training=True))
        assert torch.equal(dropped, dropped.T)
        assert dropped[3, 3] == 7.0
        seen.add(tuple((dropped != 0).flatten().tolist()))
        kept = dropped[dropped != 0]
        assert set(kept.tolist()) <= {1.0, 2.0, 0.5, 7.0}, "what is left is not scaled"
    assert len(seen) == 8, "each of three edges alone"


def test_the_softmax_is_over_the_entries_of_a_row() -> None:
    edges = with_loops(edges_of(_INDEX, None, _X), 1.0)
    scores = 300.0 * torch.randn(2, len(edges.row), dtype=torch.float64)
    for own, found in zip(scores, softmax_of_rows(scores, edges), strict=True):
        torch.testing.assert_close(found, softmax(own, edges.row, num_nodes=4))


def test_its_example_runs() -> None:
    assert doctest.testmod(module).failed == 0
