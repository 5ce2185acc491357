"""Nodes without a training label should be predicted alike with noise and without it.

The clean pass that an epoch makes anyway predicts these free nodes too. Sharpened, that is what
the next noisy pass is held to, as in GRAND (Feng et al. 2020), which averages noisy passes:

    L = mean over free nodes of || p_noisy - target ||^2,   target ~ p_clean ^ (1 / sharpening)

No label is read here, so all nodes outside the training split take part.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.data.splits import MOST_FREE, nodes_of
from l2p_search.training.seeds import Streams

_WARM_UP = 100
"""Epochs until it counts in full: the first predictions are worth nothing yet."""


@dataclass(frozen=True, eq=False)
class Held:
    """Free nodes [S, L], what they should be predicted as [S, L, C], and their weights [S, L]."""

    nodes: Tensor
    target: Tensor
    weights: Tensor

    def loss(self, log_predictions: Tensor) -> Tensor:
        """How far predictions [S, L, C] are from the targets: [S]."""
        distance = (log_predictions.exp() - self.target).square().sum(dim=-1)
        return (distance * self.weights).sum(dim=-1)


class Consistency:
    """The free nodes of S seeds, from one epoch's clean pass to the next one's noisy pass."""

    def __init__(
        self, graph: Graph, config: TrialConfig, seeds: Sequence[int], dtype: torch.dtype
    ) -> None:
        """Nothing predicted yet, so nothing is held."""
        self._config = config
        self._free = nodes_of(graph, ~graph.train, seeds, dtype)
        self._streams = Streams(seeds, "free", dtype)
        self._epoch = 0
        self.nodes, self._weights = self._free
        self.held: Held | None = None

    def draw(self) -> None:
        """Choose the nodes that the clean pass is to predict: all, or some of very many."""
        nodes, weights = self._free
        if nodes.shape[1] > MOST_FREE:
            places = self._streams.places(MOST_FREE, nodes.shape[1])
            nodes, weights = nodes.gather(1, places), weights.gather(1, places)
            weights = weights / weights.sum(dim=1, keepdim=True)
        self.nodes, self._weights = nodes, weights

    def hold(self, log_predictions: Tensor) -> None:
        """Keep the clean pass's predictions of the nodes [S, L, C] for the next noisy pass."""
        self._epoch += 1
        config = self._config
        target = torch.softmax(log_predictions / config.sharpening, dim=-1)
        weight = config.consistency * min(1.0, self._epoch / _WARM_UP)
        self.held = Held(self.nodes, target, weight * self._weights)

    def keep(self, places: Tensor) -> None:
        """Go on with some of the seeds only."""
        self._streams.keep(places)
        nodes, weights = self._free
        self._free = nodes[places], weights[places]
        if self.held is not None:
            held = self.held
            self.held = Held(held.nodes[places], held.target[places], held.weights[places])
