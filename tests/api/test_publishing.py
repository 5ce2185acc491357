import json
import os
from pathlib import Path

import pytest

from l2p_search.api import publishing
from l2p_search.api.publishing import publish
from l2p_search.data.graph import Graph
from l2p_search.errors import UserError
from tests.api.publishable import made


@pytest.fixture
def folder(tmp_path: Path, small_graph: Graph) -> Path:
    place = tmp_path / "searches"
    for method in ("l2q", "mlp"):
        made(place, small_graph, method, "a")
    return place


def test_it_writes_a_folder_and_nothing_beside_it(folder: Path, tmp_path: Path) -> None:
    found = publish(["a-l2q", "a-mlp"], tmp_path / "new" / "paper", folder=folder)
    assert {path.name for path in (tmp_path / "new").iterdir()} == {"paper"}
    assert {path.name for path in found.folder.iterdir()} == set(found.files)
    assert found.table.startswith("| method | a |")
    told = json.loads((found.folder / "provenance.json").read_text())
    assert told["searches"][0]["journal"] == str(folder / "a-l2q" / "journal.log")


def test_it_takes_searches_as_objects_and_one_by_its_name(folder: Path, tmp_path: Path) -> None:
    from l2p_search.api.opening import open_search

    one = open_search("a-l2q", folder)
    assert (
        publish([one], tmp_path / "one").files
        == publish("a-l2q", tmp_path / "two", folder=folder).files
    )


def _unchanged(tmp_path: Path) -> set[Path]:
    return set(tmp_path.rglob("*"))


@pytest.mark.parametrize(
    ("searches", "says"),
    [
        (["a-l2"], r"no search 'a-l2' in .*; did you mean 'a-l2q'"),
        (["a-l2q", "a-l2q"], "'a-l2q' is named twice"),
        ([], "must be one or more searches"),
        (7, "must be one or more searches"),
        (["../searches/a-l2q"], r"no search '../searches/a-l2q' in .*; did you mean 'a-l2q'"),
    ],
)
def test_bad_searches_are_one_line_and_nothing_is_written(
    searches: object, says: str, folder: Path, tmp_path: Path
) -> None:
    before = _unchanged(tmp_path)
    with pytest.raises(UserError, match=says):
        publish(searches, tmp_path / "paper", folder=folder)  # type: ignore[arg-type]
    assert _unchanged(tmp_path) == before


def test_a_place_that_is_taken_is_left_alone(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to("nowhere")
    before = _unchanged(tmp_path)
    for name in ("file", "empty", "link", "..", "."):
        with pytest.raises(UserError, match="name a new"):
            publish("a-l2q", tmp_path / name, folder=folder)
    assert _unchanged(tmp_path) == before
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("name", ["file/paper", "x" * 300, "a\0b"])
def test_a_place_that_cannot_be_written_is_one_line(
    name: str, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine")
    before = _unchanged(tmp_path)
    with pytest.raises(UserError, match=r"cannot be written|no name"):
        publish("a-l2q", tmp_path / name, folder=folder)
    assert _unchanged(tmp_path) == before


def test_a_full_disk_leaves_nothing_half_written(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = []

    def full(path: Path, content: bytes) -> None:
        if len(written) == 3:
            raise OSError(28, os.strerror(28))
        written.append(path)
        path.write_bytes(content)

    monkeypatch.setattr(publishing, "write_whole", full)
    before = _unchanged(tmp_path)
    with pytest.raises(UserError, match=r"cannot be written .No space left"):
        publish("a-l2q", tmp_path / "paper", folder=folder)
    assert _unchanged(tmp_path) == before


def test_a_damaged_journal_is_one_line(folder: Path, tmp_path: Path) -> None:
    journal = folder / "a-mlp" / "journal.log"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([*lines[:9], b"{half\n", *lines[10:]]))
    with pytest.raises(UserError, match="is damaged"):
        publish(["a-l2q", "a-mlp"], tmp_path / "paper", folder=folder)
    assert not (tmp_path / "paper").exists()


def test_a_margin_of_nothing_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"margin.*above 0"):
        publish("a-l2q", tmp_path / "paper", folder=folder, margin=0.0)
