"""H_0 = dropout(X) W_1: an encoder without a hidden layer, one column per class.

With few labels and many features a hidden layer may only overfit; what is propagated are then the
class scores of a linear model, as in SGC (Wu, Zhang, Souza, Fifty, Yu and Weinberger, ICML 2019,
https://arxiv.org/abs/1902.07153).
"""

from collections.abc import Sequence

import torch
from torch import Generator, Tensor

from l2p_search.config import TrialConfig
from l2p_search.model.encoder import encoder_bytes
from l2p_search.model.features import features_of
from l2p_search.model.layers import Noise, features_times
from l2p_search.model.network import Parameters, Pass
from l2p_search.model.problem import Problem


class LinearEncoder:
    """The one product of one graph and configuration, and its dropout.

    Parameters of theta: W_1 [S, F, C], b_2 [S, C].

    Config keys: dropout. hidden is not read.
    """

    first_layer = frozenset({"W_1"})
    streamed: frozenset[str] = frozenset()
    classifiers = 1

    def __init__(self, problem: Problem, config: TrialConfig) -> None:
        """Prepare the features once for all epochs and seeds."""
        graph = problem.graph
        self._problem, self._features = problem, features_of(problem, graph.num_classes)
        self._shape = (graph.num_features, graph.num_classes)
        self._rate = config.dropout
        self.width = graph.num_classes
        self.noise_size = self._features.noise_size if config.dropout > 0 else 0
        self.bytes_per_seed = encoder_bytes(graph, self.width)

    def initial(self, generators: Sequence[Generator]) -> Parameters:
        """Glorot weights; the bias is added after propagation."""
        bias = self._problem.zeros(len(generators), self._shape[1])
        return {"W_1": self._problem.glorot(generators, self._shape), "b_2": bias}

    def read(self, given: Pass) -> tuple[Tensor, Tensor]:
        """H_0 times the scorer of phi, and H_0 itself: the class scores.

        Returns:
            Score columns [S, N, R] for R = 1 or T scorers, and class columns [S, N, C] without
            the bias.
        """
        noise = Noise(given.noise)
        h0 = features_times(self._features, given.theta["W_1"], noise, self._rate)
        return torch.bmm(h0, given.phi["w"]), h0
