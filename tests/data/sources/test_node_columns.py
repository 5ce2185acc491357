from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from l2p_search.data.sources.node_columns import NodeColumns, read_nodes
from l2p_search.data.sources.table import Table, plain_array
from l2p_search.data.sources.table_features import FeatureBlocks
from l2p_search.errors import DataError
from tests.data.sources.small_tables import NODES, Case, refused_nodes

_BAD: dict[str, Case] = {
    "the class as a feature": (
        NODES,
        "nodes.csv, column 'club': is the class, so it cannot be a feature",
        {"features": "age,club"},
    ),
    "a feature that is not there": (
        NODES,
        "nodes.csv: has no column 'agee' (--features); did you mean 'age'?",
        {"features": "agee"},
    ),
}


@pytest.mark.parametrize("kind", _BAD)
def test_a_feature_that_cannot_be_one_is_named(kind: str, tmp_path: Path) -> None:
    refused_nodes(tmp_path, _BAD[kind])


def _table(**columns: list[Any]) -> Table:
    arrays = {name: plain_array(pa.array(values)) for name, values in columns.items()}
    return Table("nodes.csv", arrays, len(next(iter(arrays.values()))), lambda row: f"row {row}")


_PEOPLE: dict[str, list[Any]] = {
    "key": [5, 6, 9],
    "club": ["a", "b", "a"],
    "age": [31.5, 7.0, 64.0],
    "split": ["train", "val", "test"],
}


def _read(**options: Any) -> NodeColumns:
    given = {"ids": ("key",), "features": None, "split": None, **options}
    return read_nodes(_table(**_PEOPLE), "club", **given)


def test_class_ids_and_splits_are_no_features_and_no_columns_for_later() -> None:
    nodes = _read()
    assert nodes.feature_names == ("age",)
    assert list(nodes.columns) == ["age"]
    assert nodes.labels.tolist() == ["a", "b", "a"]
    assert nodes.masks is not None
    assert nodes.masks[2].tolist() == [[False, False, True]]


def test_splits_that_are_not_read_stay_out_of_the_features() -> None:
    nodes = _read(with_masks=False)
    assert nodes.masks is None
    assert nodes.feature_names == ("age",)
    assert not any("split" in note for note in nodes.notes)


def test_features_stand_in_the_order_in_which_they_are_named() -> None:
    assert _read(features="age, key").feature_names == ("age", "key")
    assert _read(features=["key", "age"]).feature_names == ("key", "age")


def test_a_feature_that_is_named_twice_is_refused() -> None:
    with pytest.raises(DataError, match=r"features names 'age' twice; name it once"):
        _read(features="age,key,age")


def test_a_name_with_a_comma_in_it_is_one_column() -> None:
    table = _table(club=["a", "b"], **{"x,y": [1.0, 2.5]})
    nodes = read_nodes(table, "club", ids=(), features="x,y", split=None)
    assert nodes.feature_names == ("x,y",)


def test_a_name_that_is_no_column_may_be_a_file() -> None:
    asked = []

    def read_file(name: str) -> FeatureBlocks | None:
        asked.append(name)
        return _block() if name == "words.json" else None

    nodes = _read(features="words.json,age", read_file=read_file)
    assert nodes.feature_names == ("w", "age")
    assert asked == ["words.json"]
    with pytest.raises(DataError, match=r"has no column 'word.json'"):
        _read(features="word.json", read_file=read_file)


def test_features_of_a_file_take_the_place_of_the_columns_and_this_is_told() -> None:
    nodes = _read(default=_block())
    assert nodes.feature_names == ("w",)
    assert list(nodes.columns) == ["age"]
    (note,) = (note for note in nodes.notes if "not used" in note)
    assert note.startswith("columns not used, because a file has the features: 'age'")


def test_a_table_without_features_says_so() -> None:
    table = _table(club=["a", "b"])
    nodes = read_nodes(table, "club", ids=(), features=None, split=None)
    assert (nodes.x, nodes.feature_names) == (None, None)
    assert nodes.notes == ("no features were found",)


def _block() -> FeatureBlocks:
    block = FeatureBlocks()
    block.add(np.array([[1.0], [0.0], [2.0]], dtype=np.float32), ["w"])
    return block
