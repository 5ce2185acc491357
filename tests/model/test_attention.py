import pytest
import torch
from torch import Tensor
from torch.nn.functional import leaky_relu

from l2p_search.data.graph import Graph
from l2p_search.model import attention
from l2p_search.model.attention import WeighedSum, attend, attention_heads, softmax_of_rows
from l2p_search.model.dropout import drop, keep_scale
from l2p_search.model.layers import Adjacency
from tests.problems import precise


def _normal(*shape: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, dtype=torch.float64, generator=generator)


def _inputs(graph: Graph) -> tuple[Adjacency, Tensor, Tensor, Tensor]:
    adjacency = Adjacency(precise(graph), 0.0)
    return adjacency, _normal(2, graph.num_nodes, 4), _normal(2, 4, seed=1), _normal(2, 4, seed=2)


def _alpha(adjacency: Adjacency, h: Tensor, to: Tensor, from_: Tensor) -> Tensor:
    """Dense [N, N] by the formula, for one head."""
    scores = leaky_relu((h @ to)[:, None] + (h @ from_)[None, :], 0.2)
    linked = torch.zeros(len(h), len(h), dtype=torch.bool)
    linked[adjacency.row, adjacency.column] = True
    return scores.masked_fill(~linked, -torch.inf).softmax(dim=1)


def test_a_node_attends_to_its_neighbours_by_the_formula(small_graph: Graph) -> None:
    adjacency, h, to, from_ = _inputs(small_graph)
    found = attend(adjacency, h, to, from_, None, 0.0)
    for b in range(2):
        wanted = _alpha(adjacency, h[b], to[b], from_[b]) @ h[b]
        torch.testing.assert_close(found[b], wanted)


def test_a_node_without_neighbours_attends_to_itself(small_graph: Graph) -> None:
    adjacency, h, to, from_ = _inputs(small_graph)
    found = attend(adjacency, h, to, from_, None, 0.0)
    torch.testing.assert_close(found[:, 11], h[:, 11])


def test_dropout_is_of_the_attention(small_graph: Graph) -> None:
    adjacency, h, to, from_ = _inputs(small_graph)
    noise = torch.randint(
        0, 256, (2, adjacency.nonzeros), generator=torch.Generator().manual_seed(0)
    )
    found = attend(adjacency, h, to, from_, noise, 0.5)
    for b in range(2):
        kept = torch.zeros(12, 12).double()
        ones = torch.ones(adjacency.nonzeros).double()
        kept[adjacency.row, adjacency.column] = drop(ones, noise[b], 0.5) * keep_scale(0.5)
        wanted = (_alpha(adjacency, h[b], to[b], from_[b]) * kept) @ h[b]
        torch.testing.assert_close(found[b], wanted)


def test_heads_are_each_attended_alone_and_put_side_by_side(small_graph: Graph) -> None:
    adjacency = Adjacency(precise(small_graph), 0.0)
    product = _normal(3, 12, 8)
    to, from_ = _normal(3, 2, 4, seed=1), _normal(3, 2, 4, seed=2)
    found = attention_heads(adjacency, product, to, from_, None, 0.0)
    for head, units in enumerate((slice(0, 4), slice(4, 8))):
        alone = attend(adjacency, product[..., units], to[:, head], from_[:, head], None, 0.0)
        torch.testing.assert_close(found[..., units], alone)


def test_the_softmax_of_rows_sums_to_one_and_survives_large_scores() -> None:
    row = torch.tensor([0, 0, 2, 2, 2])
    scores = torch.tensor([[1000.0, 1000.0, -1000.0, -1000.0, 0.0]])
    found = softmax_of_rows(scores, row, 3)
    assert found.tolist() == [[0.5, 0.5, 0.0, 0.0, 1.0]]


@pytest.mark.parametrize("block", [1, 2**22])
def test_the_weighed_sum_passes_gradcheck_in_blocks_of_any_size(
    small_graph: Graph, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(attention, "_BLOCK", block)
    adjacency = Adjacency(precise(small_graph), 0.0)
    h = _normal(2, 12, 3).requires_grad_()
    values = _normal(2, adjacency.nonzeros, seed=1).requires_grad_()
    matrix = adjacency.matrix(2)
    assert torch.autograd.gradcheck(
        lambda h, values: WeighedSum.apply(h, values, matrix, adjacency.row, adjacency.column),
        (h, values),
    )
