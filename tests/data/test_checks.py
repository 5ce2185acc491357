import dataclasses
from typing import Any

import pytest
import torch

from l2p_search.data.graph import Graph
from l2p_search.errors import DataError


def _with_nan(graph: Graph) -> dict[str, Any]:
    x = graph.x.clone()
    x[4, 2] = torch.nan
    return {"x": x}


def _without(graph: Graph, part: str) -> dict[str, Any]:
    masks = getattr(graph, part).clone()
    masks[1] = False
    return {part: masks}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_with_nan, "feature 2 of node 4 is nan (1 such values in all); replace"),
        (lambda graph: _without(graph, "train"), "split 1 has no train node"),
        (lambda graph: _without(graph, "val"), "split 1 has no val node"),
        (lambda graph: _without(graph, "test"), "split 1 has no test node"),
        (lambda graph: {"y": graph.y[:-1]}, "11 labels for 12 nodes"),
        (lambda graph: {"y": graph.y - 2}, "has label -2; count from 0"),
        (lambda graph: {"y": graph.y * 2}, "class 1 has no node"),
        (lambda graph: {"y": torch.full((12,), -1)}, "no node has a label"),
        (lambda graph: {"y": graph.y - 1}, "node 0 has no label and is in split 0"),
        (lambda graph: {"y": graph.y.int()}, "y is int32; give a tensor of int64"),
        (lambda graph: {"x": graph.x.numpy()}, "x is ndarray; give a tensor of float32"),
        (lambda graph: {"train": graph.train.long()}, "train is int64; give a tensor of bool"),
        (lambda graph: {"x": graph.x[:, :0]}, "features have shape [12, 0]"),
        (lambda graph: {"edges": graph.edges + 5}, "but nodes are 0 to 11"),
        (lambda graph: {"edges": graph.edges[:, 0]}, "edges have shape [2]"),
        (
            lambda graph: {"edges": torch.cat([graph.edges, torch.tensor([[4], [4]])], 1)},
            "node 4 has an edge to itself (1 self-loops in all); remove them: Graph.build",
        ),
        (
            lambda graph: {"edges": torch.cat([graph.edges, graph.edges[:, :1]], 1)},
            "the edge from 0 to 1 is there twice (1 doubles in all)",
        ),
        (
            lambda graph: {"edges": graph.edges[:, graph.edges[0] < graph.edges[1]]},
            "the edge from 0 to 1 has no way back: the graph is directed; add both directions:"
            " Graph.build",
        ),
        (lambda graph: {"edges": graph.edges[:, 1:]}, "the edge from 1 to 0 has no way back"),
        (lambda graph: {"edges": graph.edges[:, :-1]}, "the edge from 9 to 10 has no way back"),
        (lambda graph: {"weights": torch.ones(3)}, "3 weights for 26 directed edges"),
        (lambda graph: {"weights": torch.zeros(26)}, "the edge from 0 to 1 has weight 0.0"),
        (
            lambda graph: {"weights": 1.0 + torch.arange(26.0)},
            "the edge from 0 to 1 weighs more in one direction than in the other",
        ),
        (lambda graph: {"val": graph.train}, "is in two parts of split 0"),
        (lambda graph: {"train": graph.train[:, :-1]}, "the train masks have shape"),
        (
            lambda graph: {"train": graph.train & (graph.y != 2)},
            "class 2 has no training node in any split; add one",
        ),
    ],
)
def test_a_graph_that_cannot_be_learned_on_is_refused(
    small_graph: Graph, change: Any, says: str
) -> None:
    with pytest.raises(DataError) as error:
        dataclasses.replace(small_graph, **change(small_graph))
    assert str(error.value).startswith("small: ")
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_a_class_that_one_split_cannot_train_on_is_allowed(small_graph: Graph) -> None:
    train = small_graph.train.clone()
    train[0] &= small_graph.y != 2
    assert dataclasses.replace(small_graph, train=train).num_classes == 3


def test_the_order_of_the_edges_is_free(small_graph: Graph) -> None:
    order = torch.randperm(26, generator=torch.Generator().manual_seed(0))
    assert dataclasses.replace(small_graph, edges=small_graph.edges[:, order]).num_edges == 13


@pytest.mark.parametrize("name", ["two\nlines", "no\x1b[31m", "\ud800", "\u202e"])
def test_a_name_that_is_no_line_is_refused(name: str, small_graph: Graph) -> None:
    with pytest.raises(DataError, match="is no name of a graph") as error:
        dataclasses.replace(small_graph, name=name)
    assert str(error.value).isprintable()
