from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from l2p_search.data.sources.tables import read_tables
from l2p_search.data.sources.word_lists import features_of, lists_of
from l2p_search.errors import DataError
from tests.data.sources.small_tables import dense, read


def _error(message: str, row: int | None) -> DataError:
    return DataError(f"list {row}: {message}")


def _features(rows: list[Any]) -> Any:
    return features_of(lists_of(rows, _error), "w", _error)


@given(st.lists(st.lists(st.integers(0, 30), max_size=6), min_size=1, max_size=8))
def test_a_bag_counts_how_often_each_word_occurs(rows: list[list[int]]) -> None:
    rows = [*rows, [2]]  # a word beyond 0 and 1, so that equal lists are no vectors
    found = _features(rows)
    assert isinstance(found.x, csr_array)
    counts = [np.bincount(row, minlength=found.x.shape[1]).tolist() for row in rows]
    assert found.x.toarray().tolist() == counts
    assert len(found.names) == found.x.shape[1]


@pytest.mark.parametrize(
    ("rows", "x"),
    [
        ([[0, 1, 0], [1, 1, 0]], [[0, 1, 0], [1, 1, 0]]),
        ([[True, False], [False, False]], [[1, 0], [0, 0]]),
        ([[0.5, -1], [3, 1e9]], [[0.5, -1], [3, 1e9]]),
        ([[5, -1], [3, 2]], [[5, -1], [3, 2]]),
        ([[0, 3, 0], [0, 0, 7]], [[0, 3, 0], [0, 0, 7]]),
    ],
)
def test_vectors_are_numbers_with_fractions_or_zeros_and_ones(rows: Any, x: Any) -> None:
    found = _features(rows)
    assert isinstance(found.x, np.ndarray)
    assert found.x.tolist() == x


def test_words_of_text_are_numbered_in_their_order() -> None:
    found = _features([["b", "a"], None, ["b"]])
    assert found.names == ("w:a", "w:b")
    assert found.x.toarray().tolist() == [[1, 1], [0, 0], [0, 1]]


def test_a_number_that_is_too_high_is_not_called_negative() -> None:
    with pytest.raises(DataError, match="list 0: the word number 1099511627776 is absurdly high"):
        _features([[2**40], [2**40]])


def test_the_list_with_a_mistake_is_named() -> None:
    with pytest.raises(DataError, match="list 2: the word number -3 is negative"):
        _features([[1], [], [4, -3], [2]])
    with pytest.raises(DataError, match="list 1: 'x' is no word number"):
        _features([[1], ["x"]])
    with pytest.raises(DataError, match="list 0: '7' is no list"):
        _features([7, [1]])


def test_lists_in_parquet_are_bags_or_vectors(tmp_path: Path) -> None:
    nodes = pd.DataFrame(
        {
            "words": [[2, 0], [1], [0, 1, 2]],
            "tags": [["b"], ["a", "b"], []],
            "vector": [[0.5, 1.0], [0.0, 2.0], [1.0, 1.0]],
            "label": [0, 1, 0],
        }
    )
    nodes.to_parquet(tmp_path / "nodes.parquet")
    pd.DataFrame({"u": [0, 1], "v": [1, 2]}).to_parquet(tmp_path / "edges.parquet")
    graph = read_tables(tmp_path)
    assert graph.feature_names is not None
    assert graph.feature_names[:5] == ("words:0", "words:1", "words:2", "tags:a", "tags:b")
    assert dense(graph).tolist() == [
        [1, 0, 1, 0, 1, 0.5, 1],
        [0, 1, 0, 1, 1, 0, 2],
        [1, 1, 1, 0, 0, 1, 1],
    ]


def test_lists_that_pandas_wrote_into_csv_are_lists_again(tmp_path: Path) -> None:
    frame = pd.DataFrame({"club": ["a", "b", "a"], "words": [[2, 0], [], [1]]})
    assert dense(read(tmp_path, frame.to_csv(index=False), "0,1\n")).tolist() == [
        [1, 0, 1],
        [0, 0, 0],
        [0, 1, 0],
    ]
