"""`l2p-search node`: one node, its surroundings and how far it looks (figures 7 and 8)."""

import argparse
import re
from typing import Any

from l2p_search import defaults
from l2p_search.cli.options import (
    add_copy,
    add_dataset,
    add_device,
    add_dir,
    add_figures,
    add_search,
    positive,
    reading,
    search_name,
)
from l2p_search.cli.signals import tell
from l2p_search.errors import UserError


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "node",
        help="draw a node's neighbourhood and the steps it takes",
        description="Train the best configuration of a search, or of a dataset (else its default),"
        " and draw one node's 3-hop neighbourhood, coloured by class, with the node's q(t). The"
        " run of the search gets a copy in MLflow.",
        epilog="example: l2p-search node cora-paper --node 17",
    )
    add_search(parser, "the best one of --dataset")
    add_dataset(parser, required=False)
    parser.add_argument(
        "--node",
        type=_node,
        required=True,
        metavar="ID",
        help="its own id, or its number, counted from 0",
    )
    parser.add_argument(
        "--seeds",
        type=positive,
        default=defaults.NODE_SEEDS,
        metavar="N",
        help="(default: %(default)s)",
    )
    add_device(parser)
    add_figures(parser)
    add_copy(parser)
    add_dir(parser)
    parser.set_defaults(run=run)


def _node(text: str) -> int | str:
    """A number as one, unless it is written otherwise: 007 may be an id of its own."""
    return int(text) if re.fullmatch(r"-?(0|[1-9]\d{0,17})", text) else text


def run(args: argparse.Namespace) -> int:
    """Train, draw, write."""
    from l2p_search.api.looking import look_at_node
    from l2p_search.api.recording import Tracking
    from l2p_search.api.writing import write_files
    from l2p_search.data.loading import load_graph
    from l2p_search.training.memory import keep_freed_memory

    name = search_name(vars(args))
    if name is None and args.dataset is None:
        raise UserError("node: name a search, or give --dataset, as in node cora-paper --node 17")
    keep_freed_memory()
    graph = None
    if args.dataset is not None:
        graph = load_graph(args.dataset, data_dir=args.data_dir, **reading(vars(args)))
    found = look_at_node(
        graph,
        args.node,
        search=name,
        seeds=args.seeds,
        device=args.device,
        folder=args.dir,
        tracking=Tracking(not args.no_tracking, args.tracking_uri),
    )
    tell(f"{found.graph.name}, {found.origin}: node {found.called} {found.in_words}")
    for path in write_files(args.out, found.files):
        print(f"wrote {path}")
    return 0
