import os
from pathlib import Path

import pytest

from l2p_search.errors import SearchError, in_shell
from l2p_search.searching.records.directory import (
    DIR_VARIABLE,
    find_search,
    list_searches,
    search_directory,
    searches_folder,
)
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.lock import DirectoryLock


def _write(folder: Path, name: str, written: int) -> Path:
    """The directory of a search whose journal was written so many seconds after 1970."""
    directory = folder / name
    directory.mkdir()
    journal = directory / "journal.log"
    journal.write_text("")
    os.utime(journal, (written, written))
    return directory


def test_the_folder_is_the_given_one_else_the_environments_else_searches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("L2P_SEARCH_DIR", "of-the-environment")
    assert searches_folder(Path("given")) == Path("given")
    assert searches_folder(None) == Path("of-the-environment")
    monkeypatch.setenv(DIR_VARIABLE, "")
    assert searches_folder(None) == Path("searches")
    monkeypatch.delenv(DIR_VARIABLE)
    assert searches_folder(None) == Path("searches")


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        ".hidden",
        "a/b",
        "a\\b",
        "../up",
        "two\nlines",
        "nul\0",
        "x" * 101,
        "two\u2028lines",
        "two\u2029parts",
        "half\ud800",
    ],
)
def test_a_name_that_no_folder_can_have_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(SearchError, match="must be the name of a folder") as raised:
        search_directory(tmp_path, name)
    assert "\n" not in str(raised.value)
    assert in_shell(raised.value.message).startswith(f"--name {name!r}: ")


def test_a_folder_that_no_path_can_name_is_refused() -> None:
    for folder in ("x" * 300, "nul\0"):
        with pytest.raises(SearchError, match="is no path, as a name in it is too long or holds"):
            searches_folder(Path(folder))


def test_a_name_in_another_script_is_counted_in_characters_until_the_disk_counts_bytes(
    tmp_path: Path,
) -> None:
    for name in ("größe ✓ 图", "x" * 100, "图" * 85):
        directory = search_directory(tmp_path, name)
        assert directory == tmp_path / name
        directory.mkdir()  # a file system takes it
    with pytest.raises(SearchError, match="255 bytes"):
        search_directory(tmp_path, "图" * 86)


def test_a_name_too_long_for_the_disk_is_refused_before_the_disk_is_asked(tmp_path: Path) -> None:
    with pytest.raises(SearchError, match="too long"):
        Journal.exists(tmp_path / ("图" * 86))
    _write(tmp_path, "s", 1)
    with pytest.raises(SearchError, match="must be the name of a folder"):
        find_search(tmp_path, "图" * 86)


def test_searches_are_listed_by_their_last_writing_and_other_folders_are_not(
    tmp_path: Path,
) -> None:
    old, new = _write(tmp_path, "a-old", 1000), _write(tmp_path, "b-new", 3000)
    middle = _write(tmp_path, "c-middle", 2000)
    (tmp_path / "figures").mkdir()
    (tmp_path / "notes.txt").write_text("")
    assert list_searches(tmp_path) == [new, middle, old]
    assert list_searches(tmp_path / "missing") == []


def test_without_a_name_the_running_search_comes_before_the_latest(tmp_path: Path) -> None:
    old, new = _write(tmp_path, "old", 1000), _write(tmp_path, "new", 2000)
    assert find_search(tmp_path, None) == new
    lock = DirectoryLock(old)
    assert find_search(tmp_path, None) == old
    lock.release()
    assert find_search(tmp_path, None) == new


def test_a_search_is_found_by_its_name_or_the_nearest_name_is_told(tmp_path: Path) -> None:
    wanted = _write(tmp_path, "demo-paper", 1000)
    assert find_search(tmp_path, "demo-paper") == wanted
    with pytest.raises(SearchError) as raised:
        find_search(tmp_path, "demo-papr")
    said = f"no search 'demo-papr' in {tmp_path}; did you mean 'demo-paper'?"
    assert str(raised.value) == said


def test_a_folder_without_searches_says_how_to_start_one(tmp_path: Path) -> None:
    for name in (None, "some"):
        with pytest.raises(SearchError) as raised:
            find_search(tmp_path, name)
        assert str(raised.value) == (
            f"{tmp_path}: no searches there; start one, such as l2p.search('demo', trials=10), or"
            " name their folder with folder"
        )
        assert "l2p-search --dataset demo --trials 10" in in_shell(raised.value.message)
        assert "--dir" in in_shell(raised.value.message)


def test_a_folder_that_cannot_be_looked_into_hides_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("mine", "theirs"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "journal.log").write_text("")
    usual = Path.is_file

    def is_file(path: Path) -> bool:
        if path.parent.name == "theirs":
            raise PermissionError(13, "Permission denied")
        return usual(path)

    monkeypatch.setattr(Path, "is_file", is_file)
    assert [path.name for path in list_searches(tmp_path)] == ["mine"]
    monkeypatch.undo()

    def iterdir(path: Path) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", iterdir)
    with pytest.raises(SearchError, match=r"cannot be read \(Permission denied\)"):
        list_searches(tmp_path)
