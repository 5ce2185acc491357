"""Graph: what every dataset becomes. Undirected, checked, and immutable."""

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from l2p_search.errors import DataError


@dataclass(frozen=True, eq=False)
class Graph:
    """An undirected graph with features, labels and one or more splits of its nodes.

    Shapes: x [N, F], edges [2, E] with both directions of every edge and no self-loops,
    y [N], and train, val, test [P, N] for P splits.
    """

    name: str
    x: Tensor
    edges: Tensor
    y: Tensor
    train: Tensor
    val: Tensor
    test: Tensor

    def __post_init__(self) -> None:
        """Refuse a graph that cannot be learned on."""
        _check_features(self.name, self.x)
        _check_labels(self.name, self.y, self.num_nodes)
        _check_edges(self.name, self.edges, self.num_nodes)
        _check_splits(self)

    @property
    def num_nodes(self) -> int:
        """N."""
        return self.x.shape[0]

    @property
    def num_features(self) -> int:
        """F."""
        return self.x.shape[1]

    @cached_property
    def num_classes(self) -> int:
        """C."""
        return int(self.y.max()) + 1

    @property
    def num_splits(self) -> int:
        """P."""
        return self.train.shape[0]

    @property
    def num_edges(self) -> int:
        """Undirected edges, each counted once."""
        return self.edges.shape[1] // 2

    @cached_property
    def edge_homophily(self) -> float:
        """The share of edges that join two nodes of one class (it reads every label)."""
        if self.num_edges == 0:
            return float("nan")
        source, target = self.edges
        return float((self.y[source] == self.y[target]).double().mean())

    @cached_property
    def digest(self) -> str:
        """A content hash: two graphs with one digest give the same training."""
        sha = hashlib.sha256()
        for part in (self.x, self.edges, self.y, self.train, self.val, self.test):
            sha.update(str((part.dtype, tuple(part.shape))).encode())
            sha.update(part.contiguous().numpy().tobytes())
        return sha.hexdigest()[:16]


def undirected(edges: Tensor, num_nodes: int) -> Tensor:
    """Both directions of every edge, once each, without self-loops; sorted by source."""
    source, target = edges[:, edges[0] != edges[1]]
    keys = torch.cat([source * num_nodes + target, target * num_nodes + source])
    keys = torch.from_numpy(np.unique(keys.numpy()))
    return torch.stack([keys // num_nodes, keys % num_nodes])


def row_normalised(x: Tensor) -> Tensor:
    """Features of every node divided by their sum (of magnitudes); a node without any stays zero.

    Bags of words of long and short documents get one scale; on Wisconsin this is worth
    several points of accuracy.
    """
    return x / x.abs().sum(dim=1, keepdim=True).clamp_min(torch.finfo(x.dtype).tiny)


def _check_features(name: str, x: Tensor) -> None:
    if x.dim() != 2 or x.shape[0] == 0 or x.shape[1] == 0:
        raise DataError(f"{name}: features have shape {list(x.shape)}; give [nodes, features]")
    bad = ~torch.isfinite(x)
    if bad.any():
        node, feature = bad.nonzero()[0].tolist()
        raise DataError(
            f"{name}: feature {feature} of node {node} is {x[node, feature].item()}"
            f" ({int(bad.sum())} such values in all); replace what is not finite, for example by 0"
        )


def _check_labels(name: str, y: Tensor, num_nodes: int) -> None:
    if y.shape != (num_nodes,):
        raise DataError(f"{name}: {y.numel()} labels for {num_nodes} nodes; give one a node")
    if int(y.min()) < 0:
        raise DataError(f"{name}: node {int(y.argmin())} has label {int(y.min())}; count from 0")
    counts = y.bincount()
    if (counts == 0).any():
        missing = int((counts == 0).nonzero()[0])
        raise DataError(f"{name}: class {missing} has no node; number the classes without gaps")


def _check_edges(name: str, edges: Tensor, num_nodes: int) -> None:
    if edges.dim() != 2 or edges.shape[0] != 2:
        raise DataError(f"{name}: edges have shape {list(edges.shape)}; give [2, edges]")
    if edges.numel() and not 0 <= int(edges.min()) <= int(edges.max()) < num_nodes:
        raise DataError(
            f"{name}: an edge names node {int(edges.max())} or {int(edges.min())},"
            f" but nodes are 0 to {num_nodes - 1}; check the edge list"
        )


def _check_splits(graph: Graph) -> None:
    for part, masks in (("train", graph.train), ("val", graph.val), ("test", graph.test)):
        if masks.dim() != 2 or masks.shape[1] != graph.num_nodes or masks.shape != graph.val.shape:
            raise DataError(
                f"{graph.name}: the {part} masks have shape {list(masks.shape)};"
                f" give [splits, {graph.num_nodes}]"
            )
        empty = ~masks.any(dim=1)
        if empty.any():
            raise DataError(
                f"{graph.name}: split {int(empty.nonzero()[0])} has no {part} node;"
                " give every split train, validation and test nodes"
            )
    shared = (graph.train & graph.val) | (graph.train & graph.test) | (graph.val & graph.test)
    if shared.any():
        split, node = shared.nonzero()[0].tolist()
        raise DataError(
            f"{graph.name}: node {node} is in two parts of split {split};"
            " train, validation and test must not share nodes"
        )
    # Texas has a class of one node, which some of its ten splits cannot train on; a class that
    # no split at all can train on is a mistake.
    trained = graph.y[graph.train.any(dim=0)].bincount(minlength=graph.num_classes)
    if (trained == 0).any():
        untrained = int((trained == 0).nonzero()[0])
        raise DataError(
            f"{graph.name}: class {untrained} has no training node in any split;"
            " add one to a training set or drop the class"
        )
