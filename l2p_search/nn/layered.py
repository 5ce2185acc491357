"""Backbones whose steps have weights of their own: GCN, GraphSAGE, GAT and GCNII*.

A_hat = D^-1/2 (A + I) D^-1/2; hidden representations are H_k [N, H].
"""

import math
from abc import abstractmethod
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from l2p_search.nn.backbones import EVERY, Backbone, fan_in, glorot
from l2p_search.nn.edges import (
    Edges,
    gcn_normalised,
    neighbour_mean,
    softmax_of_rows,
    with_loops,
    without_some,
)


class Layered(Backbone):
    """Steps with weights of their own, and one classifier that reads them all.

        H_0 = relu(dropout(X) W_in + b_in)
        class scores of step k:  R W_out + b_out,  R = H_k

    With `head_layers` above 1, R = dropout(relu(.. W_head_i + b_head_i)) layer by layer: all steps
    of a node lose the same units, as q compares them.
    """

    @property
    def head_layers(self) -> int:
        """Layers of the classifier."""
        return 1

    def initial(self) -> dict[str, Tensor]:
        """Glorot weights, zero biases."""
        c = self.choices
        theta = {"W_in": glorot(c.in_channels, self.width), "b_in": torch.zeros(self.width)}
        for k in range(1, c.K + 1):
            theta |= self.initial_step(k)
        for layer in range(1, self.head_layers):
            theta[f"W_head_{layer}"] = glorot(self.width, self.width)
            theta[f"b_head_{layer}"] = torch.zeros(self.width)
        return theta | {
            "W_out": glorot(self.width, c.out_channels),
            "b_out": torch.zeros(c.out_channels),
        }

    def steps(
        self,
        theta: nn.ParameterDict,
        x: Tensor,
        edges: Edges,
        training: bool,
        nodes: Tensor | slice = EVERY,
    ) -> tuple[Tensor, Tensor]:
        """Encode, step by step, classify."""
        matrix = self.matrix(edges, training)
        hidden = [(self.dropped(x, training) @ theta["W_in"] + theta["b_in"]).relu()]
        for k in range(1, self.choices.K + 1):
            hidden.append(self.step(k, hidden, theta, matrix, training))
        h = read = torch.stack([step[nodes] for step in hidden], dim=1)
        for layer in range(1, self.head_layers):
            read = (read @ theta[f"W_head_{layer}"] + theta[f"b_head_{layer}"]).relu()
            kept = self.dropped(torch.ones_like(hidden[0]), training)
            read = read * kept[nodes].unsqueeze(1)
        return h, read @ theta["W_out"] + theta["b_out"]

    def matrix(self, edges: Edges, training: bool) -> Edges:
        """What a step multiplies by: A_hat, of the edges that DropEdge leaves."""
        if not self.choices.normalize:
            return edges
        return gcn_normalised(without_some(edges, self.choices.edge_dropout, training))

    @abstractmethod
    def initial_step(self, k: int) -> dict[str, Tensor]:
        """Fresh values of the parameters of step k."""

    @abstractmethod
    def step(
        self, k: int, hidden: list[Tensor], theta: nn.ParameterDict, matrix: Edges, training: bool
    ) -> Tensor:
        """H_k from H_0 .. H_{k-1}."""


class Gcn(Layered):
    """H_k = relu(norm(A_hat dropout(H_{k-1}) W_k + b_k + dropout(H_{k-1}) V_k)).

    Kipf and Welling, ICLR 2017, https://arxiv.org/abs/1609.02907; V_k with `residual` and norm as
    in Luo, Shi and Wu, NeurIPS 2024, https://arxiv.org/abs/2406.08993. W_k, V_k [H, H], b_k [H];
    with a norm scale_k, shift_k [H].
    """

    activation: Callable[[Tensor], Tensor] = staticmethod(torch.relu)
    own: tuple[str, ...] = ()
    """Letters of the matrices that multiply a node's own representation."""

    @property
    def head_layers(self) -> int:
        """Layers of the classifier."""
        return self.choices.head_layers

    @property
    def letters(self) -> tuple[str, ...]:
        """`own`, and V of a residual connection."""
        return (*self.own, "V") if self.choices.residual == "linear" else self.own

    def initial_step(self, k: int) -> dict[str, Tensor]:
        """Glorot weights, zero biases, a scale of one."""
        theta = {
            f"{letter}_{k}": glorot(self.width, self.width) for letter in ("W", *self.letters)
        }
        theta[f"b_{k}"] = torch.zeros(self.width)
        if self.choices.norm != "none":
            theta[f"scale_{k}"] = torch.ones(self.width)
            theta[f"shift_{k}"] = torch.zeros(self.width)
        return theta

    def step(
        self, k: int, hidden: list[Tensor], theta: nn.ParameterDict, matrix: Edges, training: bool
    ) -> Tensor:
        """What neighbours send, what the node keeps, normalisation, activation."""
        h = self.dropped(hidden[-1], training)
        out = self.sent(k, h @ theta[f"W_{k}"], theta, matrix, training) + theta[f"b_{k}"]
        for letter in self.letters:
            out = out + h @ theta[f"{letter}_{k}"]
        if self.choices.norm == "layer":
            out = F.layer_norm(out, out.shape[1:], theta[f"scale_{k}"], theta[f"shift_{k}"])
        elif self.choices.norm == "batch":  # over the nodes of this pass, also in evaluation
            scale, shift = theta[f"scale_{k}"], theta[f"shift_{k}"]
            out = F.batch_norm(out, None, None, scale, shift, training=True)
        return self.activation(out)

    def sent(
        self, k: int, h: Tensor, theta: nn.ParameterDict, matrix: Edges, training: bool
    ) -> Tensor:
        """The convolution of h [N, H]."""
        return matrix.times(h)


class Sage(Gcn):
    """H_k = relu(norm(D^-1 A dropout(H_{k-1}) W_k + dropout(H_{k-1}) U_k + b_k)).

    GraphSAGE with the mean aggregator: Hamilton, Ying and Leskovec, NeurIPS 2017,
    https://arxiv.org/abs/1706.02216. The mean is by the weights of the edges, if there are any.
    """

    own = ("U",)

    def matrix(self, edges: Edges, training: bool) -> Edges:
        """D^-1 A, of the edges that DropEdge leaves."""
        return neighbour_mean(without_some(edges, self.choices.edge_dropout, training))


class Gat(Gcn):
    """H_k = elu(norm(attention to dropout(H_{k-1}) W_k + b_k)), the heads' units side by side.

        e_ij = leaky_relu(to . W h_i + from . W h_j),  alpha_i = dropout(softmax over j of e_ij)

    Velickovic, Cucurull, Casanova, Romero, Lio and Bengio, ICLR 2018,
    https://arxiv.org/abs/1710.10903. to_k, from_k [heads, H / heads]. The weights of edges are
    not read.
    """

    activation = staticmethod(F.elu)

    def initial_step(self, k: int) -> dict[str, Tensor]:
        """Also what scores the two ends of an edge."""
        shape = (self.choices.heads, self.width // self.choices.heads)
        return super().initial_step(k) | {f"to_{k}": glorot(*shape), f"from_{k}": glorot(*shape)}

    def matrix(self, edges: Edges, training: bool) -> Edges:
        """Who attends to whom: a node to its neighbours, and to itself."""
        return with_loops(edges, 1.0)

    def sent(
        self, k: int, h: Tensor, theta: nn.ParameterDict, matrix: Edges, training: bool
    ) -> Tensor:
        """The heads' attention, side by side."""
        apart = h.view(len(h), self.choices.heads, -1)
        to = torch.einsum("nhu,hu->hn", apart, theta[f"to_{k}"])[:, matrix.row]
        from_ = torch.einsum("nhu,hu->hn", apart, theta[f"from_{k}"])[:, matrix.column]
        alpha = softmax_of_rows(F.leaky_relu(to + from_, 0.2), matrix)
        alpha = self.dropped(alpha, training)
        each = zip(alpha, apart.unbind(dim=1), strict=True)
        return torch.cat([matrix._replace(weight=own).times(units) for own, units in each], dim=1)


class Gcnii(Layered):
    """GCNII*: an initial residual and an identity mapping.

        H_k = relu((1 - a) A_hat dropout(H_{k-1}) W'_k + a H_0 V'_k)
        M'_k = (1 - c_k) I + c_k M_k,  c_k = log(lambda / k + 1)

    Chen, Wei, Huang, Ding and Li, ICML 2020, https://arxiv.org/abs/2007.02133. W_k, V_k [H, H];
    a is `teleport`, lambda is `identity`.
    """

    @property
    def step_weights(self) -> frozenset[str]:
        """W_k and V_k of every step."""
        steps = range(1, self.choices.K + 1)
        return frozenset(f"{letter}_{k}" for letter in "WV" for k in steps)

    def initial_step(self, k: int) -> dict[str, Tensor]:
        """Two matrices, no bias."""
        return {f"{letter}_{k}": fan_in(self.width, self.width) for letter in "WV"}

    def step(
        self, k: int, hidden: list[Tensor], theta: nn.ParameterDict, matrix: Edges, training: bool
    ) -> Tensor:
        """The initial residual and the identity mapping."""
        share, alpha = math.log(self.choices.identity / k + 1.0), self.choices.teleport
        moved = (1 - alpha) * matrix.times(self.dropped(hidden[-1], training))
        kept = alpha * hidden[0]
        mapped = moved @ theta[f"W_{k}"] + kept @ theta[f"V_{k}"]
        return torch.relu((1 - share) * (moved + kept) + share * mapped)
