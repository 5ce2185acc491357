from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from l2p_search.data.loading import load_graph
from l2p_search.data.sources.written_lists import written_lists
from tests.data.sources.small_tables import dense, read


def _lists(*values: str | None, name: str = "feat") -> Any:
    found = written_lists(name, np.array(values, dtype=object))
    return found if found is None or isinstance(found, list) else found.to_pylist()


@pytest.mark.parametrize(
    "values",
    [
        ("0.5,1,2", "1e-3, -2.5, .25"),
        ("0.5;1;2", "1e-3; -2.5;.25"),
        ("0.5 1 2", "1e-3  -2.5\n .25"),
        ("[0.5 1. 2. ]", "[ 0.001 -2.5\n  0.25]"),
        ("0.5|1|2", "1e-3|-2.5|.25"),
    ],
)
def test_vectors_of_one_length_are_read_by_any_separator(values: tuple[str, ...]) -> None:
    assert _lists(*values) == [[0.5, 1.0, 2.0], [0.001, -2.5, 0.25]]


def test_yes_and_no_are_vectors_too() -> None:
    assert _lists("0,1,1", "1,0,0") == [[0, 1, 1], [1, 0, 0]]


@pytest.mark.parametrize(
    "values",
    [
        ("0,5", "1,25"),  # decimal commas
        ("1,234", "5,678"),  # thousands
        ("1,234.50", "12,345.60"),
        ("1.234,5", "2.345,75"),
        ("555 1234", "555 4321"),  # telephones
        ("12;5;7", "3;9;1"),  # may be numbers of words, or anything
        ("0.5,1", "0.5,1,2"),  # of different lengths
        ("2020-01-02 10:00", "2020-01-03 11:00"),
        ("0.5, 1", "a, b"),
        (None, None),
    ],
)
def test_what_may_be_something_else_stays_text(values: tuple[str | None, ...]) -> None:
    assert _lists(*values) is None


@pytest.mark.parametrize(
    ("values", "lists"),
    [
        (("1;2;3", "4", None), [[1, 2, 3], [4], None]),
        (("0.5;2", "4;1"), [[0.5, 2.0], [4.0, 1.0]]),
        (("red;blue", "blue"), [["red", "blue"], ["blue"]]),
    ],
)
def test_a_typed_header_says_that_values_are_lists(values: Any, lists: Any) -> None:
    assert _lists(*values, name="tags:string[]") == lists


def test_a_column_as_dgl_documents_it_is_read(tmp_path: Path) -> None:
    nodes = 'node_id,feat,club\n0,"0.1,0.2",a\n1,"0.3, 0.4",b\n2,"0.5,0.6",b\n'
    graph = read(tmp_path, nodes, "src_id,dst_id\n0,1\n1,2\n")
    assert dense(graph).tolist() == [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]
    assert "'feat' was read as vectors of 2 numbers" in graph.notes


def test_arrays_that_pandas_wrote_are_read(tmp_path: Path) -> None:
    x = np.random.default_rng(0).normal(size=(12, 30))
    pd.DataFrame({"id": range(12), "x": list(x), "label": ["a", "b"] * 6}).to_csv(
        tmp_path / "nodes.csv", index=False
    )
    (tmp_path / "edges.csv").write_text("u,v\n" + "".join(f"{i},{i + 1}\n" for i in range(11)))
    graph = load_graph(tmp_path, scale="none")
    assert np.allclose(graph.x.to_dense(), x, atol=1e-6)


@pytest.mark.parametrize(
    ("values", "lists"),
    [
        (("['a', 'b']", "['c']"), [["a", "b"], ["c"]]),
        (("('a', 'b')", "('c',)"), [["a", "b"], ["c"]]),
        (("(3, 1)", "(2,)", None), [[3, 1], [2], None]),
        (("{3, 1}", "{2}"), [[1, 3], [2]]),
        (("[\"it's\", 'b']", "[]"), [["it's", "b"], []]),
        (("[np.float64(0.5), np.float64(-2.0)]",), [[0.5, -2.0]]),
        ((r"['a\\b']",), [["a\\b"]]),
    ],
)
def test_what_python_prints_of_lists_is_read(values: Any, lists: Any) -> None:
    assert _lists(*values) == lists


@pytest.mark.parametrize("value", ["[open('x')]", "(USA, 5)", "{'a': 1}", "['a', b]", "[1,, 2]"])
def test_brackets_around_something_else_stay_text(value: str) -> None:
    assert _lists(value, value) is None


def test_words_that_pandas_wrote_are_read(tmp_path: Path) -> None:
    words = [["graph", "node"], ["edge"], ["node", "node's", "edge"]] * 4
    pd.DataFrame({"id": range(12), "words": words, "label": ["a", "b"] * 6}).to_csv(
        tmp_path / "nodes.csv", index=False
    )
    (tmp_path / "edges.csv").write_text("u,v\n" + "".join(f"{i},{i + 1}\n" for i in range(11)))
    graph = load_graph(tmp_path, scale="none")
    assert graph.about.feature_names == ("words:edge", "words:graph", "words:node", "words:node's")
    assert graph.x[:3].tolist() == [[0, 1, 1, 0], [1, 0, 0, 0], [1, 0, 1, 1]]
