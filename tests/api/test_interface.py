import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from l2p_search import defaults
from l2p_search.api.interface import open_browser, serve, views_of
from l2p_search.errors import UserError, in_shell
from tests.api.serving import VIEWS, Process, without_mlflow


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Process]:
    return without_mlflow(monkeypatch)


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def test_the_links_are_those_of_a_server_or_of_its_address(started: list[Process]) -> None:
    found = views_of("http://server:9/")
    assert found.is_server
    links = found.links()
    assert list(links) == list(VIEWS)
    assert links["demo-paper"].startswith("http://server:9/#/experiments/7/runs?")
    assert "viewStateShareKey=l2p-search-abc" in links["demo-paper"]
    assert "workflowType=machine_learning" in links["demo-paper"]
    embedded = views_of()
    assert not embedded.is_server
    assert embedded.links("http://127.0.0.1:5000")["demo-paper"].startswith(
        "http://127.0.0.1:5000/#/"
    )


def test_an_empty_store_says_in_the_callers_language_how_it_is_filled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    without_mlflow(monkeypatch, {})
    with pytest.raises(UserError) as error:
        views_of("http://server")
    said = "http://server: no search is recorded there; search first, or bring the searches there"
    assert str(error.value) == f"{said} with open_search(NAME).sync()"
    assert in_shell(error.value.message) == f"{said} with l2p-search sync"


def test_looking_where_nothing_was_recorded_makes_no_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match="no search is recorded there"):
        views_of()
    assert list(tmp_path.iterdir()) == []


def test_a_server_listens_on_the_loopback_alone_and_ends_with_all_of_its_processes(
    started: list[Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "killpg", lambda group, number: ended.append((group, number)))
    with serve(views_of()) as server:
        (process,) = started
        assert server.address == f"http://127.0.0.1:{process.port}"
        assert process.command[process.command.index("--host") + 1] == "127.0.0.1"
        assert process.options["start_new_session"] is True
        assert ended == []
    assert ended == [(process.pid, signal.SIGTERM)]
    assert process.waits == [10]


def test_a_server_that_is_gone_already_is_no_error(started: list[Process]) -> None:
    with serve(views_of()):
        pass
    assert started[0].waits == [10]


def test_a_server_that_does_not_end_in_time_is_killed(
    started: list[Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[int] = []

    def wait(process: Process, timeout: float | None = None) -> int:
        if timeout is not None:
            raise subprocess.TimeoutExpired("mlflow server", timeout)
        return 0

    monkeypatch.setattr(os, "killpg", lambda group, number: sent.append(number))
    monkeypatch.setattr(Process, "wait", wait)
    with serve(views_of()):
        pass
    assert sent == [signal.SIGTERM, signal.SIGKILL]


def test_a_port_that_is_taken_is_refused_when_it_was_asked_for(
    taken: int, started: list[Process]
) -> None:
    with pytest.raises(UserError) as error, serve(views_of(), taken):
        pass
    assert str(error.value) == f"port={taken}: is taken; leave it out to get a free one"
    assert in_shell(error.value.message).startswith(f"--port {taken}: is taken")
    assert started == []


def test_a_default_port_that_is_taken_is_passed_over(
    taken: int, started: list[Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(defaults, "PORT", taken)
    with serve(views_of()):
        assert started[0].port not in (taken, 0)


def test_a_port_beyond_the_last_is_refused(started: list[Process]) -> None:
    with (
        pytest.raises(UserError, match=r"^port=65536: must be at most 65535$"),
        serve(views_of(), 65_536),
    ):
        pass
    assert started == []


def test_no_browser_is_opened_where_there_is_no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda link: opened.append(link) is None)
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    assert not open_browser("http://127.0.0.1:5000/start")
    monkeypatch.setenv("DISPLAY", ":0")
    assert open_browser("http://127.0.0.1:5000/start")
    assert opened == ["http://127.0.0.1:5000/start"]
