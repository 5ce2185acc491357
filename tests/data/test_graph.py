import dataclasses
from typing import Any

import pytest
import torch

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
        (lambda graph: {"y": graph.y - 1}, "has label -1; count from 0"),
        (lambda graph: {"y": graph.y * 2}, "class 1 has no node"),
        (lambda graph: {"edges": graph.edges + 5}, "but nodes are 0 to 11"),
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
