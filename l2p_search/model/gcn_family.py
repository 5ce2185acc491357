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
from l2p_search.model.layered_pass import LayeredPass
from l2p_search.model.layers import Adjacency
from l2p_search.model.network import Baseline, Parameters, Pass, glorot, rows_at


class Gcn(Baseline):
    """The graph convolutional network, with K layers.

    Kipf and Welling, ICLR 2017, https://arxiv.org/abs/1609.02907. With H_0 = X and
    A_hat = D^-1/2 (A + I) D^-1/2:

        H_k = relu(A_hat dropout(H_{k-1}) W_k + b_k)     for k < K
        class scores  A_hat dropout(H_{K-1}) W_K + b_K

    With `edge_dropout`, A_hat is that of the edges which DropEdge leaves in training (Rong et al.
    2020, https://arxiv.org/abs/1907.10903).

    Parameters of theta: W_1 [S, F, H], W_k [S, H, H], W_K [S, H, C] and biases b_k.

    Config keys: K, hidden, dropout, edge_dropout.
    """

    def __init__(self, graph: Graph, config: TrialConfig, dtype: torch.dtype) -> None:
        """Prepare the graph's matrices once for all epochs and seeds."""
        self._features = features_of(graph.x.to(dtype), config.hidden)
        self._adjacency = Adjacency(graph, config.edge_dropout, dtype)
        self._rate, self._dtype = config.dropout, dtype
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

    def middle(self, first: Tensor, layers: LayeredPass) -> Tensor:
        """From H_1 [S, N, H] to what the last layer reads, [S, N, handed_on * H]."""
        h = first
        for name in self.middle_layers():
            h = layers.convolution(name, h).relu()
        return h

    def initial_theta(self, generators: Sequence[Generator]) -> Parameters:
        """Glorot weights, zero biases."""
        theta: Parameters = {}
        for name, shape in self._shapes.items():
            theta[f"W_{name}"] = glorot(generators, shape, self._dtype)
            theta[f"b_{name}"] = torch.zeros(len(generators), shape[1], dtype=self._dtype)
        return theta

    def class_scores(self, given: Pass) -> Tensor:
        """Convolve K times, read the last."""
        layers = LayeredPass(given, self._features, self._adjacency, self._rate)
        h = layers.convolution("1")
        if not self._single:
            h = layers.convolution(self._last, self.middle(h.relu(), layers))
        return rows_at(h, given.nodes)


class ResGcn(Gcn):
    """GCN with residual connections: H_k = relu(A_hat dropout(H_{k-1}) W_k + b_k) + H_{k-1}.

    Li, Mueller, Thabet and Ghanem, ICCV 2019, https://arxiv.org/abs/1904.03751. Parameters and
    config as of `Gcn`.
    """

    def middle(self, first: Tensor, layers: LayeredPass) -> Tensor:
        """Every layer adds to what it read."""
        h = first
        for name in self.middle_layers():
            h = layers.convolution(name, h).relu() + h
        return h


class JkNet(Gcn):
    """Jumping knowledge: class scores A_hat dropout([H_1 ; H_2 ; .. ; H_{K-1}]) W_K + b_K.

    Xu, Li, Tian, Sonobe, Kawarabayashi and Jegelka, ICML 2018, https://arxiv.org/abs/1806.03536.
    Parameters and config as of `Gcn`, but W_K [S, (K - 1) H, C].
    """

    def handed_on(self) -> int:
        """H_1 and those in between."""
        return 1 + self._middle

    def middle(self, first: Tensor, layers: LayeredPass) -> Tensor:
        """All hidden representations side by side."""
        hidden = [first]
        for name in self.middle_layers():
            hidden.append(layers.convolution(name, hidden[-1]).relu())
        return torch.cat(hidden, dim=2)


class IncepGcn(Gcn):
    """Inception: branches of 1, 2, .. K - 2 convolutions from H_1, each with weights of its own.

    Rong, Huang, Xu and Huang, ICLR 2020, https://arxiv.org/abs/1907.10903. The last layer reads
    H_1 and the ends of all branches; the number of layers is quadratic in K. Parameters: of the
    p-th layer of branch b, W_b_p [S, H, H] and b_b_p [S, H]; first and last as of `JkNet`.
    Config as of `Gcn`.
    """

    def middle_layers(self) -> list[str]:
        """Named by branch and place in it."""
        return [f"{b}_{place}" for b in range(1, self._middle + 1) for place in range(1, b + 1)]

    def handed_on(self) -> int:
        """H_1 and one end per branch."""
        return 1 + self._middle

    def middle(self, first: Tensor, layers: LayeredPass) -> Tensor:
        """H_1 and the ends of all branches side by side."""
        ends = [first]
        for branch in range(1, self._middle + 1):
            h = first
            for place in range(1, branch + 1):
                h = layers.convolution(f"{branch}_{place}", h).relu()
            ends.append(h)
        return torch.cat(ends, dim=2)
