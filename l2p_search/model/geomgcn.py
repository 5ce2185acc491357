"""Geom-GCN (Pei et al. 2020): neighbours in the graph and in a latent plane, by direction.

A node has nine virtual neighbours: of either neighbourhood those upper left, upper right, lower
left and lower right of it, and itself. Each has weights of its own; two layers, the hidden units
of the nine side by side, their class scores averaged.
"""

from collections.abc import Sequence
from functools import lru_cache

import torch
from torch import Generator, Tensor

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.model.features import features_of
from l2p_search.model.geometry.relations import LatentSpace, latent_positions, structural_relations
from l2p_search.model.layers import FixedMatrix, Noise, drop_units, features_times
from l2p_search.model.network import (
    GradientSink,
    Levels,
    Readout,
    glorot,
    only_step,
    rows_at,
)

SPACES: dict[str, LatentSpace] = {
    "geomgcn-i": "isomap",
    "geomgcn-p": "poincare",
    "geomgcn-s": "struc2vec",
}
_PARTS = 9
_PER_NEIGHBOURHOOD = 4


class GeomGcn:
    """`hidden` units a virtual neighbour; K is not read, as there are two layers."""

    first_layer = frozenset({"W_1", "b_1"})
    step_weights: frozenset[str] = frozenset()
    streamed: frozenset[str] = frozenset()
    steps = 1

    def __init__(self, graph: Graph, config: TrialConfig, dtype: torch.dtype) -> None:
        """Find the virtual neighbours, once a graph and process."""
        self._features = features_of(graph.x.to(dtype), _PARTS * config.hidden)
        row, column, values = virtual_neighbours(graph, SPACES[config.model])
        size = _PARTS * graph.num_nodes
        self._matrix = FixedMatrix(row, column, values.to(dtype), size)
        self._rate, self._dtype = config.dropout, dtype
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

    def initial(self, generators: Sequence[Generator]) -> Levels:
        """Glorot weights, zero biases."""
        theta = {
            name: glorot(generators, shape, self._dtype) for name, shape in self._shapes.items()
        }
        for name, size in (("b_1", self._width), ("b_2", self._classes)):
            theta[name] = torch.zeros(len(generators), size, dtype=self._dtype)
        return Levels(theta, {})

    def read(
        self,
        levels: Levels,
        nodes: Tensor,
        noise: Tensor | None,
        sink: GradientSink | None = None,
    ) -> Readout:
        """Two layers."""
        theta, reader, rate = levels.theta, Noise(noise), self._rate
        taken = reader.take(self._features.noise_size) if rate > 0 else None
        product = features_times(self._features, theta["W_1"], taken, rate)
        h = self._aggregated(product).transpose(1, 2).flatten(2)
        h = (h + theta["b_1"][:, None]).relu()
        taken = reader.take(*h.shape[1:]) if rate > 0 else None
        product = torch.bmm(drop_units(h, taken, rate), theta["W_2"])
        scores = self._aggregated(product).mean(dim=1) + theta["b_2"][:, None]
        return only_step(rows_at(scores, nodes))

    def _aggregated(self, product: Tensor) -> Tensor:
        """Of each virtual neighbour its own columns: [S, N, 9 U] -> [S, 9, N, U]."""
        seeds, nodes, width = product.shape
        apart = product.view(seeds, nodes, _PARTS, width // _PARTS).transpose(1, 2)
        flat = apart.reshape(seeds, _PARTS * nodes, width // _PARTS)
        return self._matrix.times(flat).view_as(apart)


def virtual_neighbours(graph: Graph, space: LatentSpace) -> tuple[Tensor, Tensor, Tensor]:
    """Rows, columns and values of the nine aggregations, down the diagonal of [9 N, 9 N].

    A neighbour u of v counts (d(u) d(v))^-1/2 by the degrees in their neighbourhood, v itself 1.
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
    own = len(patterns) * graph.num_nodes + torch.arange(graph.num_nodes)
    rows.append(own)
    columns.append(own)
    values.append(torch.ones(graph.num_nodes, dtype=torch.float64))
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
    """Up to a minute of work, which the trials of a search share."""
    return structural_relations(of.graph, latent_positions(of.graph, space), space)
