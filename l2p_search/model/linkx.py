"""LINKX: a classifier of who a node's neighbours are, joined with one of its features."""

from collections.abc import Sequence

from torch import Generator, Tensor

from l2p_search.config import TrialConfig
from l2p_search.model.features import features_of
from l2p_search.model.head import Head
from l2p_search.model.layered_pass import LayeredPass
from l2p_search.model.layers import Adjacency
from l2p_search.model.network import Baseline, Parameters, Pass
from l2p_search.model.problem import Problem
from l2p_search.model.rows import rows_at


class Linkx(Baseline):
    """A node's row of the adjacency and its features, each embedded, then joined by an MLP.

    Lim, Hohne, Li, Huang, Gupta, Bhalerao and Lim, NeurIPS 2021, https://arxiv.org/abs/2110.14446:

        H_A = A W_A + b_A,    H_X = dropout(X) W_X + b_X
        H = relu(H_A J_A + H_X J_X + b_J + H_A + H_X)
        class scores  MLP(dropout(H)), of `head_layers` layers

    A is the adjacency itself, weighted where edges are, without self-loops and not normalised:
    W_A has a row per node, so this learns who a neighbour is, and nothing about nodes that are
    not in the graph. As in the authors' default, the embeddings H_A and H_X have one layer each;
    there is no batch norm.

    Parameters of theta: W_A [S, N, H], W_X [S, F, H], J_A and J_X [S, H, H], biases b_A, b_X and
    b_J [S, H], and those of `Head`.

    Config keys: hidden, dropout, head_layers. K is not read.
    """

    first_layer = frozenset({"W_A", "b_A", "W_X", "b_X"})

    def __init__(self, problem: Problem, config: TrialConfig) -> None:
        """Prepare the graph's matrices once for all epochs and seeds."""
        graph = problem.graph
        self._problem, self._features = problem, features_of(problem, config.hidden)
        self._adjacency = NeighbourSum(problem, 0.0)
        self._head = Head(config.head_layers, problem, config, drop=True)
        self._rate = config.dropout
        hidden = config.hidden
        self._shapes = {
            "W_A": (graph.num_nodes, hidden),
            "W_X": (graph.num_features, hidden),
            "J_A": (hidden, hidden),
            "J_X": (hidden, hidden),
        }
        self.noise_size = self._head.noise_size
        if config.dropout > 0:
            self.noise_size += self._features.noise_size
        # Parameters six times (gradient, moments, best state); both embeddings, what joins them
        # and what the head makes of it, with gradients and random bytes.
        parameters = sum(a * b for a, b in self._shapes.values()) + self._head.parameters
        held = (10 + 4 * config.head_layers) * graph.num_nodes * hidden
        self.bytes_per_seed = 4 * (6 * parameters + held + self._features.noise_size)

    def initial_theta(self, generators: Sequence[Generator]) -> Parameters:
        """Glorot weights, zero biases."""
        theta = {
            name: self._problem.glorot(generators, shape) for name, shape in self._shapes.items()
        }
        for name in ("b_A", "b_X", "b_J"):
            width = self._shapes["J_A"][0]
            theta[name] = self._problem.zeros(len(generators), width)
        return theta | self._head.initial(generators)

    def class_scores(self, given: Pass) -> Tensor:
        """Embed all nodes, join and classify those that are read."""
        theta, nodes = given.theta, given.nodes
        layers = LayeredPass(given, self._features, self._adjacency, self._rate)
        by_rows = rows_at(layers.convolve(theta["W_A"]) + layers.bias("A"), nodes)
        by_features = rows_at(layers.product("X") + layers.bias("X"), nodes)
        joined = by_rows + by_features + layers.bias("J")
        joined = joined.baddbmm(by_rows, theta["J_A"]).baddbmm(by_features, theta["J_X"])
        return self._head.class_scores(joined.relu(), nodes, layers)


class NeighbourSum(Adjacency):
    """A itself: the sum over a node's neighbours, without self-loops, not normalised.

    Where edges have weights they are the entries of A.
    """

    self_loops = False

    def _normalised(self, kept: Tensor) -> Tensor:
        """The entries as they are."""
        return self._weighed(kept)
