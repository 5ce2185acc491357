"""Which labels a seed learns from, and which judge it: `phi_share` and `extra_labels` as rows.

By default the training nodes teach theta, and the validation nodes teach phi, stop the training
and choose. With `phi_share` below 1 phi learns from that share of them, and the others stop and
choose. With `extra_labels` a baseline trains on the same share beside the training nodes: what
L2P is allowed to learn from, it is too.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.data.splits import Rows, balanced_rows, split_of
from l2p_search.model.problem import HOST, Problem
from l2p_search.nn.label_share import learned_share
from l2p_search.training.seeds import generator_of


@dataclass(frozen=True, eq=False)
class LabelRows:
    """The labelled nodes of S seeds by what they are for.

    Attributes:
        train: What theta learns from.
        phi: What phi learns from; None where that is what judges, too.
        judged: What stops the training and chooses.
    """

    train: Rows
    phi: Rows | None
    judged: Rows

    def of_seeds(self, kept: Tensor) -> "LabelRows":
        """The rows of some of the seeds, by their places."""
        phi = None if self.phi is None else self.phi.of_seeds(kept)
        return LabelRows(self.train.of_seeds(kept), phi, self.judged.of_seeds(kept))


def share_of(config: TrialConfig) -> float | None:
    """The share of the validation nodes that is learned from and does not judge; None for none.

    Example:
        >>> share_of(TrialConfig(phi_share=0.5)), share_of(TrialConfig())
        (0.5, None)
    """
    if config.model != "l2p":
        return config.extra_labels or None
    shared = config.phi_share < 1.0 and config.why_unread("phi_share") is None
    return config.phi_share if shared else None


def learned_nodes(graph: Graph, seed: int, share: float) -> Tensor:
    """The validation nodes of a seed's split that are learned from, as a mask [N].

    A seed has the same ones in every configuration with that share.
    """
    val = graph.val[split_of(seed, graph)].nonzero().squeeze(1)
    order = torch.randperm(len(val), generator=generator_of(seed, "labels"), device=HOST)
    mask = torch.zeros(graph.num_nodes, dtype=torch.bool, device=HOST)
    mask[val[learned_share(graph.y[val], share, order)]] = True
    return mask


def label_rows(problem: Problem, config: TrialConfig, seeds: Sequence[int]) -> LabelRows:
    """The labelled nodes of seeds, as the configuration uses and weighs them.

    Args:
        problem: The graph, and where its rows are placed.
        config: Its `phi_share`, or `extra_labels`, and `class_weight`.
        seeds: One row each.

    Returns:
        The rows, on the problem's device.
    """
    found = _of_shares(problem, config, seeds)
    if config.class_weight == "none":
        return found
    phi = None if found.phi is None else balanced_rows(found.phi, problem.graph, seeds)
    train, judged = (
        balanced_rows(rows, problem.graph, seeds) for rows in (found.train, found.judged)
    )
    return LabelRows(train, phi, judged)


def _of_shares(problem: Problem, config: TrialConfig, seeds: Sequence[int]) -> LabelRows:
    """The rows with every node of equal weight."""
    graph, share = problem.graph, share_of(config)
    if share is None:
        val = problem.labelled(graph.val, seeds)
        return LabelRows(problem.labelled(graph.train, seeds), None, val)
    splits = [split_of(seed, graph) for seed in seeds]
    learned = torch.stack([learned_nodes(graph, seed, share) for seed in seeds])
    rest = graph.val[splits] & ~learned
    # A seed's noise has the length of the longest split, whatever its company: how many nodes
    # are learned from depends on how many there are, and on nothing else.
    longest = graph.val.sum(dim=1).argmax()
    of_longest = int(learned_nodes(graph, int(longest), share).sum())
    most = int(graph.val[longest].sum())
    if config.model == "l2p":
        return LabelRows(
            problem.labelled(graph.train, seeds),
            _rows(problem, learned, of_longest),
            _rows(problem, rest, most - of_longest),
        )
    together = graph.train[splits] | learned
    sizes = graph.train.sum(dim=1).max() + of_longest
    return LabelRows(
        _rows(problem, together, int(sizes)), None, _rows(problem, rest, most - of_longest)
    )


def _rows(problem: Problem, masks: Tensor, length: int) -> Rows:
    """The rows of masks [S, N], one per seed, filled up to a length with node 0 at weight 0."""
    nodes = torch.zeros(len(masks), length, dtype=torch.int64, device=HOST)
    weights = torch.zeros(len(masks), length, dtype=problem.dtype, device=HOST)
    for place, mask in enumerate(masks):
        chosen = mask.nonzero().squeeze(1)
        nodes[place, : len(chosen)] = chosen
        weights[place, : len(chosen)] = 1.0 / len(chosen)
    return Rows(nodes, problem.graph.y[nodes].clamp(min=0), weights).to(problem.device)
