from pathlib import Path

import pytest

from l2p_search.data.sources.csv_text import first_names, parse_csv

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
