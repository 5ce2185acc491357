"""Which nodes each seed learns from: seed i takes split i modulo the number of splits."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph

MOST_FREE = 4096
"""On graphs with more nodes without a training label than this, each epoch draws a new random
subset of them."""


@dataclass(frozen=True, eq=False)
class Rows:
    """The labelled nodes of S seeds. Shapes: all [S, L].

    L is the length of the graph's longest split, whichever seeds are here: a seed's noise has
    that length too, and must not depend on its company. Shorter splits are filled up with node
    0 at weight 0; each seed's weights sum to one, so a weighted sum is its mean over its nodes.
    Where they are balanced, the nodes of a class weigh less the more training nodes it has.
    """

    nodes: Tensor
    labels: Tensor
    weights: Tensor
    balanced: bool = False

    def mean(self, values: Tensor) -> Tensor:
        """The mean over each seed's own nodes: [S, L] -> [S]."""
        return (values * self.weights).sum(dim=-1)

    def to(self, device: torch.device) -> "Rows":
        """The same rows on a device."""
        nodes, labels = self.nodes.to(device), self.labels.to(device)
        return Rows(nodes, labels, self.weights.to(device), self.balanced)

    def of_seeds(self, kept: Tensor) -> "Rows":
        """The rows of some of the seeds, by their places."""
        return Rows(self.nodes[kept], self.labels[kept], self.weights[kept], self.balanced)


def split_of(seed: int, graph: Graph) -> int:
    """The same split for the same seed, whatever the configuration: comparisons are paired."""
    return seed % graph.num_splits


def labelled_rows(graph: Graph, masks: Tensor, seeds: Sequence[int], dtype: torch.dtype) -> Rows:
    """The rows of `masks` [P, N] that each seed's split selects."""
    nodes, weights = nodes_of(graph, masks, seeds, dtype)
    # Node 0, which fills shorter splits up, may have no label: any class will do at weight 0.
    return Rows(nodes, graph.y[nodes].clamp(min=0), weights)


def balanced_rows(rows: Rows, graph: Graph, seeds: Sequence[int]) -> Rows:
    """The same rows, a node weighing one over the training nodes of its class.

    Args:
        rows: One row per seed, each node of equal weight.
        graph: Its labels and splits; a class without training nodes weighs as if it had one.
        seeds: Whose splits the training nodes are of.

    Returns:
        Rows whose weights sum to one per seed again.
    """
    trained = [graph.y[graph.train[split_of(seed, graph)]] for seed in seeds]
    counts = torch.stack([y.bincount(minlength=graph.num_classes).clamp(min=1) for y in trained])
    weights = rows.weights / counts.to(rows.labels.device).gather(1, rows.labels)
    weights = weights / weights.sum(dim=1, keepdim=True)
    return Rows(rows.nodes, rows.labels, weights, balanced=True)


def nodes_of(
    graph: Graph, masks: Tensor, seeds: Sequence[int], dtype: torch.dtype
) -> tuple[Tensor, Tensor]:
    """The same nodes and weights without their labels: both [S, L]."""
    chosen = [masks[split_of(seed, graph)].nonzero().squeeze(1) for seed in seeds]
    length = int(masks.sum(dim=1).max())
    nodes = masks.new_zeros(len(seeds), length, dtype=torch.int64)
    weights = masks.new_zeros(len(seeds), length, dtype=dtype)
    for place, rows in enumerate(chosen):
        nodes[place, : rows.numel()] = rows
        weights[place, : rows.numel()] = 1.0 / rows.numel()
    return nodes, weights


def most_rows(graph: Graph, config: TrialConfig) -> int:
    """How many nodes one pass reads at most, per seed."""
    train, val = (int(masks.sum(dim=1).max()) for masks in (graph.train, graph.val))
    extra = round(config.extra_labels * val) if config.model != "l2p" else 0
    labelled = max(train + extra, val)
    return labelled + (min(graph.num_nodes, MOST_FREE) if config.consistency > 0.0 else 0)


def all_rows(graph: Graph, num_seeds: int, dtype: torch.dtype) -> Rows:
    """Every node for every seed; unlabelled ones have the label -1."""
    nodes = torch.arange(graph.num_nodes, device=graph.y.device).expand(num_seeds, -1)
    weights = graph.x.new_full(nodes.shape, 1.0 / graph.num_nodes, dtype=dtype)
    return Rows(nodes, graph.y[nodes], weights)
