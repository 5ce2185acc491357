import os
import shutil
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from l2p_search.errors import SearchError
from l2p_search.searching.running import scratch
from l2p_search.searching.running.scratch import scratch_folder

_SOCKET = "session_2026-11-18_01-43-12_195000_1234567/sockets/plasma_store"


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> Path:  # type: ignore[misc]
    """A short folder, which temporary files go to."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


def test_it_is_in_the_place_for_temporary_files_and_gone_afterwards(short: Path) -> None:
    with scratch_folder() as folder:
        assert folder.parent == short
        assert folder.name.startswith(f"l2p-{os.getpid()}-")  # alive: no other search removes it
        (folder / "log").write_text("something")
    assert list(short.iterdir()) == []


def test_what_cannot_be_removed_stops_no_search(short: Path) -> None:
    (short / "l2p-4194305-file").write_text("no folder")
    with scratch_folder() as folder:
        shutil.rmtree(folder)  # somebody cleans up
    assert [path.name for path in short.iterdir()] == ["l2p-4194305-file"]


def test_without_any_place_for_temporary_files_the_line_names_the_way_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def nowhere() -> str:
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr(tempfile, "gettempdir", nowhere)
    with pytest.raises(SearchError, match=r"^No usable .*; name a folder for them by TMPDIR$"):
        scratch_folder().__enter__()


def test_where_the_path_is_too_long_for_sockets_another_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("n" * 100)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    with scratch_folder() as folder:
        assert len(os.fsencode(folder / _SOCKET)) <= 107
    assert list(long.iterdir()) == []


@pytest.mark.parametrize("spare", [0, -1])
def test_the_longest_place_in_which_a_socket_still_fits_is_taken_and_none_longer(
    spare: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the longest id of a process, and a name of eight letters by `tempfile`."""
    room = 107 - len(f"/l2p-1234567-abcdefgh/{_SOCKET}") - spare
    prefix = "n" * (room - len("/tmp/abcdefgh"))
    with tempfile.TemporaryDirectory(dir="/tmp", prefix=prefix) as place:
        assert len(place) == room
        monkeypatch.setattr(tempfile, "tempdir", place)
        with scratch_folder() as folder:
            assert (folder.parent == Path(place)) is (spare == 0)


def test_a_full_place_is_passed_over_and_without_any_room_the_line_names_the_way_out(
    short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = {str(short): 100_000}

    def usage(place: Path) -> SimpleNamespace:
        return SimpleNamespace(free=free.get(str(place), 2**40))

    monkeypatch.setattr(shutil, "disk_usage", usage)
    with scratch_folder() as folder:
        assert folder.parent != short
    free |= dict.fromkeys(scratch._ELSEWHERE, 0)
    with pytest.raises(SearchError, match=rf"^{short}: Ray needs 16 MB .* name one by TMPDIR$"):
        scratch_folder().__enter__()


def test_full_places_are_passed_over_until_memory_is_left(
    short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full, taken = {str(short)}, []
    monkeypatch.setattr(
        shutil, "disk_usage", lambda place: SimpleNamespace(free=2**40 * (str(place) not in full))
    )
    for _ in range(3):
        with scratch_folder() as folder:
            taken.append(str(folder.parent))
        full.add(taken[-1])
    assert taken == ["/tmp", "/var/tmp", "/dev/shm"]


def test_what_killed_searches_left_is_removed_and_nothing_else(short: Path) -> None:
    dead, alive, other = short / "l2p-4194305-x", short / f"l2p-{os.getpid()}-x", short / "l2p-own"
    for each in (dead, alive, other):
        each.mkdir()
    with scratch_folder():
        assert not dead.exists()
        assert alive.exists()
        assert other.exists()


def test_a_place_that_cannot_be_written_is_one_line(
    short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(**options: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "mkdtemp", refused)
    with pytest.raises(SearchError, match=r"cannot be written there \(Permission denied\)"):
        scratch_folder().__enter__()
