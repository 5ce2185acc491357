"""`l2p-search publish`: what a paper needs of some searches, in one folder."""

import argparse
import json
from pathlib import Path
from typing import Any

from l2p_search.cli.options import add_dir, add_margin
from l2p_search.errors import UserError


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
        epilog="example: l2p-search publish texas-l2q texas-mlp --out paper",
    )
    parser.add_argument("name", nargs="*", metavar="NAME", help="ended, confirmed searches")
    parser.add_argument("--searches", nargs="+", default=[], metavar="NAME", help="the same")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FOLDER", help="the folder to make"
    )
    add_margin(parser)
    parser.add_argument("--json", action="store_true", help="print one object")
    add_dir(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the folder, print its table."""
    from l2p_search.api.publishing import publish

    names = [*args.name, *args.searches]
    if not names:
        raise UserError(
            "publish: which searches? Name them, such as l2p-search publish texas-l2q texas-mlp"
            " --out paper"
        )
    found = publish(names, args.out, folder=args.dir, margin=args.margin)
    if args.json:
        print(json.dumps(found.to_mapping(), indent=2))
        return 0
    print(found.table)
    print(f"wrote {len(found.files)} files into {found.folder}; begin with README.md")
    return 0
