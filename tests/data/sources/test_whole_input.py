import gzip
import pickle
from pathlib import Path

import pytest

from l2p_search.data.sources import whole_input
from l2p_search.data.sources.whole_input import check_size, read_bytes, read_start, read_text
from l2p_search.errors import DataError
from tests.data.sources.small_tables import EDGES, NODES, Case, read, refused, refused_nodes, write

_BAD: dict[str, Case] = {
    "empty": ("", "nodes.csv: is empty", {}),
    "only spaces": (" \n\n ", "nodes.csv: is empty", {}),
    "UTF-16": (NODES.encode("utf-16"), "nodes.csv: is in UTF-16; save it in UTF-8", {}),
    "UTF-16 without a mark": (NODES.encode("utf-16-le"), "nodes.csv: is in UTF-16", {}),
    "Latin-1": (
        NODES.replace("cy", "cécile").encode("latin-1"),
        "nodes.csv, line 4: the byte 0xe9 is not UTF-8 (Latin-1",
        {},
    ),
    "an Excel file": (b"PK\x03\x04\x14\x00", "nodes.csv: is a zip archive (or an Excel file)", {}),
    "a pickle": (pickle.dumps([1, 2]), "nodes.csv: is a Python pickle, not text", {}),
    "binary": (b"id,club\n\x01\x00\x02\x7f", "nodes.csv, line 2: has a zero byte", {}),
    "a gzip file cut short": (
        gzip.compress(NODES.encode() * 50)[:-20],
        "nodes.csv: is a gzip file that is cut short",
        {},
    ),
}


@pytest.mark.parametrize("kind", _BAD)
def test_a_file_that_is_no_text_is_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    refused_nodes(tmp_path, _BAD[kind])


def test_files_that_are_not_there_are_named(tmp_path: Path) -> None:
    write(tmp_path)
    refused(
        tmp_path,
        "node.csv: no such file; did you mean",
        nodes=tmp_path / "node.csv",
        edges=tmp_path / "edges.csv",
    )
    refused(tmp_path, "zzz: no such file; check the path", edges=tmp_path / "zzz")
    refused(
        tmp_path,
        "no/edges.csv: no such file; there is no folder",
        edges=tmp_path / "no" / "edges.csv",
    )
    refused(tmp_path, "words.json: no such file", features="words.json")


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    write(tmp_path)
    loop = tmp_path / "loop.csv"
    loop.symlink_to(loop)
    refused(tmp_path, "loop.csv: cannot be read (Too many levels of symbolic links)", edges=loop)
    refused(tmp_path, "is a folder; name the file in it", edges=tmp_path)
    refused(tmp_path, "/dev/null: is no ordinary file", edges=Path("/dev/null"))


def test_files_beyond_memory_are_refused_before_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path)
    (tmp_path / "edges.csv").write_bytes(gzip.compress(EDGES.encode() * 10_000))
    monkeypatch.setattr(whole_input, "_free_memory", lambda: 200_000)
    refused(tmp_path, "edges.csv: 0.0 GB or more would take about .. is free; leave out")
    monkeypatch.setattr(whole_input, "_free_memory", lambda: 8)
    refused(tmp_path, "nodes.csv: 0.0 GB or more would take about")


def test_gzip_is_unpacked(tmp_path: Path) -> None:
    graph = read(tmp_path, gzip.compress(NODES.encode()), gzip.compress(EDGES.encode()))
    assert graph.num_nodes == 4


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "nodes.csv"
    path.write_bytes(b"\xef\xbb\xbfid;caf\xc3\xa9")
    assert read_text(path) == "id;café"


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("most", "start"),
    [(100, b"u,v\n10,20\n30"), (8, b"u,v\n"), (11, b"u,v\n10,20\n"), (2, b"u,")],
)
def test_the_start_of_a_file_is_whole_lines(
    most: int, start: bytes, packed: bool, tmp_path: Path
) -> None:
    path = tmp_path / "edges.csv"
    content = b"u,v\n10,20\n30"
    path.write_bytes(gzip.compress(content) if packed else content)
    assert read_start(path, most) == start


def test_the_start_of_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_bytes(b" \n\t")
    with pytest.raises(DataError, match=r"edges.csv: is empty"):
        read_start(tmp_path / "edges.csv")


def test_a_small_gzip_file_that_unpacks_beyond_memory_stops_at_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(bytes(1000) * 1000))
    monkeypatch.setattr(whole_input, "_CHUNK", 1 << 10)
    monkeypatch.setattr(whole_input, "_free_memory", lambda: 100_000)
    with pytest.raises(DataError, match=r"bomb.gz: 0.0 GB or more would take about"):
        read_bytes(path, expansion=8)
    monkeypatch.setattr(whole_input, "_free_memory", lambda: 8_000_000)
    assert len(read_bytes(path, expansion=8)) == 1_000_000


def test_what_fits_exactly_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_input, "_free_memory", lambda: 80)
    check_size(Path("a"), 10, expansion=8)
    with pytest.raises(DataError):
        check_size(Path("a"), 11, expansion=8)
