"""`l2p-search report`: a search as one HTML page."""

import argparse
from pathlib import Path
from typing import Any

from l2p_search.cli.options import add_copy, add_dir, add_search, search_name


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "report",
        help="write a search as one self-contained HTML page",
        description="Write the result of a search, its interval, the leaderboard with ties, its"
        " figures and how to reproduce it as one HTML page that needs no network; MLflow gets a"
        " copy.",
        epilog="example: l2p-search report wisconsin-paper --out report.html",
    )
    add_search(parser)
    parser.add_argument(
        "--all", action="store_true", help="compare all searches on one page instead"
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="(default: report.html in the search's folder)"
    )
    add_copy(parser)
    add_dir(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the page."""
    if args.all:
        from l2p_search.api.overview import report_all

        print(f"wrote {report_all(args.dir, args.out)}")
        return 0
    from l2p_search.api.opening import open_search

    found = open_search(search_name(vars(args)), args.dir)
    path = found.report(args.out, tracking=not args.no_tracking, tracking_uri=args.tracking_uri)
    print(f"wrote {path}")
    return 0
