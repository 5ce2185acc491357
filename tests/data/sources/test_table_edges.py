from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from l2p_search.data.sources.table import Table
from l2p_search.data.sources.table_edges import edge_positions, find_ends, read_weights
from l2p_search.data.sources.table_names import ENDS
from l2p_search.errors import DataError, in_shell
from tests.data.sources.small_tables import EDGES, NODES, Case, read, refused_edges

_BAD: dict[str, Case] = {
    "empty": ("", "edges.csv: is empty", {}),
    "header only": ("source,target\n", "edges.csv: has a header and no rows", {}),
    "one column": (
        "source\nann\n",
        "edges.csv: has one column, 'source', and an edge needs two",
        {},
    ),
    "separated by spaces": (
        "ann bob\nbob cy\n",
        "edges.csv, line 1: only one column was found",
        {},
    ),
    "another delimiter than all": (
        "source^target\nann^bob\n",
        "edges.csv, line 1: only one column was found, 'source^target'",
        {},
    ),
    "no two columns of ids": (
        "a,b,c\n1,2,3\n",
        "edges.csv: which two columns name the nodes of an edge? .. --target: 'a', 'b'",
        {},
    ),
    "two pairs of ids": (
        "u,v,from,to\nann,bob,ann,bob\n",
        "edges.csv: (from, to) and (u, v) may both be the ends; choose with --source",
        {},
    ),
    "an unknown id": (
        EDGES + "cy,eve\n",
        "edges.csv, line 5, column 'target': 'eve' is no id in nodes.csv; add the node",
        {},
    ),
    "many unknown ids": (
        EDGES + "zoe,eve\nzoe,cy\n",
        "edges.csv, line 5, column 'source': 'zoe' is no id in nodes.csv (2 such edges in all)",
        {},
    ),
    "a number out of range": (
        "source,target\n0,1\n3,4\n",
        "edges.csv, line 3, column 'target': '4' is no row of nodes.csv .. numbered 0 to 3",
        {"nodes": "age,club\n1,a\n2,b\n3,a\n4,b\n"},
    ),
    "numbers from 1 on": (
        "source,target\n1,2\n2,3\n",
        "edges.csv, line 3, column 'target': '3' is no row of nodes.csv .. count from 1: add",
        {"nodes": "age,club\n1,a\n2,b\n3,a\n"},
    ),
    "a negative number": (
        "source,target\n0,1\n-1,2\n",
        "edges.csv, line 3, column 'source': '-1' is no row of nodes.csv",
        {"nodes": "age,club\n1,a\n2,b\n3,a\n"},
    ),
    "a huge number": (
        f"source,target\n0,{'9' * 25}\n",
        "edges.csv, line 2, column 'target': '9999999999999999999999999' is no row of nodes.csv",
        {"nodes": "age,club\n1,a\n2,b\n3,a\n"},
    ),
    "a fraction": (
        "source,target\n0,1\n0.5,2\n",
        "edges.csv, line 3, column 'source': '0.5' is no id in nodes.csv",
        {"nodes": "id,club\n0,a\n1,b\n2,a\n"},
    ),
    "a missing id": (
        EDGES + ",bob\n",
        "edges.csv, line 5, column 'source': the id is missing; write it, or drop the row",
        {},
    ),
    "no header": (
        "ann,bob\nbob,cy\n",
        "edges.csv: the names of the columns, 'ann', 'bob', are ids of nodes .. no header",
        {},
    ),
    "a column that is not there": (
        EDGES,
        "edges.csv: has no column 'sorce' (--source); did you mean 'source'?",
        {"source": "sorce"},
    ),
    "a target that is not there": (
        EDGES,
        "edges.csv: has no column 'x' (--target)",
        {"target": "x"},
    ),
    "one column for both ends": (
        EDGES,
        "edges.csv: --source and --target both name 'source'; name two columns",
        {"source": "source", "target": "source"},
    ),
    "a weight that is no number": (
        "source,target,weight\nann,bob,heavy\nbob,cy,light\n",
        "edges.csv, column 'weight': holds no numbers",
        {},
    ),
    "a weight that is a typo": (
        "source,target,weight\n" + "ann,bob,2\n" * 20 + "bob,cy,l\n",
        "edges.csv, line 22, column 'weight': 'l' is not a number",
        {},
    ),
    "a negative weight": (
        "source,target,weight\nann,bob,1\nbob,cy,-0.5\n",
        "edges.csv, line 3, column 'weight': the weight is negative (-0.5); give every edge",
        {},
    ),
    "a missing weight": (
        "source,target,weight\nann,bob,1\nbob,cy,NaN\n",
        "edges.csv, line 3, column 'weight': the weight is missing",
        {},
    ),
    "an infinite weight": (
        "source,target,weight\nann,bob,1\nbob,cy,inf\n",
        "edges.csv, line 3, column 'weight': inf is not a finite number",
        {},
    ),
    "a weight beyond 32 bits": (
        "source,target,weight\nann,bob,1\nbob,cy,1e39\n",
        "edges.csv, line 3, column 'weight': the weight 1e+39 is too large for 32 bits",
        {},
    ),
    "an end as the weight": (
        "source,target\n0,1\n1,2\n",
        "edges.csv, column 'source': names the nodes of an edge, so it cannot be the weight",
        {"nodes": "id,club\n0,a\n1,b\n2,a\n", "weight": "source"},
    ),
    "a weight that is not there": (
        EDGES,
        "edges.csv: has no column 'w' (--weight); choose one of source, target",
        {"weight": "w"},
    ),
}


@pytest.mark.parametrize("kind", _BAD)
def test_a_bad_table_of_edges_is_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    refused_edges(tmp_path, _BAD[kind])


def test_equal_weights_play_no_part(tmp_path: Path) -> None:
    graph = read(tmp_path, NODES, "source,target,weight\nann,bob,1\nbob,cy,1\n")
    assert graph.weights is None
    assert "all edges have the weight 1, so weights play no part" in graph.notes


def _columns(*names: str) -> Table:
    return Table("edges.csv", {name: pa.array(["1"]) for name in names}, 1, lambda _: "line 2")


@pytest.mark.parametrize("ends", ENDS)
def test_every_usual_pair_of_names_is_found_in_any_case(ends: tuple[str, str]) -> None:
    source, target = (name.upper() for name in ends)
    assert find_ends(_columns("w", target, source), None, None) == (source, target)


def test_two_columns_of_any_names_are_the_ends_in_their_order() -> None:
    assert find_ends(_columns("b", "a"), None, None) == ("b", "a")


def test_one_end_that_is_named_settles_the_other() -> None:
    assert find_ends(_columns("u", "v", "from", "to"), "from", None) == ("from", "to")
    assert find_ends(_columns("b", "a"), "a", None) == ("a", "b")
    assert find_ends(_columns("b", "a"), None, "b") == ("a", "b")


def test_without_ids_ends_are_numbers_of_rows() -> None:
    edges, nodes = _columns("u", "v"), Table("nodes.csv", {}, 3, str)
    ends = [pa.array([2, 0]), pa.array(["1", "1"])]
    found = edge_positions(edges, ("u", "v"), ends, nodes, None)
    assert found.tolist() == [[2, 0], [1, 1]]
    assert found.dtype == np.int64


def test_the_remedy_is_in_the_callers_language() -> None:
    edges, nodes = _columns("u", "v"), Table("nodes.csv", {}, 3, str)
    with pytest.raises(DataError) as error:
        edge_positions(edges, ("u", "v"), [pa.array([7]), pa.array([1])], nodes, None)
    assert in_shell(error.value.message).endswith("name its column of ids with --id")
    assert str(error.value).endswith("name its column of ids with id")


def test_weights_are_found_by_their_name_or_given() -> None:
    table = Table("e", {"Weight": pa.array([1, 2]), "w": pa.array([True, False])}, 2, str)
    found, notes = read_weights(table, None)
    assert found is not None
    assert (found.tolist(), notes) == ([1.0, 2.0], ["edges are weighted by column 'Weight'"])
    named, _ = read_weights(table, "w")
    assert named is not None
    assert named.tolist() == [1.0, 0.0]
    assert read_weights(_columns("u", "v"), None) == (None, [])


def test_two_usual_names_of_weights_leave_a_choice() -> None:
    with pytest.raises(DataError, match="'weight', 'edge_weight' may all be the weight"):
        read_weights(_columns("weight", "edge_weight"), None)


def test_weights_that_are_all_zero_are_refused(tmp_path: Path) -> None:
    edges = "source,target,weight\nann,bob,0\nbob,cy,0\n"
    with pytest.raises(DataError, match=r"edges.csv, column 'weight': every weight is 0"):
        read(tmp_path, edges=edges)
