"""H_k = (1 - a) A_hat H_{k-1} + a H_0, read at the labelled nodes only.

The propagation of APPNP (Klicpera, now Gasteiger, Bojchevski and Guennemann, ICLR 2019,
https://arxiv.org/abs/1810.05997). The loss reads each step at the labelled nodes, so only those
rows are kept, and the backward pass is the same recurrence run backwards with the gradients of
those rows added in.
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import pad

from l2p_search.model.problem import Problem
from l2p_search.model.sparse import SparseMatrix


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

    def forward_step(self, current: Tensor, start: Tensor) -> Tensor:
        """(1 - a) A_hat H + a H_0, for [N, columns]."""
        return self._moving.times(current).add_(start, alpha=self.teleport)

    def backward_step(self, grad: Tensor) -> Tensor:
        """(1 - a) A_hat.T G, for [N, columns]."""
        return self._moving.transposed_times(grad)


def columns_bytes(nodes: int, rows: int, steps: int, scorers: int, classes: int) -> int:
    """Estimate of the memory that the recurrence of one seed takes.

    Five tensors of columns [N, scorers + classes] live at a time; what is read at `rows` nodes
    after each of the `steps` is kept with its gradients.
    """
    return 4 * (5 * nodes * (scorers + classes) + 4 * steps * rows * (1 + classes))


def propagate_and_read(
    propagation: Propagation, score_columns: Tensor, class_columns: Tensor, nodes: Tensor
) -> tuple[Tensor, Tensor]:
    """Propagate columns of H_0 and read every step at the given nodes.

    In the memory of what is returned T comes first and L last: sums over steps and classes then
    run over whole vectors.

    Args:
        propagation: The recurrence and its K = T - 1 steps.
        score_columns: H_0 times the scorer, [S, N, 1] for all steps or [S, N, T] for one each.
        class_columns: H_0 times the classifier, [S, N, C].
        nodes: Where to read, [S, L].

    Returns:
        Scores of the steps [S, L, T], and class scores [S, L, T, C].
    """
    scores, logits = PropagateAndRead.apply(  # type: ignore[no-untyped-call]
        score_columns, class_columns, nodes, propagation
    )
    return scores.permute(1, 2, 0), logits.permute(2, 3, 0, 1)


class PropagateAndRead(torch.autograd.Function):
    """Returns scores [T, S, L] and class scores [T, C, S, L].

    The columns are laid out [N, D * S], score columns before class columns, the S seeds of one
    column side by side. A scorer with one w_k per step has T score columns. Column k is read
    after step k only, so step k propagates the columns from k on: the first of them is read, and
    dropped before the next step.
    """

    @staticmethod
    def forward(
        ctx: Any,
        score_columns: Tensor,
        class_columns: Tensor,
        nodes: Tensor,
        propagation: Propagation,
    ) -> tuple[Tensor, Tensor]:
        """The recurrence forwards."""
        seeds, scorers, classes = len(nodes), score_columns.shape[2], class_columns.shape[2]
        columns = torch.cat([score_columns, class_columns], dim=2).permute(1, 2, 0)
        current = start = columns.reshape(columns.shape[0], -1)
        read = start.new_empty(propagation.steps + 1, (1 + classes) * nodes.numel())
        places = _Places(nodes, classes)
        for step, read_step in enumerate(read.unbind()):
            if step > 0:
                if scorers > 1:
                    current, start = current[:, seeds:].contiguous(), start[:, seeds:]
                current = propagation.forward_step(current, start)
            where = places.within(current.shape[1])
            torch.index_select(current.view(-1), 0, where, out=read_step)
        read = read.view(-1, 1 + classes, *nodes.shape)
        scores, logits = read[:, 0], read[:, 1:]
        ctx.save_for_backward(nodes)
        ctx.propagation, ctx.scorers, ctx.classes = propagation, scorers, classes
        if not ctx.needs_input_grad[1]:
            ctx.mark_non_differentiable(logits)
        return scores, logits

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_scores: Tensor, grad_logits: Tensor) -> tuple[Tensor | None, ...]:
        """The recurrence backwards; when only the scorer learns, on the score columns only."""
        (nodes,) = ctx.saved_tensors
        propagation: Propagation = ctx.propagation
        seeds, scorers = len(nodes), ctx.scorers
        classes = ctx.classes if ctx.needs_input_grad[1] else 0
        grad_read = grad_scores.unsqueeze(1)
        if classes:
            grad_read = torch.cat([grad_read, grad_logits], dim=1)
        reads = grad_read.reshape(propagation.steps + 1, -1).unbind()

        places = _Places(nodes, classes)
        total = grad_read.new_zeros(propagation.num_nodes, (scorers + classes) * seeds)
        grad = None
        for step in range(propagation.steps, -1, -1):
            live = total[:, step * seeds :] if scorers > 1 else total
            if grad is None:
                grad = grad_read.new_zeros(live.shape)
            elif scorers > 1:
                grad = pad(propagation.backward_step(grad), (seeds, 0))
            else:
                grad = propagation.backward_step(grad)
            grad.view(-1).scatter_add_(0, places.within(grad.shape[1]), reads[step])
            live.add_(grad, alpha=propagation.teleport if step > 0 else 1.0)

        columns = total.view(-1, scorers + classes, seeds).permute(2, 0, 1)
        grad_score_columns, grad_class_columns = columns.tensor_split([scorers], dim=2)
        return grad_score_columns, grad_class_columns if classes else None, None, None


class _Places:
    """Where in a flat [N, D * S] each seed's nodes lie, for the columns that are read."""

    def __init__(self, nodes: Tensor, classes: int) -> None:
        """Read at nodes [S, L] the first column and the last `classes` ones."""
        self._nodes, self._classes = nodes, classes
        self._width, self._found = -1, nodes

    def within(self, width: int) -> Tensor:
        """The places [(1 + C) S L] for rows of that width; kept while the width stays."""
        if width != self._width:
            seeds, device = self._nodes.shape[0], self._nodes.device
            own = self._nodes * width + torch.arange(seeds, device=device)[:, None]
            first = width // seeds - self._classes - 1
            columns = torch.arange(first, width // seeds, device=device)
            columns[0] = 0
            self._width, self._found = width, (own + seeds * columns[:, None, None]).view(-1)
        return self._found
