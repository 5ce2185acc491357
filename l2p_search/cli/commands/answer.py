"""`l2p-search answer`: how far messages should travel on a graph, and what that is worth."""

import argparse
import json
import shutil
import sys
from pathlib import Path
from typing import Any

from l2p_search.api.answer_methods import BACKBONES, USUAL
from l2p_search.cli.first_line import first_line_of_answer, say_first
from l2p_search.cli.logs import log_to
from l2p_search.cli.options import (
    add_dataset,
    add_dir,
    add_margin,
    add_messages,
    add_metric,
    add_resources,
    add_tracking_uri,
    command_line,
    duration,
    means_of,
    positive,
    reading,
)
from l2p_search.cli.signals import Signals
from l2p_search.errors import UserError, argument

_SEEDS, _CONFIRM = 5, 10
"""Seeds per configuration and fresh seeds per winner, where only --trials is given."""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "answer",
        help="answer how far messages should travel on a graph, and what that is worth",
        description="Search L2Q, its backbone alone (APPNP), MLP and GCN with one budget on the"
        " same splits and seeds, compare their winners paired on fresh seeds, and say in ten lines"
        " and one page how far messages travel, what propagation is worth, what choosing the step"
        " per node is worth, how sure that is, and what to use. An interrupted answer goes on"
        " where it was.",
        epilog="example: l2p-search answer --dataset nodes.csv --edges edges.csv --label kind",
    )
    add_dataset(parser)
    parser.add_argument(
        "--backbone",
        choices=list(BACKBONES),
        default=USUAL,
        metavar="NAME",
        help="what L2Q is put on and held against alone: %(choices)s (default: %(default)s); the"
        " tuned ones have normalisation and residual connections",
    )
    parser.add_argument(
        "--time-budget",
        type=duration,
        default="12m",
        metavar="TIME",
        help="about how long it may take; the budget of each method is made to fit (default: 12m)",
    )
    parser.add_argument(
        "--trials", type=positive, metavar="N", help="configurations per method, instead of a time"
    )
    parser.add_argument(
        "--seeds",
        type=positive,
        metavar="N",
        help="seeds per configuration, with --trials (default: 5)",
    )
    parser.add_argument(
        "--confirm",
        type=positive,
        metavar="N",
        help="fresh seeds per winner, with --trials (default: 10)",
    )
    add_metric(parser)
    add_margin(parser)
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="the page (default: answer-GRAPH.html)"
    )
    parser.add_argument("--json", action="store_true", help="print one object")
    add_dir(parser)
    add_tracking_uri(parser)
    parser.add_argument("--no-tracking", action="store_true", help="write nothing to MLflow")
    add_resources(parser)
    add_messages(parser.add_argument_group("what is shown"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Search, compare, print, write the page."""
    if args.trials is None:
        for option in ("seeds", "confirm"):
            if (given := getattr(args, option)) is not None:
                raise UserError(
                    f"{argument(option, given)}: needs {argument('trials')}; without it the time"
                    " decides how much is trained"
                )
    log_to(args.log_file, args.verbose)
    with Signals(command_line()) as signals:
        say_first(first_line_of_answer(vars(args)), quiet=args.quiet)
        from l2p_search.api.answer_text import WIDTH
        from l2p_search.api.answering import Effort, answer

        effort = None
        if args.trials is not None:
            seeds, confirm = args.seeds or _SEEDS, args.confirm or _CONFIRM
            effort = Effort(trials=args.trials, seeds=seeds, confirm=confirm)
        try:
            found = answer(
                args.dataset,
                backbone=args.backbone,
                time_budget=args.time_budget,
                effort=effort,
                metric=args.metric,
                margin=args.margin,
                folder=args.dir,
                means=means_of(vars(args), signals.stop),
                data_dir=args.data_dir,
                **reading(vars(args)),
            )
        except KeyboardInterrupt:
            print("l2p-search: the same command goes on where this one was", file=sys.stderr)
            return signals.exit_code
    if args.json:
        print(json.dumps(found.to_mapping(), indent=2, allow_nan=False))
    elif sys.stdout.isatty():
        print(found.text(min(WIDTH, shutil.get_terminal_size().columns)))
    else:
        print(found)
    on = "" if args.backbone == USUAL else f"-{args.backbone}"
    path = found.report(args.out or Path(f"answer-{found.graph.name}{on}.html"))
    print(f"wrote {path}", file=sys.stderr)
    return 0
