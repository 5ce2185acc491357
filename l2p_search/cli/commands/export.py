"""`l2p-search export`: the best configuration of a search, to take away."""

import argparse
from pathlib import Path
from typing import Any

from l2p_search import defaults
from l2p_search.cli.options import add_dir


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "export",
        help="write the best configuration of a search, with where it came from",
        description="Write the best configuration of a search, with where it came from;"
        " `l2p-search train --config FILE` gives its numbers again. A script is a program on torch"
        " and torch-geometric alone; a graph that torch-geometric does not have is written beside"
        " it, as NAME.graph.npz.",
        epilog="example: l2p-search export --dataset wisconsin --out wisconsin.yaml",
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--dataset", metavar="NAME", help="the best of its latest search")
    which.add_argument("--search", metavar="NAME", help="the best of this search")
    which.add_argument("--all", action="store_true", help="of every dataset's latest search")
    parser.add_argument(
        "--format",
        choices=["yaml", "json", "script"],
        help=f"(default: what the ending of --out says, else {defaults.FORM})",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="write there instead of to stdout; with --all a folder, a file a dataset",
    )
    add_dir(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the best configuration of one search, or of every dataset's latest."""
    from l2p_search.api.exporting import SUFFIXES
    from l2p_search.api.opening import best_of_dataset, latest_by_dataset, open_search
    from l2p_search.errors import UserError

    if not args.all:
        if args.search is not None:
            found = open_search(args.search, args.dir)
        else:
            found = best_of_dataset(args.dataset, args.dir)
        if args.out is None:
            print(found.exported(args.format or defaults.FORM), end="")
        else:
            print(f"wrote {found.export(args.out, args.format)}")
        return 0
    form = args.format or defaults.FORM
    latest = latest_by_dataset(args.dir)
    if not latest:
        raise UserError("no search has a complete trial yet; see l2p-search status")
    for dataset, found in latest.items():
        if args.out is None:
            print(found.exported(form), end="")
        else:
            path = args.out / f"{dataset}.{SUFFIXES[form]}"
            print(f"wrote {found.export(path, form)}")
    return 0
