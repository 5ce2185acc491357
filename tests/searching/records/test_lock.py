import fcntl
import gc
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from l2p_search.errors import SearchError, in_shell
from l2p_search.searching.records import lock
from l2p_search.searching.records.lock import DirectoryLock, is_locked, read_holder

_HOLDER = """
import sys
from pathlib import Path
from l2p_search.searching.records.lock import DirectoryLock
lock = DirectoryLock(Path(sys.argv[1]))
print("taken", flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock.time, "sleep", lambda seconds: None)


def test_a_second_writer_is_refused_and_told_who_the_first_is(tmp_path: Path) -> None:
    directory = tmp_path / "mine"
    directory.mkdir()
    first = DirectoryLock(directory)
    with pytest.raises(SearchError) as raised:
        DirectoryLock(directory)
    said = in_shell(raised.value.message)
    assert said.startswith(f"search 'mine' is being run by process {os.getpid()} on ")
    assert said.endswith("wait for it, or search under another --name")
    first.release()
    DirectoryLock(directory).release()


def test_a_writer_that_is_refused_keeps_no_file_open(tmp_path: Path) -> None:
    first = DirectoryLock(tmp_path)
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(SearchError) as raised:
        DirectoryLock(tmp_path)
    assert len(os.listdir("/proc/self/fd")) == before, raised
    first.release()


def test_on_a_file_system_that_has_no_locks_nobody_holds_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lock").write_text("{}")

    def no_locks(fd: int, operation: int) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    assert is_locked(tmp_path) is False


def test_a_directory_is_locked_from_taking_to_release(tmp_path: Path) -> None:
    assert not is_locked(tmp_path)
    assert list(tmp_path.iterdir()) == []  # looking makes no file
    held = DirectoryLock(tmp_path)
    assert is_locked(tmp_path)
    held.release()
    assert not is_locked(tmp_path)
    held.release()  # once more is no error
    assert not is_locked(tmp_path / "missing")


def test_a_lock_that_nobody_holds_on_to_is_let_go(tmp_path: Path) -> None:
    held = DirectoryLock(tmp_path)
    assert is_locked(tmp_path)
    del held
    gc.collect()
    assert not is_locked(tmp_path)


def test_a_killed_process_leaves_no_lock_behind(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "taken\n"
    assert is_locked(tmp_path)
    assert read_holder(tmp_path)["pid"] == process.pid
    with pytest.raises(SearchError, match=f"is being run by process {process.pid} on"):
        DirectoryLock(tmp_path)
    process.kill()
    process.communicate()
    assert not is_locked(tmp_path)
    assert read_holder(tmp_path)["pid"] == process.pid  # the file stays, and says who had it
    DirectoryLock(tmp_path).release()


def test_a_reader_that_looks_for_an_instant_does_not_turn_a_writer_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    DirectoryLock(tmp_path).release()
    reader = open(tmp_path / "lock", encoding="utf-8")  # noqa: SIM115 - closed in the pause
    fcntl.flock(reader, fcntl.LOCK_SH)
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        reader.close()

    monkeypatch.setattr(lock.time, "sleep", pause)
    held = DirectoryLock(tmp_path)
    assert len(pauses) == 1
    held.release()


def test_the_holder_is_the_one_of_now_and_unknown_where_the_file_is_not_readable(
    tmp_path: Path,
) -> None:
    assert read_holder(tmp_path) == {}
    (tmp_path / "lock").write_text("x" * 500)
    assert read_holder(tmp_path) == {}
    (tmp_path / "lock").write_text("[1, 2]")
    assert read_holder(tmp_path) == {}
    (tmp_path / "lock").write_text("x" * 500)  # nothing of it is left behind the new holder
    held = DirectoryLock(tmp_path)
    assert set(read_holder(tmp_path)) == {"pid", "host", "since"}
    assert json.loads((tmp_path / "lock").read_text())["pid"] == os.getpid()
    held.release()


def test_a_pipe_in_its_place_is_not_waited_for_and_deep_brackets_name_nobody(
    tmp_path: Path,
) -> None:
    os.mkfifo(tmp_path / "lock")
    assert not is_locked(tmp_path)
    assert read_holder(tmp_path) == {}
    (tmp_path / "lock").unlink()
    (tmp_path / "lock").write_text("[" * 100_000)
    assert read_holder(tmp_path) == {}
