"""`l2p-search ui`: MLflow's interface on the embedded store, opened at the trials."""

import argparse
import contextlib
import os
import signal
import socket
import subprocess
import sys
from typing import Any

from l2p_search.cli.options import add_tracking_uri, positive
from l2p_search.errors import UserError

_PORT = 5000
_SEARCHES = 10
"""So many have a link of their own."""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "ui",
        help="open MLflow's interface on the recorded searches",
        description="Serve MLflow's interface on the loopback address and print links: to the"
        " trials of the newest searches, the latest first, and to all trials of a dataset. Ctrl-C"
        " ends it.",
        epilog="example: l2p-search ui",
    )
    parser.add_argument(
        "--port", type=positive, metavar="N", help=f"(default: {_PORT}, or a free one)"
    )
    add_tracking_uri(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Start the server, print the links, wait for Ctrl-C."""
    from l2p_search.tracking.mlflow_tracker import MlflowTracker, explained
    from l2p_search.tracking.store import find_store
    from l2p_search.tracking.view import runs_link

    store = find_store(args.tracking_uri)
    with explained(store):
        views = MlflowTracker(store).views(_SEARCHES)
    if not views:
        raise UserError(
            f"{store.uri}: no search is recorded there; search first, or bring the searches there"
            " with l2p-search sync"
        )
    if not store.embedded and store.uri.startswith("http"):
        for name, view in views.items():
            print(f"{name}: {runs_link(store.uri.rstrip('/'), *view)}")
        return 0
    port = args.port or _free_port()
    if args.port is not None and not _is_free(args.port):
        raise UserError(f"--port {args.port}: is taken; leave it out to get a free one")
    base = f"http://127.0.0.1:{port}"
    # The server starts processes of its own: it gets a group, and all of it ends with this one.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1"),
            *("--port", str(port), "--backend-store-uri", store.uri, "--workers", "1"),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        for name, view in views.items():
            print(f"{name}: {runs_link(base, *view)}", flush=True)
        print("Ctrl-C ends it", file=sys.stderr)
        return server.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGTERM)
        server.wait(10)


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        return probe.connect_ex(("127.0.0.1", port)) != 0


def _free_port() -> int:
    if _is_free(_PORT):
        return _PORT
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
