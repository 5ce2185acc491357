"""MLflow's interface: links into a store, and a server whose process is pretended."""

import os
import signal
import socket
import subprocess
from typing import Any

import pytest

from l2p_search import defaults
from l2p_search.api import interface
from l2p_search.api.interface import Views, serve, views_of
from l2p_search.errors import UserError, in_shell
from l2p_search.tracking.store import Store, find_store

_VIEWS = {"demo-paper": ("3", "l2p-search-abc"), "l2p-search/demo": ("3", "l2p-search")}


class _Process:
    """A server that was never started."""

    pid = 4_000_000  # beyond the largest of Linux

    def __init__(self, command: list[str], **options: Any) -> None:
        self.command, self.options = command, options
        self.waited: list[float | None] = []

    def wait(self, timeout: float | None = None) -> int:
        self.waited.append(timeout)
        return 7


@pytest.fixture
def killed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The groups of processes that were told to end, and how; no server starts."""
    ended: list[tuple[int, int]] = []
    monkeypatch.setattr(subprocess, "Popen", _Process)
    monkeypatch.setattr(os, "killpg", lambda group, number: ended.append((group, number)))
    return ended


@pytest.fixture
def taken() -> Any:
    """A port that somebody listens on."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server.getsockname()[1]


def _tracker(monkeypatch: pytest.MonkeyPatch, views: dict[str, tuple[str, str]]) -> list[int]:
    asked: list[int] = []

    class Tracker:
        def __init__(self, store: Store) -> None:
            pass

        def views(self, most: int) -> dict[str, tuple[str, str]]:
            asked.append(most)
            return views

    monkeypatch.setattr(interface, "MlflowTracker", Tracker)
    return asked


def test_a_store_without_searches_is_refused_with_the_way_to_fill_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _tracker(monkeypatch, {})
    with pytest.raises(UserError, match="no search is recorded there") as error:
        views_of("sqlite:///none.db")
    assert str(error.value).startswith("sqlite:///none.db: ")
    assert str(error.value).endswith("open_search(NAME).sync()")
    assert in_shell(error.value.message).endswith("l2p-search sync")


def test_the_newest_searches_and_whole_datasets_have_links(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = _tracker(monkeypatch, _VIEWS)
    views = views_of("http://server:5000/")
    assert asked == [10]
    assert views.is_server
    assert views.links() == {
        "demo-paper": "http://server:5000/#/experiments/3/runs?workflowType=machine_learning"
        "&viewStateShareKey=l2p-search-abc",
        "l2p-search/demo": "http://server:5000/#/experiments/3/runs?workflowType=machine_learning"
        "&viewStateShareKey=l2p-search",
    }


def test_links_into_an_embedded_store_are_at_the_address_of_its_server() -> None:
    views = Views(find_store(None), _VIEWS)
    assert not views.is_server
    links = views.links("http://127.0.0.1:5000")
    assert all(link.startswith("http://127.0.0.1:5000/#/") for link in links.values())


def test_a_database_that_is_no_server_is_none() -> None:
    assert not Views(Store("sqlite:///mine.db"), _VIEWS).is_server


def test_a_port_that_is_taken_is_refused_and_nothing_starts(
    taken: int, killed: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprocess, "Popen", None)  # to call it would be an error
    with (
        pytest.raises(UserError, match=f"port={taken}: is taken; leave it out to get a free one"),
        serve(Views(find_store(None), _VIEWS), taken),
    ):
        pass
    assert killed == []


def test_the_usual_port_is_used_if_it_is_free_and_else_another(
    taken: int, killed: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interface, "_is_free", lambda port: True)
    with serve(Views(find_store(None), _VIEWS)) as server:
        assert server.address == f"http://127.0.0.1:{defaults.PORT}"
    monkeypatch.undo()
    monkeypatch.setattr(subprocess, "Popen", _Process)
    monkeypatch.setattr(os, "killpg", lambda group, number: None)
    monkeypatch.setattr(defaults, "PORT", taken)
    with serve(Views(find_store(None), _VIEWS)) as server:
        assert server.address.startswith("http://127.0.0.1:")
        assert not server.address.endswith(f":{taken}")


def test_a_server_is_local_and_ends_with_all_its_processes(
    killed: list[tuple[int, int]],
) -> None:
    store = find_store(None)
    with serve(Views(store, _VIEWS)) as server:
        process: Any = server.process
        assert server.wait() == 7
        assert killed == []
    command = " ".join(process.command)
    assert "--host 127.0.0.1" in command
    assert f"--backend-store-uri {store.uri}" in command
    assert process.options["start_new_session"]
    assert process.options["env"]["MLFLOW_DISABLE_TELEMETRY"] == "true"
    assert killed == [(process.pid, signal.SIGTERM)]
    assert process.waited == [None, 10]


def test_a_server_that_has_ended_already_is_no_error(
    killed: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(group: int, number: int) -> None:
        raise ProcessLookupError

    monkeypatch.setattr(os, "killpg", gone)
    with serve(Views(find_store(None), _VIEWS)) as server:
        pass
    assert server.wait() == 7
