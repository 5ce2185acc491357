"""Class scores of a graph with many labelled nodes: whole rows of nodes, mixed over the steps.

The class scores of every step at every labelled node, [T, S, L, C], are the largest tensor of an
epoch there. They are kept once, as rows of nodes, which are copied and added up as a whole. Their
gradient is the product of a step's weight and of the gradient of the mixture: it is made step by
step on the way back, and never stands in memory. One seed is taken after another, and of its
columns a few at a time, so that they stay in the cache from step to step.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from l2p_search.model.propagation import Propagation, backwards_by_scores

_TOGETHER = 16
"""Columns that are propagated together: a row of them is one line of the processor's cache. Rows
are read in the order of the edges, and every read of 20 columns would touch two lines."""

MIXED_FROM = 2**24
"""Bytes of one seed's class scores from which this way is the faster one."""

_Mixtures = list[tuple[Tensor, Tensor]]
"""Weights [S, L, T] that class scores were mixed by, and the gradient of the mixture [S, L, C]."""


class StepsOfRows:
    """The class scores of all steps at each seed's nodes, which can be mixed by any weights.

    Attributes:
        scores: Of the steps, [S, L, T].
        rows: Class scores of each step, [T, S, L, C]. Only `mixed` may take a gradient of them.
    """

    def __init__(
        self,
        propagation: Propagation,
        score_columns: Tensor,
        class_columns: Tensor,
        nodes: Tensor,
    ) -> None:
        """Propagate columns of H_0 and read every step.

        Args:
            propagation: The recurrence and its K = T - 1 steps.
            score_columns: H_0 times the one scorer of all steps, [S, N, 1].
            class_columns: H_0 times the classifier, [S, N, C].
            nodes: Where to read, [S, L].
        """
        self._mixtures: _Mixtures = []
        scores, self.rows = ReadRowsOfSteps.apply(  # type: ignore[no-untyped-call]
            score_columns, class_columns, nodes, propagation, self._mixtures
        )
        self.scores = scores.permute(1, 2, 0)

    def mixed(self, weights: Tensor) -> Tensor:
        """sum_t w_t logits_t for weights [S, L, T]: -> [S, L, C]."""
        found: Tensor = MixRows.apply(  # type: ignore[no-untyped-call]
            self.rows, weights, self._mixtures
        )
        return found


class MixRows(torch.autograd.Function):
    """sum_t w_t logits_t, with the gradient of the weights.

    That of the class scores would be as large as they are. Its factors are left in `mixtures`
    instead, for the backward pass of `ReadRowsOfSteps`, and autograd is given zeros without
    memory, so that it calls that pass.
    """

    @staticmethod
    def forward(ctx: Any, rows: Tensor, weights: Tensor, mixtures: _Mixtures) -> Tensor:
        """The mixture [S, L, C]."""
        by_step = weights.permute(2, 0, 1).unsqueeze(-1)
        mixed = rows[0] * by_step[0]
        for own, weight in zip(rows[1:], by_step[1:], strict=True):
            mixed.addcmul_(own, weight)
        ctx.save_for_backward(weights, rows)
        ctx.mixtures = mixtures
        return mixed

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """By w_t, the product with what was read."""
        weights, rows = ctx.saved_tensors
        grad, grad_rows, grad_weights = grad.contiguous(), None, None
        if ctx.needs_input_grad[0]:
            ctx.mixtures.append((weights, grad))
            grad_rows = rows.new_zeros(()).expand(rows.shape)
        if ctx.needs_input_grad[1]:
            found = rows.new_empty(rows.shape[:3])
            for step, read in enumerate(rows):
                torch.sum(grad * read, dim=2, out=found[step])
            grad_weights = found.permute(1, 2, 0)
        return grad_rows, grad_weights, None


class ReadRowsOfSteps(torch.autograd.Function):
    """Returns scores [T, S, L] and class scores [T, S, L, C]."""

    @staticmethod
    def forward(
        ctx: Any,
        score_columns: Tensor,
        class_columns: Tensor,
        nodes: Tensor,
        propagation: Propagation,
        mixtures: _Mixtures,
    ) -> tuple[Tensor, Tensor]:
        """The recurrence forwards; the score column goes with the class columns."""
        classes, steps = class_columns.shape[2], propagation.steps + 1
        rows = class_columns.new_empty(steps, *nodes.shape, classes)
        scores = rows.new_empty(steps, *nodes.shape)
        for seed, own in enumerate(nodes):
            columns = torch.cat([class_columns[seed], score_columns[seed]], dim=1)
            for some in _groups(classes + 1):
                current = start = columns[:, some].contiguous()
                for step in range(steps):
                    if step > 0:
                        current = propagation.forward_step(current, start)
                    read = current.index_select(0, own)
                    rows[step, seed, :, some] = read[:, : classes - some.start]
                    if some.stop > classes:
                        scores[step, seed] = read[:, -1]
        ctx.save_for_backward(nodes)
        ctx.propagation, ctx.mixtures, ctx.classes = propagation, mixtures, classes
        if not ctx.needs_input_grad[1]:
            ctx.mark_non_differentiable(rows)
        return scores, rows

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_scores: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        """The recurrence backwards; where nothing was mixed, on the score column only."""
        (nodes,) = ctx.saved_tensors
        propagation, nothing = ctx.propagation, (None, None, None)
        if not ctx.mixtures:
            return backwards_by_scores(propagation, nodes, grad_scores), None, *nothing
        width = ctx.classes + 1
        total = grad_scores.new_empty(len(nodes), propagation.num_nodes, width)
        for seed, own in enumerate(nodes):
            by_step = [
                (weights[seed].t().contiguous(), grad[seed]) for weights, grad in ctx.mixtures
            ]
            for some in _groups(width):
                factors = [(weights, grad[:, some].contiguous()) for weights, grad in by_step]
                scores = grad_scores[:, seed] if some.stop > ctx.classes else None
                total[seed, :, some] = _backwards(propagation, own, factors, scores)
        ctx.mixtures.clear()
        of_classes, of_scores = total.split([ctx.classes, 1], dim=2)
        return of_scores, of_classes, *nothing


def _backwards(
    propagation: Propagation,
    nodes: Tensor,
    factors: _Mixtures,
    grad_scores: Tensor | None,
) -> Tensor:
    """The gradient of some columns of one seed.

    Args:
        propagation: The recurrence.
        nodes: Where the columns were read, [L].
        factors: Of each mixture the weights [T, L], and the gradient for these columns [L, C].
        grad_scores: If the score column is the last of them, its gradient after each step, [T, L].

    Returns:
        The gradient, [N, D].
    """
    total = current = None
    for step in range(propagation.steps, -1, -1):
        parts = [grad * weights[step].unsqueeze(1) for weights, grad in factors]
        read = sum(parts[1:], start=parts[0])
        if grad_scores is not None:
            read = torch.cat([read, grad_scores[step].unsqueeze(1)], dim=1)
        if total is None or current is None:
            total = read.new_zeros(propagation.num_nodes, read.shape[1])
            current = torch.zeros_like(total)
        else:
            current = propagation.backward_step(current)
        current.index_add_(0, nodes, read)
        total.add_(current, alpha=propagation.teleport if step > 0 else 1.0)
    assert total is not None
    return total


def _groups(columns: int) -> Iterator[slice]:
    """The columns in groups, of which the last may have fewer."""
    for first in range(0, columns, _TOGETHER):
        yield slice(first, min(first + _TOGETHER, columns))
