"""What every model is to the training: parameters of two levels, and a pass that is read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import torch
from torch import Generator, Tensor

Parameters = dict[str, Tensor]
"""Named tensors, each with the seeds as its first axis."""


class Readout(NamedTuple):
    """What the objectives need of a forward pass: every step at the labelled nodes.

    log_q [S, L, T] is the posterior over the steps; logits [S, L, T, C] are the class scores of
    each step, to which the bias [S, C] is still to be added: weights over the steps sum to one,
    so it can be added once after they are mixed.
    """

    log_q: Tensor
    logits: Tensor
    bias: Tensor

    def mixed(self, weights: Tensor) -> Tensor:
        """sum_t w_t (logits_t + bias), for weights [S, L, T] that sum to one: -> [S, L, C]."""
        logits, weights = self.logits.permute(2, 3, 0, 1), weights.permute(2, 0, 1)
        mixed = (weights.unsqueeze(1) * logits).sum(dim=0)
        return mixed.movedim(0, -1) + self.bias[:, None]

    def parted(self, count: int) -> tuple["Readout", "Readout"]:
        """What was read at the first `count` nodes, and at the others."""
        first = Readout(self.log_q[:, :count], self.logits[:, :count], self.bias)
        return first, Readout(self.log_q[:, count:], self.logits[:, count:], self.bias)


def only_step(logits: Tensor) -> Readout:
    """A baseline's class scores [S, L, C] as those of its one step, which every node takes."""
    certain = logits.new_zeros(*logits.shape[:2], 1)
    return Readout(certain, logits.unsqueeze(2), logits.new_zeros(len(logits), logits.shape[2]))


def rows_at(h: Tensor, nodes: Tensor) -> Tensor:
    """The rows of h [S, N, H] at each seed's nodes [S, L]: -> [S, L, H]."""
    return h.gather(1, nodes.unsqueeze(-1).expand(-1, -1, h.shape[2]))


@dataclass(frozen=True, eq=False)
class Levels:
    """theta, the lower level's parameters, and phi, the upper level's."""

    theta: Parameters
    phi: Parameters

    def of_seeds(self, places: Tensor) -> "Levels":
        """Copies of the parameters of the seeds at `places`."""
        return Levels(
            *(
                {name: value.detach().index_select(0, places) for name, value in level.items()}
                for level in (self.theta, self.phi)
            )
        )

    def copy_seeds(self, source: "Levels", places: Tensor, chosen: Tensor) -> None:
        """Overwrite the seeds at `places` with the source's seeds that are `chosen` (a mask)."""
        pairs = list(zip(places.tolist(), chosen.nonzero().squeeze(1).tolist(), strict=True))
        for own, other in ((self.theta, source.theta), (self.phi, source.phi)):
            for name, value in own.items():
                latest = other[name].detach()
                for place, place_in_source in pairs:
                    value[place].copy_(latest[place_in_source])


class GradientSink(Protocol):
    """Takes a parameter's gradient for a block of seeds as soon as it is known."""

    def __call__(self, name: str, gradient: Tensor, seeds: slice) -> None:
        """The gradient of `name` for these seeds."""


class Network(Protocol):
    """L2P on a backbone, read after every step; or a baseline, whose one step is its last."""

    steps: int
    """T: how many steps are read. A baseline has one, and no phi."""

    bytes_per_seed: int
    """About what one seed takes while it trains, by its largest tensors."""

    noise_size: int
    """Random bytes a seed needs for one training step."""

    first_layer: frozenset[str]
    """The parameters of theta that weight decay always applies to."""

    step_weights: frozenset[str]
    """The parameters of theta that `step_decay` applies to: those of GCNII*'s steps."""

    streamed: frozenset[str]
    """The parameters of theta whose gradients go to a sink when there is one."""

    def initial(self, generators: Sequence[Generator]) -> Levels:
        """Fresh parameters, each seed's by its own generator."""

    def read(
        self,
        levels: Levels,
        nodes: Tensor,
        noise: Tensor | None,
        sink: GradientSink | None = None,
    ) -> Readout:
        """A forward pass read at nodes [S, L]; with noise [S, noise_size] it drops out.

        With a sink, the backward pass hands it the gradients of the streamed parameters, block
        by block. They are the largest tensors of an epoch: used up while a block of them is in
        the cache, they never travel to memory and back.
        """


def glorot(generators: Sequence[Generator], shape: tuple[int, int], dtype: torch.dtype) -> Tensor:
    """Uniform weights [S, *shape] with the variance that keeps signals' scale."""
    bound = (6.0 / sum(shape)) ** 0.5
    return _uniform(generators, shape, bound, dtype)


def fan_in(generators: Sequence[Generator], shape: tuple[int, int], dtype: torch.dtype) -> Tensor:
    """Uniform weights [S, *shape] within one over the root of the number of inputs."""
    return _uniform(generators, shape, shape[0] ** -0.5, dtype)


def _uniform(
    generators: Sequence[Generator], shape: tuple[int, int], bound: float, dtype: torch.dtype
) -> Tensor:
    weights = torch.empty(len(generators), *shape, dtype=dtype)
    for own, generator in zip(weights, generators, strict=True):
        own.uniform_(-bound, bound, generator=generator)
    return weights
