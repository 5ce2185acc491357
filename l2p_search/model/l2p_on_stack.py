"""What is put on a stack of steps: L2P, which learns for every node where to stop, or nothing."""

from collections.abc import Sequence

import torch
from torch import Generator, Tensor

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.data.splits import most_rows
from l2p_search.model.layers import Noise, drop_units
from l2p_search.model.network import (
    GradientSink,
    Levels,
    Readout,
    fan_in,
    glorot,
    only_step,
    rows_at,
)
from l2p_search.model.posterior import log_probs
from l2p_search.model.stacks import Stack

_FIRST = frozenset({"W_in", "b_in"})


class L2pOnStack:
    """Class scores H_k W_out + b_out, and q from the scores s_k = w_k . H_k + b_k."""

    first_layer = _FIRST
    streamed: frozenset[str] = frozenset()

    def __init__(
        self, stack: Stack, graph: Graph, config: TrialConfig, dtype: torch.dtype
    ) -> None:
        """On a backbone that is read after each of its K steps."""
        self._stack, self._classes, self._dtype = stack, graph.num_classes, dtype
        self._posterior = config.posterior
        self.steps = config.K + 1
        self._scorers = self.steps if config.scorer == "per_step" else 1
        self.noise_size, self.step_weights = stack.noise_size, stack.step_weights
        read = self.steps * most_rows(graph, config) * stack.width
        self.bytes_per_seed = stack.bytes_per_seed + 4 * 2 * read

    def initial(self, generators: Sequence[Generator]) -> Levels:
        """Small scorers: q starts near its shape at score 0."""
        seeds, width = len(generators), self._stack.width
        theta = self._stack.initial(generators) | {
            "W_out": glorot(generators, (width, self._classes), self._dtype),
            "b_out": torch.zeros(seeds, self._classes, dtype=self._dtype),
        }
        phi = {
            "w": fan_in(generators, (width, self._scorers), self._dtype),
            "b": torch.zeros(seeds, self.steps, dtype=self._dtype),
        }
        return Levels(theta, phi)

    def read(
        self,
        levels: Levels,
        nodes: Tensor,
        noise: Tensor | None,
        sink: GradientSink | None = None,
    ) -> Readout:
        """Every step at the labelled nodes."""
        theta, phi = levels.theta, levels.phi
        hidden = self._stack.hidden(theta, len(nodes), Noise(noise))
        read = torch.stack([rows_at(h, nodes) for h in hidden])  # [T, S, L, H]
        logits = torch.einsum("tslh,shc->tcsl", read, theta["W_out"])
        scorer = phi["w"].expand(-1, -1, self.steps)
        scores = torch.einsum("tslh,sht->tsl", read, scorer) + phi["b"].T[:, :, None]
        log_q = log_probs(self._posterior, scores.permute(1, 2, 0))
        return Readout(log_q, logits.permute(2, 3, 0, 1), theta["b_out"])


class LastOfStack:
    """The backbone itself: class scores dropout(H_K) W_out + b_out."""

    first_layer = _FIRST
    streamed: frozenset[str] = frozenset()
    steps = 1

    def __init__(
        self, stack: Stack, graph: Graph, config: TrialConfig, dtype: torch.dtype
    ) -> None:
        """Read after its last step."""
        self._stack, self._dtype, self._rate = stack, dtype, config.dropout
        self._nodes, self._classes = graph.num_nodes, graph.num_classes
        self.noise_size, self.step_weights = stack.noise_size, stack.step_weights
        if config.dropout > 0:
            self.noise_size += graph.num_nodes * stack.width
        self.bytes_per_seed = stack.bytes_per_seed

    def initial(self, generators: Sequence[Generator]) -> Levels:
        """The backbone's parameters and the classifier's."""
        shape = (self._stack.width, self._classes)
        theta = self._stack.initial(generators) | {
            "W_out": glorot(generators, shape, self._dtype),
            "b_out": torch.zeros(len(generators), self._classes, dtype=self._dtype),
        }
        return Levels(theta, {})

    def read(
        self,
        levels: Levels,
        nodes: Tensor,
        noise: Tensor | None,
        sink: GradientSink | None = None,
    ) -> Readout:
        """The last step at the labelled nodes."""
        theta, reader = levels.theta, Noise(noise)
        h = self._stack.hidden(theta, len(nodes), reader)[-1]
        taken = reader.take(*h.shape[1:]) if self._rate > 0 else None
        read = rows_at(drop_units(h, taken, self._rate), nodes)
        return only_step(torch.bmm(read, theta["W_out"]) + theta["b_out"][:, None])
