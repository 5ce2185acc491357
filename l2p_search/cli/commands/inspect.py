"""`l2p-search inspect`: what a graph is, what to beware of, and how to search it."""

import argparse
import json
from pathlib import Path
from typing import Any

from l2p_search.cli.options import add_reading, reading
from l2p_search.cli.signals import tell


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "inspect",
        help="tell what was understood of a graph, what to beware of, and what suits it",
        description="Read a graph and tell at length what was understood: what was merged or made"
        " undirected, features and their scaling, classes, homophily by training labels, splits;"
        " its degrees and classes as bars; what to beware of; and which space suits it.",
        epilog="example: l2p-search inspect nodes.csv --edges edges.csv --label kind",
    )
    parser.add_argument("graph", metavar="GRAPH", help="as of --dataset: a name, a file, ..")
    add_reading(parser)
    parser.add_argument("--json", action="store_true", help="print one object")
    parser.add_argument("--out", type=Path, metavar="DIR", help="draw the distributions there too")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Inspect, print, draw."""
    from l2p_search.api.inspecting import inspect
    from l2p_search.api.writing import write_files

    found = inspect(args.graph, data_dir=args.data_dir, **reading(vars(args)))
    if args.json:
        print(json.dumps(found.to_mapping(), indent=2, allow_nan=False))
    else:
        tell(str(found))
    if args.out is not None:
        for path in write_files(args.out, found.files()):
            print(f"wrote {path}")
    return 0
