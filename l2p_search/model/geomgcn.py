"""Geom-GCN: neighbours in the graph and in a latent plane, by direction.

A node has nine virtual neighbours: of either neighbourhood those upper left, upper right, lower
left and lower right of it, and itself. Each has weights of its own.
"""

from collections.abc import Sequence
from functools import lru_cache

import torch
from torch import Generator, Tensor

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.model.features import features_of
from l2p_search.model.geometry.relations import LatentSpace, latent_positions, structural_relations
from l2p_search.model.layers import FixedMatrix, Noise, features_times
from l2p_search.model.network import Baseline, Parameters, Pass
from l2p_search.model.problem import Problem
from l2p_search.model.rows import rows_at

SPACES: dict[str, LatentSpace] = {
    "geomgcn-i": "isomap",
    "geomgcn-p": "poincare",
    "geomgcn-s": "struc2vec",
}
"""The latent space of each variant, by the name of its model."""

_PARTS = 9
"""Virtual neighbours of a node."""

_PER_NEIGHBOURHOOD = 4
"""Directions in which a neighbour can lie."""


class GeomGcn(Baseline):
    """Geom-GCN with two layers; the variants I, P and S differ in their latent space.

    Pei, Wei, Chang, Lei and Yang, ICLR 2020, https://arxiv.org/abs/2002.05287. With M_i the
    normalised adjacency of virtual neighbour i = 1 .. 9 (see `virtual_neighbours`):

        H = relu([M_1 dropout(X) W_1^1 ; .. ; M_9 dropout(X) W_1^9] + b_1)
        class scores  mean_i M_i dropout(H) W_2^i + b_2

    Parameters of theta, the nine parts side by side: W_1 [S, F, 9 H], b_1 [S, 9 H],
    W_2 [S, 9 H, 9 C], b_2 [S, C].

    Config keys: model (which space), hidden (units per virtual neighbour), dropout. K is
    not read.
    """

    def __init__(self, problem: Problem, config: TrialConfig) -> None:
        """Find the virtual neighbours, once per graph and process."""
        graph = problem.graph
        self._problem, self._features = problem, features_of(problem, _PARTS * config.hidden)
        row, column, values = map(problem.placed, virtual_neighbours(graph, SPACES[config.model]))
        self._matrix = FixedMatrix(row, column, values, _PARTS * graph.num_nodes)
        self._rate = config.dropout
        self._width = _PARTS * config.hidden
        self._shapes = {
            "W_1": (graph.num_features, self._width),
            "W_2": (self._width, _PARTS * graph.num_classes),
        }
        self._classes = graph.num_classes
        self.noise_size = 0
        if config.dropout > 0:
            self.noise_size = self._features.noise_size + graph.num_nodes * self._width
        parameters = sum(a * b for a, b in self._shapes.values())
        words = 6 * parameters + 8 * graph.num_nodes * self._width + self._features.noise_size
        self.bytes_per_seed = 4 * words

    def initial_theta(self, generators: Sequence[Generator]) -> Parameters:
        """Glorot weights, zero biases."""
        theta = {
            name: self._problem.glorot(generators, shape) for name, shape in self._shapes.items()
        }
        for name, size in (("b_1", self._width), ("b_2", self._classes)):
            theta[name] = self._problem.zeros(len(generators), size)
        return theta

    def class_scores(self, given: Pass) -> Tensor:
        """Two layers."""
        theta, noise = given.theta, Noise(given.noise)
        product = features_times(self._features, theta["W_1"], noise, self._rate)
        h = self._aggregated(product).transpose(1, 2).flatten(2)
        h = (h + theta["b_1"][:, None]).relu()
        product = torch.bmm(noise.dropped(h, self._rate), theta["W_2"])
        scores = self._aggregated(product).mean(dim=1) + theta["b_2"][:, None]
        return rows_at(scores, given.nodes)

    def _aggregated(self, product: Tensor) -> Tensor:
        """M_i times the columns of part i, for all i: [S, N, 9 U] -> [S, 9, N, U]."""
        seeds, nodes, width = product.shape
        apart = product.view(seeds, nodes, _PARTS, width // _PARTS).transpose(1, 2)
        flat = apart.reshape(seeds, _PARTS * nodes, width // _PARTS)
        return self._matrix.times(flat).view_as(apart)


def virtual_neighbours(graph: Graph, space: LatentSpace) -> tuple[Tensor, Tensor, Tensor]:
    """M_1 .. M_9 as the blocks of one diagonal matrix [9 N, 9 N].

    A neighbour u of v has the value (d(u) d(v))^-1/2, by the degrees in the whole neighbourhood
    (of all four directions); v itself, the ninth virtual neighbour, has 1.

    Args:
        graph: Its edges are the first neighbourhood.
        space: Where the nearest nodes are the second one.

    Returns:
        Rows, columns and values [nonzeros] (float64).
    """
    rows, columns, values = [], [], []
    patterns = _relations(_ByDigest(graph), space)
    for start in range(0, len(patterns), _PER_NEIGHBOURHOOD):
        neighbourhood = patterns[start : start + _PER_NEIGHBOURHOOD]
        degree = torch.cat([row for row, _ in neighbourhood]).bincount(minlength=graph.num_nodes)
        scale = degree.clamp_min(1).double().rsqrt()
        for part, (row, column) in enumerate(neighbourhood, start=start):
            rows.append(part * graph.num_nodes + row)
            columns.append(part * graph.num_nodes + column)
            values.append(scale[row] * scale[column])
    own = torch.arange(graph.num_nodes, device=graph.edges.device)
    own += len(patterns) * graph.num_nodes
    rows.append(own)
    columns.append(own)
    values.append(scale.new_ones(graph.num_nodes))
    return torch.cat(rows), torch.cat(columns), torch.cat(values)


class _ByDigest:
    """A graph that equals others of the same content."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByDigest) and self.graph.digest == other.graph.digest

    def __hash__(self) -> int:
        return hash(self.graph.digest)


@lru_cache(maxsize=8)
def _relations(of: _ByDigest, space: LatentSpace) -> list[tuple[Tensor, Tensor]]:
    """The relations of a graph: up to a minute of work, which the trials of a search share."""
    return structural_relations(of.graph, latent_positions(of.graph, space), space)
