from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from l2p_search.data.sources.table import Table, plain_array
from l2p_search.data.sources.table_labels import (
    find_label,
    label_if_any,
    labels_if_any,
    read_labels,
)
from l2p_search.errors import DataError
from tests.data.sources.small_tables import NODES, Case, read, refused, refused_nodes

_BAD: dict[str, Case] = {
    "no label": (
        NODES,
        "nodes.csv: which column is the class? Name it with --label: 'id', 'age'",
        {"label": ""},
    ),
    "two labels": (
        "id,y,class\na,1,2\n",
        "nodes.csv: 'y', 'class' may all be the class",
        {"label": ""},
    ),
    "a label that is not there": (
        NODES,
        "nodes.csv: has no column 'clubs' (--label); did you mean 'club'?",
        {"label": "clubs"},
    ),
    "a label that is not near": (
        NODES,
        "nodes.csv: has no column 'zzz' (--label); choose one of age, club, id",
        {"label": "zzz"},
    ),
    "no class at all": (
        "id,age,club\nann,1,\nbob,2,\n",
        "nodes.csv, column 'club': is empty in every row",
        {"edges": "source,target\nann,bob\n"},
    ),
    "one class": (
        NODES.replace("chess", "go"),
        "nodes.csv, column 'club': every node is of the class 'go'; two classes are needed",
        {},
    ),
    "a class per node": (
        "id,club\n" + "".join(f"{i},{i / 7}\n" for i in range(50)),
        "nodes.csv, line 2, column 'club': has 50 different values (here '0.0') in 50 nodes",
        {"edges": "source,target\n1,2\n"},
    ),
    "an infinite class": (
        NODES.replace("chess", "1").replace("go", "inf"),
        "nodes.csv, line 3, column 'club': inf is no class",
        {},
    ),
}


@pytest.mark.parametrize("kind", _BAD)
def test_what_is_no_class_is_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    refused_nodes(tmp_path, _BAD[kind])


def test_lists_as_classes_are_refused(tmp_path: Path) -> None:
    frame = pd.DataFrame({"club": [["a"], ["a", "b"], ["b"]]})
    frame.to_parquet(tmp_path / "nodes.parquet")
    pd.DataFrame({"u": [0], "v": [1]}).to_parquet(tmp_path / "edges.parquet")
    refused(tmp_path, "nodes.parquet, column 'club': holds lists", nodes=tmp_path)


def test_numeric_labels_with_gaps_are_numbers(tmp_path: Path) -> None:
    graph = read(tmp_path, "age,club\n5,1\n6,\n7,0\n", "0,1\n")
    assert graph.labels is not None
    np.testing.assert_array_equal(graph.labels, [1.0, np.nan, 0.0])
    graph = read(tmp_path, "age,club\n5,True\n6,\n7,False\n", "0,1\n")
    assert graph.labels is not None
    assert graph.labels.tolist() == ["True", None, "False"]


def _table(**columns: list[Any]) -> Table:
    arrays = {name: plain_array(pa.array(values)) for name, values in columns.items()}
    return Table("nodes.csv", arrays, len(next(iter(arrays.values()))), lambda row: f"row {row}")


def test_the_only_usual_name_is_the_class_and_a_given_one_comes_first() -> None:
    table = _table(id=[1], Class=["a"], club=["b"])
    assert find_label(table, None) == "Class"
    assert find_label(table, "club") == "club"


@pytest.mark.parametrize("kind", [":LABEL", "~label"])
def test_the_kind_of_a_node_is_its_class_where_nothing_else_is(kind: str) -> None:
    assert find_label(_table(**{kind: ["Cat", "Dog"], "a": [1, 2]}), None) == kind
    assert find_label(_table(**{kind: ["Cat", "Dog"], "y:int": [1, 2]}), None) == "y:int"
    with pytest.raises(DataError, match="which column is the class"):
        find_label(_table(**{kind: ["Person", "Person"], "a": [1, 2]}), None)


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([3, 1, 3], [3, 1, 3]),
        (["3", "1", "3"], [3, 1, 3]),
        ([True, False, True], [True, False, True]),
        (["yes", "no", "yes"], ["yes", "no", "yes"]),
        ([date(2020, 1, 1), date(2021, 1, 1), None], ["2020-01-01", "2021-01-01", None]),
        (["NA", "b", "NA"], ["NA", "b", "NA"]),  # among words, NA is a word
    ],
)
def test_classes_keep_their_kind(values: list[Any], labels: list[Any]) -> None:
    assert read_labels(_table(y=values), "y")[0].tolist() == labels


def test_unlabelled_nodes_are_counted() -> None:
    _, notes = read_labels(_table(y=["a", "", "b", None]), "y")
    assert notes == ["2 of 4 nodes have no 'y' and count as unlabelled"]
    assert read_labels(_table(y=["a", "b"]), "y")[1] == []


@pytest.mark.parametrize(("nodes", "classes", "fits"), [(40, 20, True), (40, 21, False)])
def test_more_than_twenty_classes_need_two_nodes_each(
    nodes: int, classes: int, fits: bool
) -> None:
    table = _table(y=[f"c{i % classes}" for i in range(nodes)])
    if fits:
        assert len(set(read_labels(table, "y")[0])) == classes
    else:
        with pytest.raises(DataError, match="row 0, column 'y': has 21 different values"):
            read_labels(table, "y")


def test_a_table_to_predict_may_lack_the_column_and_its_values() -> None:
    people = _table(club=["a", "b"], empty=["", ""])
    assert label_if_any(people, "club") == "club"
    assert label_if_any(people, "kind") is None
    assert label_if_any(people, None) is None
    assert labels_if_any(people, None) is None
    assert labels_if_any(people, "empty") is None
    found = labels_if_any(people, "club")
    assert found is not None
    assert found.tolist() == ["a", "b"]


def test_a_measurement_among_classes_is_named_by_its_row() -> None:
    with pytest.raises(DataError, match=r"row 2, column 'y': 0.5 is no class; give whole numbers"):
        read_labels(_table(y=[1.0, None, 0.5, 1.0]), "y")
