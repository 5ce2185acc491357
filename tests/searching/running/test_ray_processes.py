import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from l2p_search.searching.running import ray_processes
from l2p_search.searching.running.ray_processes import (
    ended_by_force,
    lost_text,
    sessions_of_their_own,
    watched,
)


def _start(*command: str | Path) -> "subprocess.Popen[bytes]":
    # With a function of its own to call, as Ray starts its processes.
    return subprocess.Popen([*map(str, command)], preexec_fn=lambda: None)


@pytest.fixture
def raylet(tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A process that is called like Ray's."""
    program = tmp_path / "raylet"
    program.symlink_to(Path("/bin/sleep").resolve())
    process = _start(program, "300")
    yield process
    process.kill()
    process.wait()


def test_what_is_started_within_the_block_alone_is_apart_from_our_group() -> None:
    with sessions_of_their_own() as groups:
        apart = _start("sleep", "300")
    beside = _start("sleep", "300")
    try:
        assert os.getsid(apart.pid) == os.getpgid(apart.pid) == apart.pid
        assert os.getpgid(beside.pid) == os.getpgid(0)
        assert groups == [apart.pid]
    finally:
        for process in (apart, beside):
            process.kill()
            process.wait()


def test_other_threads_start_their_processes_as_ever() -> None:
    found: list[int] = []

    def start() -> None:
        told = subprocess.run(
            [sys.executable, "-c", "import os; print(os.getpgid(0))"],
            capture_output=True,
            preexec_fn=lambda: None,
        )
        found.append(int(told.stdout))

    with sessions_of_their_own():
        thread = threading.Thread(target=start)
        thread.start()
        thread.join()
    assert found == [os.getpgid(0)]


def test_the_death_of_a_vital_process_is_told_by_its_name(
    raylet: "subprocess.Popen[bytes]",
) -> None:
    told: list[str] = []
    heard = threading.Event()

    def on_lost(name: str) -> None:
        told.append(name)
        heard.set()

    with watched(on_lost):
        assert not heard.wait(1.2)
        raylet.kill()
        assert heard.wait(30)
    assert told == ["raylet"]


def test_a_loss_is_told_once_however_long_the_block_goes_on(
    raylet: "subprocess.Popen[bytes]", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_processes, "_EVERY", 0.01)
    monkeypatch.setattr(ray_processes, "_SILENCE", 0.05)
    told: list[str] = []
    heard = threading.Event()

    def on_lost(name: str) -> None:
        told.append(name)
        heard.set()

    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{nobody.getsockname()[1]}"
        with watched(on_lost, address):
            assert heard.wait(30)
            time.sleep(0.3)
    heard.clear()
    with watched(on_lost):
        raylet.kill()
        assert heard.wait(30)
        time.sleep(0.3)
    assert told == [f"head {address}", "raylet"]


def test_nothing_is_told_of_others_nor_after_the_end(raylet: "subprocess.Popen[bytes]") -> None:
    told: list[str] = []
    other = _start("sleep", "300")
    with watched(told.append):
        other.kill()
        other.wait()
    raylet.kill()
    assert told == []


def test_a_block_that_does_not_end_after_a_loss_ends_the_process_with_a_line(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    ended: list[int] = []
    heard = threading.Event()
    monkeypatch.setattr(ray_processes, "_PATIENCE", 0.05)
    monkeypatch.setattr(os, "_exit", lambda code: (ended.append(code), heard.set()))
    with ended_by_force() as lost:
        lost("gcs_server")
        assert heard.wait(30)
    assert ended == [2]
    assert capfd.readouterr().err == (
        f"l2p-search: error: {lost_text('gcs_server')}; resume the search\n"
    )


def test_a_block_that_ends_after_a_loss_or_without_one_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    with ended_by_force():
        pass
    with ended_by_force() as lost:
        lost("raylet")
    assert ended == []


def test_a_head_that_nobody_listens_at_is_lost_after_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ray_processes, "_EVERY", 0.02)
    monkeypatch.setattr(ray_processes, "_SILENCE", 0.2)
    told: list[str] = []
    heard = threading.Event()

    def on_lost(name: str) -> None:
        told.append(name)
        heard.set()

    with socket.socket() as head:
        head.bind(("127.0.0.1", 0))
        head.listen(1000)
        address = f"127.0.0.1:{head.getsockname()[1]}"
        with watched(told.append, address):
            assert not heard.wait(0.5)
        assert told == []
        with watched(on_lost, address):
            head.close()
            assert heard.wait(30)
    assert told == [f"head {address}"]
