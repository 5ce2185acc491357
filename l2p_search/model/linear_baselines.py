"""Baselines that are linear after the encoder: MLP, APPNP, GPR-GNN, DAGNN.

Each makes class scores Z = relu(X W_1 + b_1) W_2 + b_2, propagates them, and weighs the steps in
its own way. The scores are propagated at the few columns of the classes, for all seeds at once.
"""

from collections.abc import Sequence

import torch
from torch import Generator, Tensor

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.data.splits import most_rows
from l2p_search.model.encoder import Encoder
from l2p_search.model.network import GradientSink, Levels, Parameters, Readout, fan_in, only_step
from l2p_search.model.propagation import (
    Propagation,
    columns_bytes,
    normalised_adjacency,
    propagate_and_read,
)


class LinearModel:
    """The common part: what a model does with its steps is `weighed`."""

    first_layer = Encoder.first_layer
    step_weights: frozenset[str] = frozenset()
    streamed = Encoder.first_layer
    steps = 1

    def __init__(
        self, graph: Graph, config: TrialConfig, dtype: torch.dtype, steps: int, teleport: float
    ) -> None:
        """Prepare the graph's matrices once for all epochs and seeds."""
        self._encoder = Encoder(graph, config, dtype)
        self._propagation = Propagation(normalised_adjacency(graph, dtype), steps, teleport)
        self._hidden, self._classes = config.hidden, graph.num_classes
        self._dtype = dtype
        self.noise_size = self._encoder.noise_size
        self.bytes_per_seed = self._encoder.bytes_per_seed + columns_bytes(
            graph.num_nodes, most_rows(graph, config), steps + 1, 1, graph.num_classes
        )

    def initial(self, generators: Sequence[Generator]) -> Levels:
        """The encoder's parameters and the model's own."""
        return Levels(self._encoder.initial(generators) | self.weights(generators), {})

    def read(
        self,
        levels: Levels,
        nodes: Tensor,
        noise: Tensor | None,
        sink: GradientSink | None = None,
    ) -> Readout:
        """Encode, project, propagate, weigh."""
        theta = levels.theta
        nobody_reads = theta["b_2"].new_zeros(len(nodes), self._hidden, 1)
        column, classes = self._encoder.columns(theta, nobody_reads, theta["W_2"], noise, sink)
        scores = classes + theta["b_2"][:, None]
        _, read = propagate_and_read(self._propagation, column, scores, nodes)
        return only_step(self.weighed(theta, read))

    def weights(self, generators: Sequence[Generator]) -> Parameters:
        """The parameters that weigh the steps."""
        return {}

    def weighed(self, theta: Parameters, read: Tensor) -> Tensor:
        """Class scores from those of every step: [S, L, T, C] -> [S, L, C]."""
        return read[:, :, -1]


class Mlp(LinearModel):
    """Z itself: what the features alone are worth."""

    def __init__(self, graph: Graph, config: TrialConfig, dtype: torch.dtype) -> None:
        """No step."""
        super().__init__(graph, config, dtype, 0, 0.0)


class Appnp(LinearModel):
    """Z_k = (1 - a) A Z_{k-1} + a Z, the last step for every node (Klicpera et al. 2019)."""

    def __init__(self, graph: Graph, config: TrialConfig, dtype: torch.dtype) -> None:
        """K steps, returning to Z with the probability `teleport`."""
        super().__init__(graph, config, dtype, config.K, config.teleport)


class GprGnn(LinearModel):
    """sum_k g_k A^k Z with weights g_k learned for the whole graph (Chien et al. 2021)."""

    def __init__(self, graph: Graph, config: TrialConfig, dtype: torch.dtype) -> None:
        """K steps; `teleport` shapes the weights that learning starts from."""
        super().__init__(graph, config, dtype, config.K, 0.0)
        powers = torch.arange(config.K + 1, dtype=dtype)
        start = config.teleport * (1.0 - config.teleport) ** powers
        start[-1] = (1.0 - config.teleport) ** config.K
        self._start = start

    def weights(self, generators: Sequence[Generator]) -> Parameters:
        """Those of personalised PageRank, APPNP's own."""
        return {"gamma": self._start.repeat(len(generators), 1)}

    def weighed(self, theta: Parameters, read: Tensor) -> Tensor:
        """One weight a step for all nodes."""
        return (read * theta["gamma"][:, None, :, None]).sum(dim=2)


class Dagnn(LinearModel):
    """sum_k sigmoid(s . Z_k) Z_k with Z_k = A^k Z: a node weighs its steps (Liu et al. 2020)."""

    def __init__(self, graph: Graph, config: TrialConfig, dtype: torch.dtype) -> None:
        """K steps."""
        super().__init__(graph, config, dtype, config.K, 0.0)

    def weights(self, generators: Sequence[Generator]) -> Parameters:
        """One vector s for all steps, and its bias."""
        return {
            "s": fan_in(generators, (self._classes, 1), self._dtype),
            "c": torch.zeros(len(generators), 1, dtype=self._dtype),
        }

    def weighed(self, theta: Parameters, read: Tensor) -> Tensor:
        """A retention score of every node and step."""
        scores = torch.einsum("slkc,sc->slk", read, theta["s"][:, :, 0])
        retained = torch.sigmoid(scores + theta["c"][:, None])
        return (read * retained.unsqueeze(-1)).sum(dim=2)
