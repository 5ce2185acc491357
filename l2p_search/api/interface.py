"""MLflow's interface on the recorded searches: its links, and a server for the embedded store."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from l2p_search import defaults
from l2p_search.errors import UserError, argument, either
from l2p_search.guard import ending_with_us
from l2p_search.masking import without_login
from l2p_search.tracking.mlflow_tracker import MlflowTracker
from l2p_search.tracking.quiet import ENVIRONMENT, explained
from l2p_search.tracking.store import Store, find_store
from l2p_search.tracking.view import runs_link

_SEARCHES = 10
"""The newest searches have a link of their own; older ones are found by their dataset."""
_LAST_PORT = 65_535
_PATIENCE = 10
"""Seconds in which the server may end by itself."""


@dataclass(frozen=True)
class Views:
    """What can be opened: the trials of the newest searches, and all trials of a dataset."""

    store: Store
    by_name: Mapping[str, tuple[str, str]]

    @property
    def is_server(self) -> bool:
        """Whether the store is a server that is up already."""
        return not self.store.embedded and self.store.uri.startswith("http")

    def links(self, address: str | None = None) -> dict[str, str]:
        """Name -> link, at the server's address; by default that of the store."""
        base = without_login(address or self.store.uri).rstrip("/")
        return {name: runs_link(base, *view) for name, view in self.by_name.items()}


def views_of(tracking_uri: str | None = None) -> Views:
    """What a store has to show.

    Raises:
        UserError: No search is recorded there, or it cannot be used.
    """
    store = find_store(tracking_uri)
    with explained(store):
        views = MlflowTracker(store).views(_SEARCHES)
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

    def wait(self) -> int:
        """Until it ends; its exit code."""
        return self.process.wait()


@contextmanager
def serve(views: Views, port: int | None = None) -> Iterator[Server]:
    """Serve MLflow's interface on the loopback address until the context ends.

    Args:
        views: Whose store is served.
        port: The port; by default 5000, or a free one.

    Raises:
        UserError: The port is taken, or there is none of that number.
    """
    if port is not None and port > _LAST_PORT:
        raise UserError(f"{argument('port', port)}: must be at most {_LAST_PORT}")
    if port is not None and not _is_free(port):
        raise UserError(f"{argument('port', port)}: is taken; leave it out to get a free one")
    chosen = port or _free_port()
    # MLflow's server starts processes of its own: it gets a group, and all of it ends with us,
    # even if we are killed.
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1"),
            *("--port", str(chosen), "--workers", "1"),
        ],
        # Not as an argument: everybody on the machine can read those.
        env={**ENVIRONMENT, **os.environ, "MLFLOW_BACKEND_STORE_URI": views.store.uri},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        with ending_with_us([process.pid]):
            yield Server(f"http://127.0.0.1:{chosen}", process)
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
