"""GCN, GraphSAGE, and GCN's relatives with residual, jumping-knowledge or inception connections.

All have K convolutions one after another, relu between them: the first takes the features, the
last gives class scores, and the connection decides what those in between hand on. With K = 2
there are none in between, and GCN and its relatives are the same network.
"""

from collections.abc import Sequence

import torch
from torch import Generator, Tensor

from l2p_search.config import TrialConfig
from l2p_search.model.blocks import seeds_per_pass
from l2p_search.model.features import features_of
from l2p_search.model.head import Head
from l2p_search.model.layered_pass import LayeredPass
from l2p_search.model.layers import Adjacency
from l2p_search.model.neighbour_mean import NeighbourMean
from l2p_search.model.network import Baseline, Parameters, Pass
from l2p_search.model.problem import Problem
from l2p_search.model.rows import rows_at
from l2p_search.model.tuning import PLAIN, Tuning


class Gcn(Baseline):
    """The graph convolutional network, with K layers.

    Kipf and Welling, ICLR 2017, https://arxiv.org/abs/1609.02907. With H_0 = X and
    A_hat = D^-1/2 (A + I) D^-1/2:

        H_k = relu(A_hat dropout(H_{k-1}) W_k + b_k)     for k < K
        class scores  A_hat dropout(H_{K-1}) W_K + b_K

    With `edge_dropout`, A_hat is that of the edges which DropEdge leaves in training (Rong et al.
    2020, https://arxiv.org/abs/1907.10903).

    The hidden layers may have the normalisation and the residual connection of `Tuning`. With
    `head_layers` above 1 the classifier is an MLP whose first layer is the last convolution: H_K
    is made like the other H_k, and read by a `Head` with one layer less. With 2 this is the GCN
    that Luo, Shi and Wu tune (NeurIPS 2024, https://arxiv.org/abs/2406.08993).

    Parameters of theta: W_1 [S, F, H], W_k [S, H, H], W_K [S, H, C], or with a head [S, H, H], and
    biases b_k; those of `Tuning` and of `Head`.

    Config keys: K, hidden, dropout, edge_dropout, norm, residual, head_layers.
    """

    tunable = True
    """Whether norm, residual and head_layers are read."""

    adjacency: type[Adjacency] = Adjacency
    """What a layer averages neighbours by."""

    own: tuple[str, ...] = ()
    """Letters of the matrices that multiply a node's own representation, in every layer."""

    def __init__(self, problem: Problem, config: TrialConfig) -> None:
        """Prepare the graph's matrices once for all epochs and seeds."""
        graph = problem.graph
        self._problem, self._features = problem, features_of(problem, config.hidden)
        self._adjacency = self.adjacency(problem, config.edge_dropout)
        self._rate = config.dropout
        self._tuning = Tuning(config) if self.tunable else PLAIN
        self._head: Head | None = None
        if self.tunable and config.head_layers > 1:
            self._head = Head(config.head_layers - 1, problem, config, drop=True)
        self._middle, self._last = max(0, config.K - 2), str(config.K)
        self._shapes = {"1": (graph.num_features, config.hidden)}
        if config.K > 1:
            for name in self.middle_layers():
                self._shapes[name] = (config.hidden, config.hidden)
            self._shapes[self._last] = (self.handed_on() * config.hidden, config.hidden)
        if self._head is None:
            self._shapes[self._last] = (self._shapes[self._last][0], graph.num_classes)
        units = sum(size for size, _ in list(self._shapes.values())[1:])
        self.noise_size = self._adjacency.noise_size
        if config.dropout > 0:
            self.noise_size += self._features.noise_size + graph.num_nodes * units
        own = (*self.own, *(self._tuning.letters if self._is_hidden("1") else ()))
        self.first_layer = frozenset(f"{letter}_1" for letter in ("W", "b", *own))
        # Parameters six times (gradient, moments, best state); of a layer's input what dropout
        # has left, the random bytes, and what one pass needs meanwhile. Measured.
        parameters = (1 + len(own)) * sum(a * b for a, b in self._shapes.values())
        per_unit = 3 + self._tuning.held_per_unit()
        words = per_unit * graph.num_nodes * (units + config.hidden)
        if self._head is not None:
            self.noise_size += self._head.noise_size
            parameters += self._head.parameters
            words += 4 * config.head_layers * graph.num_nodes * config.hidden
        self.bytes_per_seed = 4 * (6 * parameters + words + self._features.noise_size)
        self.seeds_per_pass = seeds_per_pass(4 * graph.num_nodes * config.hidden, problem.device)

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
            h = self.hidden_layer(name, h, layers)
        return h

    def hidden_layer(self, name: str, h: Tensor | None, layers: LayeredPass) -> Tensor:
        """From h [S, N, inputs], or from the features: relu(norm(convolution)), [S, N, H]."""
        own = (*self.own, *self._tuning.letters)
        if not self._tuning.normalises:
            return layers.convolution(name, h, own, rectified=True, relu=True)
        h = layers.convolution(name, h, own, rectified=True)
        return self._tuning.normalised(name, h, layers.theta, relu=True)

    def last_layer(self, h: Tensor | None, layers: LayeredPass) -> Tensor:
        """Class scores of all nodes from h [S, N, inputs], or from the features: [S, N, C]."""
        return layers.convolution(self._last, h, self.own, rectified=True)

    def initial_theta(self, generators: Sequence[Generator]) -> Parameters:
        """Glorot weights, zero biases."""
        theta: Parameters = {}
        for name, shape in self._shapes.items():
            for letter in ("W", *self.own):
                theta[f"{letter}_{name}"] = self._problem.glorot(generators, shape)
            theta[f"b_{name}"] = self._problem.zeros(len(generators), shape[1])
            if self._is_hidden(name):
                theta |= self._tuning.initial(name, shape, generators, self._problem)
        return theta if self._head is None else theta | self._head.initial(generators)

    def class_scores(self, given: Pass) -> Tensor:
        """Convolve K times, read the last."""
        layers = LayeredPass(given, self._features, self._adjacency, self._rate)
        h = None
        if self._last != "1":
            h = self.middle(self.hidden_layer("1", None, layers), layers)
        if self._head is None:
            return rows_at(self.last_layer(h, layers), given.nodes)
        read = rows_at(self.hidden_layer(self._last, h, layers), given.nodes, rectified=True)
        return self._head.class_scores(read, given.nodes, layers)

    def _is_hidden(self, name: str) -> bool:
        """Whether a layer is a hidden one: all are but the one that gives class scores."""
        return self._head is not None or name != self._last


class Sage(Gcn):
    """GraphSAGE with the mean aggregator, with K layers.

    Hamilton, Ying and Leskovec, NeurIPS 2017, https://arxiv.org/abs/1706.02216. With H_0 = X, A
    the adjacency without self-loops and D its degrees, D^-1 A H is the mean over neighbours:

        H_k = relu(D^-1 A dropout(H_{k-1}) W_k + dropout(H_{k-1}) U_k + b_k)     for k < K
        class scores  D^-1 A dropout(H_{K-1}) W_K + dropout(H_{K-1}) U_K + b_K

    All neighbours are taken, not a sample of them. Parameters of theta as of `Gcn`, and U_k of
    the shape of W_k. Config as of `Gcn`.
    """

    adjacency = NeighbourMean
    own = ("U",)


class ResGcn(Gcn):
    """GCN with residual connections: H_k = relu(A_hat dropout(H_{k-1}) W_k + b_k) + H_{k-1}.

    Li, Mueller, Thabet and Ghanem, ICCV 2019, https://arxiv.org/abs/1904.03751. Parameters and
    config as of `Gcn`, but no tuning.
    """

    tunable = False

    def middle(self, first: Tensor, layers: LayeredPass) -> Tensor:
        """Every layer adds to what it read."""
        h = first
        for name in self.middle_layers():
            h = self.hidden_layer(name, h, layers) + h
        return h

    def hidden_layer(self, name: str, h: Tensor | None, layers: LayeredPass) -> Tensor:
        """Its output is added to h: neither is a rectified tensor."""
        return layers.convolution(name, h).relu_()

    def last_layer(self, h: Tensor | None, layers: LayeredPass) -> Tensor:
        """Class scores of all nodes."""
        return layers.convolution(self._last, h)


class JkNet(Gcn):
    """Jumping knowledge: class scores A_hat dropout([H_1 ; H_2 ; .. ; H_{K-1}]) W_K + b_K.

    Xu, Li, Tian, Sonobe, Kawarabayashi and Jegelka, ICML 2018, https://arxiv.org/abs/1806.03536.
    Parameters and config as of `Gcn`, but W_K [S, (K - 1) H, C], and no tuning.
    """

    tunable = False

    def handed_on(self) -> int:
        """H_1 and those in between."""
        return 1 + self._middle

    def middle(self, first: Tensor, layers: LayeredPass) -> Tensor:
        """All hidden representations side by side."""
        hidden = [first]
        for name in self.middle_layers():
            hidden.append(self.hidden_layer(name, hidden[-1], layers))
        return torch.cat(hidden, dim=2)


class IncepGcn(Gcn):
    """Inception: branches of 1, 2, .. K - 2 convolutions from H_1, each with weights of its own.

    Rong, Huang, Xu and Huang, ICLR 2020, https://arxiv.org/abs/1907.10903. The last layer reads
    H_1 and the ends of all branches; the number of layers is quadratic in K. Parameters: of the
    p-th layer of branch b, W_b_p [S, H, H] and b_b_p [S, H]; first and last as of `JkNet`.
    Config as of `Gcn`, but no tuning.
    """

    tunable = False

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
                h = self.hidden_layer(f"{branch}_{place}", h, layers)
            ends.append(h)
        return torch.cat(ends, dim=2)
