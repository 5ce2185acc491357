"""Expected: what a trained model knows of its graph, and what it refuses of another one."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from torch import Tensor

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.data.standardising import Standard
from l2p_search.data.unlabelled import Unlabelled
from l2p_search.errors import DataError, argument

_IDENTITIES = "each node had a column of its own, as the graph has no features"


@dataclass(frozen=True, kw_only=True)
class Expected:
    """What a graph must have in common with the one that a model was trained on.

    Attributes:
        dataset: What that graph is called.
        digest: Its content hash.
        nodes: How many it has.
        features: How many features.
        feature_names: What they are called, in their order; None when nobody knows.
        classes: What the classes are called, in the order of the model's probabilities.
        scaling: How the features were scaled: see `About`; "" when nobody knows.
        standard: The means and spreads they were standardised by.
        splits: How many splits it has, and where they are from.
        same_nodes: Set for a model that has weights of every single node (LINKX): the hash of the
            nodes' ids, "" when they have none.
        same_edges: Set for a model that looks at the whole graph at once (Geom-GCN): the hash of
            its edges.
    """

    dataset: str
    digest: str
    nodes: int
    features: int
    feature_names: tuple[str, ...] | None
    classes: tuple[str, ...]
    scaling: str
    standard: Standard | None
    splits: str
    same_nodes: str | None = None
    same_edges: str | None = None

    @classmethod
    def of(cls, graph: Graph, config: TrialConfig) -> "Expected":
        """What a model of this configuration remembers of the graph that it was trained on."""
        about, network = graph.about, config.network
        counted = f"{graph.num_splits} split{'s' * (graph.num_splits != 1)}"
        return cls(
            dataset=graph.name,
            digest=graph.digest,
            nodes=graph.num_nodes,
            features=graph.num_features,
            feature_names=about.feature_names,
            classes=about.class_names or tuple(map(str, range(graph.num_classes))),
            scaling=about.scaling,
            standard=about.standard,
            splits=f"{counted} ({about.split_rule})" if about.split_rule else counted,
            same_nodes=_nodes_digest(graph) if network == "linkx" else None,
            same_edges=_edges_digest(graph) if network.startswith("geomgcn") else None,
        )

    def seen(self, graph: Graph) -> Unlabelled:
        """The graph as the model is to see it: its features scaled as the model's were.

        Args:
            graph: Any graph of the same features and classes. Its labels are not read; their
                names must be among those of the model.

        Returns:
            The graph without labels.

        Raises:
            DataError: It has other features, another scaling, unknown classes, or the model
                cannot predict any graph but its own. The message says which and why.
        """
        self._check_features(graph)
        self._check_classes(graph)
        self._check_sameness(graph)
        x = self._scaled(graph)
        about = replace(graph.about, class_names=self.classes, standard=self.standard)
        name, edges, weights = graph.name, graph.edges, graph.weights
        return Unlabelled.of(name, x, edges, weights, about, classes=len(self.classes))

    def to_mapping(self) -> dict[str, Any]:
        """Plain JSON values."""
        names = self.feature_names
        return {
            "dataset": self.dataset,
            "digest": self.digest,
            "nodes": self.nodes,
            "features": self.features,
            "feature_names": None if names is None else list(names),
            "classes": list(self.classes),
            "scaling": self.scaling,
            "standard": None if self.standard is None else self.standard._asdict(),
            "splits": self.splits,
            "same_nodes": self.same_nodes,
            "same_edges": self.same_edges,
        }

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> "Expected":
        """The inverse of `to_mapping`."""
        names, standard = mapping["feature_names"], mapping["standard"]
        return cls(
            **{
                **mapping,
                "feature_names": None if names is None else tuple(names),
                "classes": tuple(mapping["classes"]),
                "standard": standard
                and Standard(tuple(standard["center"]), tuple(standard["spread"])),
            }
        )

    def _check_features(self, graph: Graph) -> None:
        mine, theirs = self.feature_names, graph.about.feature_names
        if mine is not None and theirs is not None and mine != theirs:
            raise DataError(f"{graph.name}: {_difference(mine, theirs)}")
        if graph.num_features != self.features:
            made = self.scaling == "made" and mine is None
            raise DataError(
                f"{graph.name}: {graph.num_features:,} features, but the model was trained on"
                f" {self.features:,}"
                + (f" ({_IDENTITIES})" if made else "; give the same ones in the same order")
            )

    def _check_classes(self, graph: Graph) -> None:
        names = graph.about.class_names
        known = ", ".join(self.classes[:8]) + ", .." * (len(self.classes) > 8)
        for name in names or ():
            if name not in self.classes:
                raise DataError(
                    f"{graph.name}: class '{name}' is none that the model knows ({known}); name"
                    f" the right column with {argument('label')}, or train on this graph"
                )
        if names is None and graph.num_classes > len(self.classes):
            raise DataError(
                f"{graph.name}: {graph.num_classes} classes, but the model knows"
                f" {len(self.classes)} ({known}); train on this graph"
            )

    def _check_sameness(self, graph: Graph) -> None:
        if self.same_nodes is not None and (
            graph.num_nodes != self.nodes or _differ(self.same_nodes, _nodes_digest(graph))
        ):
            raise DataError(
                f"{graph.name}: {graph.num_nodes:,} nodes, or others than the {self.nodes:,} that"
                " the model was trained on; LINKX has weights of every single node, so it cannot"
                " predict other ones: train on this graph, or take another model"
            )
        if self.same_edges is not None and self.same_edges != _edges_digest(graph):
            raise DataError(
                f"{graph.name}: other edges than those that the model was trained on; Geom-GCN"
                " lays the whole graph out in a plane, whose directions mean something else for"
                " every graph: train on this graph, or take another model"
            )

    def _scaled(self, graph: Graph) -> Tensor:
        about = graph.about
        if "" not in (self.scaling, about.scaling) and self.scaling != about.scaling:
            raise DataError(
                f"{graph.name}: features are scaled by '{about.scaling}', but the model was"
                f" trained on '{self.scaling}'; load the graph with"
                f" {argument('scale', self.scaling)}"
            )
        if self.scaling == "row":
            _check_row_sums(graph)
        if None in (self.standard, about.standard) or self.standard == about.standard:
            return graph.x
        assert self.standard is not None
        assert about.standard is not None
        return self.standard.scaled(about.standard.raw(graph.x))


def _difference(mine: tuple[str, ...], theirs: tuple[str, ...]) -> str:
    """Which feature is missing, unknown or elsewhere, in words."""
    for name in mine:
        if name not in theirs:
            return (
                f"no feature '{name}', which the model was trained on; add it, or name all with"
                f" {argument('features')} if the table has it"
            )
    for name in theirs:
        if name not in mine:
            return f"feature '{name}' is none that the model was trained on; leave it out"
    place = next(
        (at for at, pair in enumerate(zip(mine, theirs, strict=False)) if pair[0] != pair[1]),
        min(len(mine), len(theirs)) - 1,
    )
    return (
        f"feature {place} is '{theirs[place]}', but was '{mine[place]}' when the model was"
        " trained; give the features in the model's order"
    )


def _check_row_sums(graph: Graph) -> None:
    sums = graph.x.abs().sum(dim=1)
    wrong = ~((sums - 1.0).abs().lt(1e-3) | sums.eq(0))
    if wrong.any():
        node = int(wrong.nonzero()[0])
        raise DataError(
            f"{graph.name}: features of node {node} sum to {float(sums[node]):.4g}, but the model"
            f" was trained on features divided by their sum; give {argument('scale', 'row')} to"
            " what builds the graph"
        )


def _differ(mine: str, theirs: str) -> bool:
    """Whether two hashes are of different things; an empty one is of unknown ones."""
    return "" not in (mine, theirs) and mine != theirs


def _nodes_digest(graph: Graph) -> str:
    if graph.about.node_ids is None:
        return ""
    return hashlib.sha256(json.dumps(list(map(str, graph.about.node_ids))).encode()).hexdigest()


def _edges_digest(graph: Graph) -> str:
    order = (graph.edges[0] * graph.num_nodes + graph.edges[1]).argsort()
    sha = hashlib.sha256(str(graph.num_nodes).encode())
    sha.update(graph.edges[:, order].numpy().tobytes())
    if graph.weights is not None:
        sha.update(graph.weights[order].double().numpy().tobytes())
    return sha.hexdigest()[:16]
