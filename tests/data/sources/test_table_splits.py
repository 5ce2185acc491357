from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from l2p_search.data.sources.table import Table, plain_array
from l2p_search.data.sources.table_splits import read_splits
from l2p_search.errors import DataError, in_shell
from tests.data.sources.small_tables import read

_PARTS = ["train", "val", "test", ""]


def _table(**columns: list[Any]) -> Table:
    arrays = {name: plain_array(pa.array(values)) for name, values in columns.items()}
    rows = len(next(iter(arrays.values())))
    return Table("nodes.csv", arrays, rows, lambda row: f"line {row + 2}")


def _rows(table: Table, split: str | None = None) -> list[list[list[int]]]:
    """Per part, and per split, the rows in it."""
    masks = read_splits(table, split).masks
    assert masks is not None
    return [[row.nonzero()[0].tolist() for row in part] for part in masks]


@pytest.mark.parametrize("validation", ["val", "valid", "Validation", "VAL", "dev"])
def test_parts_have_several_spellings_in_any_case(validation: str) -> None:
    assert _rows(_table(Split=["Train", validation, "TEST", None])) == [[[0]], [[1]], [[2]]]


def test_training_and_testing_are_parts_too() -> None:
    assert _rows(_table(split=["training", "val", "Testing", ""])) == [[[0]], [[1]], [[2]]]


def test_numbered_columns_are_splits_in_the_order_of_their_numbers() -> None:
    table = _table(split_10=["test", "val", "train", ""], split_9=_PARTS)
    assert _rows(table) == [[[0], [2]], [[1], [1]], [[2], [0]]]
    assert read_splits(table, None).columns == ("split_9", "split_10")


def test_columns_are_named_one_by_one_or_by_what_they_begin_with() -> None:
    table = _table(fold1=_PARTS, fold0=["val", "train", "test", "train"], other=_PARTS)
    assert read_splits(table, None).columns == ()
    assert read_splits(table, "fold").columns == ("fold0", "fold1")
    assert read_splits(table, "other, fold1").columns == ("other", "fold1")
    assert read_splits(table, "other").notes == ("1 split taken from column 'other'",)


def test_a_column_called_split_that_holds_something_else_is_none() -> None:
    found = read_splits(_table(split=["red", "blue", "red", "red"]), None)
    assert (found.masks, found.columns) == (None, ())


def test_three_masks_are_a_split_and_two_are_none() -> None:
    masks = {"train_mask": [True, False, False], "val_mask": [0, 1, 0], "test_mask": [0, 0, 1]}
    assert _rows(_table(**masks)) == [[[0]], [[1]], [[2]]]
    assert read_splits(_table(**masks), None).columns == ("train_mask", "val_mask", "test_mask")
    del masks["val_mask"]
    found = read_splits(_table(**masks), None)
    assert found.masks is None
    assert found.columns == ("train_mask", "test_mask")  # which are no features
    assert found.notes == ("'train_mask', 'test_mask' played no part, as there is no val_mask",)


_MASKS = {"train_mask": ["1", "0", "0"], "val_mask": ["0", "x", "0"], "test_mask": ["0", "0", "1"]}
_BAD: dict[str, tuple[dict[str, list[Any]], str | None, str]] = {
    "a typo": (
        {"split": ["train", "vla", "test", "val"]},
        None,
        "nodes.csv, line 3, column 'split': 'vla' is no part of a split; write train, val or test",
    ),
    "numbers": ({"age": [31, 7]}, "age", "line 2, column 'age': '31' is no part of a split"),
    "lists": ({"part": [["train"], ["val"]]}, "part", "column 'part': holds no text; write train"),
    "no test node": (
        {"split": ["train", "val", "train", "val"]},
        None,
        "nodes.csv, column 'split': the split has no test node; give it train, val and test",
    ),
    "nothing": ({"parts": ["", ""]}, "parts", "column 'parts': the split has no train node"),
    "one bad split of several": (
        {"split_0": _PARTS, "split_1": ["val", "val", "train", ""]},
        None,
        "nodes.csv, column 'split_1': the split has no test node",
    ),
    "a mask of words": (_MASKS, None, "column 'val_mask': is no mask: write True or False"),
    "a mask without nodes": (
        {**_MASKS, "val_mask": ["0", "0", "0"]},
        None,
        "nodes.csv: the split has no validation node",
    ),
    "masks that overlap": (
        {**_MASKS, "val_mask": ["1", "1", "0"]},
        None,
        "nodes.csv, line 2: is in two parts of the split: 'train_mask', 'val_mask' are both true",
    ),
}


@pytest.mark.parametrize("kind", _BAD)
def test_a_bad_split_is_refused_in_one_line(kind: str) -> None:
    columns, split, says = _BAD[kind]
    with pytest.raises(DataError) as error:
        read_splits(_table(**columns), split)
    message = in_shell(error.value.message)
    assert says in message
    assert len(message.splitlines()) == 1


@pytest.mark.parametrize("kind", _BAD)
def test_a_bad_split_that_is_not_read_is_no_error_and_no_feature(kind: str) -> None:
    columns, split, _ = _BAD[kind]
    found = read_splits(_table(**columns), split, with_masks=False)
    assert found.masks is None
    assert set(found.columns) == set(columns)


@pytest.mark.parametrize("with_masks", [True, False])
def test_a_column_that_is_not_there_is_named(with_masks: bool) -> None:
    with pytest.raises(DataError) as error:
        read_splits(_table(split=_PARTS), "spilt", with_masks=with_masks)
    message = in_shell(error.value.message)
    assert message == "nodes.csv: has no column 'spilt' (--split); did you mean 'split'?"


def test_ten_split_columns_are_ten_splits(tmp_path: Path) -> None:
    rows = ["train", "val", "test"] * 4
    frame = pd.DataFrame({"club": list("ab") * 6})
    for split in range(10):
        frame[f"split_{split}"] = rows[split % 3 :] + rows[: split % 3]
    graph = read(tmp_path, frame.to_csv(index=False), "0,1\n1,2\n")
    assert graph.masks is not None
    train, val, test = graph.masks
    assert train.shape == (10, 12)
    assert (train.astype(int) + val + test == 1).all()
    assert train[:, 0].tolist() == [True, False, False] * 3 + [True]
    assert graph.x is None
