import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from l2p_search.data.graph import undirected
from l2p_search.data.undirecting import make_undirected
from l2p_search.errors import DataError

_NODES = 9
_pairs = st.lists(
    st.tuples(st.integers(0, _NODES - 1), st.integers(0, _NODES - 1)), min_size=1, max_size=40
).filter(lambda pairs: any(a != b for a, b in pairs))
_weight = st.floats(0.125, 8.0, width=32)


def _edges(pairs: list[tuple[int, int]]) -> np.ndarray:
    return np.array(pairs, dtype=np.int64).T


@given(_pairs)
def test_both_directions_once_each_and_no_loop_are_left(pairs: list[tuple[int, int]]) -> None:
    found = make_undirected("mine", _edges(pairs), None, _NODES).edges
    listed = list(map(tuple, found.T.tolist()))
    assert len(set(listed)) == len(listed)
    assert set(listed) == {(a, b) for a, b in pairs if a != b} | {
        (b, a) for a, b in pairs if a != b
    }
    assert listed == sorted(listed)


@given(_pairs)
def test_it_agrees_with_the_edges_of_the_published_graphs(pairs: list[tuple[int, int]]) -> None:
    """The digests of those graphs are in journals and must stay."""
    found = make_undirected("mine", _edges(pairs), None, _NODES).edges
    assert found.tolist() == undirected(torch.from_numpy(_edges(pairs)), _NODES).tolist()


@given(_pairs, st.data())
def test_the_order_of_weighted_edges_changes_nothing(
    pairs: list[tuple[int, int]], data: st.DataObject
) -> None:
    weights = np.array(data.draw(st.lists(_weight, min_size=len(pairs), max_size=len(pairs))))
    order = np.array(data.draw(st.permutations(range(len(pairs)))))
    first = make_undirected("mine", _edges(pairs), weights, _NODES)
    other = make_undirected("mine", _edges(pairs)[:, order], weights[order], _NODES)
    assert first.edges.tolist() == other.edges.tolist()
    assert np.array_equal(first.weights, other.weights, equal_nan=False) or (
        first.weights is None and other.weights is None
    )
    assert first.changes == other.changes


@given(_pairs, st.data())
def test_what_is_tidy_stays_as_it_is(pairs: list[tuple[int, int]], data: st.DataObject) -> None:
    weights = np.array(data.draw(st.lists(_weight, min_size=len(pairs), max_size=len(pairs))))
    once = make_undirected("mine", _edges(pairs), weights, _NODES)
    twice = make_undirected("mine", once.edges, once.weights, _NODES)
    assert once.edges.tolist() == twice.edges.tolist()
    assert (once.weights is None) == (twice.weights is None)
    if once.weights is not None:
        assert once.weights.tolist() == twice.weights.tolist()
    assert all("no edge" in change for change in twice.changes)


def test_doubles_are_added_up_and_of_two_directions_the_larger_counts() -> None:
    edges = np.array([[0, 0, 1, 1, 2], [1, 1, 0, 2, 2]])
    found = make_undirected("mine", edges, np.array([1.0, 2.0, 2.5, 4.0, 9.0]), 4)
    assert found.edges.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert found.weights is not None
    assert found.weights.tolist() == [3.0, 3.0, 4.0, 4.0]
    assert found.changes == (
        "1 self-loop was removed",
        "1 repeated edge was merged, their weights added up",
        "1 directed edge was made undirected",
        "1 edge with two different weights was given the larger one",
        "1 node has no edge",
    )


def test_a_symmetric_weighted_graph_keeps_its_weights() -> None:
    edges = np.array([[0, 1, 1, 2], [1, 0, 2, 1]])
    found = make_undirected("mine", edges, np.array([2.0, 2.0, 0.5, 0.5]), 3)
    assert found.weights is not None
    assert found.weights.tolist() == [2.0, 2.0, 0.5, 0.5]
    assert found.changes == ()


def test_weights_that_are_all_one_are_no_weights() -> None:
    assert make_undirected("mine", np.array([[0], [1]]), np.ones(1), 2).weights is None


def test_an_edge_of_weight_zero_is_no_edge() -> None:
    edges = np.array([[0, 1], [1, 2]])
    found = make_undirected("mine", edges, np.array([0.0, 2.0]), 3)
    assert found.edges.tolist() == [[1, 2], [2, 1]]
    assert found.changes[0] == "1 edge of weight 0 was removed"


@pytest.mark.parametrize(
    ("edges", "weights", "says"),
    [
        ([[0, 1], [1, 5]], None, "edge 1 goes from node 1 to node 5, but nodes are 0 to 2"),
        ([[0, -1], [1, 1]], None, "edge 1 goes from node -1 to node 1"),
        ([[0, 1], [0, 1]], None, "no edge joins two nodes"),
        ([[0, 1], [1, 2]], [1.0, -2.0], "from node 1 to node 2 (edge 1) has weight -2.0"),
        ([[0, 1], [1, 2]], [1.0, np.nan], "has weight nan"),
        ([[0, 1], [1, 2]], [1.0, 1e300], "has weight 1e+300"),
        ([[0, 1], [1, 2]], [1.0], "weights have shape [1]"),
        ([[0.0, 1.0], [1.0, 2.0]], None, "and type float64"),
        ([0, 1], None, "edges have shape [2]"),
    ],
)
def test_edges_that_cannot_be_are_named(edges: object, weights: object, says: str) -> None:
    given_weights = None if weights is None else np.array(weights)
    with pytest.raises(DataError) as error:
        make_undirected("mine", np.array(edges), given_weights, 3)
    assert says in str(error.value)
    assert str(error.value).startswith("mine: ")
