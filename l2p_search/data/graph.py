"""Graph: what every dataset becomes. Undirected, checked, and immutable."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from l2p_search.data.about import About
from l2p_search.data.checks import (
    check_edges,
    check_features,
    check_labels,
    check_name,
    check_splits,
    check_types,
    check_weights,
)

if TYPE_CHECKING:  # a model that was saved predicts a graph of tensors without numpy
    from numpy.typing import ArrayLike


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """An undirected graph with features, labels and one or more splits of its nodes.

    It is checked where it is made and refuses what does not hold: both directions of every edge,
    each once, no self-loop; finite features; splits that share no node. `Graph.build` and
    `load_graph` make one from data that is not so tidy.

    Attributes:
        name: For titles and folders.
        x: Features [N, F], floats.
        edges: [2, E], int64; both directions of every edge, so E is twice the number of edges.
        y: Classes [N], int64: 0..C-1, or -1 for a node without a label.
        train: Training nodes of P splits [P, N], bool; `val` and `test` likewise.
        val: Validation nodes.
        test: Test nodes.
        weights: Weight of each column of `edges` [E], the same in both directions; None when all
            edges count alike.
        about: Where it came from and what was changed; no part of the digest.

    Raises:
        DataError: One line that says which of the promises does not hold, and where.

    Example:
        >>> import torch
        >>> ring = torch.tensor([[0, 1, 1, 2, 2, 3, 3, 0], [1, 0, 2, 1, 3, 2, 0, 3]])
        >>> masks = torch.eye(4, dtype=torch.bool)[[0, 1, 2, 3]]
        >>> graph = Graph(
        ...     "ring", torch.eye(4), ring, torch.tensor([0, 1, 0, 1]),
        ...     train=masks[[0]] | masks[[1]], val=masks[[2]], test=masks[[3]],
        ... )
        >>> graph.num_nodes, graph.num_edges, graph.num_classes
        (4, 4, 2)
    """

    name: str
    x: Tensor
    edges: Tensor
    y: Tensor
    train: Tensor
    val: Tensor
    test: Tensor
    weights: Tensor | None = None
    about: About = field(default_factory=About)

    def __post_init__(self) -> None:
        """Refuse a graph that cannot be learned on."""
        parts = {"x": self.x, "edges": self.edges, "y": self.y}
        masks = {"train": self.train, "val": self.val, "test": self.test}
        weights = {} if self.weights is None else {"weights": self.weights}
        check_name(self.name)
        check_types(self.name, {**parts, **masks, **weights})
        check_features(self.name, self.x)
        check_labels(self.name, self.y, self.num_nodes)
        check_edges(self.name, self.edges, self.num_nodes)
        if self.weights is not None:
            check_weights(self.name, self.weights, self.edges, self.num_nodes)
        check_splits(self.name, self.y, self.train, self.val, self.test)

    @classmethod
    def build(
        cls,
        *,
        edges: "ArrayLike | Tensor",
        y: "ArrayLike | Tensor",
        x: "ArrayLike | Tensor | None" = None,
        train: "ArrayLike | Tensor | None" = None,
        val: "ArrayLike | Tensor | None" = None,
        test: "ArrayLike | Tensor | None" = None,
        weights: "ArrayLike | Tensor | None" = None,
        name: str = "graph",
        node_ids: "ArrayLike | None" = None,
        feature_names: Sequence[str] | None = None,
        splits: str | None = None,
        scale: str = "auto",
    ) -> "Graph":
        """A graph from arrays or tensors as they come; `describe()` tells what was changed.

        Args:
            edges: [2, E], positions of nodes. Single directions, self-loops and doubles are fine.
            y: One label per node [N]: numbers, bools or strings. None, NaN, "" and -1 are nodes
                without a label.
            x: Features [N, F]. Without any, features are made from the graph.
            train: Training nodes: a mask [N], masks [P, N] or [N, P], or positions of nodes. Give
                all three parts or none.
            val: Validation nodes, likewise.
            test: Test nodes, likewise.
            weights: One positive number per column of `edges` [E].
            name: For titles and folders.
            node_ids: What the nodes are called [N].
            feature_names: What the features are called, F names.
            splits: A rule to make splits by, instead of masks: see `split_rules`.
            scale: "auto", "row", "standard" or "none": see `scaling`.

        Returns:
            The graph, checked.

        Raises:
            DataError: One line that says what is wrong with the arrays.

        Example:
            >>> graph = Graph.build(
            ...     edges=[[0, 1, 2, 2], [1, 0, 1, 2]],
            ...     y=["cat", "dog", "cat", "dog", "cat", None],
            ...     train=[0, 1], val=[2], test=[3, 4],
            ... )
            >>> graph.num_edges, graph.about.class_names
            (2, ('cat', 'dog'))
            >>> graph.about.changes[0]
            '1 self-loop was removed'
        """
        from l2p_search.data.ingest import ingest
        from l2p_search.data.sources.arrays import from_arrays

        raw = from_arrays(
            name=name,
            source=name,
            edges=edges,
            y=y,
            x=x,
            masks=(train, val, test),
            weights=weights,
            node_ids=node_ids,
            feature_names=feature_names,
        )
        return ingest(raw, splits=splits, scale=scale)

    @classmethod
    def unlabelled(
        cls,
        x: Tensor,
        edges: Tensor,
        weights: Tensor | None = None,
        *,
        name: str = "graph",
        node_ids: Sequence[str | int] | None = None,
        feature_names: Sequence[str] | None = None,
        scaling: str = "",
    ) -> "Graph":
        """A graph of tensors to predict with a trained `Model`; it cannot be trained on.

        Args:
            x: Features [N, F], floats, scaled as those that the model was trained on.
            edges: [2, E], int64. Single directions, self-loops and doubles are fine, unless there
                are weights.
            weights: One positive number per column of `edges` [E], the same in both directions.
            name: What messages call it.
            node_ids: What the nodes are called, N names.
            feature_names: What the features are called, F names; a model compares them.
            scaling: How features were scaled, "row", "standard" or "none"; a model compares it.

        Returns:
            The graph, checked.

        Raises:
            DataError: One line that says what is wrong with the tensors.

        Example:
            >>> pair = Graph.unlabelled(torch.ones(2, 3), torch.tensor([[0], [1]]))
            >>> pair.num_edges, pair.num_labelled
            (1, 0)
        """
        from l2p_search.data.unlabelled import Unlabelled

        ids = None if node_ids is None else tuple(node_ids)
        names = None if feature_names is None else tuple(feature_names)
        about = About(node_ids=ids, feature_names=names, scaling=scaling)
        return Unlabelled.of(name, x, edges, weights, about, tidy=weights is None)

    def __repr__(self) -> str:
        return (
            f"Graph({self.name!r}, nodes={self.num_nodes}, edges={self.num_edges},"
            f" features={self.num_features}, classes={self.num_classes}, splits={self.num_splits})"
        )

    @property
    def num_nodes(self) -> int:
        """N."""
        return self.x.shape[0]

    @property
    def num_features(self) -> int:
        """F."""
        return self.x.shape[1]

    @cached_property
    def num_classes(self) -> int:
        """C."""
        return int(self.y.max()) + 1

    @property
    def num_splits(self) -> int:
        """P."""
        return self.train.shape[0]

    @property
    def num_edges(self) -> int:
        """Undirected edges, each counted once."""
        return self.edges.shape[1] // 2

    @cached_property
    def num_labelled(self) -> int:
        """Nodes with a label."""
        return int((self.y >= 0).sum())

    @cached_property
    def class_counts(self) -> tuple[int, ...]:
        """Nodes of each class: C numbers."""
        return tuple(self.y[self.y >= 0].bincount().tolist())

    @cached_property
    def edge_homophily(self) -> float:
        """The share of edges that join two nodes of one class (it reads every label).

        Edges with an unlabelled end are left out; nan when none is left.
        """
        ends = self.y[self.edges]
        source, target = ends[:, (ends >= 0).all(dim=0)]
        return float((source == target).double().mean())

    @cached_property
    def digest(self) -> str:
        """A content hash: two graphs with one digest give the same training."""
        parts = (self.x, self.edges, self.y, self.train, self.val, self.test)
        sha = hashlib.sha256()
        for part in parts if self.weights is None else (*parts, self.weights):
            sha.update(str((part.dtype, tuple(part.shape))).encode())
            sha.update(part.contiguous().numpy().tobytes())
        return sha.hexdigest()[:16]

    @cached_property
    def node_digest(self) -> str:
        """A content hash of features and labels alone, whatever the order of the nodes.

        Two graphs that have the same one are one data set, and count once where results over
        graphs are counted. Cornell-legacy has that of Texas: only edges and splits are others.
        """
        rows = torch.cat([self.x.double(), self.y.double().unsqueeze(1)], dim=1).numpy()
        nodes = sorted(hashlib.blake2b(row.tobytes(), digest_size=8).digest() for row in rows)
        return hashlib.sha256(b"".join(nodes)).hexdigest()[:16]

    def with_splits(self, rule: str) -> "Graph":
        """The same graph with splits made by a rule, such as "10x48/32/20".

        Args:
            rule: See `split_rules`; a temporal rule needs a column, which a Graph has not.

        Raises:
            DataError: The rule is unknown or does not fit the labels.

        Example:
            >>> from l2p_search.data.demo import demo_graph
            >>> demo_graph().with_splits("3x60/20/20").num_splits
            3
        """
        from l2p_search.data.split_rules import make_splits

        made = make_splits(rule, self.y.numpy(), source=self.name)
        train, val, test = map(torch.from_numpy, (made.train, made.val, made.test))
        changes = (*self.about.changes, *made.changes)
        about = replace(self.about, split_rule=rule, changes=changes)
        return replace(self, train=train, val=val, test=test, about=about)

    def describe(self) -> str:
        """What was understood of the graph, in one paragraph.

        Homophily in it is that of training labels; what only `edge_homophily` could tell, by
        reading test labels, is not in it.

        Example:
            >>> from l2p_search.data.demo import demo_graph
            >>> print(demo_graph().describe()[:41])
            demo: 320 nodes, 975 edges. 160 features,
        """
        from l2p_search.data.describing import described

        return described(self)


def undirected(edges: Tensor, num_nodes: int) -> Tensor:
    """Both directions of every edge, once each, without self-loops; sorted by source."""
    source, target = edges[:, edges[0] != edges[1]]
    keys = torch.cat([source * num_nodes + target, target * num_nodes + source]).sort().values
    once = keys[keys.diff(prepend=keys.new_tensor([-1])) != 0]
    return torch.stack([once // num_nodes, once % num_nodes])


def row_normalised(x: Tensor) -> Tensor:
    """Features of every node divided by their sum (of magnitudes); a node without any stays zero.

    Bags of words of long and short documents get one scale; on Wisconsin this is worth
    several points of accuracy.
    """
    return x / x.abs().sum(dim=1, keepdim=True).clamp_min(torch.finfo(x.dtype).tiny)
