import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest
import torch

from l2p_search.data.about import About
from l2p_search.data.graph import Graph, row_normalised, undirected
from l2p_search.errors import DataError


def test_edges_become_undirected_once_and_without_loops() -> None:
    edges = torch.tensor([[0, 1, 2, 2, 0], [1, 0, 2, 1, 1]])
    assert undirected(edges, 3).tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]


def test_rows_are_normalised_and_empty_ones_stay_zero() -> None:
    x = torch.tensor([[1.0, 3.0], [0.0, 0.0], [-1.0, 1.0]])
    expected = torch.tensor([[0.25, 0.75], [0.0, 0.0], [-0.5, 0.5]])
    torch.testing.assert_close(row_normalised(x), expected)


def test_homophily_is_the_share_of_edges_within_a_class(small_graph: Graph) -> None:
    y = small_graph.y
    pairs = [(int(y[a]), int(y[b])) for a, b in small_graph.edges.t()]
    assert small_graph.edge_homophily == sum(a == b for a, b in pairs) / len(pairs)


def test_the_digest_changes_with_the_content(small_graph: Graph) -> None:
    same = dataclasses.replace(small_graph, name="other")
    assert same.digest == small_graph.digest
    assert dataclasses.replace(small_graph, x=small_graph.x * 2).digest != small_graph.digest


def test_the_digest_of_the_nodes_leaves_out_edges_splits_and_order(small_graph: Graph) -> None:
    order = torch.randperm(small_graph.num_nodes, generator=torch.Generator().manual_seed(0))
    other = dataclasses.replace(
        small_graph,
        x=small_graph.x[order],
        y=small_graph.y[order],
        edges=small_graph.edges[:, :0],
        train=small_graph.train[:, order],
        val=small_graph.val[:, order],
        test=small_graph.test[:, order],
    )
    assert other.node_digest == small_graph.node_digest
    assert other.digest != small_graph.digest
    one_more = torch.cat([small_graph.y[:1] + 1, small_graph.y[1:]]) % small_graph.num_classes
    assert dataclasses.replace(small_graph, y=one_more).node_digest != small_graph.node_digest


def test_the_digest_is_that_of_earlier_versions(small_graph: Graph) -> None:
    """Journals hold digests, and resuming compares them."""
    from l2p_search.data.demo import demo_graph

    assert demo_graph().digest == "cff07ecbba0bf01b"
    assert dataclasses.replace(small_graph, about=About(source="x")).digest == small_graph.digest


def test_weights_are_part_of_the_digest(small_graph: Graph) -> None:
    weighted = dataclasses.replace(small_graph, weights=torch.full((26,), 2.0))
    heavier = dataclasses.replace(small_graph, weights=torch.full((26,), 3.0))
    assert len({small_graph.digest, weighted.digest, heavier.digest}) == 3


def _with_unlabelled(graph: Graph) -> Graph:
    y = graph.y.clone()
    y[[0, 11]] = -1
    masks = {part: getattr(graph, part) & (y >= 0) for part in ("train", "val", "test")}
    return dataclasses.replace(graph, y=y, **masks)


def test_unlabelled_nodes_are_no_class_and_in_no_share(small_graph: Graph) -> None:
    graph = _with_unlabelled(small_graph)
    assert graph.num_classes == 3
    assert graph.num_labelled == 10
    assert graph.class_counts == (3, 4, 3)
    pairs = [(int(graph.y[a]), int(graph.y[b])) for a, b in graph.edges.t()]
    known = [(a, b) for a, b in pairs if a >= 0 and b >= 0]
    assert graph.edge_homophily == sum(a == b for a, b in known) / len(known)


def test_it_is_shown_in_one_line_and_can_be_sent(small_graph: Graph) -> None:
    assert repr(small_graph) == (
        "Graph('small', nodes=12, edges=13, features=7, classes=3, splits=2)"
    )
    assert pickle.loads(pickle.dumps(small_graph)).digest == small_graph.digest  # noqa: S301


@pytest.mark.parametrize("kind", [np.asarray, torch.as_tensor, lambda array: array.tolist()])
def test_build_takes_arrays_tensors_and_lists(small_graph: Graph, kind: Any) -> None:
    one_way = small_graph.edges[:, small_graph.edges[0] < small_graph.edges[1]].numpy()
    built = Graph.build(
        name="small",
        x=kind(small_graph.x.numpy()),
        edges=kind(one_way),
        y=kind(small_graph.y.numpy()),
        train=kind(small_graph.train.numpy()),
        val=kind(small_graph.val.numpy()),
        test=kind(small_graph.test.numpy()),
        scale="none",
    )
    assert built.digest == small_graph.digest
    assert "Every edge was listed in one direction" in built.describe()


def test_build_makes_splits_by_a_rule(small_graph: Graph) -> None:
    built = Graph.build(edges=small_graph.edges, y=small_graph.y, splits="2x50/25/25")
    assert built.num_splits == 2
    assert built.about.split_rule == "2x50/25/25"


def test_build_needs_all_parts_of_a_split_or_none(small_graph: Graph) -> None:
    with pytest.raises(DataError, match="graph: no val and no test mask beside the other; give"):
        Graph.build(edges=small_graph.edges, y=small_graph.y, train=[0, 1, 2])
