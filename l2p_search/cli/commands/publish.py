"""`l2p-search publish`: what a paper needs of some searches, in one folder."""

import argparse
import json
from pathlib import Path
from typing import Any

from l2p_search.cli.options import add_dir


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "publish",
        help="write the tables, figures and methods of a paper from searches",
        description="Write into a new folder: the table of confirmed scores in LaTeX and Markdown,"
        " comparisons with verdicts, budgets and spaces, the critical-difference and budget"
        " figures, paragraphs of methods, the reproducibility checklist, and for every number the"
        " line of the journal it comes from. A search is a cell: its graph the column, its method"
        " the row; others are compared with the method of the first one.",
        epilog="example: l2p-search publish --searches texas-l2q texas-mlp --out paper",
    )
    parser.add_argument(
        "--searches", nargs="+", required=True, metavar="NAME", help="ended, confirmed searches"
    )
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FOLDER", help="the folder to make"
    )
    parser.add_argument(
        "--margin",
        type=float,
        default=1.0,
        metavar="POINTS",
        help="scores that differ by less are called equivalent (%(default)g)",
    )
    parser.add_argument("--json", action="store_true", help="print one object")
    add_dir(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the folder, print its table."""
    from l2p_search.api.publishing import publish

    found = publish(args.searches, args.out, folder=args.dir, margin=args.margin)
    if args.json:
        print(json.dumps(found.to_mapping(), indent=2))
        return 0
    print(found.table)
    print(f"wrote {len(found.files)} files into {found.folder}; begin with README.md")
    return 0
