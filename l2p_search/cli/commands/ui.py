"""`l2p-search ui`: MLflow's interface on the embedded store, opened at the trials."""

import argparse
import signal
import sys
from typing import Any

from l2p_search import defaults
from l2p_search.cli.options import add_tracking_uri, positive


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
        "--port", type=positive, metavar="N", help=f"(default: {defaults.PORT}, or a free one)"
    )
    add_tracking_uri(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Start the server, print the links, wait for Ctrl-C."""
    from l2p_search.api.interface import serve, views_of

    found = views_of(args.tracking_uri)
    if found.is_server:
        _print_links(found.links())
        return 0
    # The server ends with this process, also when it is terminated.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    with serve(found, args.port) as server:
        _print_links(found.links(server.address))
        print("Ctrl-C ends it", file=sys.stderr)
        try:
            return server.wait()
        except KeyboardInterrupt:
            return 0


def _print_links(links: dict[str, str]) -> None:
    for name, link in links.items():
        print(f"{name}: {link}", flush=True)
