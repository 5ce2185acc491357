from pathlib import Path

import pytest

from l2p_search.data.sources.table_folders import find_tables
from tests.data.sources.small_tables import EDGES, NODES, refused

_NODES = "id,label\n1,a\n2,b\n"
_EDGES = "from,to\n1,2\n"


@pytest.mark.parametrize(
    ("files", "nodes", "edges"),
    [
        ({"edges.csv": _EDGES, "nodes.csv": _NODES}, "nodes.csv", "edges.csv"),
        (
            {"musae_git_edges.csv": _EDGES, "musae_git_target.csv": _NODES, "README.txt": "x"},
            "musae_git_target.csv",
            "musae_git_edges.csv",
        ),
        ({"a.tsv": "u\tv\n1\t2\n", "b.csv": _NODES}, "b.csv", "a.tsv"),
        ({"links.csv": "a,b\n1,2\n", "people.csv": _NODES}, "people.csv", "links.csv"),
        (
            {"edges.csv": _EDGES, "people.csv": _NODES, "more.csv": "id,x\n1,2\n"},
            "people.csv",
            "edges.csv",
        ),
        (
            {"edges.csv": _EDGES, "nodes.csv": _NODES, "classes.csv": _NODES},
            "nodes.csv",
            "edges.csv",
        ),
    ],
)
def test_tables_are_found_by_their_names_and_columns(
    files: dict[str, str], nodes: str, edges: str, tmp_path: Path
) -> None:
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    found = find_tables(tmp_path, None, None)
    assert (found.nodes.name, found.edges.name) == (nodes, edges)
    tables = {name for name in files if not name.endswith(".txt")}
    assert {path.name for path in found.ignored} == tables - {nodes, edges}


def test_features_are_the_json_file_that_says_so(tmp_path: Path) -> None:
    for name in ("edges.csv", "nodes.csv"):
        (tmp_path / name).write_text(_EDGES if "edge" in name else _NODES)
    (tmp_path / "package.json").write_text("{}")
    assert find_tables(tmp_path, None, None).features is None
    (tmp_path / "git_features.json").write_text("{}")
    assert find_tables(tmp_path, None, None).features == tmp_path / "git_features.json"


def test_named_edges_are_taken(tmp_path: Path) -> None:
    for name in ("edges_1.csv", "edges_2.csv"):
        (tmp_path / name).write_text(_EDGES)
    (tmp_path / "nodes.csv").write_text(_NODES)
    found = find_tables(tmp_path, tmp_path / "edges_2.csv", "label")
    assert found.edges == tmp_path / "edges_2.csv"
    assert found.nodes == tmp_path / "nodes.csv"


_BAD: dict[str, tuple[dict[str, str], str]] = {
    "empty": ({}, "has no table of nodes or edges (.csv, .tsv or .parquet)"),
    "no tables": ({"README.md": "hello"}, "has no table of nodes or edges"),
    "no edges": (
        {"nodes.csv": NODES},
        "none of 'nodes.csv' looks like the edges; name .. --edges",
    ),
    "no nodes": ({"edges.csv": EDGES}, "has a table of edges and none of nodes"),
    "two edge tables": (
        {"nodes.csv": NODES, "edges_1.csv": EDGES, "edges_2.csv": EDGES},
        "'edges_1.csv', 'edges_2.csv' may all be the edges; name one with --edges",
    ),
    "two node tables": (
        {"edges.csv": EDGES, "people.csv": NODES, "pets.csv": NODES},
        "'people.csv', 'pets.csv' may all be the nodes; name one",
    ),
    "two files of features": (
        {"edges.csv": EDGES, "nodes.csv": NODES, "features_a.json": "[]", "features_b.json": "[]"},
        "'features_a.json', 'features_b.json' may all be the features; name one with --features",
    ),
}


@pytest.mark.parametrize("kind", _BAD)
def test_a_folder_that_leaves_a_choice_is_refused_with_the_candidates(
    kind: str, tmp_path: Path
) -> None:
    files, says = _BAD[kind]
    folder = tmp_path / "own"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_text(content)
    refused(tmp_path, f"own: {says}", nodes=folder)
