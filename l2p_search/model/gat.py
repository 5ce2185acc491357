"""GAT (Velickovic et al. 2018): K layers of attention, several heads in each but the last."""

from collections.abc import Sequence

import torch
from torch import Generator, Tensor
from torch.nn.functional import elu

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.model.features import features_of
from l2p_search.model.layers import Adjacency, Noise, drop_units, features_times
from l2p_search.model.network import (
    GradientSink,
    Levels,
    Parameters,
    Readout,
    glorot,
    only_step,
    rows_at,
)
from l2p_search.model.stacks import attention_heads


class Gat:
    """elu between the layers, dropout before them and on the attention; one head at last."""

    first_layer = frozenset({"W_1", "b_1"})
    step_weights: frozenset[str] = frozenset()
    streamed: frozenset[str] = frozenset()
    steps = 1

    def __init__(self, graph: Graph, config: TrialConfig, dtype: torch.dtype) -> None:
        """Each head has hidden / heads units."""
        self._features = features_of(graph.x.to(dtype), config.hidden)
        self._adjacency = Adjacency(graph, 0.0, dtype)
        self._rate, self._dtype = config.dropout, dtype
        hidden = [(config.heads, config.hidden // config.heads)] * (config.K - 1)
        self._heads = [*hidden, (1, graph.num_classes)]
        self._inputs = [graph.num_features, *[config.hidden] * (config.K - 1)]
        entries = self._adjacency.nonzeros
        attention = sum(heads for heads, _ in self._heads) * entries
        units = sum(self._inputs[1:]) * graph.num_nodes
        self.noise_size = 0
        if config.dropout > 0:
            self.noise_size = self._features.noise_size + units + attention
        outputs = [heads * size for heads, size in self._heads]
        parameters = sum(a * b for a, b in zip(self._inputs, outputs, strict=True))
        words = 6 * parameters + 7 * graph.num_nodes * sum(outputs) + 7 * attention + units
        self.bytes_per_seed = 4 * (words + self._features.noise_size)

    def initial(self, generators: Sequence[Generator]) -> Levels:
        """Glorot weights, zero biases."""
        theta: Parameters = {}
        for layer, (inputs, (heads, size)) in enumerate(
            zip(self._inputs, self._heads, strict=True), start=1
        ):
            shape = (inputs, heads * size)
            theta |= {
                f"W_{layer}": glorot(generators, shape, self._dtype),
                f"b_{layer}": torch.zeros(len(generators), heads * size, dtype=self._dtype),
                f"to_{layer}": glorot(generators, (heads, size), self._dtype),
                f"from_{layer}": glorot(generators, (heads, size), self._dtype),
            }
        return Levels(theta, {})

    def read(
        self,
        levels: Levels,
        nodes: Tensor,
        noise: Tensor | None,
        sink: GradientSink | None = None,
    ) -> Readout:
        """Attend K times, read the last."""
        theta, reader = levels.theta, Noise(noise)
        rate = self._rate
        h = None
        for layer, (heads, _) in enumerate(self._heads, start=1):
            weight = theta[f"W_{layer}"]
            if h is None:
                taken = reader.take(self._features.noise_size) if rate > 0 else None
                product = features_times(self._features, weight, taken, rate)
            else:
                taken = reader.take(*h.shape[1:]) if rate > 0 else None
                product = torch.bmm(drop_units(elu(h), taken, rate), weight)
            taken = reader.take(heads * self._adjacency.nonzeros) if rate > 0 else None
            ends = (theta[f"to_{layer}"], theta[f"from_{layer}"])
            attended = attention_heads(self._adjacency, product, *ends, taken, rate)
            h = attended + theta[f"b_{layer}"][:, None]
        if h is None:
            raise ValueError("no layer")
        return only_step(rows_at(h, nodes))
