"""A graph to predict is checked like any other, and nothing can be learned from it."""

import re
from typing import Any

import pytest
import torch

from l2p_search.data.graph import Graph
from l2p_search.data.loading import load_graph
from l2p_search.data.unlabelled import Unlabelled
from l2p_search.errors import DataError

_X = torch.ones(3, 2)


def test_edges_come_in_any_form_and_leave_in_both_directions() -> None:
    edges = torch.tensor([[0, 1, 1, 2, 2], [1, 0, 2, 2, 1]])
    graph = Graph.unlabelled(_X, edges)
    assert graph.edges.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert isinstance(graph, Unlabelled)
    assert graph.num_labelled == 0


def test_no_edge_at_all_is_a_graph_too() -> None:
    assert Graph.unlabelled(_X, torch.zeros(2, 0, dtype=torch.int64)).num_edges == 0


def test_weights_stay_with_their_edges() -> None:
    edges = torch.tensor([[0, 1], [1, 0]])
    graph = Graph.unlabelled(_X, edges, torch.tensor([2.0, 2.0]))
    assert graph.weights is not None
    assert graph.weights.tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"x": [[1.0]]}, "graph: x is list; give a tensor of float32"),
        ({"x": torch.ones(3)}, "graph: features have shape [3]; give [nodes, features]"),
        ({"x": torch.full((3, 2), torch.nan)}, "graph: feature 0 of node 0 is nan"),
        ({"edges": torch.tensor([[0], [7]])}, "graph: an edge names node 7 or 0"),
        ({"edges": torch.ones(2, 1)}, "graph: edges is float32; give a tensor of int64"),
        ({"edges": torch.tensor([0, 1])}, "graph: edges have shape [2]; give [2, edges]"),
        ({"weights": torch.ones(1)}, "graph: the edge from 0 to 1 has no way back"),
        ({"node_ids": ["a"]}, "graph: 1 node ids for 3; give one each"),
        ({"feature_names": ["a"]}, "graph: 1 names of features for 2; give one each"),
    ],
    ids=str,
)
def test_what_cannot_be_predicted_is_refused_in_one_line(
    changes: dict[str, Any], said: str
) -> None:
    given = {"x": _X, "edges": torch.tensor([[0], [1]]), **changes}
    with pytest.raises(DataError, match=re.escape(said)):
        Graph.unlabelled(**given)


def test_it_is_refused_where_labels_are_learned_from() -> None:
    graph = Graph.unlabelled(_X, torch.tensor([[0], [1]]), name="new")
    with pytest.raises(DataError, match="new: no node has a label, so it can be predicted but"):
        load_graph(graph)
