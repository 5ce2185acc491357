"""H_0 = dropout(relu(dropout(X) W_1 + b_1)), projected at once to scores of steps and classes.

The classifier and the scorer are linear and act on units, propagation is linear and acts on
nodes, so they commute: A_hat (H_0 W) = (A_hat H_0) W. H_0 is projected first, and the few columns
of the projection are propagated instead of all hidden units.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Generator, Tensor
from torch.autograd.function import once_differentiable

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.model.dense import (
    fast_width,
    flat_product,
    narrow_product,
    product,
    side_by_side,
)
from l2p_search.model.dropout import drop, keep_scale
from l2p_search.model.features import Draw, Features, features_of
from l2p_search.model.network import GradientSink, Parameters, Pass
from l2p_search.model.problem import Problem


@dataclass(frozen=True, eq=False)
class EncoderNoise:
    """The random bytes of one training step, and the rate of both dropouts.

    Attributes:
        features: For the dropout of X, [S, noise_size of the features].
        hidden: For the dropout of the hidden units, [S, N, H].
        rate: The share of entries to drop.
    """

    features: Tensor
    hidden: Tensor
    rate: float

    @property
    def scale(self) -> float:
        """What the entries kept by one dropout are multiplied by."""
        return keep_scale(self.rate)


class Encoder:
    """The hidden layer and the classifiers of one graph and configuration.

    Parameters of theta: W_1 [S, F, H], b_1 [S, H], W_2 [S, H, C] or with one classifier per step
    [S, H, T C], b_2 [S, C].

    Config keys: hidden, dropout, classifier; K with one classifier per step.
    """

    first_layer = frozenset({"W_1", "b_1"})
    streamed = frozenset({"W_1"})
    """Its gradient is the largest of all: a sink can take it block by block."""

    def __init__(self, problem: Problem, config: TrialConfig) -> None:
        """Prepare the features once for all epochs and seeds."""
        graph = problem.graph
        self._problem, self._features = problem, features_of(problem, config.hidden)
        self._shapes = (graph.num_features, config.hidden, graph.num_classes)
        self.classifiers = config.K + 1 if config.classifier == "per_step" else 1
        self._hidden_shape = (graph.num_nodes, config.hidden)
        self._rate = config.dropout
        self.width = config.hidden
        self.noise_size = 0
        if config.dropout > 0:
            self.noise_size = self._features.noise_size + graph.num_nodes * config.hidden
        self.bytes_per_seed = encoder_bytes(graph, self.width)

    def initial(self, generators: Sequence[Generator]) -> Parameters:
        """Glorot weights, zero biases; the classifiers of several steps stand side by side."""
        features, hidden, classes = self._shapes
        seeds, problem = len(generators), self._problem
        first = problem.glorot(generators, (features, hidden))
        classifiers = [
            problem.glorot(generators, (hidden, classes)) for _ in range(self.classifiers)
        ]
        return {
            "W_1": first,
            "b_1": problem.zeros(seeds, hidden),
            "W_2": torch.cat(classifiers, dim=2),
            "b_2": problem.zeros(seeds, classes),
        }

    def read(self, given: Pass) -> tuple[Tensor, Tensor]:
        """H_0 times the scorer of phi, and times all classifiers of theta.

        Returns:
            Score columns [S, N, R] for R = 1 or T scorers, and class columns [S, N, C] per
            classifier, side by side, without the bias.
        """
        classifier = given.theta["W_2"]
        if "W_3" in given.theta:
            classifier = torch.cat([classifier, given.theta["W_3"]], dim=2)
        return self.columns(given, given.phi["w"], classifier)

    def columns(self, given: Pass, scorer: Tensor, classifier: Tensor) -> tuple[Tensor, Tensor]:
        """H_0 times a scorer [S, H, R] and times a classifier [S, H, C], without a bias."""
        noise, split = given.noise, None
        if noise is not None and self._rate > 0:
            size = self._features.noise_size
            hidden = noise[:, size : self.noise_size].view(-1, *self._hidden_shape)
            split = EncoderNoise(noise[:, :size], hidden, self._rate)
        weight, bias = given.theta["W_1"], given.theta["b_1"]
        return encode_and_project(
            self._features, weight, bias, scorer, classifier, split, given.sink
        )


def encoder_bytes(graph: Graph, width: int) -> int:
    """Estimate of the memory that one seed of an encoder with `width` hidden units takes.

    Parameters with gradient, two moments of Adam and the best state; hidden representations with
    gradient and random bytes; the values that dropout leaves of the features.
    """
    words = 6 * graph.num_features * width + 3 * graph.num_nodes * width
    return 4 * (words + min(3 * int((graph.x != 0).sum()), graph.x.numel()))


def encode_and_project(
    features: Features,
    weight: Tensor,
    bias: Tensor,
    scorer: Tensor,
    classifier: Tensor,
    noise: EncoderNoise | None,
    sink: GradientSink | None = None,
) -> tuple[Tensor, Tensor]:
    """H_0 w and H_0 W_2, where H_0 = dropout(relu(dropout(X) W_1 + b_1)).

    Args:
        features: X [N, F].
        weight: W_1 [S, F, H].
        bias: b_1 [S, H].
        scorer: w [S, H, R].
        classifier: W_2 [S, H, C].
        noise: Random bytes of both dropouts; None for a pass without dropout.
        sink: Where the gradient of W_1 goes instead of to autograd.

    Returns:
        Score columns [S, N, R] and class columns [S, N, C].
    """
    columns: tuple[Tensor, Tensor] = EncodeAndProject.apply(  # type: ignore[no-untyped-call]
        weight, bias, scorer, classifier, features, noise, sink
    )
    return columns


class EncodeAndProject(torch.autograd.Function):
    """The encoder as one operation, on one block of seeds at a time, which stays in the cache.

    For its backward pass it keeps H_0 and the draw of dropout, nothing else.
    relu(c x) = c relu(x) for c > 0, so the scale of the second dropout is moved into the first
    product, where it costs nothing. And H_0 > 0 exactly where a unit was both active and kept, so
    H_0 is its own mask.
    """

    @staticmethod
    def forward(
        ctx: Any,
        weight: Tensor,
        bias: Tensor,
        scorer: Tensor,
        classifier: Tensor,
        features: Features,
        noise: EncoderNoise | None,
        sink: GradientSink | None,
    ) -> tuple[Tensor, Tensor]:
        """Product, bias, relu, dropout, projection."""
        weight = weight.detach()
        projection = torch.cat([scorer, classifier], dim=2)
        padded = fast_width(projection, features.num_nodes)
        hidden = weight.new_empty(weight.shape[0], features.num_nodes, weight.shape[2])
        columns = weight.new_empty(*hidden.shape[:2], padded.shape[2])
        scale = 1.0 if noise is None else noise.scale
        draw = Draw()
        if noise is not None:
            draw = features.dropped(noise.features, noise.rate, scale**2)
        for block in features.blocks(weight.shape[0]):
            active = features.times(weight[block], draw.of_seeds(block))
            active.add_(bias[block, None], alpha=scale)
            if noise is None:
                torch.clamp_min(active, 0.0, out=hidden[block])
            else:
                drop(active.relu_(), noise.hidden[block], noise.rate, out=hidden[block])
            product(hidden[block], padded[block], out=columns[block])
        ctx.save_for_backward(hidden, projection)
        ctx.features, ctx.draw, ctx.scale = features, draw, scale
        ctx.scorers, ctx.num_features, ctx.sink = scorer.shape[2], weight.shape[1], sink
        score_columns, rest = columns.split(
            [scorer.shape[2], padded.shape[2] - scorer.shape[2]], 2
        )
        class_columns = rest[:, :, : classifier.shape[2]]
        if not (ctx.needs_input_grad[0] or ctx.needs_input_grad[3]):
            ctx.mark_non_differentiable(class_columns)
        return score_columns, class_columns

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_scores: Tensor, grad_classes: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients; when only the scorer learns, just the one product of its gradient."""
        hidden, projection = ctx.saved_tensors
        nothing = (None, None, None)
        if not (ctx.needs_input_grad[0] or ctx.needs_input_grad[3]):
            return None, None, narrow_product(hidden.transpose(1, 2), grad_scores), None, *nothing
        grad_columns = side_by_side(grad_scores, grad_classes).contiguous()
        grad_projection = torch.empty_like(projection)
        grad_bias = hidden.new_empty(hidden.shape[0], hidden.shape[2])
        grad_weight, sink = None, ctx.sink
        if sink is None:
            grad_weight = hidden.new_empty(hidden.shape[0], ctx.num_features, hidden.shape[2])
            sink = _collect(grad_weight)
        for block in ctx.features.blocks(hidden.shape[0]):
            transposed = hidden[block].transpose(1, 2)
            grad_projection[block] = narrow_product(transposed, grad_columns[block])
            grad_hidden = flat_product(grad_columns[block], projection[block].transpose(1, 2))
            grad_hidden = grad_hidden.view_as(hidden[block])
            passed = torch.ops.aten.threshold_backward.grad_input(
                grad_hidden, hidden[block], 0.0, grad_input=grad_hidden
            )
            sink("W_1", ctx.features.transposed_times(passed, ctx.draw.of_seeds(block)), block)
            torch.sum(passed, dim=1, out=grad_bias[block])
        grad_bias.mul_(ctx.scale)
        grad_scorer, grad_classifier = grad_projection.tensor_split([ctx.scorers], dim=2)
        return grad_weight, grad_bias, grad_scorer, grad_classifier, *nothing


def _collect(into: Tensor) -> GradientSink:
    """A sink that writes the gradient of one parameter into a tensor [S, ...]."""

    def sink(name: str, gradient: Tensor, seeds: slice) -> None:
        into[seeds] = gradient

    return sink
