"""Poincare embedding of a graph: positions in the hyperbolic disk, neighbours near each other.

Nickel and Kiela, NeurIPS 2017, https://arxiv.org/abs/1705.08039: in the disk, room grows
exponentially with the radius as does a tree with its depth, so that hierarchies fit with little
distortion: hubs inside, leaves at the border.
"""

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from l2p_search.data.graph import Graph

Floats = npt.NDArray[np.float64]

BORDER = 1.0 - 1e-5
"""The largest norm of a position. At the rim itself all distances are infinite."""

_STEPS = 300
"""Gradient steps in all."""

_BURN_IN = 30
"""First steps at a tenth of the rate: angles settle while all nodes are near the origin."""

_RATE = 0.3
"""Hyperbolic length of a step, falling linearly to zero: 37 in all, and the disk is 24 across."""

_NEGATIVES = 10
"""Nodes drawn per edge that are no neighbours, to push away from."""

_START = 1e-3
"""Positions start at random within this distance of the origin (in each coordinate)."""

_MOMENTUM, _SQUARES = 0.9, 0.99
"""Adam's decay rates of the mean gradient and of its mean square."""


def poincare_positions(graph: Graph) -> Floats:
    """Positions inside the unit disk, by Riemannian Adam on all edges at once.

    A step is measured in the disk's own metric: the gradient's norm is one scalar per node, and
    Adam divides by its running size, so that hubs with many edges and leaves with one move at
    the same pace. Isolated nodes are only ever pushed away, and end far from all others.

    Args:
        graph: Only its edges are read.

    Returns:
        Positions, [N, 2], with norms up to BORDER.
    """
    device = graph.edges.device
    generator = torch.Generator(device).manual_seed(0)
    shape = (graph.num_nodes, 2)
    uniform = torch.rand(shape, dtype=torch.float64, device=device, generator=generator)
    at = (uniform * 2.0 - 1.0) * _START
    if graph.num_edges == 0:
        return at.numpy()
    keys = torch.sort(graph.edges[0] * graph.num_nodes + graph.edges[1]).values
    direction, size = torch.zeros_like(at), at.new_zeros(graph.num_nodes, 1)
    for step in range(1, _STEPS + 1):
        grad = _gradient(at, graph.edges, keys, generator)
        # Half of 1 - |x|^2 is the length of a hyperbolic unit at x, drawn in the disk.
        unit = (1.0 - at.square().sum(dim=1, keepdim=True)) / 2.0
        grad = grad * unit
        direction = _MOMENTUM * direction + (1.0 - _MOMENTUM) * grad
        size = _SQUARES * size + (1.0 - _SQUARES) * grad.square().sum(dim=1, keepdim=True)
        mean = direction / (1.0 - _MOMENTUM**step)
        scale = (size / (1.0 - _SQUARES**step)).sqrt() + 1e-8
        rate = _RATE * (1.0 - (step - 1) / _STEPS) * (0.1 if step <= _BURN_IN else 1.0)
        at = at - rate * unit * mean / scale
        at = at * (BORDER / at.norm(dim=1, keepdim=True).clamp_min(BORDER))
    return at.numpy()


def hyperbolic_distance(first: Tensor, second: Tensor) -> Tensor:
    """d(u, v) = arcosh(1 + 2 |u - v|^2 / ((1 - |u|^2)(1 - |v|^2))): two [..., 2] -> [...].

    Computed as log1p(x + sqrt(x (x + 2))), which keeps small distances exact. x is kept above
    zero, where the root has no derivative.

    Example:
        >>> at = torch.tensor([[0.0, 0.0], [0.5, 0.0]], dtype=torch.float64)
        >>> round(hyperbolic_distance(at[0], at[1]).item(), 4)  # log(3) = 2 artanh(1/2)
        1.0986
    """
    room = (1.0 - first.square().sum(dim=-1)) * (1.0 - second.square().sum(dim=-1))
    x = (2.0 * (first - second).square().sum(dim=-1) / room).clamp_min(1e-30)
    return torch.log1p(x + (x * (x + 2.0)).sqrt())


def _gradient(at: Tensor, edges: Tensor, keys: Tensor, generator: torch.Generator) -> Tensor:
    """The derivative of  - sum log (e^-d(u,v) / sum_v' e^-d(u,v'))  by the positions.

    v' is v or one of the negatives, drawn afresh; those that happen to be u itself or one of its
    neighbours (`keys` are the sorted edges) do not count.
    """
    at = at.detach().requires_grad_()
    source, target = edges
    negatives = torch.randint(
        len(at),
        (edges.shape[1], _NEGATIVES),
        dtype=torch.int64,
        device=at.device,
        generator=generator,
    )
    drawn = source[:, None] * len(at) + negatives
    found = keys[torch.searchsorted(keys, drawn).clamp_max(len(keys) - 1)] == drawn
    others = torch.cat([target[:, None], negatives], dim=1)
    distance = hyperbolic_distance(at[source][:, None], at[others])
    unwanted = torch.cat(
        [found.new_zeros(len(found), 1), found | (negatives == source[:, None])], 1
    )
    distance = distance.masked_fill(unwanted, torch.inf)
    loss = (distance[:, 0] + torch.logsumexp(-distance, dim=1)).sum()
    return torch.autograd.grad(loss, at)[0]
