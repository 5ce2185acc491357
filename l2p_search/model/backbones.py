"""The backbones that L2P can be put on, by name."""

from collections.abc import Sequence

import torch
from torch import Generator, Tensor

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.model.encoder import EncoderNoise, encode_and_project
from l2p_search.model.features import features_of
from l2p_search.model.network import Backbone, GradientSink, Levels, Readout, fan_in, glorot
from l2p_search.model.posterior import log_probs
from l2p_search.model.propagation import Propagation, normalised_adjacency, propagate_and_read


class Appnp:
    """H_0 = relu(X W_1 + b_1), H_k = (1 - a) A H_{k-1} + a H_0, class scores H_k W_2 + b_2.

    The scorer reads the hidden representation, as in the paper: s_k = w_k . H_k + b_k, with one
    w_k a step or one w for all steps. The bias b_k, which the paper leaves out, lets a shared w
    prefer a step for all nodes: with it, it validates as well as one w_k a step, at half the cost.
    """

    first_layer = frozenset({"W_1", "b_1"})
    streamed = first_layer

    def __init__(self, graph: Graph, config: TrialConfig, dtype: torch.dtype) -> None:
        """Prepare the graph's matrices once for all epochs and seeds."""
        self._features = features_of(graph.x.to(dtype), config.hidden)
        adjacency = normalised_adjacency(graph, dtype)
        self._propagation = Propagation(adjacency, config.K, config.teleport)
        self._shapes = (graph.num_features, config.hidden, graph.num_classes)
        self._steps = config.K + 1
        self._scorers = self._steps if config.scorer == "per_step" else 1
        self._hidden_shape = (graph.num_nodes, config.hidden)
        self._dropout = config.dropout
        self._posterior = config.posterior
        self._dtype = dtype
        self.noise_size = 0
        if config.dropout > 0:
            self.noise_size = self._features.noise_size + graph.num_nodes * config.hidden

    def initial(self, generators: Sequence[Generator]) -> Levels:
        """Glorot weights, zero biases, small scorers: q starts near its shape at score 0."""
        features, hidden, classes = self._shapes
        seeds, dtype = len(generators), self._dtype
        theta = {
            "W_1": glorot(generators, (features, hidden), dtype),
            "b_1": torch.zeros(seeds, hidden, dtype=dtype),
            "W_2": glorot(generators, (hidden, classes), dtype),
            "b_2": torch.zeros(seeds, classes, dtype=dtype),
        }
        phi = {
            "w": fan_in(generators, (hidden, self._scorers), dtype),
            "b": torch.zeros(seeds, self._steps, dtype=dtype),
        }
        return Levels(theta, phi)

    def read(
        self,
        levels: Levels,
        nodes: Tensor,
        noise: Tensor | None,
        sink: GradientSink | None = None,
    ) -> Readout:
        """Encode, project, propagate, read."""
        theta, phi = levels.theta, levels.phi
        split = self._split(noise) if noise is not None and self._dropout > 0 else None
        columns = encode_and_project(
            self._features, theta["W_1"], theta["b_1"], phi["w"], theta["W_2"], split, sink
        )
        scores, logits = propagate_and_read(self._propagation, *columns, nodes)
        log_q = log_probs(self._posterior, scores + phi["b"][:, None])
        return Readout(log_q, logits, theta["b_2"])

    def _split(self, noise: Tensor) -> EncoderNoise:
        size = self._features.noise_size
        hidden = noise[:, size:].view(-1, *self._hidden_shape)
        return EncoderNoise(noise[:, :size], hidden, self._dropout)


def build_backbone(
    graph: Graph, config: TrialConfig, dtype: torch.dtype = torch.float32
) -> Backbone:
    """The backbone that the config names."""
    backbones = {"appnp": Appnp}
    return backbones[config.backbone](graph, config, dtype)
