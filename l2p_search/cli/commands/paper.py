"""`l2p-search paper`: the paper's tables and figures, ours beside its own."""

import argparse
import sys
from pathlib import Path
from typing import Any

from l2p_search.cli.options import add_data_dir, add_dir, add_tracking_uri
from l2p_search.cli.search_options import add_messages, add_resources

_WHAT = (
    *("table1", "table2", "table3", "table4"),
    *("figure3", "figure4", "figure5", "figure6", "figure7", "figure8"),
)


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "paper",
        help="reproduce a table or a figure of the paper",
        description="Run the searches that a table or a figure of the paper needs, or reuse those"
        " that are recorded, and print our numbers beside the paper's. An interrupted one goes on"
        " where it was. smoke: minutes, to see that it works; quick: an hour at the most for a"
        " table on two cores, part of each space and few seeds; full: the paper's own protocol,"
        " for nights or a cluster.",
        epilog="example: l2p-search paper table2 --budget quick",
    )
    parser.add_argument("what", choices=_WHAT, metavar="WHAT", help=", ".join(_WHAT))
    parser.add_argument(
        "--budget", choices=["smoke", "quick", "full"], default="quick", help="(quick)"
    )
    parser.add_argument(
        "--datasets", nargs="+", metavar="NAME", help="(default: those of the table or figure)"
    )
    parser.add_argument("--methods", nargs="+", metavar="NAME", help="(default: the table's)")
    parser.add_argument(
        "--out", type=Path, default=Path("figures"), metavar="DIR", help="of figures (./figures)"
    )
    add_data_dir(parser)
    add_dir(parser)
    add_tracking_uri(parser)
    parser.add_argument("--no-tracking", action="store_true", help="write nothing to MLflow")
    add_resources(parser)
    add_messages(parser.add_argument_group("what is shown"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run or reuse the searches, print."""
    from l2p_search.cli.commands.search import log_to
    from l2p_search.paper.figures import FIGURES
    from l2p_search.paper.studies import InterruptedStudyError
    from l2p_search.paper.tables import TABLES

    log_to(args.log_file, args.verbose)
    try:
        {**TABLES, **FIGURES}[args.what](args)
    except InterruptedStudyError as error:
        print("l2p-search: the same command goes on where this one was", file=sys.stderr)
        return error.code
    return 0
