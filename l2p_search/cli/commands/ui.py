"""`l2p-search ui`: MLflow's interface on the embedded store, opened at the trials."""

import argparse
from typing import Any

from l2p_search import defaults
from l2p_search.cli.options import add_search, add_tracking_uri, positive, search_name
from l2p_search.cli.signals import say


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "ui",
        help="open MLflow's interface on the recorded searches",
        description="Serve MLflow's interface on the loopback address and open the browser at the"
        " searches of all graphs, or at the trials of one search. Ctrl-C ends it.",
        epilog="example: l2p-search ui wisconsin-paper",
    )
    add_search(parser, "the searches of all graphs")
    parser.add_argument(
        "--no-browser", action="store_true", help="print the address and open no browser"
    )
    parser.add_argument(
        "--port", type=positive, metavar="N", help=f"(default: {defaults.PORT}, or a free one)"
    )
    add_tracking_uri(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Start the server, print its address once it answers, open the browser, wait for Ctrl-C."""
    from l2p_search.api.interface import open_browser, serve, views_of

    search = search_name(vars(args))
    found = views_of(args.tracking_uri)
    if found.is_server:
        link = found.links()[found.first(search)]
        print(f"MLflow: {link}")
        if not args.no_browser:
            open_browser(link)
        return 0
    with serve(found, args.port, search) as server:
        say("MLflow's interface starts ..")
        try:
            there = server.ready()
            print(f"MLflow: {server.start} (Ctrl-C ends it)", flush=True)
            if there and not args.no_browser:
                open_browser(server.start)
            return server.wait()
        except KeyboardInterrupt:
            return 0
