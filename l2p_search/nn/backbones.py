"""What L2P propagates with: what every backbone is, and APPNP, the paper's own choice.

A backbone gives H_0 .. H_K of a graph and the class scores of every step. It has no parameters of
its own: they are `theta`, by the names of the formulas.
"""

from abc import ABC, abstractmethod

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from l2p_search.nn.choices import Choices
from l2p_search.nn.edges import Edges, gcn_normalised

EVERY = slice(None)
"""All nodes, where some could be named."""


class Backbone(ABC):
    """Every step of a graph; a subclass says how a step is made."""

    def __init__(self, choices: Choices) -> None:
        """As the model's options want it."""
        self.choices = choices

    @property
    def first_layer(self) -> frozenset[str]:
        """The parameters that weight decay always applies to."""
        return frozenset({"W_in", "b_in"})

    @property
    def width(self) -> int:
        """Columns of H_k."""
        return self.choices.hidden_channels

    @property
    def step_weights(self) -> frozenset[str]:
        """The parameters that may have a weight decay of their own: those of GCNII's steps."""
        return frozenset()

    @abstractmethod
    def initial(self) -> dict[str, Tensor]:
        """Fresh values of theta."""

    @abstractmethod
    def steps(
        self,
        theta: nn.ParameterDict,
        x: Tensor,
        edges: Edges,
        training: bool,
        nodes: Tensor | slice = EVERY,
    ) -> tuple[Tensor, Tensor]:
        """Propagate over the whole graph, and read every step at some nodes.

        Args:
            theta: The parameters.
            x: Features, [N, F].
            edges: The adjacency matrix A, [N, N].
            training: Whether there is dropout.
            nodes: L nodes, by a mask [N] or by their places.

        Returns:
            H_0 .. H_K [L, T, H], and class scores [L, T, C].
        """

    def dropped(self, h: Tensor, training: bool) -> Tensor:
        """dropout(H)."""
        return F.dropout(h, self.choices.dropout, training)


class Appnp(Backbone):
    """APPNP's propagation, the paper's own choice.

        H_0 = dropout(relu(dropout(X) W_1 + b_1))
        H_k = (1 - a) A_hat H_{k-1} + a H_0                   a is `teleport`
        class scores of step k:  H_k W_2 + skip * H_0 W_3 + b_2

    Klicpera (now Gasteiger), Bojchevski and Guennemann, ICLR 2019,
    https://arxiv.org/abs/1810.05997. W_1 [F, H], W_2 [H, C] or, with one classifier per step,
    [H, T C], W_3 [H, C]. The linear encoder has H_0 = dropout(X) W_1 [N, C] and class scores
    H_k + b_2. `node_dropout` leaves whole rows of H_0 out of the steps, not out of H_0 W_3.
    """

    @property
    def first_layer(self) -> frozenset[str]:
        """The encoder; a linear one has no bias."""
        return frozenset({"W_1"} if self.choices.encoder == "linear" else {"W_1", "b_1"})

    @property
    def width(self) -> int:
        """Columns of H_k."""
        c = self.choices
        return c.out_channels if c.encoder == "linear" else c.hidden_channels

    def initial(self) -> dict[str, Tensor]:
        """Glorot weights, zero biases."""
        c = self.choices
        theta = {"W_1": glorot(c.in_channels, self.width), "b_2": torch.zeros(c.out_channels)}
        if c.encoder == "linear":
            return theta
        classifiers = c.steps if c.classifier == "per_step" else 1
        each = [glorot(c.hidden_channels, c.out_channels) for _ in range(classifiers)]
        theta |= {"b_1": torch.zeros(c.hidden_channels), "W_2": torch.cat(each, dim=1)}
        if c.skip > 0.0:
            theta["W_3"] = glorot(c.hidden_channels, c.out_channels)
        return theta

    def steps(
        self,
        theta: nn.ParameterDict,
        x: Tensor,
        edges: Edges,
        training: bool,
        nodes: Tensor | slice = EVERY,
    ) -> tuple[Tensor, Tensor]:
        """Encode, propagate, classify."""
        c = self.choices
        a_hat = gcn_normalised(edges, c.self_loop) if c.normalize else edges
        h0 = self.dropped(x, training) @ theta["W_1"]
        if c.encoder == "mlp":
            h0 = self.dropped((h0 + theta["b_1"]).relu(), training)
        start = h0
        if c.node_dropout > 0.0:
            start = h0 * F.dropout(h0.new_ones(len(h0), 1), c.node_dropout, training)
        hidden = [start]
        for _ in range(c.K):
            hidden.append((1 - c.teleport) * a_hat.times(hidden[-1]) + c.teleport * start)
        h = torch.stack([step[nodes] for step in hidden], dim=1)
        if c.encoder == "linear":
            return h, h + theta["b_2"]
        if c.classifier == "per_step":
            each = theta["W_2"].view(c.hidden_channels, c.steps, c.out_channels)
            scores = torch.einsum("nth,htc->ntc", h, each) + theta["b_2"]
        else:
            scores = h @ theta["W_2"] + theta["b_2"]
        if c.skip > 0.0:
            scores = scores + c.skip * (h0[nodes] @ theta["W_3"]).unsqueeze(1)
        return h, scores


def glorot(inputs: int, outputs: int) -> Tensor:
    """Uniform weights within sqrt(6 / (inputs + outputs)), which keeps the scale of signals."""
    bound = (6.0 / (inputs + outputs)) ** 0.5
    return torch.empty(inputs, outputs).uniform_(-bound, bound)


def fan_in(inputs: int, outputs: int) -> Tensor:
    """Uniform weights within one over the root of the number of inputs."""
    bound = inputs**-0.5
    return torch.empty(inputs, outputs).uniform_(-bound, bound)
