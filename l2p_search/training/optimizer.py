"""Adam for one level of all seeds, whose seeds can leave."""

from collections.abc import Mapping

import torch
from torch import Tensor

from l2p_search.model.network import Parameters

_ALL = slice(None)


class Adam:
    """torch's fused Adam with coupled L2 decay, a weight a parameter.

    All seeds step together, so their step counts agree, and a seed's state is a slice of the
    whole. This calls the kernel beneath `torch.optim.Adam` (a test compares the two): for the
    parameters of a small graph, the class spends longer on its bookkeeping than on the step.
    """

    def __init__(self, parameters: Parameters, lr: float, decay: Mapping[str, float]) -> None:
        """Optimize the parameters in place, those that `decay` names with that weight decay."""
        self._parameters = parameters
        self._lr = lr
        self._decay = {name: decay.get(name, 0.0) for name in parameters}
        self._mean = {name: torch.zeros_like(value) for name, value in parameters.items()}
        self._square = {name: torch.zeros_like(value) for name, value in parameters.items()}
        self._step = torch.zeros(())

    def begin(self) -> None:
        """Count one step; every parameter is then to be updated once."""
        self._step += 1

    def update(self, name: str, gradient: Tensor, seeds: slice = _ALL) -> None:
        """The step of one parameter of some seeds.

        The fused kernel walks gradients in the order of memory: they must lie as the parameters.
        """
        torch._fused_adam_(
            [self._parameters[name].detach()[seeds]],
            [gradient.contiguous()],
            [self._mean[name][seeds]],
            [self._square[name][seeds]],
            [],
            [self._step],
            lr=self._lr,
            beta1=0.9,
            beta2=0.999,
            weight_decay=self._decay[name],
            eps=1e-8,
            amsgrad=False,
            maximize=False,
        )

    def step(self, gradients: Parameters) -> None:
        """One step of all parameters."""
        self.begin()
        for name, gradient in gradients.items():
            self.update(name, gradient)

    def keep(self, places: Tensor, parameters: Parameters) -> None:
        """Go on with `parameters`, copies of the seeds at `places`."""
        self._parameters = parameters
        for state in (self._mean, self._square):
            for name, value in state.items():
                state[name] = value.index_select(0, places)
