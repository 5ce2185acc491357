"""`l2p-search compare`: two searches or two trials, paired by seed and split."""

import argparse
import json
from typing import Any

from l2p_search.cli.options import add_dir


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "compare",
        help="compare two searches or trials, paired by seed and split",
        description="Compare the best of two searches, or two trials (SEARCH:NUMBER), on the seeds"
        " that both have: the fresh seeds of the confirmation if both were confirmed, else the"
        " search's own.",
        epilog="example: l2p-search compare wisconsin-paper wisconsin-paper-l2s",
    )
    parser.add_argument("first", metavar="A", help="a search, or a trial such as NAME:12")
    parser.add_argument("second", metavar="B", help="another one")
    parser.add_argument("--json", action="store_true", help="print one object")
    add_dir(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Compare, say it in words."""
    from l2p_search.api.comparing import compare

    found = compare(args.first, args.second, folder=args.dir)
    print(json.dumps(found.to_mapping(), indent=2, allow_nan=False) if args.json else found)
    return 0
