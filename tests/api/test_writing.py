import os
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from l2p_search.api.writing import check_writable, figure_files, write_file, write_files
from l2p_search.errors import UserError, in_shell


def test_folders_are_made_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "c.txt"
    assert write_file(path, "näher") == path
    assert path.read_bytes() == "näher".encode()
    write_file(path, b"\x00")
    assert path.read_bytes() == b"\x00"
    assert os.listdir(path.parent) == ["c.txt"]


def test_a_file_that_cannot_be_written_is_named_in_the_callers_language(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    path = tmp_path / "file" / "folder" / "x"
    with pytest.raises(UserError) as error:
        write_file(path, "")
    why = "cannot be written (Not a directory); choose another"
    assert str(error.value) == f"out='{path}': {why}"
    assert in_shell(error.value.message) == f"--out {path}: {why}"


def test_what_cannot_be_written_is_known_before_it_is_computed(tmp_path: Path) -> None:
    check_writable(tmp_path / "x")
    with pytest.raises(UserError, match="is a folder; name a file in it"):
        check_writable(tmp_path)
    with pytest.raises(UserError, match=r"there is no folder .*none; make it first"):
        check_writable(tmp_path / "none" / "x")
    assert list(tmp_path.iterdir()) == []


def test_a_read_only_folder_is_known_before_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write anywhere
    with pytest.raises(UserError, match="cannot be written; choose another"):
        check_writable(tmp_path / "x")


def test_a_figure_is_written_as_png_and_as_svg(tmp_path: Path) -> None:
    figure = Figure()
    figure.add_subplot().plot([0, 1])
    written = write_files(tmp_path / "figures", figure_files("drawn", figure))
    assert [path.name for path in written] == ["drawn.png", "drawn.svg"]
    assert written[0].read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in written[1].read_bytes()
