"""What tuning adds to the hidden layers of a classic GNN: normalisation and a residual connection.

Luo, Shi and Wu, NeurIPS 2024, https://arxiv.org/abs/2406.08993, for the convolution of any GNN:

    H_k = act(norm(conv(dropout(H_{k-1})) + dropout(H_{k-1}) V_k))

With both, GCN, GraphSAGE and GAT reach graph transformers. On GraphSAGE, which has a matrix for a
node's own representation already, V_k adds no function: only its gradient is counted twice.
"""

from collections.abc import Sequence

from torch import Generator, Tensor

from l2p_search.config import TrialConfig
from l2p_search.model.network import Parameters
from l2p_search.model.normalisation import normalised
from l2p_search.model.problem import Problem


class Tuning:
    """The normalisation and the residual connection of one configuration's hidden layers.

    Parameters of a hidden layer `name` with normalisation: scale_name and shift_name
    [S, outputs]; with a residual connection: V_name [S, inputs, outputs].

    Config keys: norm, residual.

    Example:
        >>> Tuning(TrialConfig(model="gcn", norm="layer", residual="linear")).letters
        ('V',)
    """

    def __init__(self, config: TrialConfig) -> None:
        """As the configuration wants it."""
        self._norm = config.norm
        self.normalises = config.norm != "none"
        self.letters: tuple[str, ...] = ("V",) if config.residual == "linear" else ()
        """The letters of the matrices that multiply a node's own representation."""

    def initial(
        self,
        name: str,
        shape: tuple[int, int],
        generators: Sequence[Generator],
        problem: Problem,
    ) -> Parameters:
        """Fresh parameters of a hidden layer: Glorot weights, scale one, shift zero."""
        theta = {f"{letter}_{name}": problem.glorot(generators, shape) for letter in self.letters}
        if self.normalises:
            theta[f"scale_{name}"] = problem.ones(len(generators), shape[1])
            theta[f"shift_{name}"] = problem.zeros(len(generators), shape[1])
        return theta

    def normalised(self, name: str, h: Tensor, theta: Parameters, *, relu: bool = False) -> Tensor:
        """norm(H) for h [S, N, outputs], before its activation, unless that is relu."""
        if self._norm == "none":
            return h.relu_() if relu else h
        scale, shift = theta[f"scale_{name}"], theta[f"shift_{name}"]
        return normalised(self._norm, h, scale, shift, relu=relu)

    def held_per_unit(self) -> int:
        """Tensors of the size of a hidden representation that a layer holds besides, measured.

        A residual connection adds to what is there already.
        """
        return int(self.normalises)


PLAIN = Tuning(TrialConfig())
"""Neither: for networks with connections of their own."""
