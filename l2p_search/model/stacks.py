"""Backbones that can be read after every step: GCN, GAT and GCNII*.

H_0 = relu(dropout(X) W_in + b_in); each step then has parameters of its own. Unlike APPNP they
are not linear, so hidden representations are propagated, not class scores.
"""

import math
from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Generator, Tensor
from torch.nn.functional import elu

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.model.attention import attend
from l2p_search.model.features import features_of
from l2p_search.model.layers import Adjacency, Noise, drop_units, features_times
from l2p_search.model.network import Parameters, fan_in, glorot


class Stack(Protocol):
    """H_0, H_1, .. H_K."""

    width: int
    noise_size: int
    bytes_per_seed: int
    step_weights: frozenset[str]

    def initial(self, generators: Sequence[Generator]) -> Parameters:
        """Fresh parameters."""

    def hidden(self, theta: Parameters, seeds: int, noise: Noise) -> list[Tensor]:
        """T = K + 1 representations, each [S, N, width]."""


class GcnStack:
    """H_k = relu(A dropout(H_{k-1}) W_k + b_k)."""

    weights_a_step = 1
    step_weights: frozenset[str] = frozenset()

    def __init__(self, graph: Graph, config: TrialConfig, dtype: torch.dtype) -> None:
        """Prepare the graph's matrices once for all epochs and seeds."""
        self._features = features_of(graph.x.to(dtype), config.hidden)
        self.adjacency = Adjacency(graph, config.edge_dropout, dtype)
        self.width, self.K, self.rate = config.hidden, config.K, config.dropout
        self._inputs, self._nodes, self.dtype = graph.num_features, graph.num_nodes, dtype
        self.noise_size = self.adjacency.noise_size
        if config.dropout > 0:
            self.noise_size += self._features.noise_size + config.K * self.step_noise()
        parameters = (self._inputs + self.weights_a_step * config.K * self.width) * self.width
        held = 7 * (config.K + 1) * graph.num_nodes * self.width + config.K * self.step_noise()
        self.bytes_per_seed = 4 * (6 * parameters + held + self._features.noise_size)

    def step_noise(self) -> int:
        """Random bytes of a step."""
        return self._nodes * self.width

    def initial(self, generators: Sequence[Generator]) -> Parameters:
        """Glorot weights, zero biases."""
        zero = torch.zeros(len(generators), self.width, dtype=self.dtype)
        theta = {
            "W_in": glorot(generators, (self._inputs, self.width), self.dtype),
            "b_in": zero.clone(),
        }
        for step in range(1, self.K + 1):
            theta |= self.initial_step(step, generators, zero.clone())
        return theta

    def hidden(self, theta: Parameters, seeds: int, noise: Noise) -> list[Tensor]:
        """Step by step."""
        values = self.adjacency.values(seeds, noise)
        taken = noise.take(self._features.noise_size) if self.rate > 0 else None
        first = features_times(self._features, theta["W_in"], taken, self.rate)
        hidden = [(first + theta["b_in"][:, None]).relu()]
        for step in range(1, self.K + 1):
            hidden.append(self.step(step, theta, hidden, values, noise))
        return hidden

    def initial_step(self, step: int, generators: Sequence[Generator], zero: Tensor) -> Parameters:
        """The parameters of one step."""
        shape = (self.width, self.width)
        return {f"W_{step}": glorot(generators, shape, self.dtype), f"b_{step}": zero}

    def step(
        self, step: int, theta: Parameters, hidden: list[Tensor], values: Tensor, noise: Noise
    ) -> Tensor:
        """H_k from what came before."""
        product = torch.bmm(self.dropped(hidden[-1], noise), theta[f"W_{step}"])
        return (self.adjacency.convolve(product, values) + theta[f"b_{step}"][:, None]).relu()

    def dropped(self, h: Tensor, noise: Noise) -> Tensor:
        """dropout(H)."""
        taken = noise.take(*h.shape[1:]) if self.rate > 0 else None
        return drop_units(h, taken, self.rate)


class GcniiStack(GcnStack):
    """GCNII* (Chen et al. 2020): an initial residual and an identity mapping.

    With P = (1 - a) A H_{k-1} and c_k = log(lambda / k + 1):

        H_k = relu(P ((1 - c_k) I + c_k W_k) + a H_0 ((1 - c_k) I + c_k V_k))

    The star is for V_k, a second matrix for H_0.
    """

    weights_a_step = 2

    def __init__(self, graph: Graph, config: TrialConfig, dtype: torch.dtype) -> None:
        """`teleport` is their alpha, `identity` their lambda."""
        super().__init__(graph, config, dtype)
        self._alpha, self._lambda = config.teleport, config.identity
        steps = range(1, config.K + 1)
        self.step_weights = frozenset(f"{name}_{step}" for name in "WV" for step in steps)

    def initial_step(self, step: int, generators: Sequence[Generator], zero: Tensor) -> Parameters:
        """Two matrices, no bias."""
        shape = (self.width, self.width)
        return {
            f"W_{step}": fan_in(generators, shape, self.dtype),
            f"V_{step}": fan_in(generators, shape, self.dtype),
        }

    def step(
        self, step: int, theta: Parameters, hidden: list[Tensor], values: Tensor, noise: Noise
    ) -> Tensor:
        """The initial residual and the identity mapping."""
        moved = self.adjacency.convolve(self.dropped(hidden[-1], noise), values)
        initial = torch.bmm(hidden[0], self._alpha * self._mapping(step, theta[f"V_{step}"]))
        mapping = (1.0 - self._alpha) * self._mapping(step, theta[f"W_{step}"])
        return torch.baddbmm(initial, moved, mapping).relu()

    def _mapping(self, step: int, weight: Tensor) -> Tensor:
        """(1 - c_k) I + c_k W: the weights are mapped, not the nodes, of which there are more."""
        share = math.log(self._lambda / step + 1.0)
        return share * weight + (1.0 - share) * torch.eye(self.width, dtype=weight.dtype)


class GatStack(GcnStack):
    """H_k = elu(the heads' attention side by side + b_k)."""

    def __init__(self, graph: Graph, config: TrialConfig, dtype: torch.dtype) -> None:
        """Each head has hidden / heads units."""
        self.heads = config.heads
        self._entries = graph.edges.shape[1] + graph.num_nodes
        super().__init__(graph, config, dtype)

    def step_noise(self) -> int:
        """Of the units, and of the attention."""
        return super().step_noise() + self.heads * self._entries

    def initial_step(self, step: int, generators: Sequence[Generator], zero: Tensor) -> Parameters:
        """The matrix, and what scores the two ends of an edge."""
        return super().initial_step(step, generators, zero) | {
            f"to_{step}": glorot(generators, (self.heads, self.width // self.heads), self.dtype),
            f"from_{step}": glorot(generators, (self.heads, self.width // self.heads), self.dtype),
        }

    def step(
        self, step: int, theta: Parameters, hidden: list[Tensor], values: Tensor, noise: Noise
    ) -> Tensor:
        """Heads are further seeds."""
        name = str(step)
        product = torch.bmm(self.dropped(hidden[-1], noise), theta[f"W_{name}"])
        taken = noise.take(self.heads * self._entries) if self.rate > 0 else None
        heads = attention_heads(
            self.adjacency, product, theta[f"to_{name}"], theta[f"from_{name}"], taken, self.rate
        )
        return elu(heads + theta[f"b_{name}"][:, None])


def attention_heads(
    adjacency: Adjacency,
    product: Tensor,
    to: Tensor,
    from_: Tensor,
    noise: Tensor | None,
    rate: float,
) -> Tensor:
    """Attention of projected units [S, N, heads * U] by `to` and `from_` [S, heads, U]."""
    seeds, nodes, width = product.shape
    heads, units = to.shape[1:]
    apart = product.view(seeds, nodes, heads, units).transpose(1, 2).reshape(-1, nodes, units)
    own = None if noise is None else noise.reshape(seeds * heads, -1)
    ends = (to.reshape(-1, units), from_.reshape(-1, units))
    together = attend(adjacency, apart, *ends, own, rate).view(seeds, heads, nodes, units)
    return together.transpose(1, 2).reshape(seeds, nodes, width)
