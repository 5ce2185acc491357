"""`l2p-search sync`: bring MLflow up to date with the journals."""

import argparse
import sys
from typing import Any

from l2p_search.cli.invocation import in_words
from l2p_search.cli.options import add_dir, add_search, add_tracking_uri, search_name


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "sync",
        help="bring MLflow up to date with what searches have recorded",
        description="Write to MLflow what is missing there: after an outage, from another machine,"
        " or to another server. Nothing is written twice.",
        epilog="example: l2p-search sync wisconsin-paper",
    )
    add_search(parser, "all")
    add_tracking_uri(parser)
    add_dir(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write every search's trials that are not there."""
    from l2p_search.api.opening import open_named
    from l2p_search.display.phrases import count

    searches, unreadable = open_named(search_name(vars(args)), args.dir)
    for error in unreadable:
        print(f"l2p-search: {in_words(error.message)}", file=sys.stderr)
    for found in searches:
        new, before = found.sync(args.tracking_uri)
        print(f"{found.name}: {count(new, 'trial')} written, {before} were there")
    return 0
