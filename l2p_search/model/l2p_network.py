"""L2P on any backbone: the scorer phi, and the posterior q(t | node) that it learns.

"Learning How to Propagate Messages in Graph Neural Networks" (KDD 2021) is what this package means
wherever it says "the paper".
"""

from collections.abc import Sequence

from torch import Generator, Tensor

from l2p_search.config import TrialConfig
from l2p_search.model.network import Network, Parameters
from l2p_search.model.posterior import log_probs
from l2p_search.model.problem import Problem


class L2pNetwork(Network):
    """A backbone whose every step H_0 .. H_K is read, and the scorer of the steps.

    Xiao, Chen, Wang and Wang, KDD 2021, https://arxiv.org/abs/2310.00697, section 4, for the
    hidden representation H_k of a node after step k:

        s_k = w_k . H_k + b_k,    q(t | node) = select(s)_t  or  quit(s)_t

    with one w_k per step, or one w for all steps. The bias b_k, which the paper leaves out, lets
    a shared w prefer a step for all nodes: with it, a shared w validates as well as one w_k per
    step, at half the cost.

    Parameters of phi: w [S, H, 1] or [S, H, T], and b [S, T] unless there is none.

    Config keys: K, scorer, scorer_bias, posterior.
    """

    def __init__(self, problem: Problem, config: TrialConfig, width: int) -> None:
        """Score the steps of a backbone of `width` hidden units."""
        self.steps = config.K + 1
        self.scorers = self.steps if config.scorer == "per_step" else 1
        self.scored = config.K if config.posterior == "quit" else self.steps  # quits surely at K
        self._problem, self._posterior, self._width = problem, config.posterior, width
        self._biased = config.scorer_bias == "per_step"

    def initial_phi(self, generators: Sequence[Generator]) -> Parameters:
        """Small scorers: q starts near its shape at score 0."""
        phi = {"w": self._problem.fan_in(generators, (self._width, self.scorers))}
        if self._biased:
            phi["b"] = self._problem.zeros(len(generators), self.steps)
        return phi

    def log_q(self, scores: Tensor, phi: Parameters) -> Tensor:
        """Log q from the scores w_k . H_k, to which a bias is added: both [S, L, T]."""
        biased = scores + phi["b"][:, None] if self._biased else scores
        return log_probs(self._posterior, biased)
