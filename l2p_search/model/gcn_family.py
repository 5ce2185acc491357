"""GCN and its deep relatives: the residual, the jumping-knowledge and the inception connection.

All have K convolutions one after another, relu between them: the first takes the features, the
last gives class scores, and the connection decides what those in between hand on. With K = 2
there are none in between, and all four are the same network.
"""

from collections.abc import Sequence

import torch
from torch import Generator, Tensor

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


class Gcn:
    """H_k = relu(A dropout(H_{k-1}) W_k + b_k), class scores A dropout(H_{K-1}) W_K + b_K.

    Kipf and Welling 2017. With `edge_dropout` A is thinned out in training (DropEdge).
    """

    first_layer = frozenset({"W_1", "b_1"})
    step_weights: frozenset[str] = frozenset()
    streamed: frozenset[str] = frozenset()
    steps = 1

    def __init__(self, graph: Graph, config: TrialConfig, dtype: torch.dtype) -> None:
        """Prepare the graph's matrices once for all epochs and seeds."""
        self._features = features_of(graph.x.to(dtype), config.hidden)
        self._adjacency = Adjacency(graph, config.edge_dropout, dtype)
        self._hidden, self._rate, self._dtype = config.hidden, config.dropout, dtype
        self._nodes, self._classes = graph.num_nodes, graph.num_classes
        self._middle = max(0, config.K - 2)
        self._single = config.K == 1
        inputs = graph.num_features
        self._shapes = {"1": (inputs, graph.num_classes if self._single else config.hidden)}
        if not self._single:
            for name in self.middle_layers():
                self._shapes[name] = (config.hidden, config.hidden)
            self._shapes[str(config.K)] = (self.handed_on() * config.hidden, graph.num_classes)
        self._last = str(config.K)
        units = sum(size for size, _ in list(self._shapes.values())[1:])
        self.noise_size = self._adjacency.noise_size
        if config.dropout > 0:
            self.noise_size += self._features.noise_size + graph.num_nodes * units
        # Parameters six times (gradient, moments, best state); of a layer's input what is dropped,
        # projected and convolved, with gradients, and the random bytes.
        words = 6 * sum(a * b for a, b in self._shapes.values()) + 7 * graph.num_nodes * (
            units + config.hidden
        )
        self.bytes_per_seed = 4 * (words + self._features.noise_size)

    def middle_layers(self) -> list[str]:
        """The names of the layers between the first and the last."""
        return [str(layer) for layer in range(2, self._middle + 2)]

    def handed_on(self) -> int:
        """How many hidden representations the last layer reads side by side."""
        return 1

    def middle(self, first: Tensor, layers: "Layers") -> Tensor:
        """From the first hidden representation to what the last layer reads."""
        h = first
        for name in self.middle_layers():
            h = layers(name, h).relu()
        return h

    def initial(self, generators: Sequence[Generator]) -> Levels:
        """Glorot weights, zero biases."""
        theta: Parameters = {}
        for name, shape in self._shapes.items():
            theta[f"W_{name}"] = glorot(generators, shape, self._dtype)
            theta[f"b_{name}"] = torch.zeros(len(generators), shape[1], dtype=self._dtype)
        return Levels(theta, {})

    def read(
        self,
        levels: Levels,
        nodes: Tensor,
        noise: Tensor | None,
        sink: GradientSink | None = None,
    ) -> Readout:
        """Convolve K times, read the last."""
        theta = levels.theta
        reader = Noise(noise)
        values = self._adjacency.values(len(nodes), reader)
        taken = reader.take(self._features.noise_size) if self._rate > 0 else None
        product = features_times(self._features, theta["W_1"], taken, self._rate)
        h = self._adjacency.convolve(product, values) + theta["b_1"][:, None]
        if not self._single:
            layers = Layers(self._adjacency, values, theta, reader, self._rate)
            h = layers(self._last, self.middle(h.relu(), layers))
        return only_step(rows_at(h, nodes))


class ResGcn(Gcn):
    """Residual: H_k = relu(A H_{k-1} W_k + b_k) + H_{k-1}."""

    def middle(self, first: Tensor, layers: "Layers") -> Tensor:
        """Every layer adds to what it read."""
        h = first
        for name in self.middle_layers():
            h = layers(name, h).relu() + h
        return h


class JkNet(Gcn):
    """Jumping knowledge: the last layer reads all hidden representations (Xu et al. 2018)."""

    def handed_on(self) -> int:
        """The first and those in between."""
        return 1 + self._middle

    def middle(self, first: Tensor, layers: "Layers") -> Tensor:
        """All, side by side."""
        hidden = [first]
        for name in self.middle_layers():
            hidden.append(layers(name, hidden[-1]).relu())
        return torch.cat(hidden, dim=2)


class IncepGcn(Gcn):
    """Inception: branches of 1, 2, .. K - 2 convolutions from H_1, each with weights of its own.

    Rong et al. 2020. The last layer reads H_1 and the ends of all branches; the number of layers
    is quadratic in K.
    """

    def middle_layers(self) -> list[str]:
        """Named by branch and place in it."""
        return [f"{b}_{place}" for b in range(1, self._middle + 1) for place in range(1, b + 1)]

    def handed_on(self) -> int:
        """H_1 and a branch each."""
        return 1 + self._middle

    def middle(self, first: Tensor, layers: "Layers") -> Tensor:
        """All branches, side by side."""
        ends = [first]
        for branch in range(1, self._middle + 1):
            h = first
            for place in range(1, branch + 1):
                h = layers(f"{branch}_{place}", h).relu()
            ends.append(h)
        return torch.cat(ends, dim=2)


class Layers:
    """A dropout(H) W + b for the layers of one pass, by their names."""

    def __init__(
        self,
        adjacency: Adjacency,
        values: Tensor,
        theta: Parameters,
        noise: Noise,
        rate: float,
    ) -> None:
        """One pass: its edges, parameters and random bytes."""
        self._adjacency, self._values, self._theta = adjacency, values, theta
        self._noise, self._rate = noise, rate

    def __call__(self, name: str, h: Tensor) -> Tensor:
        """Project first: the last layer then convolves a few columns only."""
        noise = self._noise.take(*h.shape[1:]) if self._rate > 0 else None
        product = torch.bmm(drop_units(h, noise, self._rate), self._theta[f"W_{name}"])
        convolved = self._adjacency.convolve(product, self._values)
        return convolved + self._theta[f"b_{name}"][:, None]
