"""The edges of a graph as a sparse matrix: read from PyG's forms, dropped, normalised, multiplied.

An entry M[i, j] is an edge on which node j sends to node i: PyG's edge_index[:, e] = (j, i).
"""

from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor


class Edges(NamedTuple):
    """A sparse matrix M [N, N] by its entries: M[row, column] = weight.

    Attributes:
        row: The node that receives, [E].
        column: The node that sends, [E].
        weight: The entry, [E].
        num_nodes: N.
    """

    row: Tensor
    column: Tensor
    weight: Tensor
    num_nodes: int

    def times(self, h: Tensor) -> Tensor:
        """M H: every node sums up what is sent to it, [N, D] -> [N, D]."""
        sent = self.weight.unsqueeze(1) * h.index_select(0, self.column)
        return h.new_zeros(self.num_nodes, h.shape[1]).index_add(0, self.row, sent)

    def degrees(self) -> Tensor:
        """The sum of every row of M, [N]."""
        return self.weight.new_zeros(self.num_nodes).index_add(0, self.row, self.weight)


def edges_of(edge_index: Any, edge_weight: Tensor | None, x: Tensor) -> Edges:
    """The adjacency matrix A of a graph in any of the forms that PyG has for it.

    Args:
        edge_index: [2, E], sender above receiver; or the transposed adjacency matrix [N, N] as a
            `torch_sparse.SparseTensor` or a sparse tensor of torch, whose values are weights.
        edge_weight: [E], for an `edge_index` [2, E]; all 1 where it is not given.
        x: The features [N, F]: the weights get their type and device.

    Returns:
        A, self-loops as they are given.

    Example:
        >>> a = edges_of(torch.tensor([[0, 1], [1, 2]]), None, torch.eye(3))
        >>> a.times(torch.tensor([[1.0], [2.0], [3.0]])).flatten().tolist()
        [0.0, 1.0, 2.0]
    """
    if hasattr(edge_index, "coo"):  # of torch_sparse
        row, column, weight = edge_index.coo()
    elif edge_index.layout != torch.strided:
        entries = edge_index.to_sparse_coo().coalesce()
        (row, column), weight = entries.indices(), entries.values()
    else:
        (column, row), weight = edge_index, edge_weight
    weight = torch.ones_like(row) if weight is None else weight
    return Edges(row, column, weight.to(x), x.shape[0])


def with_loops(edges: Edges, weight: float) -> Edges:
    """A + w I, for the diagonal of A taken as zero."""
    keep = edges.row != edges.column
    nodes = torch.arange(edges.num_nodes, device=edges.row.device)
    loops = edges.weight.new_full((edges.num_nodes,), weight)
    return Edges(
        torch.cat([edges.row[keep], nodes]),
        torch.cat([edges.column[keep], nodes]),
        torch.cat([edges.weight[keep], loops]),
        edges.num_nodes,
    )


def gcn_normalised(edges: Edges, self_loop: float = 1.0) -> Edges:
    """A_hat = D^-1/2 (A + w I) D^-1/2 with self-loops of weight w and D their row sums.

    Kipf and Welling, ICLR 2017, https://arxiv.org/abs/1609.02907.
    """
    edges = with_loops(edges, self_loop)
    degrees = edges.degrees()
    scale = torch.where(degrees > 0, degrees.rsqrt(), 0.0)
    return edges._replace(weight=scale[edges.row] * edges.weight * scale[edges.column])


def neighbour_mean(edges: Edges) -> Edges:
    """D^-1 A: the mean over a node's neighbours by the weights of its edges, the node left out."""
    others = edges._replace(weight=edges.weight * (edges.row != edges.column))
    degrees = others.degrees()
    sums = torch.where(degrees > 0, degrees, 1.0)
    return others._replace(weight=others.weight / sums[edges.row])


def without_some(edges: Edges, rate: float, training: bool) -> Edges:
    """DropEdge: the weight of a share of the edges is 0 in this pass, both directions together.

    Rong, Huang, Xu and Huang, ICLR 2020, https://arxiv.org/abs/1907.10903. Self-loops stay.
    """
    if rate == 0.0 or not training:
        return edges
    low, high = torch.minimum(edges.row, edges.column), torch.maximum(edges.row, edges.column)
    pairs, pair_of_edge = (low * edges.num_nodes + high).unique(return_inverse=True)
    kept = F.dropout(torch.ones_like(pairs, dtype=edges.weight.dtype), rate, training) > 0
    loop = edges.row == edges.column
    return edges._replace(weight=edges.weight * (kept[pair_of_edge] | loop))


def softmax_of_rows(scores: Tensor, edges: Edges) -> Tensor:
    """Softmax over the entries of every row of a sparse matrix, for scores [heads, E]."""
    row = edges.row.expand_as(scores)
    largest = scores.new_full((len(scores), edges.num_nodes), -torch.inf)
    largest = largest.scatter_reduce(1, row, scores.detach(), "amax")
    shares = (scores - largest.gather(1, row)).exp()
    sums = torch.zeros_like(largest).scatter_add(1, row, shares)
    return shares / sums.gather(1, row)
