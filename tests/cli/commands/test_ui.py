"""The links and the server; what they look like in a browser is tested there."""

import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest

from l2p_search.api import interface
from l2p_search.cli.main import main

_VIEWS = {"demo-paper": ("7", "l2p-search-abc"), "l2p-search/demo": ("7", "l2p-search")}


class _Tracker:
    views_there: dict[str, tuple[str, str]] = _VIEWS

    def __init__(self, store: object) -> None: ...

    def views(self, most: int) -> dict[str, tuple[str, str]]:
        return self.views_there


class _Process:
    pid = 2**22 + 1  # above every process of this machine

    def __init__(self, command: list[str], **options: Any) -> None:
        self.command, self.options = command, options
        self.waits = 0

    def wait(self, timeout: float | None = None) -> int:
        self.waits += 1
        if timeout is None:
            raise KeyboardInterrupt
        return 0


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[_Process]]:
    """The servers that would have been started; signals are put back."""
    made: list[_Process] = []

    def start(command: list[str], **options: Any) -> _Process:
        made.append(_Process(command, **options))
        return made[-1]

    monkeypatch.setattr(interface, "MlflowTracker", _Tracker)
    monkeypatch.setattr(interface, "explained", lambda store: nullcontext())
    monkeypatch.setattr(subprocess, "Popen", start)
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    before = signal.getsignal(signal.SIGTERM)
    yield made
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def _port(process: _Process) -> int:
    return int(process.command[process.command.index("--port") + 1])


def test_a_server_of_ones_own_is_linked_to_and_none_is_started(
    started: list[_Process], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ui", "--tracking-uri", "http://server:9/"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[0] for line in lines] == list(_VIEWS)
    assert lines[0].split(": ")[1].startswith("http://server:9/#/experiments/7/runs?")
    assert "viewStateShareKey=l2p-search-abc" in lines[0]
    assert started == []


def test_the_embedded_store_is_served_on_the_loopback_until_ctrl_c(
    started: list[_Process], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ui"]) == 0
    (server,) = started
    assert server.command[server.command.index("--host") + 1] == "127.0.0.1"
    assert server.options["start_new_session"] is True  # it ends with all of its processes
    captured = capsys.readouterr()
    links = captured.out.splitlines()
    assert all(f": http://127.0.0.1:{_port(server)}/#/" in link for link in links)
    assert captured.err == "Ctrl-C ends it\n"
    assert server.waits == 2  # until Ctrl-C, and until it is gone


def test_a_port_that_is_taken_is_refused_when_it_was_asked_for(
    taken: int, started: list[_Process], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ui", "--port", str(taken)]) == 2
    assert capsys.readouterr().err == (
        f"l2p-search: error: --port {taken}: is taken; leave it out to get a free one\n"
    )
    assert started == []


def test_a_default_port_that_is_taken_is_passed_over(
    taken: int, started: list[_Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("l2p_search.defaults.PORT", taken)
    assert main(["ui"]) == 0
    assert _port(started[0]) not in (taken, 0)


def test_a_port_beyond_the_last_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ui", "--port", "65536"]) == 2
    assert "--port 65536: must be at most 65535" in capsys.readouterr().err


def test_an_empty_store_says_how_it_is_filled(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_Tracker, "views_there", {})
    assert main(["ui"]) == 2
    said = capsys.readouterr().err
    assert "no search is recorded there; search first, or bring the searches there with" in said
    assert said.endswith(" l2p-search sync\n")
