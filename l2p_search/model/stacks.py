"""Backbones that can be read after every step: GCN, GraphSAGE, GAT and GCNII*.

H_0 = relu(dropout(X) W_in + b_in); each step then has parameters of its own. Unlike APPNP they
are not linear, so hidden representations are propagated, not class scores.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

import torch
from torch import Generator, Tensor
from torch.nn.functional import elu

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.model.attention import HELD_PER_ENTRY, AttendedEdges
from l2p_search.model.blocks import seeds_per_pass
from l2p_search.model.features import features_of
from l2p_search.model.layered_pass import LayeredPass
from l2p_search.model.layers import Adjacency
from l2p_search.model.neighbour_mean import NeighbourMean
from l2p_search.model.network import Parameters, Pass
from l2p_search.model.problem import Problem
from l2p_search.model.rectified import rectify
from l2p_search.model.rows import Tap
from l2p_search.model.tuning import PLAIN, Tuning


class Stack(ABC):
    """H_0, H_1, .. H_K of one graph and configuration: a subclass says what a step is.

    A_hat = D^-1/2 (A + I) D^-1/2, hidden representations are [S, N, H]. Parameters
    of theta: W_in [S, F, H], b_in [S, H], and those of the steps.

    Config keys: K, hidden, dropout, edge_dropout.
    """

    adjacency: type[Adjacency] = Adjacency
    """What a step averages neighbours by."""

    matrices_per_step = 1
    """H x H matrices among the parameters of a step."""

    tunable = False
    """Whether norm and residual are read, and head_layers by what is put on the stack."""

    rectified = False
    """Whether H_1 .. H_K are rectified tensors (see `rectified`)."""

    first_rectified = False
    """Whether H_0 is one."""

    first_layer = frozenset({"W_in", "b_in"})
    step_weights: frozenset[str] = frozenset()
    held_per_unit = 4
    """Tensors of the size of a hidden representation that a step holds in training."""

    def __init__(self, problem: Problem, config: TrialConfig) -> None:
        """Prepare the graph's matrices once for all epochs and seeds."""
        graph = problem.graph
        self._problem, self._features = problem, features_of(problem, config.hidden)
        self._adjacency = self.adjacency(problem, config.edge_dropout)
        self.width, self.K = config.hidden, config.K
        self._rate = config.dropout
        self._tuning = Tuning(config) if self.tunable else PLAIN
        self._inputs = graph.num_features
        noise_per_step = self.noise_per_step(graph, config)
        self.noise_size = self._adjacency.noise_size
        if config.dropout > 0:
            self.noise_size += self._features.noise_size + config.K * noise_per_step
        # Parameters six times (gradient, moments, best state); of each step what dropout has
        # left, the random bytes, and what one pass needs meanwhile. Measured.
        matrices = config.K * (self.matrices_per_step + len(self._tuning.letters))
        parameters = (self._inputs + matrices * self.width) * self.width
        per_unit = self.held_per_unit + self._tuning.held_per_unit()
        held = per_unit * (config.K + 1) * graph.num_nodes * self.width + config.K * noise_per_step
        self.bytes_per_seed = 4 * (6 * parameters + held + self._features.noise_size)
        self.seeds_per_pass = seeds_per_pass(4 * graph.num_nodes * self.width, problem.device)

    def initial(self, generators: Sequence[Generator]) -> Parameters:
        """Glorot weights, zero biases."""
        zero = self._problem.zeros(len(generators), self.width)
        theta = {
            "W_in": self._problem.glorot(generators, (self._inputs, self.width)),
            "b_in": zero.clone(),
        }
        for step in range(1, self.K + 1):
            theta |= self.initial_step(step, generators, zero.clone())
        return theta

    def begin(self, given: Pass) -> LayeredPass:
        """A pass through this stack's layers."""
        return LayeredPass(given, self._features, self._adjacency, self._rate)

    def hidden(self, layers: LayeredPass, tap: Tap | None = None) -> list[Tensor]:
        """T = K + 1 hidden representations, each [S, N, H]; a tap reads them as they pass."""
        hidden: list[Tensor] = []
        for step in range(self.K + 1):
            if step == 0:
                h = layers.product("in").add_(layers.bias("in"))
                h = rectify(h) if self.first_rectified else h.relu_()
            else:
                h = self.step(step, hidden, layers)
            hidden.append(h if tap is None else tap.passed(h))
        return hidden

    def noise_per_step(self, graph: Graph, config: TrialConfig) -> int:
        """Random bytes per seed for the dropout of one step: one per node and unit."""
        return graph.num_nodes * config.hidden

    @abstractmethod
    def initial_step(self, step: int, generators: Sequence[Generator], zero: Tensor) -> Parameters:
        """Fresh parameters of one step; `zero` [S, H] is its bias, if it has one."""

    @abstractmethod
    def step(self, step: int, hidden: list[Tensor], layers: LayeredPass) -> Tensor:
        """H_k from H_0 .. H_{k-1}, for k = `step`."""


class GcnStack(Stack):
    """H_k = relu(A_hat dropout(H_{k-1}) W_k + b_k).

    Kipf and Welling, ICLR 2017, https://arxiv.org/abs/1609.02907. Parameters of step k:
    W_k [S, H, H], b_k [S, H], and those of `Tuning`.

    Config keys: also norm, residual.
    """

    tunable = True
    rectified = first_rectified = True

    own: tuple[str, ...] = ()
    """Letters of the matrices that multiply a node's own representation, in every step."""

    def initial_step(self, step: int, generators: Sequence[Generator], zero: Tensor) -> Parameters:
        """The matrices and a bias."""
        shape = (self.width, self.width)
        letters = ("W", *self.own)
        theta = {f"{one}_{step}": self._problem.glorot(generators, shape) for one in letters}
        theta[f"b_{step}"] = zero
        return theta | self._tuning.initial(str(step), shape, generators, self._problem)

    def step(self, step: int, hidden: list[Tensor], layers: LayeredPass) -> Tensor:
        """One convolution."""
        name = str(step)
        own = (*self.own, *self._tuning.letters)
        if not self._tuning.normalises:
            return layers.convolution(name, hidden[-1], own, rectified=True, relu=True)
        h = layers.convolution(name, hidden[-1], own, rectified=True)
        return self._tuning.normalised(name, h, layers.theta, relu=True)


class SageStack(GcnStack):
    """H_k = relu(D^-1 A dropout(H_{k-1}) W_k + dropout(H_{k-1}) U_k + b_k).

    GraphSAGE with the mean aggregator: Hamilton, Ying and Leskovec, NeurIPS 2017,
    https://arxiv.org/abs/1706.02216. A has no self-loops here, and D are its degrees. Parameters
    of step k: W_k and U_k [S, H, H], b_k [S, H], and those of `Tuning`.
    """

    adjacency = NeighbourMean
    matrices_per_step = 2
    own = ("U",)


class GcniiStack(Stack):
    """GCNII*: an initial residual and an identity mapping.

    Chen, Wei, Huang, Ding and Li, ICML 2020, https://arxiv.org/abs/2007.02133. With
    P = (1 - a) A_hat dropout(H_{k-1}) and c_k = log(lambda / k + 1):

        H_k = relu(P ((1 - c_k) I + c_k W_k) + a H_0 ((1 - c_k) I + c_k V_k))

    The star is for V_k, a second matrix for H_0. Parameters of step k: W_k and V_k [S, H, H].

    Config keys: also teleport (their alpha) and identity (their lambda); in training
    step_decay, the weight decay of W_k and V_k.
    """

    matrices_per_step = 2
    held_per_unit = 4
    rectified = True
    first_rectified = False

    def __init__(self, problem: Problem, config: TrialConfig) -> None:
        """Prepare the graph's matrices once for all epochs and seeds."""
        super().__init__(problem, config)
        self._alpha, self._lambda = config.teleport, config.identity
        steps = range(1, config.K + 1)
        self.step_weights = frozenset(f"{name}_{step}" for name in "WV" for step in steps)

    def initial_step(self, step: int, generators: Sequence[Generator], zero: Tensor) -> Parameters:
        """Two matrices, no bias."""
        shape = (self.width, self.width)
        return {
            f"W_{step}": self._problem.fan_in(generators, shape),
            f"V_{step}": self._problem.fan_in(generators, shape),
        }

    def step(self, step: int, hidden: list[Tensor], layers: LayeredPass) -> Tensor:
        """The initial residual and the identity mapping."""
        own = self._alpha * self._mapping(step, layers.theta[f"V_{step}"])
        mapping = (1.0 - self._alpha) * self._mapping(step, layers.theta[f"W_{step}"])
        h, hidden[0] = layers.initial_residual(hidden[-1], hidden[0], mapping, own)
        return h

    def _mapping(self, step: int, weight: Tensor) -> Tensor:
        """(1 - c_k) I + c_k W: the weights are mapped, not the nodes, of which there are more."""
        share = math.log(self._lambda / step + 1.0)
        return share * weight + (1.0 - share) * torch.eye(
            self.width, dtype=weight.dtype, device=weight.device
        )


class GatStack(GcnStack):
    """H_k = elu(the heads' attention to dropout(H_{k-1}) W_k, side by side, + b_k).

    Velickovic, Cucurull, Casanova, Romero, Lio and Bengio, ICLR 2018,
    https://arxiv.org/abs/1710.10903; the attention is that of `attention`. Parameters of step k:
    W_k [S, H, H], b_k [S, H], to_k and from_k [S, heads, H / heads], and those of `Tuning`.

    Config keys: also heads. edge_dropout is without effect on learned edges.
    """

    adjacency = AttendedEdges
    rectified = first_rectified = False

    def __init__(self, problem: Problem, config: TrialConfig) -> None:
        """Prepare the graph's matrices once for all epochs and seeds."""
        super().__init__(problem, config)
        self._heads = (config.heads, config.hidden // config.heads)
        entries = config.K * config.heads * self._adjacency.nonzeros
        self.bytes_per_seed += 4 * HELD_PER_ENTRY * entries

    def noise_per_step(self, graph: Graph, config: TrialConfig) -> int:
        """Also one byte per head and entry of A_hat, for the dropout of the attention."""
        entries = graph.edges.shape[1] + graph.num_nodes
        return super().noise_per_step(graph, config) + config.heads * entries

    def initial_step(self, step: int, generators: Sequence[Generator], zero: Tensor) -> Parameters:
        """The matrix, the bias, and what scores the two ends of an edge."""
        return super().initial_step(step, generators, zero) | {
            f"to_{step}": self._problem.glorot(generators, self._heads),
            f"from_{step}": self._problem.glorot(generators, self._heads),
        }

    def step(self, step: int, hidden: list[Tensor], layers: LayeredPass) -> Tensor:
        """One attention."""
        name = str(step)
        h = layers.attention(name, hidden[-1], self._tuning.letters)
        return elu(self._tuning.normalised(name, h, layers.theta), inplace=True)
