from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from l2p_search.data.sources.table import Table, plain_array
from l2p_search.data.sources.table_features import FeatureBlocks, column_features
from tests.data.sources.small_tables import NODES, Case, refused, refused_nodes


def _features(chosen: bool = False, **columns: Any) -> FeatureBlocks:
    arrays = {name: plain_array(pa.array(values)) for name, values in columns.items()}
    size = len(next(iter(arrays.values())))
    table = Table("nodes.csv", arrays, size, lambda row: f"line {row + 2}")
    return column_features(table, list(arrays), chosen=chosen)


@pytest.mark.parametrize(
    ("name", "values", "is_feature"),
    [
        ("facebook_id", [901, 17, 55], False),
        ("paperId", [901, 17, 55], False),
        ("facebook_id", [901, 17, 17], True),
        ("column 1", [0, 1, 2], False),
        ("rank", [12, 10, 11], False),
        ("age", [901, 17, 55], True),
        ("paid", [901, 17, 55], True),
    ],
)
def test_different_whole_numbers_are_an_identifier_by_name_or_by_counting_through(
    name: str, values: list[int], is_feature: bool
) -> None:
    found = _features(**{name: values})
    assert found.names == ([name] if is_feature else [])
    assert ("looks like an identifier" in "".join(found.notes)) != is_feature
    assert _features(chosen=True, **{name: values}).names == [name]


def test_text_is_one_hot_up_to_twenty_values_and_below_half_of_the_rows() -> None:
    assert _features(c=["a", "b"] * 3).names == ["c=a", "c=b"]
    assert _features(c=["a", "b"] * 2).names == []
    assert _features(chosen=True, c=["a", "b"] * 2).names == ["c=a", "c=b"]
    twenty = [f"v{i:02}" for i in range(20)]
    assert len(_features(c=twenty * 3).names) == 20
    assert _features(c=[*twenty * 3, "v20"]).names == []


def test_missing_text_is_zero_in_all_of_its_columns() -> None:
    found = _features(c=["a", "b", None, "a", "b", ""])
    assert isinstance(found.x, np.ndarray)
    assert found.x.sum(axis=1).tolist() == [1, 1, 0, 1, 1, 0]


def test_a_mostly_empty_column_is_left_out_and_told() -> None:
    found = _features(age=[1.0, None, None], size=[1.0, 3.0, None])
    assert found.names == ["size"]
    assert isinstance(found.x, np.ndarray)
    assert found.x[:, 0].tolist() == [1, 3, 2]
    assert found.notes == [
        "missing numbers were filled with the mean: size (1)",
        "1 column was left out (most values are missing): 'age'",
    ]


def test_without_columns_there_are_no_features() -> None:
    assert FeatureBlocks().x is None


_BIG = "1" + "0" * 12

_BAD: dict[str, Case] = {
    "an infinite feature": (
        NODES.replace("64", "inf"),
        "nodes.csv, line 4, column 'age': inf is not a finite number; correct it",
        {},
    ),
    "a number beyond all numbers": (
        NODES.replace("64", "1e999"),
        "nodes.csv, line 4, column 'age': inf is not a finite number",
        {},
    ),
    "a word among numbers": (
        "id,age,club\n" + "".join(f"{i},{i % 7},{i % 2}\n" for i in range(30)) + "30,old,1\n",
        "nodes.csv, line 32, column 'age': 'old' is not a number, as most others are",
        {"edges": "source,target\n1,2\n"},
    ),
    "decimal commas": (
        "id;age;club\n1;0,5;a\n2;1,5;b\n3;2;a\n",
        "nodes.csv, line 2, column 'age': '0,5' has a decimal comma; write numbers with a point",
        {"edges": "source;target\n1;2\n"},
    ),
    "mostly missing, and named": (
        "id,age,club\nann,1,a\nbob,,b\ncy,NaN,b\ndee,,a\n",
        "nodes.csv, column 'age': most values are missing, so it cannot be a feature",
        {"features": "age"},
    ),
    "a text of many values, named": (
        "id,name,club\n" + "".join(f"{i},person {i},{i % 2}\n" for i in range(30)),
        "nodes.csv, column 'name': text with many different values, so it cannot be a feature",
        {"features": "name", "edges": "source,target\n1,2\n"},
    ),
}


@pytest.mark.parametrize("kind", _BAD)
def test_what_is_no_feature_is_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    refused_nodes(tmp_path, _BAD[kind])


@pytest.mark.parametrize(
    ("column", "says"),
    [
        ([[1], [-1], [2]], "row 2, column 'x': the word number -1 is negative"),
        ([[1], [2], [10**12]], f"row 3, column 'x': the word number {_BIG} is absurdly high"),
        (
            [[0.5, 1.0], [0.5], [1.0, 1.0]],
            "row 2, column 'x': has 1 numbers where the first has 2",
        ),
        ([[0.5], [np.inf], [1.0]], "row 2, column 'x': inf is not a finite number"),
        ([0.5, np.inf, 1.0], "row 2, column 'x': inf is not a finite number"),
    ],
)
def test_a_bad_column_of_parquet_is_refused_in_one_line(
    column: list[Any], says: str, tmp_path: Path
) -> None:
    frame = pd.DataFrame({"x": column, "club": ["a", "b", "a"]})
    frame.to_parquet(tmp_path / "nodes.parquet")
    pd.DataFrame({"u": [0], "v": [1]}).to_parquet(tmp_path / "edges.parquet")
    refused(tmp_path, f"nodes.parquet, {says}", nodes=tmp_path)
