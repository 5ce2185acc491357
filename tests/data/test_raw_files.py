from pathlib import Path

import pytest

from l2p_search.data.catalogue import DATASETS
from l2p_search.data.raw_files import (
    DATA_VARIABLE,
    cache_folder,
    data_folders,
    find_raw,
    temporary_beside,
    verify,
)
from l2p_search.errors import DataError


def test_folders_are_looked_into_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert data_folders(None) == [Path("data")]
    monkeypatch.setenv(DATA_VARIABLE, "/from/environment")
    assert data_folders(tmp_path) == [tmp_path, Path("/from/environment"), Path("data")]


def test_the_first_folder_that_has_the_files_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
    (tmp_path / "second" / "Cora" / "raw").mkdir(parents=True)
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "second"))
    assert find_raw(DATASETS["cora"], tmp_path / "first") == tmp_path / "second" / "Cora" / "raw"
    assert find_raw(DATASETS["pubmed"], tmp_path / "first") is None


@pytest.mark.parametrize("name", ["x" * 300, "x/" * 3000, "a\0b"])
def test_a_folder_that_can_be_none_is_one_line_and_has_no_files(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DataError, match="no such folder; check the path"):
        find_raw(DATASETS["cora"], Path(name))
    if "\0" not in name:  # no variable can hold it
        monkeypatch.setenv(DATA_VARIABLE, name)
        assert find_raw(DATASETS["cora"], tmp_path) is None


def test_published_files_pass_and_others_do_not(raw_data: Path, tmp_path: Path) -> None:
    verify(DATASETS["texas"], raw_data / "WebKB" / "texas" / "raw")
    with pytest.raises(DataError, match="is missing; put the published file there"):
        verify(DATASETS["texas"], tmp_path)


def test_the_cache_is_in_the_users_cache_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache_folder() == Path("/somewhere/l2p-search")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "l2p-search"


def test_a_temporary_folder_is_beside_and_goes_away(tmp_path: Path) -> None:
    with temporary_beside(tmp_path / "deep" / "target") as folder:
        assert folder.parent == tmp_path / "deep"
        (folder / "half").touch()
    assert list((tmp_path / "deep").iterdir()) == []


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(DataError, match=r"cannot be written to .* by XDG_CACHE_HOME"),
        temporary_beside(tmp_path / "file" / "target"),
    ):
        pass
