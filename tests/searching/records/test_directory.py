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
    typed = name if len(name) <= 60 else f"{name[:60]}.."
    assert in_shell(raised.value.message).startswith(f"--name {typed!r}: ")


def test_a_name_that_was_made_of_others_says_how_to_give_one(tmp_path: Path) -> None:
    with pytest.raises(SearchError, match=r"would be called 'demo-xx*\.\.'") as raised:
        search_directory(tmp_path, f"demo-{'x' * 2000}", made=True)
    said = in_shell(raised.value.message)
    assert said.endswith("no slash, no dot in front; give it another with --name")
    assert len(said) < 250


@pytest.mark.parametrize("name", ["a/b", "x" * 2000, "a b " * 500, "", "nul\0"])
def test_a_search_that_is_looked_for_is_named_as_it_was_typed(name: str, tmp_path: Path) -> None:
    _write(tmp_path, "other", 1)
    with pytest.raises(SearchError, match="no search '") as raised:
        find_search(tmp_path, name)
    said = in_shell(raised.value.message)
    assert "--name" not in said
    assert len(said) < 150 + len(str(tmp_path))
    assert "choose one of other" in said


def test_the_path_of_a_search_is_near_its_name(tmp_path: Path) -> None:
    _write(tmp_path, "demo-paper", 1)
    with pytest.raises(SearchError, match="did you mean 'demo-paper'"):
        find_search(tmp_path, "searches/demo-paper/")


def test_a_folder_that_no_path_can_name_is_refused() -> None:
    for folder in ("x" * 300, "nul\0"):
        with pytest.raises(SearchError, match="is no path, as a name in it is too long or holds"):
            searches_folder(Path(folder))


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("")
    with pytest.raises(SearchError) as raised:
        searches_folder(tmp_path / "notes")
    wanted = f"--dir: {tmp_path / 'notes'} is no folder; choose another"
    assert in_shell(raised.value.message) == wanted


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
    with pytest.raises(SearchError, match="no search '图"):
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


def test_a_folder_that_cannot_be_looked_into_hides_no_other_and_comes_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(tmp_path, "mine", 1000)
    for name in ("theirs", "lost+found", "vanished"):
        _write(tmp_path, name, 2000)
    usual = Path.stat

    def stat(path: Path, **options: bool) -> os.stat_result:
        if path.parent.name == "vanished":
            raise FileNotFoundError(2, "No such file or directory")
        if path.parent.name in ("theirs", "lost+found"):
            raise PermissionError(13, "Permission denied")
        return usual(path, **options)

    monkeypatch.setattr(Path, "stat", stat)
    assert [path.name for path in list_searches(tmp_path)] == ["mine", "theirs"]
    assert find_search(tmp_path, None).name == "mine"
    with pytest.raises(SearchError, match=r"cannot be read \(Permission denied\)") as raised:
        Journal.read(find_search(tmp_path, "theirs"))
    assert "\n" not in str(raised.value)


def test_a_folder_of_searches_that_cannot_be_read_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def iterdir(path: Path) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", iterdir)
    with pytest.raises(SearchError, match=r"cannot be read \(Permission denied\)"):
        list_searches(tmp_path)
