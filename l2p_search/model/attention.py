"""Graph attention: a node weighs its neighbours, and itself, by learned scores.

Velickovic, Cucurull, Casanova, Romero, Lio and Bengio, ICLR 2018,
https://arxiv.org/abs/1710.10903, for each of several heads:

    e_ij = leaky_relu(to . W h_i + from . W h_j),  alpha_ij = softmax over j of e_ij,
    h_i' = sum_j alpha_ij W h_j

The units of all heads of a node stand side by side, [S, N, heads * U]. Read as [S * N * heads, U],
each row is what one head of one node has, and the attention of all seeds and heads is one sparse
matrix: head by head the entries of a node follow one another, so nothing is ever transposed.
"""

import math
import warnings
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import leaky_relu

from l2p_search.model.dense import flat_product, product_plus, shaped, sum_over_nodes
from l2p_search.model.dropout import drop, keep_scale
from l2p_search.model.layers import Adjacency
from l2p_search.model.problem import HOST, Problem
from l2p_search.model.sparse import SparseMatrix

_SLOPE = 0.2
"""Slope of leaky_relu below zero, as in the paper."""

HELD_PER_ENTRY = 8
"""Numbers per entry and head that are held at the peak: scores, their softmax and its dropout,
with gradients, and what is gathered for them. Measured."""

_SMALL = 32.0
"""Scores up to this size are exponentiated as they are: sums over a million of them are finite."""

_BLOCK = 2**22
"""Floats that the gradient of the attention may gather at once on another device."""


@dataclass(frozen=True, eq=False)
class Entries:
    """Who attends to whom, for several seeds and heads: rows of [S * N * heads, U], in order.

    Attributes:
        matrix: The pattern, one copy a seed.
        row: Who attends, [S * entries].
        column: Who is attended to, [S * entries].
        starts: Where the entries of each row begin, and where the last ones end.
        order: Where each entry's random byte is among those of all seeds [S, heads * nonzeros].
    """

    matrix: SparseMatrix
    row: Tensor
    column: Tensor
    starts: Tensor
    order: Tensor

    def of_seeds(self, seeds: int) -> "Entries":
        """The entries of the first seeds."""
        entries, rows = seeds * self.matrix.nonzeros, seeds * self.matrix.shape[0]
        if entries == len(self.row):
            return self
        return Entries(
            self.matrix,
            self.row[:entries],
            self.column[:entries],
            self.starts[: rows + 1],
            self.order[:entries],
        )

    def shares(self, scores: Tensor, bound: float) -> Tensor:
        """exp(scores) up to a factor of each row: to be divided by their sums over the row.

        Where all scores are within a small bound the factor is one; else the largest score of a
        row is subtracted, so that none overflows.
        """
        if bound <= _SMALL:
            return scores.exp()
        largest = torch.segment_reduce(scores, "max", offsets=self.starts, unsafe=True)
        shares = largest.index_select(0, self.row)
        return torch.sub(scores, shares, out=shares).exp_()

    def sums(self, values: Tensor, ends: Tensor) -> Tensor:
        """Sums over the entries that have the same end, `row` or `column`."""
        return values.new_zeros(len(self.starts) - 1).scatter_add_(0, ends, values)

    def products(self, left: Tensor, right: Tensor) -> Tensor:
        """left_i . right_j of the two ends of every entry, for left and right [rows, U]."""
        if left.device.type != HOST.type:
            return self._gathered_products(left, right)
        size = (len(left), len(right))
        zeros, columns = left.new_zeros(len(self.row)), self.matrix.indices[: len(self.row)]
        pattern = _csr(self.starts.int(), columns, zeros, size)
        # Into the pattern's own memory: another result would begin as a copy of it.
        torch.sparse.sampled_addmm(pattern, left, right.t(), beta=0.0, out=pattern)
        found: Tensor = pattern.values()
        return found

    def _gathered_products(self, left: Tensor, right: Tensor) -> Tensor:
        """The same by copies of both ends."""
        found, block = left.new_empty(len(self.row)), max(1, _BLOCK // left.shape[1])
        for start in range(0, len(self.row), block):
            some = slice(start, start + block)
            ends = left.index_select(0, self.row[some])
            ends.mul_(right.index_select(0, self.column[some]))
            torch.sum(ends, dim=1, out=found[some])
        return found


class AttendedEdges(Adjacency):
    """The edges of a graph, self-loops included, whose weights are learned."""

    def __init__(self, problem: Problem, edge_dropout: float = 0.0) -> None:
        """Of the problem's graph."""
        super().__init__(problem, edge_dropout)
        self._entries: dict[int, Entries] = {}

    def entries(self, heads: int, seeds: int) -> Entries:
        """The entries of so many heads and seeds; prepared when they are first asked for."""
        found = self._entries.get(heads)
        if found is None or len(found.starts) <= seeds * heads * self.num_nodes:
            found = self._entries[heads] = self._of_heads(heads, seeds)
        return found.of_seeds(seeds)

    def _of_heads(self, heads: int, seeds: int) -> Entries:
        size, device = self.num_nodes * heads, self.row.device
        head = torch.arange(heads, device=device)[:, None]
        row = (self.row * heads + head).view(-1)
        column = (self.column * heads + head).view(-1)
        order = torch.argsort(row * size + column)
        ones = self._whole.new_ones(len(row))
        matrix = SparseMatrix.from_coordinates(row, column, ones, (size, size), seeds)
        copy = torch.arange(seeds, device=device)[:, None]
        ends = copy.new_full((1,), seeds * len(row))
        return Entries(
            matrix=matrix,
            row=(row[order] + copy * size).view(-1),
            column=matrix.indices.long(),
            starts=torch.cat([matrix.offsets.long(), ends]),
            order=(order + copy * len(row)).view(-1),
        )


def attention_heads(
    edges: AttendedEdges,
    product: Tensor,
    to: Tensor,
    from_: Tensor,
    noise: Tensor | None,
    rate: float,
) -> Tensor:
    """The attention of every head, their units side by side.

    Args:
        edges: Who is whose neighbour, self-loops included.
        product: The projected units W h, [S, N, heads * U].
        to: Scores the node that attends, [S, heads, U].
        from_: Scores the neighbour that is attended to, [S, heads, U].
        noise: Random bytes for the dropout of alpha, [S, heads * nonzeros]; None for no dropout.
        rate: Of that dropout.

    Returns:
        h', [S, N, heads * U].
    """
    ends = torch.cat([_one_column_per_head(to), _one_column_per_head(from_)], dim=2)
    entries = edges.entries(to.shape[1], len(to))
    attended: Tensor = Attend.apply(  # type: ignore[no-untyped-call]
        product, ends, entries, noise, rate
    )
    return attended


def _one_column_per_head(scorer: Tensor) -> Tensor:
    """The matrix that scores all heads at once: [S, heads, U] -> [S, heads * U, heads]."""
    return torch.diag_embed(scorer.transpose(1, 2)).transpose(1, 2).flatten(1, 2)


class Attend(torch.autograd.Function):
    """The attention of all heads, when also what it is made of is learned."""

    @staticmethod
    def forward(
        ctx: Any, h: Tensor, ends: Tensor, entries: Entries, noise: Tensor | None, rate: float
    ) -> Tensor:
        """Scores of the two ends, softmax, dropout, weighed sum; `ends` [S, heads * U, 2 heads].

        The sums of the softmax divide what was summed up, of which there is less.
        """
        h, heads = h.detach(), ends.shape[2] // 2
        of_ends = flat_product(h, ends)
        to, from_ = (part.reshape(-1) for part in of_ends.split(heads, dim=1))
        scores = to.index_select(0, entries.row).add_(from_.index_select(0, entries.column))
        scores = leaky_relu(scores, _SLOPE, inplace=True)
        weights = shares = entries.shares(scores, _largest(to) + _largest(from_))
        inverse, scale = entries.sums(shares, entries.row).reciprocal_(), 1.0
        if noise is not None:
            noise, scale = noise.reshape(-1).index_select(0, entries.order), keep_scale(rate)
            weights = drop(shares, noise, rate)
        flat = h.view(-1, h.shape[2] // heads)
        attended = entries.matrix.times(flat, weights).mul_((scale * inverse)[:, None])
        ctx.entries, ctx.scale = entries, scale
        ctx.save_for_backward(h, ends, scores, shares, weights, inverse)
        return shaped(attended, *h.shape)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """M.T G for h; for the entry M_ij, the product g_i . h_j of its two ends; and so on.

        With a_ij the gradient of alpha_ij, that of the score e_ij before leaky_relu's own is
        alpha_ij a_ij - alpha_ij sum_k alpha_ik a_ik.
        """
        h, ends, scores, shares, weights, inverse = ctx.saved_tensors
        entries: Entries = ctx.entries
        heads = ends.shape[2] // 2
        flat = h.view(-1, h.shape[2] // heads)
        scaled = grad.reshape(flat.shape) * (ctx.scale * inverse)[:, None]
        of_scores = entries.products(scaled, flat).mul_(weights)
        sums = entries.sums(of_scores, entries.row).mul_(inverse)
        of_scores.addcmul_(shares, sums.index_select(0, entries.row), value=-1.0)
        torch.ops.aten.leaky_relu_backward.grad_input(
            of_scores, scores, _SLOPE, True, grad_input=of_scores
        )
        of_ends = torch.cat(
            [
                entries.sums(of_scores, end).view(*h.shape[:2], heads)
                for end in (entries.row, entries.column)
            ],
            dim=2,
        )
        moved = entries.matrix.transposed_times(scaled, weights).view_as(h)
        grad_h = product_plus(of_ends, ends.transpose(1, 2), moved)
        return grad_h, sum_over_nodes(h, of_ends), None, None, None


def _largest(scores: Tensor) -> float:
    """The largest absolute value; infinity on another device, which is not to be waited for."""
    if scores.device.type != HOST.type:
        return math.inf
    least, most = torch.aminmax(scores)
    return max(float(most), -float(least))


def _csr(starts: Tensor, columns: Tensor, values: Tensor, size: tuple[int, int]) -> Tensor:
    """A sparse tensor of torch's own kind."""
    _hear_out_torch()
    return torch.sparse_csr_tensor(starts, columns, values, size, check_invariants=False)


@cache
def _hear_out_torch() -> None:
    """Make torch say once, to nobody, that such tensors are in beta state."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        torch.sparse_csr_tensor([0, 1], [0], [1.0], (1, 1), check_invariants=False)
