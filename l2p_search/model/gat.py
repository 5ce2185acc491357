"""GAT: K layers of graph attention, several heads in each but the last."""

from collections.abc import Sequence

from torch import Generator, Tensor
from torch.nn.functional import elu

from l2p_search.config import TrialConfig
from l2p_search.model.attention import HELD_PER_ENTRY, AttendedEdges
from l2p_search.model.blocks import seeds_per_pass
from l2p_search.model.features import features_of
from l2p_search.model.head import Head
from l2p_search.model.layered_pass import LayeredPass
from l2p_search.model.network import Baseline, Parameters, Pass
from l2p_search.model.problem import Problem
from l2p_search.model.rows import rows_at
from l2p_search.model.tuning import Tuning


class Gat(Baseline):
    """The graph attention network: elu between the layers, one head in the last.

    Velickovic, Cucurull, Casanova, Romero, Lio and Bengio, ICLR 2018,
    https://arxiv.org/abs/1710.10903. With H_0 = X and the attention of `attention`:

        H_k = elu(heads' attention to dropout(H_{k-1}) W_k, side by side, + b_k)    for k < K
        class scores  one head's attention to dropout(H_{K-1}) W_K, + b_K

    The attention itself is dropped out too. Parameters of theta, with U units per head (H / heads,
    in the last layer C): W_k [S, inputs, heads * U], b_k [S, heads * U], to_k and
    from_k [S, heads, U]; those of `Tuning` and of `Head`, which are used as in `Gcn`.

    Config keys: K, hidden (a multiple of heads), heads, dropout, norm, residual, head_layers.
    """

    def __init__(self, problem: Problem, config: TrialConfig) -> None:
        """Prepare the graph's matrices once for all epochs and seeds."""
        graph = problem.graph
        self._problem, self._features = problem, features_of(problem, config.hidden)
        self._adjacency = AttendedEdges(problem)
        self._rate = config.dropout
        self._tuning = Tuning(config)
        self._head: Head | None = None
        self._heads = [(config.heads, config.hidden // config.heads)] * config.K
        if config.head_layers > 1:
            self._head = Head(config.head_layers - 1, problem, config, drop=True)
        else:
            self._heads[-1] = (1, graph.num_classes)
        self._hidden = config.K - (self._head is None)
        self._inputs = [graph.num_features, *[config.hidden] * (config.K - 1)]
        entries = self._adjacency.nonzeros
        attention = sum(heads for heads, _ in self._heads) * entries
        units = sum(self._inputs[1:]) * graph.num_nodes
        self.noise_size = 0
        if config.dropout > 0:
            self.noise_size = self._features.noise_size + units + attention
        outputs = [heads * size for heads, size in self._heads]
        parameters = sum(a * b for a, b in zip(self._inputs, outputs, strict=True))
        parameters *= 1 + len(self._tuning.letters)
        if self._head is not None:
            self.noise_size += self._head.noise_size
            parameters += self._head.parameters
            units += 4 * config.head_layers * graph.num_nodes * config.hidden
        held = (4 + self._tuning.held_per_unit()) * graph.num_nodes * sum(outputs)
        words = 6 * parameters + held + (1 + HELD_PER_ENTRY) * attention + units
        self.bytes_per_seed = 4 * (words + self._features.noise_size)
        self.seeds_per_pass = seeds_per_pass(4 * graph.num_nodes * config.hidden, problem.device)
        of_first = ("W", "b", *(self._tuning.letters if self._hidden else ()))
        self.first_layer = frozenset(f"{letter}_1" for letter in of_first)

    def initial_theta(self, generators: Sequence[Generator]) -> Parameters:
        """Glorot weights, zero biases."""
        theta: Parameters = {}
        for layer, (inputs, (heads, size)) in enumerate(
            zip(self._inputs, self._heads, strict=True), start=1
        ):
            shape = (inputs, heads * size)
            theta |= {
                f"W_{layer}": self._problem.glorot(generators, shape),
                f"b_{layer}": self._problem.zeros(len(generators), heads * size),
                f"to_{layer}": self._problem.glorot(generators, (heads, size)),
                f"from_{layer}": self._problem.glorot(generators, (heads, size)),
            }
            if layer <= self._hidden:
                theta |= self._tuning.initial(str(layer), shape, generators, self._problem)
        return theta if self._head is None else theta | self._head.initial(generators)

    def class_scores(self, given: Pass) -> Tensor:
        """Attend K times, read the last."""
        layers = LayeredPass(given, self._features, self._adjacency, self._rate)
        h: Tensor | None = None
        for layer in range(1, self._hidden + 1):
            attended = layers.attention(str(layer), h, self._tuning.letters)
            h = elu(self._tuning.normalised(str(layer), attended, given.theta), inplace=True)
        if self._head is None or h is None:
            return rows_at(layers.attention(str(self._hidden + 1), h), given.nodes)
        return self._head.class_scores(rows_at(h, given.nodes), given.nodes, layers)
