import json
from pathlib import Path

import pytest

from l2p_search.data.sources import csv_text
from l2p_search.data.sources.csv_text import first_names, parse_csv
from l2p_search.errors import DataError
from tests.data.sources.small_tables import EDGES, NODES, Case, read, refused, refused_nodes, write

_PATH = Path("t.csv")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,b\n1,2\n", ["a", "b"]),
        ("a;b\n1,5;2,5\n", ["a", "b"]),
        ("a\tb c\n1\t2\n", ["a", "b c"]),
        ("a|b\n1|2\n", ["a", "b"]),
        ('"a,x";b\n"1,2,3";2\n', ["a,x", "b"]),
        ("a,b;c\n1,x;y\n2,z\n", ["a", "b;c"]),
        ("\ufeffa,b\r\n1,2\r\n", ["a", "b"]),
        ("a\n1\n", ["a"]),
        (",id\n0,x\n", ["column 1", "id"]),
        ('"a,b"\n"1"\n', ["a,b"]),
    ],
)
def test_the_delimiter_cuts_lines_into_equally_many_columns(text: str, names: list[str]) -> None:
    content = text.encode()
    assert list(parse_csv(_PATH, content, header=True).arrays) == names
    assert first_names(_PATH, content) == names


def test_rows_know_their_lines() -> None:
    table = parse_csv(_PATH, b'a,b\n1,"x\ny"\n\n\n2,z\n3,w', header=True)
    assert table.num_rows == 3
    assert [table.place(row) for row in range(3)] == ["line 2", "line 6", "line 7"]


def test_empty_lines_below_the_header_are_no_rows() -> None:
    table = parse_csv(_PATH, b"a,b\n\n\n1,2\n3,4\n\n", header=True)
    assert table.arrays["a"].to_pylist() == ["1", "3"]
    assert [table.place(row) for row in range(2)] == ["line 4", "line 5"]


def test_a_column_without_any_value_has_no_rows() -> None:
    assert parse_csv(_PATH, b'a\n""\n""\n', header=True).num_rows == 0


def test_numbers_alone_are_no_header() -> None:
    table = parse_csv(_PATH, b"0,1\n1,2\n", header=False)
    assert list(table.arrays) == ["column 1", "column 2"]
    assert table.num_rows == 2
    assert table.place(0) == "line 1"
    assert not table.has_header


def test_a_value_may_be_longer_than_a_page() -> None:
    long = "x" * 300_000
    table = parse_csv(_PATH, f'a,b\n"{long}",1\n'.encode(), header=True)
    assert table.arrays["a"][0].as_py() == long


_BAD: dict[str, Case] = {
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
    "XML": ("<graphml></graphml>", "nodes.csv: is XML or HTML, not a table", {}),
    "an empty line above the header": ("\n" + NODES, "nodes.csv, line 1: is empty; begin", {}),
}


@pytest.mark.parametrize("kind", _BAD)
def test_text_that_is_no_table_is_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    refused_nodes(tmp_path, _BAD[kind])


def test_a_row_in_quotes_over_several_lines_counts_them(tmp_path: Path) -> None:
    nodes = 'id,age,club\n"a\nb",1,go\n\nc,inf,chess\n'
    write(tmp_path, nodes, "source,target\nc,c\n")
    refused(tmp_path, "nodes.csv, line 5, column 'age': inf is not")


def test_a_json_file_given_as_the_nodes_is_refused(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "graph.json").write_text(json.dumps({"nodes": [1, 2], "links": []}))
    refused(
        tmp_path,
        "graph.json: is JSON, not a table",
        nodes=tmp_path / "graph.json",
        edges=tmp_path / "edges.csv",
    )


def test_values_in_quotes_may_contain_delimiters_and_line_breaks(tmp_path: Path) -> None:
    nodes = 'id,club,text\n"a,1",x,"two\nlines"\nb,y,"a ""word"""\nc,x,z\n'
    graph = read(tmp_path, nodes, 'source,target\n"a,1",b\nb,c\n')
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert graph.columns["text"].tolist() == ["two\nlines", 'a "word"', "z"]


def test_empty_lines_are_passed_over(tmp_path: Path) -> None:
    assert read(tmp_path, NODES.replace("\n", "\n\n") + "\n\n", EDGES + "\n").num_nodes == 4


def test_a_line_beyond_all_measure_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_text, "_BLOCK", 1 << 20)
    for content, line in (
        (b"1234567," * (1 << 19), 1),
        (b"id,a\n0," + b"x" * (5 << 20) + b"\n1,2\n", 2),
    ):
        with pytest.raises(DataError, match=rf"nodes.csv, line {line}: is longer than 1 MB"):
            parse_csv(Path("nodes.csv"), content, header=True)
