from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from l2p_search.data.sources.table import Table, plain_array
from l2p_search.data.sources.table_ids import find_ids, positions, read_ids
from l2p_search.errors import DataError
from tests.data.sources.small_tables import NODES, Case, read, refused, refused_nodes, write


def _table(**columns: Any) -> Table:
    arrays = {name: plain_array(pa.array(values)) for name, values in columns.items()}
    return Table("nodes.csv", arrays, len(next(iter(arrays.values()))), lambda row: f"row {row}")


@pytest.mark.parametrize(
    ("values", "ids"),
    [
        (["1", "2"], [1, 2]),
        (["1.0", "2.0"], [1, 2]),
        ([1.0, 2.0], [1, 2]),
        (["1.5", "2"], ["1.5", "2"]),
        (["a", "2"], ["a", "2"]),
        (["9" * 30, "1"], ["9" * 30, "1"]),
        (["NA", "null"], ["NA", "null"]),
    ],
)
def test_ids_are_whole_numbers_if_all_of_them_are(values: list[Any], ids: list[Any]) -> None:
    assert read_ids(_table(id=values), "id").to_pylist() == ids


@pytest.mark.parametrize("values", [["a", ""], ["a", None], [1.0, None], [1.0, float("nan")]])
def test_a_missing_id_is_named(values: list[Any]) -> None:
    with pytest.raises(DataError, match="row 1, column 'id': the id is missing"):
        read_ids(_table(id=values), "id")


def test_numbers_match_text() -> None:
    assert positions(pa.array([3, 1]), pa.array(["1", "x", "3"])).tolist() == [1, -1, 0]


def _found(ends: list[Any], **columns: Any) -> str | None:
    array = plain_array(pa.array(ends))
    return find_ids(_table(label=[0] * 3, **columns), [array, array], "label", None)


def test_a_column_that_is_called_id_comes_before_others_that_fit() -> None:
    assert _found([0, 1], id=[2, 0, 1], user_id=[0, 1, 2], name=["0", "1", "2"]) == "id"


def test_a_column_that_may_be_an_id_comes_before_text() -> None:
    assert _found([0, 1], user_id=[2, 0, 1], name=["0", "1", "x"]) == "user_id"
    assert _found(["a"], user_id=[2, 0, 1], name=["a", "b", "c"]) == "name"


def test_numbers_are_ids_by_their_name_only() -> None:
    assert _found([0, 1], age=[2, 1, 0]) is None


def test_columns_that_agree_leave_no_choice() -> None:
    assert _found([0, 1], id=[2, 0, 1], node_id=["2", "0", "1"]) == "id"


def test_a_column_with_doubles_is_no_candidate() -> None:
    assert _found([0, 1], id=[0, 0, 1], new_id=[0, 1, 2]) == "new_id"


def test_of_columns_that_do_not_fit_the_nearest_is_taken_so_that_the_edge_is_named() -> None:
    assert _found([0, 1, 9], id=[7, 8, 5], node_id=[0, 1, 2]) == "node_id"
    assert _found([0, 1, 9], user_id=[0, 1, 2]) == "user_id"
    assert _found([5, 6, 9], user_id=[0, 1, 2]) is None


@pytest.mark.parametrize("column", ["id", "town code"])
@pytest.mark.parametrize("edges", ["007,x1\n012,007\n", "007,012\n012,007\n"])
def test_ids_with_leading_zeros_are_found_beside_words(
    column: str, edges: str, tmp_path: Path
) -> None:
    """A column of such ids alone is one of numbers; one with words among them is text."""
    nodes = f"{column},club\n007,a\n012,b\nx1,a\n"
    wanted = [[0, 1], [2, 0]] if "x1" in edges else [[0, 1], [1, 0]]
    assert read(tmp_path, nodes, f"source,target\n{edges}").edges.tolist() == wanted


def test_ids_that_lost_their_zeros_are_found_all_the_same(tmp_path: Path) -> None:
    nodes = "id,club\n007,a\n012,b\n"
    assert read(tmp_path, nodes, "source,target\n7,12\n").edges.tolist() == [[0], [1]]


def test_an_unknown_id_is_shown_as_it_is_written(tmp_path: Path) -> None:
    write(tmp_path, "id,club\n007,a\n012,b\n", "source,target\n007,012\n012,abc\n")
    refused(tmp_path, "edges.csv, line 3, column 'target': 'abc' is no id in nodes.csv;")
    write(tmp_path, "id,club\n007,a\nabc,b\n", "source,target\n007,abc\nabc,012\n")
    refused(tmp_path, "edges.csv, line 3, column 'target': '012' is no id in nodes.csv;")


_BAD: dict[str, Case] = {
    "a duplicate id": (
        NODES + "bob,3,go\n",
        "nodes.csv, line 6, column 'id': the id 'bob' is also in line 3; keep one",
        {},
    ),
    "a duplicate number": (
        "id,club\n1,a\n2,b\n01,a\n",
        "nodes.csv, line 4, column 'id': the id '1' is also in line 2",
        {"edges": "source,target\n1,2\n"},
    ),
    "a missing id": (
        NODES.replace("cy,", ","),
        "nodes.csv, line 4, column 'id': the id is missing; write it, or drop the row",
        {},
    ),
    "an id column that is not there": (
        NODES,
        "nodes.csv: has no column 'ids' (--id); did you mean 'id'?",
        {"id": "ids"},
    ),
    "two id columns": (
        "id,node_id,club\n0,1,a\n1,2,b\n2,0,a\n",
        "nodes.csv: 'id', 'node_id' both contain the ends of every edge; choose with --id",
        {"edges": "source,target\n0,1\n"},
    ),
}


@pytest.mark.parametrize("kind", _BAD)
def test_bad_ids_are_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    refused_nodes(tmp_path, _BAD[kind])
