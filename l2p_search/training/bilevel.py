"""One epoch of the bi-level algorithm (section 5.2) for a batch of seeds.

    lower level   theta <- theta - eta * grad_theta L_train(theta, phi)      (training nodes)
    upper level   phi   <- phi   - eta * grad_phi   L_val(theta, phi)        (validation nodes)

The gradient of phi may see that phi has also moved theta in the lower step, by a finite difference
(DARTS: Liu, Simonyan and Yang, ICLR 2019, https://arxiv.org/abs/1806.09055). `second_order` takes
that step for one of length lr, as is usual; `unrolled` takes it for what it is, a step of Adam.
Each level has an optimizer of its own: with a shared one, Adam's momentum would move the level
that is held still.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from l2p_search.config import TrialConfig
from l2p_search.data.splits import Rows
from l2p_search.metrics import Metric
from l2p_search.model.network import GradientSink, Levels, Network, Parameters, Readout
from l2p_search.model.problem import Problem
from l2p_search.training.consistency import Consistency, Held
from l2p_search.training.em import ExpectationMaximization
from l2p_search.training.label_shares import label_rows
from l2p_search.training.objective import (
    Objective,
    Scores,
    Supervised,
    VariationalInference,
    scores_of,
)
from l2p_search.training.optimizer import Adam
from l2p_search.training.seeds import Streams, generator_of

_LevelObjective = Callable[[Readout, Rows, Tensor], Tensor]
_FINITE_DIFFERENCE = 0.01
"""The finite difference moves theta this far along a direction, whatever its length."""
_THROUGH_THETA = ("second_order", "unrolled")
"""Levels at which phi's gradient includes its effect on the lower step."""


def objective_of(config: TrialConfig) -> Objective:
    """The learning algorithm that a configuration names; a baseline is trained supervised.

    Example:
        >>> type(objective_of(TrialConfig(algorithm="em"))).__name__
        'ExpectationMaximization'
    """
    if config.model != "l2p":
        return Supervised()
    if config.algorithm == "em":
        return ExpectationMaximization(config)
    return VariationalInference(config)


class BiLevel:
    """The learning of S seeds, whose theta and phi are `levels`; the steps change them in place.

    An epoch is `lower_step`, then `evaluate`, then `upper_step` with what was read.
    """

    def __init__(
        self,
        problem: Problem,
        network: Network,
        config: TrialConfig,
        seeds: Sequence[int],
        metric: Metric = "accuracy",
    ) -> None:
        """Draw the initial parameters of every seed from the seed's own random stream.

        Args:
            problem: The training and validation nodes of its graph are learned from.
            network: Built for this problem and configuration.
            config: The learning algorithm and its rates.
            seeds: One replica each: split, initialisation, dropout and noise.
            metric: What `evaluate` measures beside the validation loss.
        """
        self._problem, self._network = problem, network
        self._config, self._metric = config, metric
        self._objective = objective_of(config)
        self._rows = label_rows(problem, config, seeds)
        self._streams = {
            purpose: Streams(problem, seeds, purpose) for purpose in ("dropout", "lower", "upper")
        }
        self.levels = network.initial([generator_of(seed, "initial") for seed in seeds])
        decayed = self.levels.theta if config.decay_on == "theta" else network.first_layer
        decay = dict.fromkeys(decayed, config.weight_decay)
        if config.step_decay > 0.0:
            decay |= dict.fromkeys(network.step_weights, config.step_decay)
        # Without phi there is one level, and nothing to choose.
        self._level = config.level if self.levels.phi else None
        self._lower_adam = Adam(
            self.levels.theta, config.lr, decay, remember=self._level == "unrolled"
        )
        self._upper_adam = Adam(self.levels.phi, config.upper_lr, {})
        self._last_lower: tuple[Levels, _Drawn] | None = None
        self._consistency = None
        if config.consistency > 0.0:
            self._consistency = Consistency(problem, config, seeds)

    def keep(self, places: Tensor) -> None:
        """Continue with the seeds at `places` (on the CPU) only."""
        for streams in self._streams.values():
            streams.keep(places)
        if self._consistency is not None:
            self._consistency.keep(places)
        places = self._problem.placed(places)
        self._rows = self._rows.of_seeds(places)
        self.levels = self.levels.of_seeds(places)
        self._lower_adam.keep(places, self.levels.theta)
        self._upper_adam.keep(places, self.levels.phi)

    def lower_step(self) -> Tensor:
        """One gradient step of theta on the training nodes.

        Joint learning also moves phi, by the same nodes and at the same theta and noise.

        Returns:
            The loss before the step, [S].
        """
        level, rows = self._level, self._rows.train
        drawn = _Drawn(
            noise=self._streams["dropout"].bytes(self._network.noise_size),
            gumbel=self._streams["lower"].gumbel(rows.nodes.shape[1], self._network.steps),
            held=None if self._consistency is None else self._consistency.held,
        )
        if level in _THROUGH_THETA:
            everyone = torch.arange(len(rows.nodes), device=self._problem.device)
            before = self.levels.of_seeds(everyone)
            self._last_lower = (before, drawn)
        if level == "joint":
            phi_grad = self._phi_gradients(self._objective.upper, self.levels, drawn)

        _require_gradients(self.levels.theta, True)
        _require_gradients(self.levels.phi, False)
        lower, sink = self._objective.lower, self._lower_adam.update
        loss, descended = self._losses(lower, self.levels, drawn, sink)
        remaining = {
            name: value
            for name, value in self.levels.theta.items()
            if name not in self._network.streamed
        }
        self._lower_adam.begin()
        for name, gradient in _gradients(descended.sum(), remaining).items():
            self._lower_adam.update(name, gradient)
        if level == "joint":
            self._upper_adam.step(phi_grad)
        return loss.detach()

    def evaluate(self) -> tuple[Readout, Scores]:
        """A pass without dropout at the validation nodes: for the upper step, and its scores.

        Returns:
            What phi learns from, read after every step; and the scores of what judges.
        """
        _require_gradients(self.levels.theta, self._level in _THROUGH_THETA)
        _require_gradients(self.levels.phi, self._level != "joint")
        phi, judged = self._rows.phi, self._rows.judged
        nodes = judged.nodes if phi is None else torch.cat([phi.nodes, judged.nodes], dim=1)
        length = nodes.shape[1]
        if self._consistency is not None:
            self._consistency.draw()
            nodes = torch.cat([nodes, self._consistency.nodes], dim=1)
        read = self._network.read(self.levels, nodes, None)
        if self._consistency is not None:
            read, free = read.parted(length)
            with torch.no_grad():
                self._consistency.hold(self._objective.log_predictions(free))
        learned, rest = (read, read) if phi is None else read.parted(phi.nodes.shape[1])
        with torch.no_grad():
            scores = scores_of(self._objective.log_predictions(rest), judged, self._metric)
        return learned, scores

    def upper_step(self, read: Readout) -> None:
        """One gradient step of phi on the validation nodes, at the theta that `read` saw."""
        if self._level in (None, "joint"):
            return
        rows = self._rows.judged if self._rows.phi is None else self._rows.phi
        gumbel = self._streams["upper"].gumbel(rows.nodes.shape[1], self._network.steps)
        loss = self._objective.upper(read, rows, gumbel).sum()
        if self._level == "first_order":
            self._upper_adam.step(_gradients(loss, self.levels.phi))
            return
        gradients = _gradients(loss, self.levels.phi | self.levels.theta)
        correction = self._through_theta({name: gradients[name] for name in self.levels.theta})
        self._upper_adam.step(
            {name: gradients[name] - correction[name] for name in self.levels.phi}
        )

    def _through_theta(self, val_gradient: Parameters) -> Parameters:
        """What phi's effect on the lower step changes of the validation loss, negated.

            d L_val / d phi = grad_phi L_val - (d2 L_train / dphi dtheta) D grad_theta L_val

        where D = -d theta' / d grad_theta L_train is diagonal: lr for a plain gradient step,
        `Adam.response` for the step that was taken.
        """
        if self._level == "unrolled":
            response = self._lower_adam.response()
            return self._mixed_product(
                {name: response[name] * value for name, value in val_gradient.items()}
            )
        found = self._mixed_product(val_gradient)
        return {name: self._config.lr * value for name, value in found.items()}

    def _mixed_product(self, direction: Parameters) -> Parameters:
        """(grad_phi L_train(theta + eps v) - grad_phi L_train(theta)) / eps along a direction v.

        Theta is that of before the lower step. Both evaluations see the same dropout and Gumbel
        noise: their difference would drown in the noise otherwise.
        """
        assert self._last_lower is not None, "the lower level steps first"
        before, drawn = self._last_lower
        squares = [value.flatten(1).square().sum(dim=1) for value in direction.values()]
        length = torch.stack(squares).sum(dim=0).sqrt()
        epsilon = _FINITE_DIFFERENCE / length.clamp_min(torch.finfo(length.dtype).tiny ** 0.5)
        moved = {
            name: value + _per_seed(epsilon, value) * direction[name]
            for name, value in before.theta.items()
        }
        lower, at_moved = self._objective.lower, Levels(moved, before.phi)
        moved_grad = self._phi_gradients(lower, at_moved, drawn)
        return {
            name: (moved_grad[name] - grad) / _per_seed(epsilon, grad)
            for name, grad in self._phi_gradients(lower, before, drawn).items()
        }

    def _losses(
        self,
        objective: _LevelObjective,
        levels: Levels,
        drawn: "_Drawn",
        sink: GradientSink | None = None,
    ) -> tuple[Tensor, Tensor]:
        """An objective on the training nodes, without and with consistency: both [S]."""
        rows, held = self._rows.train, drawn.held
        if held is None:
            read = self._network.read(levels, rows.nodes, drawn.noise, sink)
            loss = objective(read, rows, drawn.gumbel)
            return loss, loss
        nodes = torch.cat([rows.nodes, held.nodes], dim=1)
        read = self._network.read(levels, nodes, drawn.noise, sink)
        labelled, free = read.parted(rows.nodes.shape[1])
        loss = objective(labelled, rows, drawn.gumbel)
        return loss, loss + held.loss(self._objective.log_predictions(free))

    def _phi_gradients(
        self, objective: _LevelObjective, levels: Levels, drawn: "_Drawn"
    ) -> Parameters:
        """grad_phi of the losses on the lower level's nodes, with theta held still."""
        _require_gradients(levels.theta, False)
        _require_gradients(levels.phi, True)
        return _gradients(self._losses(objective, levels, drawn)[1].sum(), levels.phi)


@dataclass(frozen=True, eq=False)
class _Drawn:
    """What a lower step drew: dropout's bytes, Gumbel noise; and the targets of free nodes."""

    noise: Tensor
    gumbel: Tensor
    held: Held | None


def _require_gradients(parameters: Parameters, required: bool) -> None:
    """Switch on or off that autograd records what is done with the parameters."""
    for value in parameters.values():
        value.requires_grad_(required)


def _gradients(loss: Tensor, parameters: Parameters) -> Parameters:
    """Gradients of the loss, zero by what it does not depend on (EM's projection fixes W_2)."""
    grads = torch.autograd.grad(loss, list(parameters.values()), materialize_grads=True)
    return dict(zip(parameters, grads, strict=True))


def _per_seed(value: Tensor, like: Tensor) -> Tensor:
    """One value per seed [S], shaped to multiply a parameter [S, ...]."""
    return value.view(-1, *[1] * (like.dim() - 1))
