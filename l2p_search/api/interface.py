"""MLflow's interface on the recorded searches: its links, and a server for the embedded store."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import webbrowser
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import entry_points

from l2p_search import defaults
from l2p_search.errors import UserError, argument, cut, did_you_mean, either
from l2p_search.guard import ending_with_us
from l2p_search.masking import without_login
from l2p_search.tracking.mlflow_tracker import MlflowTracker
from l2p_search.tracking.quiet import ENVIRONMENT, explained
from l2p_search.tracking.server_app import APP, START, START_VARIABLE
from l2p_search.tracking.store import Store, find_store
from l2p_search.tracking.view import runs_link

_SEARCHES = 1000
"""The newest searches have a link of their own; older ones are found by their dataset."""
_LAST_PORT = 65_535
_PATIENCE = 10
"""Seconds in which the server may end by itself."""
_START_SECONDS = 120.0
"""In which the server must have started, on a machine that is busy with a search."""


@dataclass(frozen=True)
class Views:
    """What can be opened: the trials of the newest searches, and all trials of a dataset."""

    store: Store
    by_name: Mapping[str, tuple[Sequence[str], str]]

    @property
    def is_server(self) -> bool:
        """Whether the store is a server that is up already."""
        return not self.store.embedded and self.store.uri.startswith("http")

    def links(self, address: str | None = None) -> dict[str, str]:
        """Name -> link, at the server's address; by default that of the store."""
        base = without_login(address or self.store.uri).rstrip("/")
        return {name: runs_link(base, *view) for name, view in self.by_name.items()}

    def first(self, search: str | None = None) -> str:
        """The name of the view to open: that of a search, or of all searches, or of the only one.

        Raises:
            UserError: No such search is recorded in the store.
        """
        if search is None:
            return next(iter(self.by_name))
        if search not in self.by_name:
            way = either("open_search(NAME).sync()", "l2p-search sync NAME")
            raise UserError(
                f"{self.store.uri}: no search {cut(search)!r} is recorded there ({way} records"
                f" it); {did_you_mean(search, self.by_name)}"
            )
        return search


def views_of(tracking_uri: str | None = None) -> Views:
    """What a store has to show.

    Raises:
        UserError: No search is recorded there, or it cannot be used.
    """
    store = find_store(tracking_uri)
    with explained(store):
        # Looking makes no database.
        views = MlflowTracker(store).views(_SEARCHES) if store.begun else {}
    if not views:
        way = either("open_search(NAME).sync()", "l2p-search sync")
        raise UserError(
            f"{store.uri}: no search is recorded there; search first, or bring the searches there"
            f" with {way}"
        )
    return Views(store, views)


@dataclass(frozen=True)
class Server:
    """A running server of MLflow's interface."""

    address: str
    process: "subprocess.Popen[bytes]"
    start: str

    def ready(self) -> bool:
        """Wait until the server answers; False if it ended, or took too long."""
        until = time.monotonic() + _START_SECONDS
        while time.monotonic() < until and self.process.poll() is None:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{self.address}/health", timeout=5).close()
                return True
            time.sleep(0.2)
        return False

    def wait(self) -> int:
        """Until it ends; its exit code."""
        return self.process.wait()


def open_browser(link: str) -> bool:
    """Open a link in the user's browser; False where there is none, or no display to show it."""
    if sys.platform.startswith("linux") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or os.environ.get("BROWSER")
    ):
        return False  # there, webbrowser would start a browser for terminals
    try:
        return webbrowser.open(link)
    except webbrowser.Error:
        return False


@contextmanager
def serve(views: Views, port: int | None = None, search: str | None = None) -> Iterator[Server]:
    """Serve MLflow's interface on the loopback address until the context ends.

    Args:
        views: Whose store is served.
        port: The port; by default 5000, or a free one.
        search: The search whose trials `Server.start` opens; by default what `Views.first` says.

    Raises:
        UserError: The port is taken, or there is none of that number.
    """
    if port is not None and port > _LAST_PORT:
        raise UserError(f"{argument('port', port)}: must be at most {_LAST_PORT}")
    if port is not None and not _is_free(port):
        raise UserError(f"{argument('port', port)}: is taken; leave it out to get a free one")
    chosen = port or _free_port()
    address = f"http://127.0.0.1:{chosen}"
    link = views.links(address)[views.first(search)]
    # An installation from before the app had this name has MLflow's own server.
    named = bool(entry_points(group="mlflow.app", name=APP))
    # MLflow's server starts processes of its own: it gets a group, and all of it ends with us,
    # even if we are killed.
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1"),
            *("--port", str(chosen), "--workers", "1"),
            *(["--app-name", APP] if named else []),
        ],
        # Not as an argument: everybody on the machine can read those.
        env={
            **ENVIRONMENT,
            **os.environ,
            "MLFLOW_BACKEND_STORE_URI": views.store.uri,
            START_VARIABLE: link.removeprefix(address),
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        with ending_with_us([process.pid]):
            yield Server(address, process, f"{address}{START}" if named else link)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:  # the machine is busy; what is written is written whole
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        return probe.connect_ex(("127.0.0.1", port)) != 0


def _free_port() -> int:
    if _is_free(defaults.PORT):
        return defaults.PORT
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
