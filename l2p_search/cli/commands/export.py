"""`l2p-search export`: the best configuration of a search, to take away."""

import argparse
from pathlib import Path
from typing import Any

from l2p_search import defaults
from l2p_search.cli.options import add_dir, add_search, search_name
from l2p_search.errors import UserError


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "export",
        help="write the best configuration of a search, with where it came from",
        description="Write the best configuration of a search, with where it came from;"
        " `l2p-search train --config FILE` gives its numbers again. A script is a program on torch"
        " and torch-geometric alone; a graph that torch-geometric does not have is written beside"
        " it, as NAME.graph.npz.",
        epilog="example: l2p-search export wisconsin-paper --out wisconsin.yaml",
    )
    add_search(parser, "with --dataset its best one, else the latest")
    parser.add_argument(
        "--dataset",
        metavar="NAME",
        help="the best of a dataset: of its finished searches before interrupted ones, then of"
        " those with the most seeds, the one with the best validation score",
    )
    parser.add_argument("--all", action="store_true", help="the best of every dataset")
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
    """Write the best configuration of one search, or of every dataset."""
    from l2p_search.api.exporting import SUFFIXES
    from l2p_search.api.opening import best_by_dataset, best_of_dataset, open_search

    name = search_name(vars(args))
    given = [word for word in (name, args.dataset, args.all and "--all") if word]
    if len(given) > 1:
        raise UserError(f"export: {' and '.join(given)} exclude each other; name one of them")
    if not args.all:
        if args.dataset is not None:
            found = best_of_dataset(args.dataset, args.dir)
        else:
            found = open_search(name, args.dir)
        if args.out is None:
            print(found.exported(args.format or defaults.FORM), end="")
        else:
            print(f"wrote {found.export(args.out, args.format)}")
        return 0
    form = args.format or defaults.FORM
    best = best_by_dataset(args.dir)
    if not best:
        raise UserError("no search has a complete trial yet; see l2p-search status")
    for dataset, found in best.items():
        if args.out is None:
            print(found.exported(form), end="")
        else:
            path = args.out / f"{dataset}.{SUFFIXES[form]}"
            print(f"wrote {found.export(path, form)}")
    return 0
