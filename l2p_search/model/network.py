"""What every model is to the training: parameters of two levels, and a pass that is read."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import torch
from torch import Generator, Tensor

Parameters = dict[str, Tensor]
"""Named tensors, each with the seeds as its first axis."""


class Readout(NamedTuple):
    """What the objectives need of a forward pass: every step at the nodes that were asked for.

    Attributes:
        log_q: Log of the posterior over the steps, [S, L, T].
        logits: Class scores of each step, [S, L, T, C], without the bias.
        bias: To be added to the class scores, [S, C]. Weights over the steps sum to one, so it
            can be added once after they are mixed.
        mix: Mixes the class scores by weights [S, L, T], with gradients; `logits` has none then.
            None where there are few labelled nodes.
    """

    log_q: Tensor
    logits: Tensor
    bias: Tensor
    mix: Callable[[Tensor], Tensor] | None = None

    def mixed(self, weights: Tensor) -> Tensor:
        """sum_t w_t (logits_t + bias), for weights [S, L, T] that sum to one: -> [S, L, C]."""
        if self.mix is not None:
            return self.mix(weights) + self.bias[:, None]
        logits, weights = self.logits.permute(2, 3, 0, 1), weights.permute(2, 0, 1)
        mixed = (weights.unsqueeze(1) * logits).sum(dim=0)
        return mixed.movedim(0, -1) + self.bias[:, None]

    def parted(self, count: int) -> tuple["Readout", "Readout"]:
        """What was read at the first `count` nodes, and at the others."""
        first = Readout(self.log_q[:, :count], self.logits[:, :count], self.bias)
        return first, Readout(self.log_q[:, count:], self.logits[:, count:], self.bias)


def only_step(logits: Tensor) -> Readout:
    """A baseline's class scores [S, L, C] as those of its one step, which every node takes.

    Example:
        >>> read = only_step(torch.tensor([[[2.0, -1.0]]]))
        >>> read.log_q.exp().tolist(), tuple(read.logits.shape)
        ([[[1.0]]], (1, 1, 1, 2))
    """
    certain = logits.new_zeros(*logits.shape[:2], 1)
    return Readout(certain, logits.unsqueeze(2), logits.new_zeros(len(logits), logits.shape[2]))


@dataclass(frozen=True, eq=False)
class Levels:
    """theta, the lower level's parameters, and phi, the upper level's (empty for a baseline)."""

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
        """Overwrite the seeds at `places` with the source's seeds that are `chosen` (a mask).

        Both are on the CPU. There one seed after another is copied, with no copy in between; a
        device is asked once per parameter, as each of its copies would take a call.
        """
        taken = chosen.nonzero().squeeze(1)
        pairs = list(zip(places.tolist(), taken.tolist(), strict=True))
        for own, other in ((self.theta, source.theta), (self.phi, source.phi)):
            for name, value in own.items():
                latest = other[name].detach()
                if value.device != places.device:
                    _copy_at_once(value, latest, places, taken)
                    continue
                for place, place_in_source in pairs:
                    value[place].copy_(latest[place_in_source])


def _copy_at_once(into: Tensor, source: Tensor, places: Tensor, taken: Tensor) -> None:
    """into[places] = source[taken], by two calls of their device."""
    chosen = source.index_select(0, taken.to(source.device))
    into.index_copy_(0, places.to(into.device), chosen)


class GradientSink(Protocol):
    """Takes a parameter's gradient for a block of seeds as soon as it is known."""

    def __call__(self, name: str, gradient: Tensor, seeds: slice) -> None:
        """The gradient of `name` for these seeds."""


@dataclass(frozen=True, eq=False)
class Pass:
    """One forward pass of S seeds: with which parameters, read where, with which dropout.

    Attributes:
        theta: The lower level's parameters.
        phi: The upper level's parameters.
        nodes: The nodes to read, [S, L].
        noise: Random bytes for dropout, [S, noise_size]; None for a pass without dropout.
        sink: Where the gradients of the streamed parameters go; None leaves them to autograd.
    """

    theta: Parameters
    phi: Parameters
    nodes: Tensor
    noise: Tensor | None
    sink: GradientSink | None = None

    def parts(self, size: int) -> list["Pass"]:
        """The pass as one for every `size` seeds, for a network that streams no gradients."""
        if size >= len(self.nodes):
            return [self]
        nodes = self.nodes.split(size)
        noise = [None] * len(nodes) if self.noise is None else self.noise.split(size)
        levels = [_split(level, size) or [{} for _ in nodes] for level in (self.theta, self.phi)]
        return [Pass(*of_part) for of_part in zip(*levels, nodes, noise, strict=True)]


def _split(parameters: Parameters, size: int) -> list[Parameters]:
    """The parameters of every `size` seeds."""
    parts = zip(*(value.split(size) for value in parameters.values()), strict=True)
    return [dict(zip(parameters, part, strict=True)) for part in parts]


class Network(ABC):
    """L2P on a backbone, read after every step; or a baseline, which has one step.

    A network is built once per problem and configuration, `Gcn(problem, config)`, and holds the
    graph's matrices but no parameters: these are arguments, with the seeds as first axis.
    A subclass gives `initial_theta`, `forward`, `noise_size` and `bytes_per_seed`; the other
    attributes have the values of most networks.
    """

    steps: int = 1
    """T: how many steps are read."""

    bytes_per_seed: int
    """Estimate of the memory that one seed takes in training, by its largest tensors."""

    bytes_of_step: int = 0
    """What a step of propagation reads and writes of one seed."""

    noise_size: int
    """Random bytes per seed for the dropout of one training step."""

    first_layer: frozenset[str] = frozenset({"W_1", "b_1"})
    """The parameters of theta that weight decay always applies to."""

    step_weights: frozenset[str] = frozenset()
    """The parameters of theta that `step_decay` applies to: those of GCNII*'s steps."""

    streamed: frozenset[str] = frozenset()
    """The parameters of theta whose gradients go to a sink when there is one."""

    def initial(self, generators: Sequence[Generator]) -> Levels:
        """Fresh parameters of both levels, those of each seed drawn by its own generator."""
        return Levels(self.initial_theta(generators), self.initial_phi(generators))

    def read(
        self,
        levels: Levels,
        nodes: Tensor,
        noise: Tensor | None,
        sink: GradientSink | None = None,
    ) -> Readout:
        """A forward pass, read at some nodes.

        With a sink, the backward pass hands it the gradients of the streamed parameters, block
        by block. They are the largest tensors of an epoch: used up while a block of them is in
        the cache, they never travel to memory and back.

        Args:
            levels: The parameters of S seeds.
            nodes: The nodes to read, [S, L].
            noise: Random bytes for dropout, [S, noise_size]; None for a pass without dropout.
            sink: Takes the gradients of the streamed parameters.

        Returns:
            The posterior and the class scores of every step at the nodes.
        """
        return self.forward(Pass(levels.theta, levels.phi, nodes, noise, sink))

    @abstractmethod
    def initial_theta(self, generators: Sequence[Generator]) -> Parameters:
        """Fresh parameters of the lower level."""

    def initial_phi(self, generators: Sequence[Generator]) -> Parameters:
        """Fresh parameters of the upper level: none, unless the network is L2P."""
        return {}

    @abstractmethod
    def forward(self, given: Pass) -> Readout:
        """The pass that `read` describes."""


class Baseline(Network):
    """A network without phi, whose one step every node takes: a subclass gives class scores."""

    seeds_per_pass: int | None = None
    """How many seeds go through all layers together; None for all of them."""

    def forward(self, given: Pass) -> Readout:
        """The class scores as those of one step."""
        parts = given.parts(self.seeds_per_pass or len(given.nodes))
        return only_step(torch.cat([self.class_scores(part) for part in parts]))

    @abstractmethod
    def class_scores(self, given: Pass) -> Tensor:
        """Class scores at the nodes of the pass: [S, L, C]."""
