"""`l2p-search paper`: the paper's tables and figures, ours beside its own."""

import argparse
import sys
from typing import Any

from l2p_search import defaults
from l2p_search.cli.first_line import say_first
from l2p_search.cli.logs import log_to
from l2p_search.cli.options import (
    add_data_dir,
    add_dir,
    add_figures,
    add_margin,
    add_messages,
    add_resources,
    add_tracking_uri,
    command_line,
    means_of,
)
from l2p_search.cli.signals import Signals

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
        " table on two cores, part of each space and few seeds; full: the paper's ranges, seeds"
        " and selection, for nights or a cluster. The model is that of the space paper, which"
        " differs from the printed one; paper-literal has it as printed.",
        epilog="example: l2p-search paper table2 --budget quick",
    )
    parser.add_argument("what", choices=_WHAT, metavar="WHAT", help=", ".join(_WHAT))
    parser.add_argument(
        "--budget",
        choices=["smoke", "quick", "full"],
        default=defaults.BUDGET,
        help="(default: %(default)s)",
    )
    parser.add_argument(
        "--datasets", nargs="+", metavar="NAME", help="(default: those of the table or figure)"
    )
    parser.add_argument("--methods", nargs="+", metavar="NAME", help="(default: the table's)")
    add_margin(parser)
    add_figures(parser)
    add_data_dir(parser)
    add_dir(parser)
    add_tracking_uri(parser)
    parser.add_argument("--no-tracking", action="store_true", help="write nothing to MLflow")
    add_resources(parser)
    add_messages(parser.add_argument_group("what is shown"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run or reuse the searches, print, write the figures."""
    log_to(args.log_file, args.verbose)
    with Signals(command_line()) as signals:
        if sys.stderr.isatty():  # somebody waits; in a file the tables alone are wanted
            say_first(f"{args.what}, budget {args.budget}; torch starts ..", quiet=args.quiet)
        from l2p_search.api.writing import write_files
        from l2p_search.paper.figures import FIGURES
        from l2p_search.paper.paper_tables import TABLES
        from l2p_search.paper.studies import InterruptedStudyError, Request

        shown = sys.stderr  # this one itself: what Ray prints to it meanwhile is sent elsewhere
        request = Request(
            budget=args.budget,
            datasets=args.datasets,
            methods=args.methods,
            margin=args.margin,
            folder=args.dir,
            data_dir=args.data_dir,
            means=means_of(vars(args), signals.stop),
            tell=lambda line: None if args.quiet else print(line, file=shown, flush=True),
        )
        try:
            found = {**TABLES, **FIGURES}[args.what](request)
        except InterruptedStudyError:
            print("l2p-search: the same command goes on where this one was", file=sys.stderr)
            return signals.exit_code
    if found.text:
        print(found.text)
    for path in write_files(args.out, dict(found.files)):
        print(f"wrote {path}")
    return 0
