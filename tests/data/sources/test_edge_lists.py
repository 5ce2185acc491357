import gzip
from pathlib import Path

import pytest

from l2p_search.data.sources.edge_lists import is_edge_list, parse_edge_list
from l2p_search.data.sources.tables import read_tables
from l2p_search.errors import DataError
from tests.data.sources.small_tables import EDGES, NODES, read

_PATH = Path("web.txt")
_SNAP = "# Directed graph, each pair, each once\n# Nodes: 3 Edges: 2\n# FromNodeId\tToNodeId\n"
_PEOPLE = "id,age,club\n7,31,chess\n8,7,go\n9,64,go\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{_SNAP}7\t8\n8\t9\n",
        "% sym unweighted\n% 2 3 3\n7 8\n8 9\n",
        "7 8\n8 9\n",
        "  7   8  \n\n8 \t 9",
        "7 8\r\n8 9\r\n",
        "# a comment\n\n7\t8\n# another\n8\t9\n\n",
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_two_whole_numbers_per_line_are_edges(text: str, packed: bool, tmp_path: Path) -> None:
    content = gzip.compress(text.encode()) if packed else text.encode()
    graph = read(tmp_path, _PEOPLE, content)
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert "edges from edges.csv, from column 'column 1' to 'column 2'" in graph.notes


@pytest.mark.parametrize(
    "text",
    [
        EDGES,
        "ann bob\nbob cy\n",
        "7\t8\n8\t9\n",
        "#source,target\n7,8\n",
        "# from\tto\nann\tbob\n",
        "7 8 0.5\n",
        "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n1 2\n",
        "# a comment alone\n",
        "",
    ],
)
def test_anything_else_is_left_to_the_reader_of_csv(text: str) -> None:
    assert not is_edge_list(text)
    assert parse_edge_list(_PATH, text.encode()) is None


def test_rows_know_their_lines() -> None:
    table = parse_edge_list(_PATH, f"{_SNAP}1 2\n\n# between\n2 3\n".encode())
    assert table is not None
    assert [table.place(row) for row in range(table.num_rows)] == ["line 4", "line 7"]


@pytest.mark.parametrize("line", ["1 2 3", "1", "ann bob", "1.5 2", "1,2"])
def test_a_line_that_is_no_edge_is_named(line: str) -> None:
    says = f"web.txt, line 5: '{line}' is not two whole numbers"
    with pytest.raises(DataError, match=says):
        parse_edge_list(_PATH, f"{_SNAP}0 1\n{line}\n".encode())


def test_an_id_that_no_node_has_is_named_by_its_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"edges.csv, line 5, column 'column 2': '10' is no id in"):
        read(tmp_path, _PEOPLE, f"{_SNAP}7\t8\n8\t10\n")


def test_an_edge_list_in_a_folder_is_found_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(_PEOPLE)
    (tmp_path / "edges.tsv").write_text(f"{_SNAP}7\t8\n")
    (tmp_path / "older.tsv").write_text(f"{_SNAP}7\t9\n")  # its comment is no line of names
    graph = read_tables(tmp_path, label="club")
    assert graph.edges.tolist() == [[0], [1]]
    assert "'older.tsv' was not read" in graph.notes


def test_a_table_of_nodes_is_never_an_edge_list(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nodes.csv, line 1: only one column was found"):
        read(tmp_path, NODES.replace(",", " "), EDGES)
    with pytest.raises(DataError, match=r"nodes.csv, line 1: only one column was found, '0 1'"):
        read(tmp_path, "0 1\n1 2\n", "0 1\n")
