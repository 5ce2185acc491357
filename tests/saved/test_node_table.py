"""A graph arrives as one table: every form of it is read, and what is wrong is named."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas
import pytest
import torch

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.data.standardising import Standard
from l2p_search.errors import DataError
from l2p_search.saved.expected import Expected
from l2p_search.saved.node_table import graph_of_table
from l2p_search.saved.served_columns import feature_columns
from tests.saved.tables import PEOPLE

_TABLE: dict[str, list[Any]] = {
    "node": ["ann", "bob", "cay"],
    "age": [31, 44, 25],
    "income": [2100.5, 1900.0, 2500.0],
    "neighbours": [["bob"], ["ann", "cay"], []],
}
_EDGES = [[0, 1, 1, 2], [1, 0, 2, 1]]


def test_a_table_is_the_graph_that_it_lists() -> None:
    graph = graph_of_table(_TABLE, PEOPLE)
    assert graph.about.node_ids == ("ann", "bob", "cay")
    assert graph.edges.tolist() == _EDGES
    assert graph.x.tolist() == [[31.0, 2100.5], [44.0, 1900.0], [25.0, 2500.0]]
    assert graph.weights is None


@pytest.mark.parametrize(
    "neighbours",
    [
        ['["bob"]', '["ann", "cay"]', None],
        ['["bob"]', '["cay"]', ""],
        [("bob",), np.array(["ann", "cay"]), float("nan")],
        [[], ["ann", "cay", "bob"], pandas.NA],
        [["bob", "bob"], [], ["bob"]],
    ],
    ids=["json", "one end", "arrays", "a loop", "doubles"],
)
def test_lists_of_neighbours_come_in_many_forms(neighbours: list[Any]) -> None:
    graph = graph_of_table({**_TABLE, "neighbours": neighbours}, PEOPLE)
    assert graph.edges.tolist() == _EDGES


@pytest.mark.parametrize(
    "ids", [[10, 20, 30], np.array([10, 20, 30]), [10.0, 20.0, 30.0]], ids=str
)
def test_numbers_are_ids_whether_they_come_as_numbers_or_as_words(ids: Any) -> None:
    table = {**_TABLE, "node": ids, "neighbours": ["[20]", ["10", 30], []]}
    graph = graph_of_table(table, PEOPLE)
    assert graph.edges.tolist() == _EDGES
    assert graph.about.node_ids == (10, 20, 30)


def test_rows_are_counted_where_nodes_have_no_ids() -> None:
    table = {name: _TABLE[name] for name in ("age", "income")}
    graph = graph_of_table({**table, "neighbours": [[1], [2], []]}, PEOPLE)
    assert graph.about.node_ids == (0, 1, 2)
    assert graph.edges.tolist() == _EDGES


def test_weights_stand_beside_the_neighbours() -> None:
    weights = [[2.0], "[2, 0.5]", None]
    graph = graph_of_table({**_TABLE, "weights": weights}, PEOPLE)
    assert graph.weights is not None
    assert graph.weights.tolist() == [2.0, 2.0, 0.5, 0.5]


def test_features_are_scaled_as_the_model_knows_them() -> None:
    standard = Standard((30.0, 2000.0), (10.0, 500.0))
    known = replace(PEOPLE, scaling="standard", standard=standard)
    assert graph_of_table(_TABLE, known).x[1].tolist() == pytest.approx([1.4, -0.2])
    rows = graph_of_table(_TABLE, replace(PEOPLE, scaling="row")).x
    torch.testing.assert_close(rows.sum(dim=1), torch.ones(3))


def test_features_that_cannot_have_columns_are_lists() -> None:
    taken = replace(PEOPLE, feature_names=("age", "node"))
    table = {**_TABLE, "features": [[1, 2], "[3, 4]", np.array([5.0, 6.0])]}
    assert graph_of_table(table, taken).x.tolist() == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


def test_features_that_were_made_from_the_graph_are_made_again(small_graph: Graph) -> None:
    bare = Graph.build(edges=small_graph.edges, y=small_graph.y, splits="2x40/30/30")
    expected = Expected.of(bare, TrialConfig())
    assert feature_columns(expected) == ()
    rows: list[list[int]] = [[] for _ in range(12)]
    for start, end in small_graph.edges.t().tolist():
        rows[start].append(end)
    graph = expected.seen(graph_of_table({"neighbours": rows}, expected))
    assert torch.equal(graph.x, bare.x)
    assert torch.equal(graph.edges, bare.edges)
    fewer = graph_of_table({"neighbours": [[1], [0]]}, expected)
    with pytest.raises(DataError, match="2 features, but the model was trained on 12"):
        expected.seen(fewer)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"age": None}, r"no column 'age'; give node, age, income, neighbours"),
        ({"neighbours": None}, r"no column 'neighbours'; give"),
        ({"node": ["ann", "ann", "cay"]}, r"node 'ann' has two rows; give every node one"),
        ({"node": ["ann", None, "cay"]}, r"'node' of row 1 is None; give every node an id"),
        ({"neighbours": [["dan"], [], []]}, r"row 0 names node 'dan', which has no row; add it"),
        ({"neighbours": ["bob", [], []]}, r"'neighbours' of row 0 is 'bob'; give a list, such"),
        ({"neighbours": [[], ["bob"], []]}, r"no row names another node"),
        ({"age": [31, None, 25]}, r"'age' of row 1 has nan; replace what is missing"),
        ({"age": [31, "old", 25]}, r"'age' of row 1 has 'old'; give a number"),
        ({"income": [1.0, 2.0, float("inf")]}, r"'income' of row 2 has inf; replace"),
        ({"weights": [[1.0], [1.0], []]}, r"row 1 has 1 weights for 2 neighbours; give one each"),
        ({"weights": [[1.0], [1.0, -1.0], []]}, r"weight -1.0 .*must be finite and not negative"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused_in_one_line(
    changes: dict[str, Any], message: str
) -> None:
    table = {name: cells for name, cells in {**_TABLE, **changes}.items() if cells is not None}
    with pytest.raises(DataError, match=message) as refused:
        graph_of_table(table, PEOPLE)
    assert "\n" not in str(refused.value)


def test_a_list_of_features_must_have_their_number() -> None:
    table = {"features": [[1.0], [1.0, 2.0], [1.0, 2.0]], "neighbours": [[1], [2], []]}
    with pytest.raises(DataError, match="row 0 has 1 features, but the model was trained on 2"):
        graph_of_table(table, replace(PEOPLE, feature_names=None))
