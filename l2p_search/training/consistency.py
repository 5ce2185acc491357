"""Nodes without a training label should be predicted alike with dropout and without it.

The pass without dropout that an epoch makes anyway also predicts these "free" nodes. Sharpened,
its predictions are the targets of the next pass with dropout. GRAND (Feng et al., NeurIPS 2020,
https://arxiv.org/abs/2005.11079) does the same with an average of passes with dropout as target:

    L = mean over free nodes of || p_dropout - target ||^2,  target ~ p_clean ^ (1 / sharpening)

No label is read here, so all nodes outside the training split are free nodes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from l2p_search.config import TrialConfig
from l2p_search.data.splits import MOST_FREE, nodes_of
from l2p_search.model.problem import Problem
from l2p_search.training.seeds import Streams

_WARM_UP = 100
"""Epochs over which its weight grows to the full one: the first predictions are no targets."""


@dataclass(frozen=True, eq=False)
class Held:
    """Targets for free nodes.

    Attributes:
        nodes: The free nodes, [S, L].
        target: Class probabilities that they should be predicted with, [S, L, C].
        weights: Of each node in the loss, [S, L].
    """

    nodes: Tensor
    target: Tensor
    weights: Tensor

    def loss(self, log_predictions: Tensor) -> Tensor:
        """Weighted squared distance of log predictions [S, L, C] from the targets: [S]."""
        distance = (log_predictions.exp() - self.target).square().sum(dim=-1)
        return (distance * self.weights).sum(dim=-1)


class Consistency:
    """Carries the predictions of free nodes from one epoch to the next as targets.

    Config keys: consistency (the weight of the loss), sharpening.

    Attributes:
        nodes: The free nodes that the pass without dropout is to predict, [S, L].
        held: The targets for the next pass with dropout; None before the first predictions.
    """

    def __init__(self, problem: Problem, config: TrialConfig, seeds: Sequence[int]) -> None:
        """Find the free nodes of every seed; the first epoch has no targets yet."""
        self._problem, self._config = problem, config
        graph = problem.graph
        nodes, weights = nodes_of(graph, ~graph.train, seeds, problem.dtype)
        self._free = problem.placed(nodes), problem.placed(weights)
        self._streams = Streams(problem, seeds, "free")
        self._epoch = 0
        self.nodes, self._weights = self._free
        self.held: Held | None = None

    def draw(self) -> None:
        """Choose the nodes to predict: all free nodes, or on large graphs a random subset."""
        nodes, weights = self._free
        if nodes.shape[1] > MOST_FREE:
            places = self._streams.places(MOST_FREE, nodes.shape[1])
            nodes, weights = nodes.gather(1, places), weights.gather(1, places)
            weights = weights / weights.sum(dim=1, keepdim=True)
        self.nodes, self._weights = nodes, weights

    def hold(self, log_predictions: Tensor) -> None:
        """Make the targets of the next epoch from log predictions of the nodes [S, L, C]."""
        self._epoch += 1
        config = self._config
        target = torch.softmax(log_predictions / config.sharpening, dim=-1)
        weight = config.consistency * min(1.0, self._epoch / _WARM_UP)
        self.held = Held(self.nodes, target, weight * self._weights)

    def keep(self, places: Tensor) -> None:
        """Continue with the seeds at `places` (on the CPU) only."""
        self._streams.keep(places)
        places = self._problem.placed(places)
        nodes, weights = self._free
        self._free = nodes[places], weights[places]
        if self.held is not None:
            held = self.held
            self.held = Held(held.nodes[places], held.target[places], held.weights[places])
