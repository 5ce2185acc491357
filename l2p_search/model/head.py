"""The classifier that reads hidden representations: linear, or an MLP with relu and dropout."""

from collections.abc import Sequence

import torch
from torch import Generator, Tensor

from l2p_search.config import TrialConfig
from l2p_search.model.dense import times
from l2p_search.model.layered_pass import LayeredPass
from l2p_search.model.network import Parameters
from l2p_search.model.problem import Problem


class Head:
    """Layers one after another, the last of which gives class scores.

    Of the hidden representations that are read (R):

        R' = dropout(relu(.. dropout(relu(R W_head_1 + b_head_1)) ..))
        class scores  R' W_out + b_out

    Parameters of theta: W_out [S, H, C], b_out [S, C], and of hidden layer i W_head_i [S, H, H],
    b_head_i [S, H].

    Config keys: hidden, dropout.

    Attributes:
        noise_size: Random bytes per seed for its dropout.
        parameters: How many numbers its parameters of one seed are.
        is_linear: Whether class scores are R W_out + b_out, of what is read as it is.
    """

    def __init__(self, layers: int, problem: Problem, config: TrialConfig, *, drop: bool) -> None:
        """A head of so many layers, the one that gives class scores included.

        Args:
            layers: At least 1.
            problem: What is learned on, and where.
            config: How.
            drop: Whether what is read is dropped out before the first layer.
        """
        self.is_linear = layers == 1 and not drop
        self._names = [f"head_{layer}" for layer in range(1, layers)]
        self._width, self._classes = config.hidden, problem.graph.num_classes
        self._problem, self._drop = problem, drop
        self.noise_size = 0
        if config.dropout > 0:
            self.noise_size = (layers - 1 + drop) * problem.graph.num_nodes * config.hidden
        self.parameters = (layers - 1) * self._width * (self._width + 1)
        self.parameters += (self._width + 1) * self._classes

    def initial(self, generators: Sequence[Generator]) -> Parameters:
        """Glorot weights, zero biases."""
        theta: Parameters = {}
        for name in (*self._names, "out"):
            shape = (self._width, self._classes if name == "out" else self._width)
            theta[f"W_{name}"] = self._problem.glorot(generators, shape)
            theta[f"b_{name}"] = self._problem.zeros(len(generators), shape[1])
        return theta

    def hidden(
        self, steps: Sequence[Tensor], nodes: Tensor, layers: LayeredPass
    ) -> Sequence[Tensor]:
        """R' of every step, from which W_out makes class scores.

        Args:
            steps: R, hidden representations at the nodes, [S, L, H] for each step. All steps of
                a node lose the same units: q compares them.
            nodes: Where they were read, [S, L].
            layers: The pass; its next random bytes are taken.

        Returns:
            As many tensors of the same shape.
        """
        if self._drop:
            steps = layers.dropped_at(steps, nodes)
        for name in self._names:
            weight, bias = layers.theta[f"W_{name}"], layers.bias(name)
            hidden = [times(read, weight).add_(bias).relu_() for read in steps]
            steps = layers.dropped_at(hidden, nodes)
        return steps

    def class_scores(self, read: Tensor, nodes: Tensor, layers: LayeredPass) -> Tensor:
        """Class scores [S, L, C] of representations [S, L, H] that were read at nodes [S, L]."""
        (hidden,) = self.hidden([read], nodes, layers)
        return torch.bmm(hidden, layers.theta["W_out"]) + layers.bias("out")
