"""H_k = (1 - a) A_hat H_{k-1} + a H_0, read at the labelled nodes only.

The propagation of APPNP (Klicpera, now Gasteiger, Bojchevski and Guennemann, ICLR 2019,
https://arxiv.org/abs/1810.05997). The loss reads each step at the labelled nodes, so only those
rows are kept, and the backward pass is the same recurrence run backwards with the gradients of
those rows added in.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from l2p_search.model.dense import side_by_side
from l2p_search.model.problem import Problem
from l2p_search.model.sparse import SparseMatrix

_SCORE_GROUP = 4
"""Score columns that are propagated together: more of them are propagated for longer than they
are read, fewer take more calls."""

_KNOWN = 4
"""Of how many sets of nodes it is remembered where their numbers lie."""


def normalised_adjacency(problem: Problem, self_loop: float = 1.0) -> SparseMatrix:
    """A_hat = D^-1/2 (A + w I) D^-1/2: the GCN normalisation, with self-loops of weight w.

    Kipf and Welling, ICLR 2017, https://arxiv.org/abs/1609.02907. A has the weights of
    the edges when the graph has some, and D their sums per node with the self-loop. Without
    self-loops a node that has no neighbour receives nothing.

    Args:
        problem: The edges of its graph have weight one unless the graph has weights.
        self_loop: w.

    Returns:
        The matrix, [N, N].

    Example:
        >>> from l2p_search.data.demo import demo_graph
        >>> graph = demo_graph()
        >>> normalised_adjacency(Problem(graph)).nonzeros == 2 * graph.num_edges + graph.num_nodes
        True
    """
    graph = problem.graph
    row, column = graph.edges
    weights = row.new_ones(row.numel(), dtype=torch.float64)
    if graph.weights is not None:
        weights = graph.weights.double()
    scale = (row.bincount(weights, minlength=graph.num_nodes) + self_loop).rsqrt()
    if self_loop > 0.0:
        loops = torch.arange(graph.num_nodes, device=row.device)
        row, column = torch.cat([row, loops]), torch.cat([column, loops])
        weights = torch.cat([weights, weights.new_full((graph.num_nodes,), self_loop)])
    values = (weights * scale[row] * scale[column]).to(problem.dtype)
    shape = (graph.num_nodes, graph.num_nodes)
    return SparseMatrix.from_coordinates(row, column, values, shape).to(problem.device)


class Propagation:
    """K steps of APPNP's propagation over one graph, on columns [N, D] of any meaning."""

    def __init__(self, adjacency: SparseMatrix, steps: int, teleport: float) -> None:
        """Propagate `steps` times with A_hat, returning to H_0 with probability `teleport`."""
        self.num_nodes = adjacency.shape[0]
        self.steps = steps
        self.teleport = teleport
        self._moving = adjacency.scaled(1.0 - teleport)
        # An epoch reads at training and at validation nodes, which stay the same tensors.
        self._places: deque[tuple[Tensor, dict[_Group, Callable[[int], Tensor]]]]
        self._places = deque(maxlen=_KNOWN)

    def forward_step(self, current: Tensor, start: Tensor) -> Tensor:
        """(1 - a) A_hat H + a H_0, for [N, columns]."""
        return self._moving.times(current).add_(start, alpha=self.teleport)

    def backward_step(self, grad: Tensor) -> Tensor:
        """(1 - a) A_hat.T G, for [N, columns]."""
        return self._moving.transposed_times(grad)

    def places(self, group: "_Group", nodes: Tensor) -> Callable[[int], Tensor]:
        """Where a group's numbers are read after a step, remembered for the next epochs."""
        of_groups = next((of for known, of in tuple(self._places) if known is nodes), None)
        if of_groups is None:
            of_groups = {}
            self._places.append((nodes, of_groups))
        if group not in of_groups:
            of_groups[group] = group.places(nodes)
        return of_groups[group]


def columns_bytes(
    nodes: int, rows: int, steps: int, scorers: int, classes: int, *, mixed: bool = False
) -> int:
    """Estimate of the memory that the recurrence of one seed takes.

    Five tensors of columns [N, scorers + classes] live at a time; what is read at `rows` nodes
    after each of the `steps` is kept with its gradients, or once if it is mixed as rows.
    """
    kept = 1 if mixed else 4
    return 4 * (5 * nodes * (scorers + classes) + kept * steps * rows * (1 + classes))


def propagate_and_read(
    propagation: Propagation,
    score_columns: Tensor,
    class_columns: Tensor,
    nodes: Tensor,
    scored: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Propagate columns of H_0 and read every step at the given nodes.

    In the memory of what is returned T comes first and L last: sums over steps and classes then
    run over whole vectors.

    Args:
        propagation: The recurrence and its K = T - 1 steps.
        score_columns: H_0 times the scorer, [S, N, 1] for all steps or [S, N, T] for one each.
        class_columns: H_0 times the classifier, [S, N, C].
        nodes: Where to read, [S, L].
        scored: How many steps have a score, from the first one on; all if it is not given. With
            one score column each, the others are not propagated, and their scores are 0.

    Returns:
        Scores of the steps [S, L, T], and class scores [S, L, T, C].
    """
    every = propagation.steps + 1
    with_score = every if scored is None or score_columns.shape[2] == 1 else scored
    scores, logits = PropagateAndRead.apply(  # type: ignore[no-untyped-call]
        score_columns, class_columns, nodes, propagation, with_score
    )
    return scores.permute(1, 2, 0), logits.permute(2, 3, 0, 1)


class PropagateAndRead(torch.autograd.Function):
    """Returns scores [T, S, L] and class scores [T, C, S, L].

    The columns are propagated in groups (see `_groups`), each laid out [N, D * S]: the S seeds of
    one column side by side.
    """

    @staticmethod
    def forward(
        ctx: Any,
        score_columns: Tensor,
        class_columns: Tensor,
        nodes: Tensor,
        propagation: Propagation,
        scored: int,
    ) -> tuple[Tensor, Tensor]:
        """The recurrence forwards."""
        scorers, classes = score_columns.shape[2], class_columns.shape[2]
        read = class_columns.new_empty(propagation.steps + 1, 1 + classes, *nodes.shape)
        read[scored:, 0] = 0.0
        # Transposed at once: several times faster than a few columns at a time.
        columns = side_by_side(score_columns, class_columns).permute(1, 2, 0).contiguous()
        for group in _groups(scorers, classes, scored):
            current = start = group.of_columns(columns).flatten(1).contiguous()
            places, own = propagation.places(group, nodes), group.of_read(read)
            for step in range(group.last_step(propagation.steps) + 1):
                if step > 0:
                    current = propagation.forward_step(current, start)
                if group.is_read_after(step):
                    torch.index_select(current.view(-1), 0, places(step), out=own[step])
        ctx.save_for_backward(nodes)
        ctx.propagation, ctx.scorers, ctx.classes = propagation, scorers, classes
        ctx.scored = scored
        ctx.set_materialize_grads(False)  # zeros for the class scores would be the largest tensor
        scores, logits = read[:, 0], read[:, 1:]
        if not ctx.needs_input_grad[1]:
            ctx.mark_non_differentiable(logits)
        return scores, logits

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, grad_scores: Tensor | None, grad_logits: Tensor | None
    ) -> tuple[Tensor | None, ...]:
        """The recurrence backwards; when only the scorer learns, on the score columns only."""
        (nodes,) = ctx.saved_tensors
        propagation: Propagation = ctx.propagation
        classes = ctx.classes if ctx.needs_input_grad[1] else 0
        known = grad_scores if grad_scores is not None else grad_logits
        if known is None:
            return None, None, None, None, None
        grad_read = known.new_empty(propagation.steps + 1, 1 + classes, *nodes.shape)
        for into, grad in [(grad_read[:, 0], grad_scores), (grad_read[:, 1:], grad_logits)]:
            if into.numel() > 0:
                into.zero_() if grad is None else into.copy_(grad)

        found = _backwards(propagation, ctx.scorers, classes, ctx.scored, nodes, grad_read)
        of_scores, of_classes = found.tensor_split([ctx.scorers], dim=2)
        return of_scores, of_classes if classes else None, None, None, None


def backwards_by_scores(propagation: Propagation, nodes: Tensor, grad_scores: Tensor) -> Tensor:
    """The gradient [S, N, 1] of a score column of all steps, from that of scores [T, S, L]."""
    return _backwards(propagation, 1, 0, len(grad_scores), nodes, grad_scores.unsqueeze(1))


def _backwards(
    propagation: Propagation,
    scorers: int,
    classes: int,
    scored: int,
    nodes: Tensor,
    grad_read: Tensor,
) -> Tensor:
    """The gradient of all score and class columns [S, N, R + C], from that of what was read.

    A view: in its memory the seeds of one column are side by side.
    """
    found = grad_read.new_zeros(propagation.num_nodes, scorers + classes, len(nodes))
    for group in _groups(scorers, classes, scored):
        total = group.of_columns(found).flatten(1)
        grad = grad_read.new_zeros(total.shape)
        places, own = propagation.places(group, nodes), group.of_read(grad_read)
        last = group.last_step(propagation.steps)
        for step in range(last, -1, -1):
            if step < last:
                grad = propagation.backward_step(grad)
            if group.is_read_after(step):
                grad.view(-1).scatter_add_(0, places(step), own[step])
            total.add_(grad, alpha=propagation.teleport if step > 0 else 1.0)
    return found.permute(2, 0, 1)


@dataclass(frozen=True)
class _Group:
    """Columns that are propagated together.

    Attributes:
        scores: Which of the score columns.
        classes: Whether the class columns.
        alone: Whether score column k is read after step k only, and not after every step.
    """

    scores: range
    classes: int
    alone: bool

    @property
    def width(self) -> int:
        """How many columns."""
        return len(self.scores) + self.classes

    def last_step(self, steps: int) -> int:
        """How far they are propagated: as far as they are read."""
        return self.scores[-1] if self.alone else steps

    def is_read_after(self, step: int) -> bool:
        """Whether a column is read after a step."""
        return not self.alone or step in self.scores

    def of_columns(self, columns: Tensor) -> Tensor:
        """These columns, of all score and class columns [N, R + C, S]."""
        if self.alone:
            return columns[:, self.scores.start : self.scores.stop]
        return columns[:, columns.shape[1] - self.width :]

    def of_read(self, read: Tensor) -> tuple[Tensor, ...]:
        """What is read of them after each step, flat, out of [T, 1 + C, S, L]."""
        first = 0 if self.alone else read.shape[1] - self.width
        return read[:, first : first + (1 if self.alone else self.width)].flatten(1).unbind()

    def places(self, nodes: Tensor) -> Callable[[int], Tensor]:
        """Where in a flat [N, D * S] the numbers lie that are read after a step."""
        seeds, device = nodes.shape[0], nodes.device
        own = nodes * (self.width * seeds) + torch.arange(seeds, device=device)[:, None]
        if self.alone:
            first, column = self.scores.start, own.view(-1)
            return lambda step: column + seeds * (step - first)
        columns = torch.arange(self.width, device=device)
        every = (own + seeds * columns[:, None, None]).view(-1)
        return lambda step: every


def _groups(scorers: int, classes: int, scored: int) -> list[_Group]:
    """All columns in one group; with one scorer per step, the score columns in several.

    A scorer with one w_k per step has T score columns, of which column k is read after step k
    only. A few of them at a time are propagated as far as the last of them is read.
    """
    if scorers == 1:
        return [_Group(range(1), classes, alone=False)]
    lasts = range(scored, 0, -_SCORE_GROUP)
    groups = [_Group(range(max(0, last - _SCORE_GROUP), last), 0, alone=True) for last in lasts]
    return groups + ([_Group(range(0), classes, alone=False)] if classes else [])
