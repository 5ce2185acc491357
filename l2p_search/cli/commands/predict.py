"""`l2p-search predict`: what a saved model says of every node of a graph."""

import argparse
import sys
from pathlib import Path
from typing import Any

from l2p_search import defaults
from l2p_search.cli.options import add_dataset, natural, positive, reading


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "predict",
        help="predict the nodes of a graph with a saved model",
        description="Predict every node of a graph with a model that `train --save` or a search"
        " kept: its class by name, the probability of each class, the expected step and q(t)."
        " The graph may have grown since the training; features and classes must be the same.",
        epilog="example: l2p-search predict searches/wisconsin-paper/model --dataset wisconsin"
        " --out predictions.parquet",
    )
    parser.add_argument("model", type=Path, metavar="MODEL", help="the folder of a saved model")
    add_dataset(parser)
    parser.add_argument(
        "--seed",
        type=natural,
        metavar="N",
        help="predict with this seed of the model alone (default: the mean of all)",
    )
    parser.add_argument(
        "--threads",
        type=positive,
        default=defaults.THREADS,
        metavar="N",
        help="torch threads (default: %(default)s)",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="write there, as .csv, .json or .parquet (default: print CSV)",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Load, predict, write or print."""
    from l2p_search.api.predicting import as_csv, check_ending, predict, write_predictions
    from l2p_search.api.writing import check_writable
    from l2p_search.saved.trained_model import load_model

    if args.out is not None:
        check_ending(args.out)
        check_writable(args.out)
    model = load_model(args.model)
    table = predict(
        model,
        args.dataset,
        seed=args.seed,
        threads=args.threads,
        data_dir=args.data_dir,
        **reading(vars(args)),
    )
    if args.out is None:
        sys.stdout.write(as_csv(table).decode())
        return 0
    write_predictions(args.out, table)
    by = "1 seed" if args.seed is not None else f"{len(model.seeds)} seeds"
    print(f"{len(table):,} nodes predicted by {by}: {args.out}")
    return 0
