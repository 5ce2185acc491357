"""What is put on a stack of steps: L2P, which learns for every node where to stop, or nothing."""

from collections.abc import Sequence

import torch
from torch import Generator, Tensor

from l2p_search.config import TrialConfig
from l2p_search.data.splits import most_rows
from l2p_search.model.dense import times
from l2p_search.model.head import Head
from l2p_search.model.l2p_network import L2pNetwork
from l2p_search.model.network import Baseline, Parameters, Pass, Readout
from l2p_search.model.problem import Problem
from l2p_search.model.rows import Tap, rows_at
from l2p_search.model.stacks import Stack


class L2pOnStack(L2pNetwork):
    """L2P on a backbone with weights of its own in each step.

    Xiao, Chen, Wang and Wang, KDD 2021, https://arxiv.org/abs/2310.00697, section 4:

        class scores of step k:  H_k W_out + b_out,    q from s_k = w_k . H_k + b_k

    H_0 .. H_K [S, N, H] are those of the stack. One `Head` reads every step: with `head_layers`
    above 1 it has hidden layers between H_k and W_out, while q still reads H_k itself. Parameters
    of theta are those of the stack and of the head; of phi see `L2pNetwork`.

    Config keys: K, scorer, posterior, on a tunable stack head_layers, and what the stack reads.
    """

    def __init__(self, stack: Stack, problem: Problem, config: TrialConfig) -> None:
        """On a backbone that is read after each of its K steps."""
        super().__init__(problem, config, stack.width)
        self._stack = stack
        self.first_layer, self.step_weights = stack.first_layer, stack.step_weights
        layers = config.head_layers if stack.tunable else 1
        self._head = Head(layers, problem, config, drop=False)
        self.noise_size = stack.noise_size + self._head.noise_size
        # Of a hidden layer of the head its product and sum, what is dropped, and the gradients.
        read = self.steps * most_rows(problem.graph, config) * stack.width
        held = (2 + 6 * (layers - 1)) * read + 6 * (layers - 1) * stack.width**2
        self.bytes_per_seed = stack.bytes_per_seed + 4 * held

    def initial_theta(self, generators: Sequence[Generator]) -> Parameters:
        """The parameters of the backbone and of the classifier on it."""
        return self._stack.initial(generators) | self._head.initial(generators)

    def forward(self, given: Pass) -> Readout:
        """Every step at the nodes of the pass."""
        parts = [self._columns(part) for part in given.parts(self._stack.seeds_per_pass)]
        scores, logits = (torch.cat(one, dim=-2) for one in zip(*parts, strict=True))
        log_q = self.log_q(scores.permute(1, 2, 0), given.phi)
        return Readout(log_q, logits.permute(2, 3, 0, 1), given.theta["b_out"])

    def _columns(self, given: Pass) -> tuple[Tensor, Tensor]:
        """Scores [T, S, L] and class scores [T, C, S, L] of the steps."""
        scorer, classifier = given.phi["w"], given.theta["W_out"]
        layers = self._stack.begin(given)
        tap = Tap(given.nodes, rectified=self._stack.rectified)
        self._stack.hidden(layers, tap)
        if self._head.is_linear and self.scorers == 1:  # both in one product
            both = torch.cat([scorer, classifier], dim=2)
            columns = torch.stack([_columns(read, both) for read in tap.rows])
            return columns[:, 0], columns[:, 1:]
        classified = self._head.hidden(tap.rows, given.nodes, layers)
        logits = torch.stack([_columns(own, classifier) for own in classified])
        of_step = scorer.expand(-1, -1, self.steps).split(1, dim=2)
        pairs = zip(tap.rows, of_step, strict=True)
        return torch.cat([_columns(own, weight) for own, weight in pairs]), logits


def _columns(read: Tensor, weight: Tensor) -> Tensor:
    """R W for what was read of a step, classes first: [S, L, H] and [S, H, C] -> [C, S, L]."""
    return times(read, weight).permute(2, 0, 1)


class LastOfStack(Baseline):
    """The backbone itself as a baseline: class scores dropout(H_K) W_out + b_out.

    On `GcniiStack` this is GCNII* (Chen, Wei, Huang, Ding and Li, ICML 2020,
    https://arxiv.org/abs/2007.02133). theta is that of the stack and of the classifier.

    Config keys: dropout, and what the stack reads.
    """

    def __init__(self, stack: Stack, problem: Problem, config: TrialConfig) -> None:
        """On a backbone that is read after its last step only."""
        self._stack = stack
        self.first_layer, self.step_weights = stack.first_layer, stack.step_weights
        self._head = Head(1, problem, config, drop=True)
        self.noise_size = stack.noise_size + self._head.noise_size
        self.bytes_per_seed = stack.bytes_per_seed
        self.seeds_per_pass = stack.seeds_per_pass

    def initial_theta(self, generators: Sequence[Generator]) -> Parameters:
        """The parameters of the backbone and of the classifier on it."""
        return self._stack.initial(generators) | self._head.initial(generators)

    def class_scores(self, given: Pass) -> Tensor:
        """The last step at the nodes of the pass."""
        layers = self._stack.begin(given)
        last = self._stack.hidden(layers)[-1]
        read = rows_at(last, given.nodes, rectified=self._stack.rectified)
        return self._head.class_scores(read, given.nodes, layers)
