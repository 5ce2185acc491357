import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from l2p_search.data.sources import whole_input
from l2p_search.data.sources.table_files import column_names, read_table
from l2p_search.errors import DataError
from tests.data.sources.small_tables import Case, refused, refused_nodes

_BAD: dict[str, Case] = {
    "header only": ("id,age,club\n", "nodes.csv: has a header and no rows", {}),
    "one line without an end": ("id,age,club", "nodes.csv: has a header and no rows", {}),
    "a Parquet file cut short": (
        b"PAR1\x15\x04\x15",
        "nodes.csv: is a Parquet file that is cut",
        {},
    ),
}


@pytest.mark.parametrize("kind", _BAD)
def test_a_table_without_rows_or_end_is_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    refused_nodes(tmp_path, _BAD[kind])


def test_a_small_parquet_file_of_many_rows_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pd.DataFrame({"club": np.zeros(1_000_000)})
    frame.to_parquet(tmp_path / "nodes.parquet")
    pd.DataFrame({"u": [0], "v": [1]}).to_parquet(tmp_path / "edges.parquet")
    assert (tmp_path / "nodes.parquet").stat().st_size < 50_000
    monkeypatch.setattr(whole_input, "_free_memory", lambda: 1_000_000)
    refused(tmp_path, "nodes.parquet: 0.0 GB or more would take", nodes=tmp_path)


def test_the_content_decides_not_the_name(tmp_path: Path) -> None:
    pd.DataFrame({"u": [1, 2], "v": [2, 3]}).to_parquet(tmp_path / "edges.csv")
    table = read_table(tmp_path / "edges.csv")
    assert table.arrays["v"].to_pylist() == [2, 3]
    assert table.place(0) == "row 1"
    (tmp_path / "edges.parquet").write_text("u|v\n1|2\n")
    table = read_table(tmp_path / "edges.parquet")
    assert table.arrays["v"].to_pylist() == ["2"]
    assert table.place(0) == "line 2"


def test_columns_of_parquet_keep_their_types_and_lose_their_categories(tmp_path: Path) -> None:
    frame = pd.DataFrame({" age ": [1.5, None], "club": pd.Categorical(["b", "a"])})
    frame.to_parquet(tmp_path / "nodes.parquet")
    table = read_table(tmp_path / "nodes.parquet")
    assert {name: array.to_pylist() for name, array in table.arrays.items()} == {
        "age": [1.5, None],
        "club": ["b", "a"],
    }


def test_only_a_table_of_edges_may_have_no_header(tmp_path: Path) -> None:
    path = tmp_path / "edges.csv"
    path.write_text("0,1\n1,2\n")
    assert read_table(path, header=False).num_rows == 2
    with pytest.raises(DataError, match="line 1: has only numbers"):
        read_table(path)
    path.write_text("# SNAP\n0 1\n")
    assert read_table(path, header=False).num_rows == 1
    with pytest.raises(DataError, match="only one column was found"):
        read_table(path)


def test_names_are_those_that_the_table_will_have(tmp_path: Path) -> None:
    path = tmp_path / "nodes"
    for content in (
        b"id; club\n1;a\n",
        gzip.compress(b"id\tclub\n1\ta\n"),
        b'"id",club\n1,"a\nb"',
    ):
        path.write_bytes(content)
        assert column_names(path) == list(read_table(path).arrays) == ["id", "club"]
    pd.DataFrame({"id": [1], "club": ["a"]}).to_parquet(path)
    assert column_names(path) == ["id", "club"]
    path.write_text("# two, words, two, words\n0\t1\n")
    assert column_names(path) == list(read_table(path, header=False).arrays)


def test_damaged_parquet_is_named(tmp_path: Path) -> None:
    path = tmp_path / "nodes.parquet"
    pd.DataFrame({"id": range(1000)}).to_parquet(path)
    path.write_bytes(path.read_bytes()[:-10])
    for read in (read_table, column_names):
        with pytest.raises(DataError, match="is a Parquet file that is cut short or damaged"):
            read(path)


@pytest.mark.parametrize(("name", "column"), [("id", "id"), (None, "index")])
def test_an_index_that_only_counts_is_a_column_where_it_says_more_than_the_rows(
    name: str | None, column: str, tmp_path: Path
) -> None:
    """pandas keeps it beside the columns, as a start and a step."""
    index = pd.RangeIndex(100, 106, 2, name=name)
    pd.DataFrame({"club": ["a", "b", "a"]}, index=index).to_parquet(tmp_path / "nodes.parquet")
    table = read_table(tmp_path / "nodes.parquet")
    assert table.arrays[column].to_pylist() == [100, 102, 104]


def test_an_index_of_the_numbers_of_the_rows_is_none(tmp_path: Path) -> None:
    pd.DataFrame({"club": ["a", "b", "a"]}).to_parquet(tmp_path / "nodes.parquet")
    assert list(read_table(tmp_path / "nodes.parquet").arrays) == ["club"]
