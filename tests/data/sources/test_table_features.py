from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from l2p_search.data.sources.table import Table, plain_array
from l2p_search.data.sources.table_features import FeatureBlocks, column_features


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
