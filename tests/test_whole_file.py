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


def test_a_link_stays_a_link_and_the_file_keeps_its_permissions(tmp_path: Path) -> None:
    target, link = tmp_path / "deep" / "target", tmp_path / "link"
    target.parent.mkdir()
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to("deep/target")
    write_whole(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 == 0o600
    dangling = tmp_path / "dangling"
    dangling.symlink_to("deep/later")
    write_whole(dangling, "made")
    assert dangling.is_symlink()
    assert (tmp_path / "deep" / "later").read_text() == "made"


def test_what_is_no_regular_file_is_not_replaced(tmp_path: Path) -> None:
    pipe, loop, null = tmp_path / "pipe", tmp_path / "loop", tmp_path / "null"
    os.mkfifo(pipe)
    loop.symlink_to("loop")
    null.symlink_to(os.devnull)
    for path in (Path(os.devnull), null, pipe, loop, tmp_path):
        before = path.lstat().st_mode
        with pytest.raises(OSError, match=r"no regular file|Too many levels|Is a directory"):
            write_whole(path, "new")
        assert path.lstat().st_mode == before
    assert sorted(tmp_path.iterdir()) == [loop, null, pipe]
