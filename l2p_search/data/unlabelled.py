"""Unlabelled: a graph to predict, of which no label is known or read."""

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from l2p_search.data.about import About
from l2p_search.data.checks import (
    check_edges,
    check_ends,
    check_features,
    check_types,
    check_weights,
)
from l2p_search.data.graph import Graph, undirected
from l2p_search.errors import DataError


@dataclass(frozen=True, eq=False, repr=False)
class Unlabelled(Graph):
    """Features and edges alone, checked as those of every graph: nothing to learn from.

    Its labels are all -1 and its one split is empty, so that nothing that predicts can read a
    label by mistake.

    Attributes:
        classes: How many classes it is predicted to have; 0 when nobody has said it.
    """

    classes: int = 0

    def __post_init__(self) -> None:
        """Refuse a graph that cannot be predicted."""
        weights = {} if self.weights is None else {"weights": self.weights}
        check_types(self.name, {"x": self.x, "edges": self.edges, **weights})
        check_features(self.name, self.x)
        check_edges(self.name, self.edges, self.num_nodes)
        for what, names, count in (
            ("node ids", self.about.node_ids, self.num_nodes),
            ("names of features", self.about.feature_names, self.num_features),
        ):
            if names is not None and len(names) != count:
                raise DataError(f"{self.name}: {len(names)} {what} for {count}; give one each")
        if self.weights is not None:
            check_weights(self.name, self.weights, self.edges, self.num_nodes)

    @classmethod
    def of(
        cls,
        name: str,
        x: Tensor,
        edges: Tensor,
        weights: Tensor | None = None,
        about: About | None = None,
        classes: int = 0,
        *,
        tidy: bool = False,
    ) -> "Unlabelled":
        """A graph of these tensors.

        Args:
            name: What messages call it.
            x: Features [N, F], floats.
            edges: [2, E], int64, both directions of every edge.
            weights: Of the columns of `edges` [E]; None when all count alike.
            about: What is known of the graph beside its tensors.
            classes: How many classes it is predicted to have.
            tidy: Whether edges come in any form, to be made undirected.

        Returns:
            The graph.

        Raises:
            DataError: A tensor cannot be what it is.

        Example:
            >>> both_ways = torch.tensor([[0, 1], [1, 0]])
            >>> graph = Unlabelled.of("pair", torch.ones(2, 3), both_ways, classes=4)
            >>> graph.num_labelled, graph.num_classes
            (0, 4)
        """
        check_types(name, {"x": x, "edges": edges})
        check_features(name, x)
        nodes = len(x)
        if tidy:
            check_ends(name, edges, nodes)
            edges = undirected(edges, nodes)
        nobody = torch.zeros(1, nodes, dtype=torch.bool)
        y = torch.full((nodes,), -1)
        about = About() if about is None else about
        return cls(name, x, edges, y, nobody, nobody, nobody, weights, about, classes=classes)

    @cached_property
    def num_classes(self) -> int:
        """C, by what is predicted; no node has a class here."""
        return self.classes
