"""Tables that are no graph: each is refused in one line, and nothing is written."""

import gzip
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from l2p_search.data.sources import whole_input
from l2p_search.data.sources.tables import read_tables
from l2p_search.errors import DataError, in_shell
from tests.data.sources.small_tables import EDGES, NODES, write


def _snapshot(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in files}


def _refused(folder: Path, says: str, nodes: Path | None = None, **options: Any) -> None:
    """Reading ends with one line that begins with a path of the folder and has all the words."""
    before = _snapshot(folder)
    given = {"label": "club", **options}
    if nodes is None:
        nodes = folder / "nodes.csv"
        given.setdefault("edges", folder / "edges.csv")
    with pytest.raises(DataError) as error:
        read_tables(nodes, **given)
    message = in_shell(error.value.message).replace(f"{folder}/", "")
    for words in says.split(" .. "):
        assert words in message, message
    assert len(message.splitlines()) == 1
    assert len(message) < 400
    assert _snapshot(folder) == before


_BIG = "1" + "0" * 12

_BAD_NODES: dict[str, tuple[str | bytes, str, dict[str, str]]] = {
    "empty": ("", "nodes.csv: is empty", {}),
    "only spaces": (" \n\n ", "nodes.csv: is empty", {}),
    "header only": ("id,age,club\n", "nodes.csv: has a header and no rows", {}),
    "no header": ("1,2,3\n4,5,6\n", "nodes.csv, line 1: has only numbers .. no names", {}),
    "too many columns": (
        NODES + "ed,1,go,5\n",
        "nodes.csv, line 6: has 4 columns where the first line has 3 .. double quotes",
        {},
    ),
    "too few columns": (
        NODES.replace("bob,7,go", "bob,7"),
        "nodes.csv, line 3: has 2 columns where the first line has 3",
        {},
    ),
    "a ragged row after a line break in quotes": (
        'id,age,club\n"a\nb\nc",1,go\nd,1\n',
        "nodes.csv, line 5: has 2 columns",
        {},
    ),
    "separated by spaces": (
        NODES.replace(",", " "),
        "nodes.csv, line 1: only one column was found, 'id age club'; separate columns by",
        {},
    ),
    "two columns of one name": (
        "id,id,club\na,b,c\n",
        "nodes.csv: two columns are called 'id'",
        {},
    ),
    "a quote that never closes": (
        'id,club,name\nann,go,"Ann\nbob,chess,Bob\ncy,go,Cy\n',
        "nodes.csv, line 2: a quote is opened and never closed",
        {},
    ),
    "UTF-16": (NODES.encode("utf-16"), "nodes.csv: is in UTF-16; save it in UTF-8", {}),
    "UTF-16 without a mark": (NODES.encode("utf-16-le"), "nodes.csv: is in UTF-16", {}),
    "Latin-1": (
        NODES.replace("cy", "cécile").encode("latin-1"),
        "nodes.csv, line 4: the byte 0xe9 is not UTF-8 (Latin-1",
        {},
    ),
    "an Excel file": (b"PK\x03\x04\x14\x00", "nodes.csv: is a zip archive (or an Excel file)", {}),
    "a pickle": (pickle.dumps([1, 2]), "nodes.csv: is a Python pickle, not text", {}),
    "XML": ("<graphml></graphml>", "nodes.csv: is XML or HTML, not a table", {}),
    "one line without an end": ("id,age,club", "nodes.csv: has a header and no rows", {}),
    "an empty line above the header": ("\n" + NODES, "nodes.csv, line 1: is empty; begin", {}),
    "binary": (b"id,club\n\x01\x00\x02\x7f", "nodes.csv, line 2: has a zero byte", {}),
    "a gzip file cut short": (
        gzip.compress(NODES.encode() * 50)[:-20],
        "nodes.csv: is a gzip file that is cut short",
        {},
    ),
    "a Parquet file cut short": (
        b"PAR1\x15\x04\x15",
        "nodes.csv: is a Parquet file that is cut",
        {},
    ),
    "a duplicate id": (
        NODES + "bob,3,go\n",
        "nodes.csv, line 6, column 'id': the id 'bob' is also in line 3; keep one",
        {},
    ),
    "a duplicate number": (
        "id,club\n1,a\n2,b\n01,a\n",
        "nodes.csv, line 4, column 'id': the id '1' is also in line 2",
        {"edges": "source,target\n1,2\n"},
    ),
    "a missing id": (
        NODES.replace("cy,", ","),
        "nodes.csv, line 4, column 'id': the id is missing; write it, or drop the row",
        {},
    ),
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
    "a typo in a split": (
        "id,split,club\nann,train,a\nbob,vla,b\ncy,test,b\ndee,val,a\n",
        "nodes.csv, line 3, column 'split': 'vla' is no part of a split; write train, val or test",
        {},
    ),
    "numbers as a split": (
        NODES,
        "nodes.csv, line 2, column 'age': '31' is no part of a split",
        {"split": "age"},
    ),
    "a split without test nodes": (
        "id,split,club\nann,train,a\nbob,val,b\ncy,train,b\ndee,val,a\n",
        "nodes.csv, column 'split': the split has no test node; give it train, val and test",
        {},
    ),
    "a split that covers nothing": (
        "id,parts,club\nann,,a\nbob,,b\ncy,,b\ndee,,a\n",
        "nodes.csv, column 'parts': the split has no train node",
        {"split": "parts"},
    ),
    "one bad split of several": (
        "id,split_0,split_1,club\nann,train,val,a\nbob,val,val,b\ncy,test,train,b\ndee,test,,a\n",
        "nodes.csv, column 'split_1': the split has no test node",
        {},
    ),
    "a split that is not there": (
        NODES,
        "nodes.csv: has no column 'spilt' (--split); choose one of",
        {"split": "spilt"},
    ),
    "a mask of words": (
        "id,club,train_mask,val_mask,test_mask\nann,a,1,0,0\nbob,b,0,x,0\ncy,b,0,0,1\ndee,a,0,0,0\n",
        "nodes.csv, column 'val_mask': is no mask: write True or False",
        {},
    ),
    "an id column that is not there": (
        NODES,
        "nodes.csv: has no column 'ids' (--id); did you mean 'id'?",
        {"id": "ids"},
    ),
    "two id columns": (
        "id,node_id,club\n0,1,a\n1,2,b\n2,0,a\n",
        "nodes.csv: 'id', 'node_id' both contain the ends of every edge; choose with --id",
        {"edges": "source,target\n0,1\n"},
    ),
}


@pytest.mark.parametrize("kind", _BAD_NODES)
def test_a_bad_table_of_nodes_is_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    nodes, says, options = _BAD_NODES[kind]
    options = dict(options)
    write(tmp_path, nodes, options.pop("edges", EDGES))
    given: dict[str, Any] = {key: value or None for key, value in options.items()}
    _refused(tmp_path, says, **given)


_BAD_EDGES: dict[str, tuple[str | bytes, str, dict[str, str]]] = {
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
    "a weight that is not there": (
        EDGES,
        "edges.csv: has no column 'w' (--weight); choose one of source, target",
        {"weight": "w"},
    ),
}


@pytest.mark.parametrize("kind", _BAD_EDGES)
def test_a_bad_table_of_edges_is_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    edges, says, options = _BAD_EDGES[kind]
    options = dict(options)
    write(tmp_path, options.pop("nodes", NODES), edges)
    _refused(tmp_path, says, **options)


_BAD_LISTS: dict[str, tuple[str, str]] = {
    "empty": ("", "features.json: is empty"),
    "no JSON": ("{'ann': [1]}", "features.json, line 1: is no JSON"),
    "cut short": ('{"ann": [1],\n"bob": [2', "features.json, line 2: is no JSON"),
    "a number": ("7", "features.json: holds no lists"),
    "no entries": ("{}", "features.json: holds no lists"),
    "numbers instead of lists": (
        '{"ann": 1, "bob": 2}',
        "features.json, entry 'ann': '1' is no list; give a list of words or numbers",
    ),
    "objects instead of lists": (
        '[[1], {"a": 2}]',
        "features.json, list 2: \"{'a': 2}\" is no list",
    ),
    "lists in lists": ("[[1], [[2]]]", "features.json, list 2: '[2]' is no word number"),
    "words among numbers": (
        '{"ann": [1], "bob": ["x"]}',
        "features.json, entry 'bob': 'x' is no word",
    ),
    "nothing but empty lists": ("[[], [], [], []]", "features.json: every list is empty"),
    "a negative word number": (
        '{"ann": [1], "bob": [3, -2]}',
        "features.json, entry 'bob': the word number -2 is negative; number the words from 0 on",
    ),
    "an absurd word number": (
        f'{{"ann": [1], "bob": [3, {_BIG}]}}',
        f"features.json, entry 'bob': the word number {_BIG} is absurdly high",
    ),
    "a word number beyond all numbers": (
        f'{{"ann": [1], "bob": [{"9" * 40}]}}',
        "features.json, entry 'bob': the word number .. is absurd",
    ),
    "a number of ten thousand digits": (
        f"[[{'9' * 10_000}]]",
        "features.json: is no JSON of lists",
    ),
    "nested without end": ("[" * 100_000, "features.json: is no JSON of lists"),
    "not a number": ("[[0.5], [NaN], [1.0], [1.0]]", "features.json, list 2: nan is not a finite"),
    "vectors of different lengths": (
        "[[0.5, 1.0], [0.5], [1.0, 2.0], [1.0, 1.0]]",
        "features.json, list 2: has 1 numbers where the first has 2; give vectors of one length",
    ),
    "too few lists": ("[[0], [1, 2]]", "features.json: has 2 lists and there are 4 nodes"),
    "the ids of other nodes": (
        '{"0": [1, 2], "1": [2], "2": [3], "3": [0]}',
        "features.json, entry '0': only 0 of 4 nodes have a list here .. the same ids",
    ),
    "too few vectors": (
        '{"ann": [0.5], "bob": [1.5], "cy": [2.5]}',
        "features.json: 1 nodes have no vector; give one per node",
    ),
}


@pytest.mark.parametrize("kind", _BAD_LISTS)
def test_a_bad_file_of_lists_is_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    lists, says = _BAD_LISTS[kind]
    write(tmp_path)
    (tmp_path / "features.json").write_text(lists)
    _refused(tmp_path, says, features="features.json")
    _refused(tmp_path, says, nodes=tmp_path)


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
    _refused(tmp_path, f"nodes.parquet, {says}", nodes=tmp_path)


def test_lists_as_classes_are_refused(tmp_path: Path) -> None:
    frame = pd.DataFrame({"club": [["a"], ["a", "b"], ["b"]]})
    frame.to_parquet(tmp_path / "nodes.parquet")
    pd.DataFrame({"u": [0], "v": [1]}).to_parquet(tmp_path / "edges.parquet")
    _refused(tmp_path, "nodes.parquet, column 'club': holds lists", nodes=tmp_path)


def test_files_that_are_not_there_are_named(tmp_path: Path) -> None:
    write(tmp_path)
    _refused(
        tmp_path,
        "node.csv: no such file; did you mean",
        nodes=tmp_path / "node.csv",
        edges=tmp_path / "edges.csv",
    )
    _refused(tmp_path, "zzz: no such file; check the path", edges=tmp_path / "zzz")
    _refused(
        tmp_path,
        "no/edges.csv: no such file; there is no folder",
        edges=tmp_path / "no" / "edges.csv",
    )
    _refused(tmp_path, "words.json: no such file", features="words.json")


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    write(tmp_path)
    loop = tmp_path / "loop.csv"
    loop.symlink_to(loop)
    _refused(tmp_path, "loop.csv: cannot be read (Too many levels of symbolic links)", edges=loop)
    _refused(tmp_path, "is a folder; name the file in it", edges=tmp_path)
    _refused(tmp_path, "/dev/null: is no ordinary file", edges=Path("/dev/null"))


def test_files_beyond_memory_are_refused_before_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path)
    (tmp_path / "edges.csv").write_bytes(gzip.compress(EDGES.encode() * 10_000))
    monkeypatch.setattr(whole_input, "_free_memory", lambda: 200_000)
    _refused(tmp_path, "edges.csv: 0.0 GB or more would take about .. is free; leave out")
    monkeypatch.setattr(whole_input, "_free_memory", lambda: 8)
    _refused(tmp_path, "nodes.csv: 0.0 GB or more would take about")


def test_a_small_parquet_file_of_many_rows_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pd.DataFrame({"club": np.zeros(1_000_000)})
    frame.to_parquet(tmp_path / "nodes.parquet")
    pd.DataFrame({"u": [0], "v": [1]}).to_parquet(tmp_path / "edges.parquet")
    assert (tmp_path / "nodes.parquet").stat().st_size < 50_000
    monkeypatch.setattr(whole_input, "_free_memory", lambda: 1_000_000)
    _refused(tmp_path, "nodes.parquet: 0.0 GB or more would take", nodes=tmp_path)


_BAD_FOLDERS: dict[str, tuple[dict[str, str], str]] = {
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


@pytest.mark.parametrize("kind", _BAD_FOLDERS)
def test_a_folder_that_leaves_a_choice_is_refused_with_the_candidates(
    kind: str, tmp_path: Path
) -> None:
    files, says = _BAD_FOLDERS[kind]
    folder = tmp_path / "own"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_text(content)
    _refused(tmp_path, f"own: {says}", nodes=folder)


def test_nodes_without_edges_are_refused(tmp_path: Path) -> None:
    write(tmp_path)
    _refused(
        tmp_path,
        "nodes.csv: is a table of nodes, and the edges are missing; name their table with --edges",
        nodes=tmp_path / "nodes.csv",
    )


def test_a_row_in_quotes_over_several_lines_counts_them(tmp_path: Path) -> None:
    nodes = 'id,age,club\n"a\nb",1,go\n\nc,inf,chess\n'
    write(tmp_path, nodes, "source,target\nc,c\n")
    _refused(tmp_path, "nodes.csv, line 5, column 'age': inf is not")


def test_a_message_shows_a_long_value_shortened_and_on_one_line(tmp_path: Path) -> None:
    write(tmp_path, NODES, 'source,target\nann,"x\n' + "y" * 5000 + '"\n')
    _refused(tmp_path, "edges.csv, line 2, column 'target': 'x\\nyyy .. yy..' is no id")


def test_a_json_file_given_as_the_nodes_is_refused(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "graph.json").write_text(json.dumps({"nodes": [1, 2], "links": []}))
    _refused(
        tmp_path,
        "graph.json: is JSON, not a table",
        nodes=tmp_path / "graph.json",
        edges=tmp_path / "edges.csv",
    )
