"""`l2p-search profiles`: how far nodes look, over datasets (the paper's figures 5 and 6)."""

import argparse
from typing import Any

from l2p_search.cli.options import add_copy, add_dir, add_figures


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "profiles",
        help="draw the learned profiles of the best trials over datasets",
        description="Draw q(t) of the best recorded trial of each dataset, for quit and select,"
        " and the cosine of every two profiles; PNG and SVG. MLflow"
        " gets a copy.",
        epilog="example: l2p-search profiles --datasets cora wisconsin --out figures",
    )
    parser.add_argument(
        "name", nargs="*", metavar="NAME", help="searches (default: the best of each dataset)"
    )
    parser.add_argument(
        "--datasets", nargs="+", metavar="NAME", help="(default: all that were searched)"
    )
    add_figures(parser)
    add_copy(parser)
    add_dir(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Draw, write."""
    from l2p_search.api.looking import profile_drawings
    from l2p_search.api.recording import Tracking
    from l2p_search.api.writing import write_files

    files = profile_drawings(
        args.datasets,
        searches=args.name,
        folder=args.dir,
        tracking=Tracking(not args.no_tracking, args.tracking_uri),
    )
    for path in write_files(args.out, files):
        print(f"wrote {path}")
    return 0
