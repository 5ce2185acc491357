import pytest
import torch
from torch import Tensor
from torch.nn.functional import leaky_relu

from l2p_search.data.graph import Graph
from l2p_search.model import attention
from l2p_search.model.attention import AttendedEdges, attention_heads
from l2p_search.model.dropout import drop, keep_scale
from tests.problems import precise


def _normal(*shape: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, dtype=torch.float64, generator=generator)


def _inputs(graph: Graph, heads: int = 2) -> tuple[AttendedEdges, Tensor, Tensor, Tensor]:
    """Three seeds, with 3 units a head."""
    edges = AttendedEdges(precise(graph))
    h = _normal(3, graph.num_nodes, 3 * heads)
    return edges, h, _normal(3, heads, 3, seed=1), _normal(3, heads, 3, seed=2)


def _alpha(edges: AttendedEdges, h: Tensor, to: Tensor, from_: Tensor) -> Tensor:
    """Dense [N, N] by the formula, for one head."""
    scores = leaky_relu((h @ to)[:, None] + (h @ from_)[None, :], 0.2)
    linked = torch.zeros(len(h), len(h), dtype=torch.bool)
    linked[edges.row, edges.column] = True
    return scores.masked_fill(~linked, -torch.inf).softmax(dim=1)


def _wanted(
    edges: AttendedEdges, h: Tensor, to: Tensor, from_: Tensor, kept: Tensor | None = None
) -> Tensor:
    """The heads of all seeds by the formula; alpha is multiplied by kept [S, heads, N, N]."""
    seeds, heads, units = to.shape
    apart = h.view(seeds, -1, heads, units)
    found = torch.empty_like(apart)
    for seed in range(seeds):
        for head in range(heads):
            own = apart[seed, :, head]
            alpha = _alpha(edges, own, to[seed, head], from_[seed, head])
            found[seed, :, head] = (alpha if kept is None else alpha * kept[seed, head]) @ own
    return found.view_as(h)


@pytest.mark.parametrize("heads", [1, 2])
@pytest.mark.parametrize("size", [1.0, 1000.0])
def test_every_head_attends_to_neighbours_by_the_formula(
    small_graph: Graph, heads: int, size: float
) -> None:
    edges, h, to, from_ = _inputs(small_graph, heads)
    found = attention_heads(edges, h, size * to, size * from_, None, 0.0)
    torch.testing.assert_close(found, _wanted(edges, h, size * to, size * from_))


def test_scores_of_any_size_give_what_small_ones_give(
    small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    edges, *given = _inputs(small_graph)
    found = attention_heads(edges, *given, None, 0.0)
    monkeypatch.setattr(attention, "_SMALL", 0.0)
    torch.testing.assert_close(attention_heads(edges, *given, None, 0.0), found)


def test_a_node_without_neighbours_attends_to_itself(small_graph: Graph) -> None:
    edges, h, to, from_ = _inputs(small_graph)
    found = attention_heads(edges, h, to, from_, None, 0.0)
    torch.testing.assert_close(found[:, 11], h[:, 11])


def test_fewer_seeds_than_before_attend_as_they_did(small_graph: Graph) -> None:
    edges, h, to, from_ = _inputs(small_graph)
    found = attention_heads(edges, h, to, from_, None, 0.0)
    alone = attention_heads(edges, h[:1], to[:1], from_[:1], None, 0.0)
    torch.testing.assert_close(alone, found[:1])


def test_dropout_is_of_the_attention_with_a_byte_per_head_and_entry(small_graph: Graph) -> None:
    edges, h, to, from_ = _inputs(small_graph)
    generator = torch.Generator().manual_seed(0)
    shape = (3, 2 * edges.nonzeros)
    noise = torch.randint(0, 256, shape, dtype=torch.uint8, generator=generator)
    kept = torch.zeros(3, 2, 12, 12).double()
    left = drop(torch.ones(shape).double(), noise, 0.5) * keep_scale(0.5)
    kept[:, :, edges.row, edges.column] = left.view(3, 2, -1)
    found = attention_heads(edges, h, to, from_, noise, 0.5)
    torch.testing.assert_close(found, _wanted(edges, h, to, from_, kept))


@pytest.mark.parametrize("dropped", [True, False])
@pytest.mark.parametrize("small", [0.0, 32.0])
def test_the_attention_passes_gradcheck(
    small_graph: Graph, monkeypatch: pytest.MonkeyPatch, small: float, dropped: bool
) -> None:
    monkeypatch.setattr(attention, "_SMALL", small)
    edges, *given = _inputs(small_graph)
    noise = torch.arange(3 * 2 * edges.nonzeros).remainder(256).to(torch.uint8).view(3, -1)
    assert torch.autograd.gradcheck(
        lambda *ours: attention_heads(edges, *ours, noise if dropped else None, 0.3),
        [one.requires_grad_() for one in given],
    )


@pytest.mark.parametrize("block", [1, 2**22])
def test_the_products_of_two_ends_are_the_same_on_another_device(
    small_graph: Graph, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(attention, "_BLOCK", block)
    entries = AttendedEdges(precise(small_graph)).entries(2, 3)
    left, right = _normal(72, 4), _normal(72, 4, seed=1)
    found = entries._gathered_products(left, right)
    torch.testing.assert_close(entries.products(left, right), found)
    torch.testing.assert_close(found, (left[entries.row] * right[entries.column]).sum(dim=1))
