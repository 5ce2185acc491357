import os
from pathlib import Path

import pytest

from l2p_search.whole_file import write_whole


def test_replaces_the_text_as_a_whole_and_leaves_nothing_beside(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_whole(path, "old")
    write_whole(path, "new")
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_keeps_the_old_text_and_leaves_nothing_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write_whole(path, "old")

    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
