from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from l2p_search.data.sources.table import Table, listed, plain_array, quoted
from l2p_search.errors import DataError
from tests.data.sources.small_tables import NODES, refused, write


def test_a_message_shows_a_long_value_shortened_and_on_one_line(tmp_path: Path) -> None:
    write(tmp_path, NODES, 'source,target\nann,"x\n' + "y" * 5000 + '"\n')
    refused(tmp_path, "edges.csv, line 2, column 'target': 'x\\nyyy .. yy..' is no id")


def _table() -> Table:
    return Table("nodes.csv", {"age": [], "club": []}, 2, lambda row: f"line {row + 2}")


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({}, "nodes.csv: is odd"),
        ({"row": 0}, "nodes.csv, line 2: is odd"),
        ({"column": "age"}, "nodes.csv, column 'age': is odd"),
        ({"row": 1, "column": "age"}, "nodes.csv, line 3, column 'age': is odd"),
    ],
)
def test_an_error_names_the_table_the_row_and_the_column(
    where: dict[str, Any], message: str
) -> None:
    assert str(_table().error("is odd", **where)) == message


def test_attributes_of_a_graph_are_not_called_columns() -> None:
    table = Table("the networkx graph", {}, 0, str, word="attribute")
    assert (
        str(table.error("is odd", column="age")) == "the networkx graph, attribute 'age': is odd"
    )
    with pytest.raises(DataError, match=r"has no attribute 'y' \(--label\); it has none"):
        table.checked("y", "--label")


def test_a_column_that_is_not_there_comes_with_the_nearest() -> None:
    assert _table().checked("club", "--label") == "club"
    with pytest.raises(DataError, match=r"has no column 'clup' \(--label\); did you mean 'club'"):
        _table().checked("clup", "--label")


@pytest.mark.parametrize("length", [1, 58, 59, 10_000])
def test_a_value_is_shown_in_sixty_characters_at_the_most(length: int) -> None:
    shown = quoted("x" * length)
    assert len(shown) == min(length + 2, 60)
    assert shown.startswith("'x")
    assert shown.endswith("x'" if length <= 58 else "x..'")


def test_of_many_names_the_first_are_listed() -> None:
    assert listed(range(8)) == "'0', '1', '2', '3', '4', '5', '6', '7'"
    assert listed(range(10)).endswith("'7' and 2 more")


@pytest.mark.parametrize("array", [pa.array(["a", None]), pa.array(["a", None], pa.string_view())])
def test_text_of_any_type_becomes_one_type_and_keeps_its_gaps(array: Any) -> None:
    for given in (array, array.cast(pa.string()).dictionary_encode()):
        assert plain_array(given).equals(pa.array(["a", None], pa.large_string()))
    assert plain_array(pa.array([1, None])).type == pa.int64()
