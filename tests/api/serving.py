"""Stand-ins for MLflow's store and server, for tests of the interface."""

import subprocess
from contextlib import nullcontext
from typing import Any

import pytest

from l2p_search.api import interface

VIEWS = {"demo-paper": (("7",), "l2p-search-abc"), "l2p-search/demo": (("7",), "l2p-search")}
"""A search and its dataset: the experiment and the view of each."""


class Process:
    """A server that runs until Ctrl-C, which comes at once."""

    pid = 2**22 + 1  # above every process that Linux can have

    def __init__(self, command: list[str], **options: Any) -> None:
        self.command, self.options = command, options
        self.waits: list[float | None] = []

    @property
    def port(self) -> int:
        return int(self.command[self.command.index("--port") + 1])

    def poll(self) -> int:
        return 0  # it has not begun to answer

    def wait(self, timeout: float | None = None) -> int:
        self.waits.append(timeout)
        if timeout is None:
            raise KeyboardInterrupt
        return 0


def without_mlflow(
    monkeypatch: pytest.MonkeyPatch, views: dict[str, tuple[tuple[str, ...], str]] = VIEWS
) -> list[Process]:
    """A store with these views; the value grows by every server that is started."""
    started: list[Process] = []

    class Tracker:
        def __init__(self, store: object) -> None: ...

        def views(self, most: int) -> dict[str, tuple[tuple[str, ...], str]]:
            return views

    def start(command: list[str], **options: Any) -> Process:
        started.append(Process(command, **options))
        return started[-1]

    monkeypatch.setattr(interface, "MlflowTracker", Tracker)
    monkeypatch.setattr(interface.Store, "begun", True)
    monkeypatch.setattr(interface, "explained", lambda store: nullcontext())
    monkeypatch.setattr(interface, "ending_with_us", lambda groups: nullcontext())
    monkeypatch.setattr(subprocess, "Popen", start)
    return started
