"""`l2p-search compare`: two searches or two trials, paired by seed and split."""

import argparse
import json
from typing import Any

from l2p_search import defaults
from l2p_search.cli.options import (
    add_dataset,
    add_dir,
    add_margin,
    add_memory,
    positive,
    reading,
)
from l2p_search.cli.signals import tell


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "compare",
        help="compare two searches or trials, paired by seed and split",
        description="Compare the best of two searches, or two trials (SEARCH:NUMBER), on the seeds"
        " that both have: the fresh seeds of the confirmation if both were confirmed on common"
        " ones, else the searches' own; or on fresh seeds that are trained now.",
        epilog="example: l2p-search compare wisconsin-paper wisconsin-paper-l2s",
    )
    parser.add_argument("first", metavar="A", help="a search, or a trial such as NAME:12")
    parser.add_argument("second", metavar="B", help="another one")
    parser.add_argument(
        "--train",
        nargs="?",
        type=positive,
        const=defaults.CONFIRM,
        metavar="N",
        help="train both on N fresh seeds that chose neither, where they have them not"
        " (default: %(const)s)",
    )
    add_margin(parser)
    add_memory(parser)
    parser.add_argument("--json", action="store_true", help="print one object")
    add_dir(parser)
    where = parser.add_argument_group("the graph to train on, where it is not as it was recorded")
    add_dataset(where, required=False)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Compare, say it in words."""
    from l2p_search.api.comparing import compare
    from l2p_search.data.loading import load_graph

    graph = None
    if args.train is not None and args.dataset is not None:
        graph = load_graph(args.dataset, data_dir=args.data_dir, **reading(vars(args)))
    found = compare(
        args.first,
        args.second,
        train=args.train,
        margin=args.margin,
        folder=args.dir,
        graph=graph,
        data_dir=args.data_dir,
        memory_gb=args.memory,
        display="off" if args.json else "auto",
    )
    if args.json:
        print(json.dumps(found.to_mapping(), indent=2, allow_nan=False))
    else:
        tell(str(found))
    return 0
