"""The bi-level algorithm of section 5.2 for one model on one graph.

    lower level   theta <- theta - eta * grad_theta L_train(theta, phi)      (training nodes)
    upper level   phi   <- phi   - eta * grad_phi   L_val(theta, phi)        (validation nodes)

Each level has an optimizer of its own: with a shared one, Adam's momentum would move the level
that is held still.
"""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from l2p_search.nn.backbones import EVERY
from l2p_search.nn.equations import balanced_classes
from l2p_search.nn.l2p import L2P

FINITE_DIFFERENCE = 0.01
"""The finite difference moves theta this far along its direction."""
WARM_UP = 100
"""Epochs over which the weight of consistency grows: the first predictions are no targets."""


class TwoLevels:
    """Learns theta and phi of a model. An epoch is `lower_step`, `evaluate`, `upper_step`.

    Args:
        model: It is changed in place.
        x: Features, [N, F].
        edge_index: [2, E], or a sparse matrix [N, N].
        y: Classes, [N]; those of the training and validation nodes are read.
        train: Mask of the training nodes, [N].
        val: Mask of the nodes that phi learns from, [N]: the validation nodes, or a share of
            them (`learned_share`) where the others alone stop the training and choose.
        edge_weight: [E]; all 1 where it is not given.
        lr: Learning rate of theta (Adam).
        upper_lr: Learning rate of phi (Adam).
        weight_decay: L2 penalty on what `decay_on` names.
        decay_on: `first_layer`, or all of `theta`.
        step_decay: L2 penalty on the weights of GCNII's steps.
        level: The gradient of phi: `first_order`; through theta's step too, as in DARTS (Liu,
            Simonyan and Yang, ICLR 2019, https://arxiv.org/abs/1806.09055), taken for a step of
            plain gradient descent (`second_order`) or of Adam (`unrolled`); or `joint`, on the
            training nodes.
        consistency: Weight of predicting all nodes without a training label alike with and
            without dropout, as in GRAND (Feng et al. 2020, https://arxiv.org/abs/2005.11079).
        sharpening: Temperature of the predictions without dropout, the targets of `consistency`.
        class_weight: What a class counts in the losses of both levels: as many nodes as it has
            (`none`), or as much as another, by the training nodes (`balanced`).

    Example:
        >>> _ = torch.manual_seed(0)
        >>> x, y = torch.eye(4), torch.tensor([0, 1, 0, 1])
        >>> edge_index = torch.tensor([[0, 1, 2, 3], [1, 0, 3, 2]])
        >>> train, val = torch.tensor([True, True, False, False]), torch.arange(4) == 2
        >>> levels = TwoLevels(L2P(4, 8, 2, K=2), x, edge_index, y, train, val)
        >>> first = levels.lower_step()
        >>> predicted = levels.evaluate()
        >>> levels.upper_step()
        >>> first.shape, tuple(predicted.shape)
        (torch.Size([]), (4, 2))
    """

    def __init__(
        self,
        model: L2P,
        x: Tensor,
        edge_index: Any,
        y: Tensor,
        train: Tensor,
        val: Tensor,
        edge_weight: Tensor | None = None,
        *,
        lr: float = 0.01,
        upper_lr: float = 0.01,
        weight_decay: float = 5e-4,
        decay_on: str = "first_layer",
        step_decay: float = 0.0,
        level: Literal["first_order", "second_order", "unrolled", "joint"] = "first_order",
        consistency: float = 0.0,
        sharpening: float = 0.5,
        class_weight: Literal["none", "balanced"] = "none",
    ) -> None:
        """One Adam per level."""
        self.model, self.y, self.train, self.val = model, y, train, val
        self._graph = (x, edge_index, edge_weight)
        self._read = EVERY if consistency > 0.0 else train
        self._lr, self._level = lr, level
        self._consistency, self._sharpening = consistency, sharpening
        self._theta, self._phi = model.lower_parameters(), model.upper_parameters()
        self._class_weight: Tensor | None = None
        if class_weight == "balanced":
            size, dtype = model.choices.out_channels, self._theta[0].dtype
            self._class_weight = balanced_classes(y[train], size, dtype)
        groups = model.lower_groups(weight_decay, decay_on, step_decay)
        self._lower = torch.optim.Adam(groups, lr=lr)
        self._upper = torch.optim.Adam(self._phi, lr=upper_lr)
        self._target: tuple[Tensor, float] | None = None
        self._epoch = 0
        # Where the last lower step began, its gradient and what its loss read: phi's gradient
        # through theta goes back there.
        self._before: list[Tensor] = []
        self._descended: list[Tensor] = []
        self._drawn = _Drawn(0, None, None)

    def lower_step(self, gumbel: Tensor | None = None) -> Tensor:
        """One gradient step of theta on the training nodes; joint learning moves phi with it.

        Args:
            gumbel: Standard Gumbel noise for the training nodes [L, T]; drawn if not given.

        Returns:
            The loss before the step, without consistency.
        """
        self._drawn = _Drawn(int(torch.randint(2**62, ())), gumbel, self._target)
        self._before = [value.detach().clone() for value in self._theta]
        if self._level == "joint":
            upper = _gradients(self._noisy_loss(upper=True)[1], self._phi)
        loss, descended = self._noisy_loss()
        self._descended = _gradients(descended, self._theta)
        _step(self._lower, self._theta, self._descended)
        if self._level == "joint":
            _step(self._upper, self._phi, upper)
        return loss.detach()

    @torch.no_grad()
    def evaluate(self) -> Tensor:
        """Class scores of all nodes without dropout, [N, C]; also the targets of `consistency`."""
        scores = self.model.predictions(self.model.read(*self._graph, noisy=False))
        self._epoch += 1
        if self._consistency > 0.0:
            target = (scores.log_softmax(dim=1) / self._sharpening).softmax(dim=1)
            weight = self._consistency * min(1.0, self._epoch / WARM_UP)
            self._target = (target, weight)
        return scores

    def loss_at(self, nodes: Tensor, scores: Tensor) -> Tensor:
        """Cross-entropy at the nodes of a mask [N], by class scores [N, C] of `evaluate`."""
        return F.cross_entropy(scores[nodes], self.y[nodes], self._class_weight)

    def upper_step(self, gumbel: Tensor | None = None) -> None:
        """One gradient step of phi on the validation nodes, at the theta of now.

        Args:
            gumbel: Standard Gumbel noise for the validation nodes [L, T]; drawn if not given.
        """
        if self._level == "joint":
            return
        read = self.model.read(*self._graph, self.val, noisy=False)
        loss = self.model.upper_objective(read, self.y[self.val], gumbel, self._class_weight)
        if self._level == "first_order":
            _step(self._upper, self._phi, _gradients(loss, self._phi))
            return
        gradients = _gradients(loss, [*self._phi, *self._theta])
        terms = self.through_theta(gradients[len(self._phi) :])
        upper = [own - term for own, term in zip(gradients, terms, strict=False)]
        _step(self._upper, self._phi, upper)

    def through_theta(self, val_gradient: Sequence[Tensor]) -> list[Tensor]:
        """What phi did to the validation loss by moving theta in the lower step, negated.

            d L_val / d phi = grad_phi L_val - (d2 L_train / dphi dtheta) D grad_theta L_val

        D = -d theta' / d grad_theta L_train is diagonal: lr, if the lower step is taken for one of
        plain gradient descent (`second_order`), else that of the step of Adam (`unrolled`).

        Args:
            val_gradient: grad_theta L_val at the theta of after the lower step.
        """
        if self._level == "unrolled":
            response = adam_response(self._lower, self._theta, self._before, self._descended)
            pairs = zip(response, val_gradient, strict=True)
            return self._mixed_product([own * each for own, each in pairs])
        return [self._lr * each for each in self._mixed_product(val_gradient)]

    def _mixed_product(self, v: Sequence[Tensor]) -> list[Tensor]:
        """(grad_phi L_train(theta + eps v) - grad_phi L_train(theta)) / eps, for phi.

        Theta is that of before the lower step. Both gradients see the dropout and the Gumbel noise
        of that step: their difference would drown in other noise.
        """
        length = torch.stack([each.norm() for each in v]).norm()
        epsilon = FINITE_DIFFERENCE / length.clamp(min=torch.finfo(length.dtype).tiny ** 0.5)
        after = [value.detach().clone() for value in self._theta]
        _write(self._theta, [a + epsilon * b for a, b in zip(self._before, v, strict=True)])
        moved = _gradients(self._noisy_loss()[1], self._phi)
        _write(self._theta, self._before)
        still = _gradients(self._noisy_loss()[1], self._phi)
        _write(self._theta, after)
        return [(a - b) / epsilon for a, b in zip(moved, still, strict=True)]

    def _noisy_loss(self, upper: bool = False) -> tuple[Tensor, Tensor]:
        """An objective on the training nodes by the noise drawn, without and with consistency."""
        drawn, x = self._drawn, self._graph[0]
        with torch.random.fork_rng([x.device] if x.is_cuda else []):
            torch.manual_seed(drawn.seed)
            read = labelled = self.model.read(*self._graph, self._read, noisy=True)
            if self._consistency > 0.0:
                labelled = read.at(self.train)
            objective = self.model.upper_objective if upper else self.model.lower_objective
            labels = self.y[self.train]
            loss = objective(labelled, labels, drawn.gumbel, self._class_weight)
        if drawn.target is None:
            return loss, loss
        target, weight = drawn.target
        p = self.model.predictions(read).softmax(dim=1)
        return loss, loss + weight * (p - target)[~self.train].square().sum(dim=1).mean()


def adam_response(
    adam: torch.optim.Adam,
    parameters: Sequence[Tensor],
    before: Sequence[Tensor],
    gradients: Sequence[Tensor],
) -> list[Tensor]:
    """How the step just taken would have changed with its gradient: -d theta' / d g, elementwise.

        theta' = theta - lr m / (s + eps),  s = sqrt(v), the moments corrected for their start
        -d theta' / d g = lr / (s + eps) (dm/dg - m / (s + eps) ds/dg)

    Zero where no gradient was ever seen: such a parameter has not moved at all.

    Args:
        adam: With one group for each parameter.
        parameters: What it moved.
        before: The parameters before the step.
        gradients: Of the step, without weight decay.
    """
    found = []
    moved = zip(adam.param_groups, parameters, before, gradients, strict=True)
    for group, parameter, start, gradient in moved:
        state, (beta_1, beta_2), eps = adam.state[parameter], group["betas"], group["eps"]
        first, second = 1 - beta_1 ** state["step"], 1 - beta_2 ** state["step"]
        decayed, root = (
            gradient + group["weight_decay"] * start,
            (state["exp_avg_sq"] / second).sqrt(),
        )
        by_mean = (1 - beta_1) / first
        by_root = state["exp_avg"] / first / (root + eps) * (1 - beta_2) / second * decayed / root
        each = group["lr"] / (root + eps) * (by_mean - by_root)
        found.append(torch.where(root > 0.0, each, 0.0))
    return found


class _Drawn(NamedTuple):
    """What the loss of a lower step read besides the parameters.

    Attributes:
        seed: Of the random numbers of dropout, and of Gumbel noise that was not given.
        gumbel: Gumbel noise that was given, [L, T].
        target: Predictions that nodes without a label are held to [N, C], and the weight of that.
    """

    seed: int
    gumbel: Tensor | None
    target: tuple[Tensor, float] | None


def _gradients(loss: Tensor, parameters: Sequence[Tensor]) -> list[Tensor]:
    """Gradients of a loss; zero by what it does not depend on (EM's projection fixes W_2)."""
    return list(torch.autograd.grad(loss, parameters, materialize_grads=True))


def _step(
    optimizer: torch.optim.Optimizer, parameters: Sequence[Tensor], gradients: Sequence[Tensor]
) -> None:
    """One step of an optimizer with these gradients."""
    for value, gradient in zip(parameters, gradients, strict=True):
        value.grad = gradient
    optimizer.step()
    optimizer.zero_grad()


@torch.no_grad()
def _write(parameters: Sequence[Tensor], values: Sequence[Tensor]) -> None:
    """Overwrite parameters in place."""
    for parameter, value in zip(parameters, values, strict=True):
        parameter.copy_(value)
