from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from l2p_search.data.sources.table import Table, plain_array
from l2p_search.data.sources.table_columns import read_column
from l2p_search.errors import DataError


def _table(values: Any) -> Table:
    array = plain_array(values if isinstance(values, pa.Array) else pa.array(values))
    return Table("nodes.csv", {"c": array}, len(array), lambda row: f"line {row + 2}")


@pytest.mark.parametrize(
    ("values", "kind", "read"),
    [
        (["1", "-2", "007"], "integer", [1, -2, 7]),
        (["1", "", "3"], "number", [1, np.nan, 3]),
        (["1.5", "NA", "?", "-", "+2e3"], "number", [1.5, np.nan, np.nan, np.nan, 2000]),
        (["9" * 20, "1"], "number", [1e20, 1]),
        (["True", "false", "TRUE"], "boolean", [True, False, True]),
        (["True", "", "False"], "number", [1, np.nan, 0]),
        (["a", "", "NA", "nan"], "text", ["a", None, "NA", None]),
        (["NA", "?", "NA"], "text", ["NA", "?", "NA"]),
        (["", "nan", ""], "empty", None),
        (["[1, 2]", "[]", ""], "lists", [[1, 2], [], None]),
        (["[1 2]", "[3]"], "text", ["[1 2]", "[3]"]),
        ([1, 2], "integer", [1, 2]),
        ([1, None], "number", [1, np.nan]),
        ([0.5, None], "number", [0.5, np.nan]),
        ([True, False], "boolean", [True, False]),
        ([True, None], "number", [1, np.nan]),
        ([None, None], "empty", None),
        ([{"a": 1}], "other", None),
        (pa.array([2**64 - 1, 0], pa.uint64()), "number", [2.0**64, 0]),
        (pa.array(["x", "y", None]).dictionary_encode(), "text", ["x", "y", None]),
        (pa.array(["x"], pa.string_view()), "text", ["x"]),
    ],
)
def test_a_column_is_of_the_kind_of_its_values(values: Any, kind: str, read: Any) -> None:
    column = read_column(_table(values), "c")
    assert column.kind == kind
    if kind in ("integer", "number", "boolean"):
        np.testing.assert_array_equal(column.values, read)
        assert column.values.dtype == {"integer": int, "number": float, "boolean": bool}[kind]
    elif read is not None:
        assert list(column.values) == read


def test_dates_are_times() -> None:
    column = read_column(_table([date(2020, 2, 1), date(2019, 1, 1)]), "c")
    assert column.kind == "time"
    assert column.values.argsort().tolist() == [1, 0]


def test_one_word_among_numbers_is_text_unless_numbers_are_wanted() -> None:
    table = _table([*map(str, range(20)), "x"])
    assert read_column(table, "c", strict=False).kind == "text"
    with pytest.raises(DataError, match="line 22, column 'c': 'x' is not a number"):
        read_column(table, "c")


def test_numbers_among_words_are_words() -> None:
    assert read_column(_table(["a", "b", "1", "2", "3"]), "c").kind == "text"
