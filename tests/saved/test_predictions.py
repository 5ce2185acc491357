"""Predictions are columns of the nodes' ids, the classes' names, and probabilities."""

import torch

from l2p_search.data.graph import Graph
from l2p_search.saved.predictions import columns_of

_P = torch.tensor([[0.2, 0.8], [0.7, 0.3], [0.5, 0.5]], dtype=torch.float64)
_PATH = torch.tensor([[0, 1], [1, 2]])


def test_ids_are_the_users_own_and_places_where_there_are_none() -> None:
    named = Graph.unlabelled(torch.ones(3, 1), _PATH, node_ids=["u7", "u1", "u3"])
    assert columns_of(named, ("no", "yes"), _P, None)["node"] == ["u7", "u1", "u3"]
    plain = Graph.unlabelled(torch.ones(3, 1), _PATH)
    assert columns_of(plain, ("no", "yes"), _P, None)["node"] == [0, 1, 2]


def test_classes_are_named_and_the_first_of_equals_is_taken() -> None:
    graph = Graph.unlabelled(torch.ones(3, 1), _PATH)
    found = columns_of(graph, ("no", "yes"), _P, None)
    assert found["class"] == ["yes", "no", "no"]
    assert found["p(yes)"] == [0.8, 0.3, 0.5]
    assert "expected_step" not in found


def test_steps_have_their_probabilities_and_mean() -> None:
    graph = Graph.unlabelled(torch.ones(3, 1), _PATH)
    q = torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.25, 0.5, 0.25]], dtype=torch.float64)
    found = columns_of(graph, ("no", "yes"), _P, q)
    assert found["expected_step"] == [0.0, 1.5, 1.0]
    assert found["q(2)"] == [0.0, 0.5, 0.25]
