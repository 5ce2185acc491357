"""Adam for the parameters of one level of many seeds, from which seeds can be taken out."""

from collections.abc import Mapping

import torch
from torch import Tensor

from l2p_search.model.network import Parameters
from l2p_search.model.problem import HOST

_ALL = slice(None)
_BETA_1, _BETA_2, _EPSILON = 0.9, 0.999, 1e-8


class Adam:
    """torch's fused Adam with coupled L2 decay, one decay weight per parameter.

    Kingma and Ba, ICLR 2015, https://arxiv.org/abs/1412.6980. All seeds step together, so their
    step counts agree, and a seed's state is a slice of the whole. This calls the kernel beneath
    `torch.optim.Adam` (a test compares the two): for the parameters of a small graph, that class
    spends longer on its bookkeeping than on the step.

    Example:
        >>> theta = {"W": torch.ones(2, 1)}
        >>> Adam(theta, lr=0.1, decay={}).step({"W": torch.tensor([[5.0], [-5.0]])})
        >>> [round(w, 4) for w in theta["W"].flatten().tolist()]  # first steps have length lr
        [0.9, 1.1]
    """

    def __init__(
        self,
        parameters: Parameters,
        lr: float,
        decay: Mapping[str, float],
        *,
        remember: bool = False,
    ) -> None:
        """Start with zero moments.

        Args:
            parameters: Tensors with the seeds as first axis; they are changed in place.
            lr: The learning rate.
            decay: Weight decay by a parameter's name, 0 for those that are not in it.
            remember: Whether to keep the gradients of the last step, for `response`.
        """
        self._parameters = parameters
        self._lr = lr
        self._decay = {name: decay.get(name, 0.0) for name in parameters}
        self._mean = {name: torch.zeros_like(value) for name, value in parameters.items()}
        self._square = {name: torch.zeros_like(value) for name, value in parameters.items()}
        # The kernel wants the count beside the parameters, in float32 whatever their dtype.
        device = next((value.device for value in parameters.values()), HOST)
        self._step = torch.zeros((), dtype=torch.float32, device=device)
        self._count = 0  # the same here, as reading it would wait for the device
        self._last: Parameters | None = None
        if remember:
            self._last = {name: torch.zeros_like(value) for name, value in parameters.items()}

    def begin(self) -> None:
        """Count one step; every parameter is then to be updated once."""
        self._step += 1
        self._count += 1

    def update(self, name: str, gradient: Tensor, seeds: slice = _ALL) -> None:
        """The step of one parameter for a block of seeds.

        The fused kernel reads the gradient in the order of its memory, which must therefore be
        that of the parameter: contiguous.
        """
        parameter = self._parameters[name].detach()
        mean, square = self._mean[name], self._square[name]
        if seeds is not _ALL:
            parameter, mean, square = parameter[seeds], mean[seeds], square[seeds]
        if self._last is not None:
            torch.add(gradient, parameter, alpha=self._decay[name], out=self._last[name][seeds])
        torch._fused_adam_(
            [parameter],
            [gradient.contiguous()],
            [mean],
            [square],
            [],
            [self._step],
            lr=self._lr,
            beta1=_BETA_1,
            beta2=_BETA_2,
            weight_decay=self._decay[name],
            eps=_EPSILON,
            amsgrad=False,
            maximize=False,
        )

    def step(self, gradients: Parameters) -> None:
        """One step of all parameters."""
        self.begin()
        for name, gradient in gradients.items():
            self.update(name, gradient)

    def response(self) -> Parameters:
        """How the last step would have changed with its gradient: -d theta' / d g, elementwise.

        With the moments m and v after the step, corrected for their start at zero, and
        s = sqrt(v), theta' = theta - lr m / (s + eps). Both moments have g in them:

            -d theta' / d g = lr / (s + eps) (dm/dg - m / (s + eps) ds/dg)

        Zero where no gradient was ever seen: such a parameter has not moved at all.

        Returns:
            One tensor per parameter, in the parameter's shape.

        Raises:
            ValueError: Gradients were not remembered.
        """
        if self._last is None:
            raise ValueError("gradients were not remembered")
        first, second = 1.0 - _BETA_1**self._count, 1.0 - _BETA_2**self._count
        found = {}
        for name, gradient in self._last.items():
            root = (self._square[name] / second).sqrt_()
            step = self._mean[name] / first / (root + _EPSILON)
            change = (1.0 - _BETA_2) / second * gradient / root
            each = self._lr / (root + _EPSILON) * ((1.0 - _BETA_1) / first - step * change)
            found[name] = torch.where(root > 0.0, each, 0.0)
        return found

    def keep(self, places: Tensor, parameters: Parameters) -> None:
        """Continue with the seeds at `places`, of which `parameters` are copies."""
        self._parameters = parameters
        states = (self._mean, self._square, *([] if self._last is None else [self._last]))
        for state in states:
            for name, value in state.items():
                state[name] = value.index_select(0, places)
