"""Baselines that are linear after the encoder: MLP, APPNP, GPR-GNN, DAGNN.

Each makes class scores Z = dropout(relu(dropout(X) W_1 + b_1)) W_2 + b_2 [S, N, C], propagates
them with A_hat = D^-1/2 (A + I) D^-1/2, and weighs the steps in its own way. Only the few columns
of the classes are propagated, for all seeds at once.
"""

from collections.abc import Sequence

import torch
from torch import Generator, Tensor

from l2p_search.config import TrialConfig
from l2p_search.data.splits import most_rows
from l2p_search.model.encoder import Encoder
from l2p_search.model.network import Baseline, Parameters, Pass
from l2p_search.model.problem import HOST, Problem
from l2p_search.model.propagation import (
    Propagation,
    columns_bytes,
    normalised_adjacency,
    propagate_and_read,
)


class LinearModel(Baseline):
    """The common part: Z_0 .. Z_K, from which a subclass makes class scores by `weighed`.

        Z_0 = Z,    Z_k = (1 - a) A_hat Z_{k-1} + a Z

    Parameters of theta: W_1 [S, F, H], b_1 [S, H], W_2 [S, H, C], b_2 [S, C], and `weights`.

    Config keys: hidden, dropout.
    """

    first_layer = Encoder.first_layer
    streamed = Encoder.streamed

    def __init__(self, problem: Problem, config: TrialConfig, steps: int, teleport: float) -> None:
        """Prepare the graph's matrices once for all epochs and seeds.

        Args:
            problem: What is learned on, and where.
            config: How.
            steps: K, how often Z is propagated.
            teleport: a, the share of Z in every step.
        """
        graph = problem.graph
        self._problem, self._encoder = problem, Encoder(problem, config)
        self._propagation = Propagation(normalised_adjacency(problem), steps, teleport)
        self._hidden, self._classes = config.hidden, graph.num_classes
        self.noise_size = self._encoder.noise_size
        self.bytes_per_seed = self._encoder.bytes_per_seed + columns_bytes(
            graph.num_nodes, most_rows(graph, config), steps + 1, 1, graph.num_classes
        )

    def initial_theta(self, generators: Sequence[Generator]) -> Parameters:
        """The encoder's parameters and the model's own."""
        return self._encoder.initial(generators) | self.weights(generators)

    def class_scores(self, given: Pass) -> Tensor:
        """Encode, project, propagate, weigh."""
        theta = given.theta
        # The operations are those of L2P, which also propagates scores of the steps. A baseline
        # has no scorer: one of zeros stands in, and its column is not read.
        no_scorer = theta["b_2"].new_zeros(len(given.nodes), self._hidden, 1)
        column, classes = self._encoder.columns(given, no_scorer, theta["W_2"])
        scores = classes + theta["b_2"][:, None]
        _, read = propagate_and_read(self._propagation, column, scores, given.nodes)
        return self.weighed(theta, read)

    def weights(self, generators: Sequence[Generator]) -> Parameters:
        """Fresh parameters that weigh the steps: none, unless a model says otherwise."""
        return {}

    def weighed(self, theta: Parameters, read: Tensor) -> Tensor:
        """Class scores from those of every step: [S, L, T, C] -> [S, L, C]. Here the last."""
        return read[:, :, -1]


class Mlp(LinearModel):
    """Class scores Z, without the graph: what the features alone are worth.

    A baseline of Shchur, Mumme, Bojchevski and Guennemann, 2018, https://arxiv.org/abs/1811.05868.

    Config keys: hidden, dropout. K is not read.
    """

    def __init__(self, problem: Problem, config: TrialConfig) -> None:
        """Propagate zero times."""
        super().__init__(problem, config, 0, 0.0)


class Appnp(LinearModel):
    """Personalised propagation: class scores Z_K, with Z_k = (1 - a) A_hat Z_{k-1} + a Z.

    Klicpera (now Gasteiger), Bojchevski and Guennemann, ICLR 2019,
    https://arxiv.org/abs/1810.05997.

    Config keys: K, teleport (a), hidden, dropout.
    """

    def __init__(self, problem: Problem, config: TrialConfig) -> None:
        """Propagate K times, returning to Z with the probability `teleport`."""
        super().__init__(problem, config, config.K, config.teleport)


class GprGnn(LinearModel):
    """Generalised PageRank: sum_k g_k A_hat^k Z with weights g_k learned for the whole graph.

    Chien, Peng, Li and Milenkovic, ICLR 2021, https://arxiv.org/abs/2006.07988. Learning starts
    at APPNP's weights: g_k = a (1 - a)^k for k < K, and g_K = (1 - a)^K. Further parameters of
    theta: gamma [S, T].

    Config keys: K, teleport (a), hidden, dropout.
    """

    def __init__(self, problem: Problem, config: TrialConfig) -> None:
        """Propagate K times, without a return to Z."""
        super().__init__(problem, config, config.K, 0.0)
        powers = torch.arange(config.K + 1, dtype=problem.dtype, device=HOST)
        start = config.teleport * (1.0 - config.teleport) ** powers
        start[-1] = (1.0 - config.teleport) ** config.K
        self._start = problem.placed(start)

    def weights(self, generators: Sequence[Generator]) -> Parameters:
        """Those of personalised PageRank, as in APPNP."""
        return {"gamma": self._start.repeat(len(generators), 1)}

    def weighed(self, theta: Parameters, read: Tensor) -> Tensor:
        """One weight per step for all nodes."""
        return (read * theta["gamma"][:, None, :, None]).sum(dim=2)


class Dagnn(LinearModel):
    """Deep adaptive GNN: sum_k sigmoid(s . Z_k + c) Z_k with Z_k = A_hat^k Z.

    Liu, Gao and Ji, KDD 2020, https://arxiv.org/abs/2007.09296. Every node weighs its own steps,
    by one vector s for all of them. Further parameters of theta: s [S, C, 1], c [S, 1].

    Config keys: K, hidden, dropout.
    """

    def __init__(self, problem: Problem, config: TrialConfig) -> None:
        """Propagate K times, without a return to Z."""
        super().__init__(problem, config, config.K, 0.0)

    def weights(self, generators: Sequence[Generator]) -> Parameters:
        """One vector s for all steps, and its bias."""
        return {
            "s": self._problem.fan_in(generators, (self._classes, 1)),
            "c": self._problem.zeros(len(generators), 1),
        }

    def weighed(self, theta: Parameters, read: Tensor) -> Tensor:
        """One retention score per node and step."""
        scores = torch.einsum("slkc,sc->slk", read, theta["s"][:, :, 0])
        retained = torch.sigmoid(scores + theta["c"][:, None])
        return (read * retained.unsqueeze(-1)).sum(dim=2)
