"""The options of a search."""

import argparse
from pathlib import Path

from l2p_search.cli.options import (
    Parser,
    add_data_dir,
    add_dir,
    add_tracking_uri,
    at_least_zero,
    duration,
    natural,
    positive,
    positive_float,
)

DEFAULT_TRIALS, DEFAULT_SEEDS, DEFAULT_CONFIRM, DEFAULT_TIES = 100, 20, 20, 4


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of a search. Those that make up a search default to None: not given."""
    what = parser.add_argument_group("what to search")
    what.add_argument("--dataset", metavar="NAME", help="a dataset of `l2p-search datasets`")
    add_data_dir(what)
    what.add_argument(
        "--space",
        metavar="NAME",
        help="a space of `l2p-search spaces`, or the path of a YAML file (default: paper)",
    )
    what.add_argument(
        "--model",
        metavar="NAME",
        help="search a model in its own space: l2q, l2s, mlp, gcn, gat, appnp, .. (see spaces)",
    )
    what.add_argument(
        "--models",
        metavar="A,B,..",
        help="search each with the same budget, and compare them paired by seed",
    )
    what.add_argument(
        "--trials",
        type=positive,
        metavar="N",
        help=f"configurations in all, with those of a resumed search (default: the space's"
        f" budget, else {DEFAULT_TRIALS})",
    )
    what.add_argument(
        "--seeds",
        type=positive,
        metavar="N",
        help=f"seeds a trial (default: the space's, else {DEFAULT_SEEDS})",
    )
    what.add_argument(
        "--sampler",
        choices=["tpe", "random", "grid", "gp"],
        help="who proposes configurations (default: tpe)",
    )
    what.add_argument("--seed", type=natural, metavar="N", help="of the sampler (default: 0)")
    what.add_argument(
        "--race",
        action="store_true",
        default=None,
        help="stop a configuration as soon as it is significantly worse on paired seeds",
    )
    what.add_argument(
        "--confirm",
        type=natural,
        metavar="N",
        help=f"train the best on N fresh seeds (default: {DEFAULT_CONFIRM}; 0 for none)",
    )
    what.add_argument(
        "--confirm-ties",
        type=natural,
        metavar="N",
        help=f"confirm up to N ties beside it (default: {DEFAULT_TIES})",
    )
    what.add_argument(
        "--time-budget",
        type=duration,
        metavar="TIME",
        help="start no trial after this long, such as 8h; those that run are finished",
    )
    where = parser.add_argument_group("where it is kept")
    where.add_argument("--name", metavar="NAME", help="of the search (default: dataset-space)")
    add_dir(where)
    where.add_argument(
        "--resume",
        action="store_true",
        help="continue the search of that name; without a name or dataset, the latest",
    )
    add_tracking_uri(where)
    where.add_argument(
        "--no-tracking",
        action="store_true",
        help="write nothing to MLflow; `sync` can do it later",
    )
    add_resources(parser)
    shown = parser.add_argument_group("what is shown")
    shown.add_argument(
        "--dry-run",
        action="store_true",
        help="print the plan, its size and a time estimate; write and search nothing",
    )
    shown.add_argument("--json", action="store_true", help="print the result as one JSON object")
    add_messages(shown)


def add_resources(parser: argparse.ArgumentParser) -> None:
    """What trials run on."""
    on = parser.add_argument_group("what it runs on")
    on.add_argument(
        "--concurrency", type=positive, metavar="N", help="trials at once (default: all CPUs)"
    )
    on.add_argument(
        "--cpus-per-trial", type=positive, default=1, metavar="N", help="threads a trial (1)"
    )
    on.add_argument(
        "--gpus-per-trial",
        type=at_least_zero,
        default=0.0,
        metavar="N",
        help="GPUs reserved for a trial (0); the engine itself trains on CPUs",
    )
    on.add_argument(
        "--address", metavar="ADDRESS", help="a running Ray cluster, such as auto or HOST:6379"
    )
    on.add_argument(
        "--memory", type=positive_float, default=4.0, metavar="GB", help="memory a trial (4)"
    )


def add_messages(shown: Parser) -> None:
    """What is said besides the result."""
    shown.add_argument("--quiet", action="store_true", help="print the result only")
    shown.add_argument("--log-file", type=Path, metavar="FILE", help="write a log there")
    shown.add_argument(
        "-v", "--verbose", action="store_true", help="show the workers' and Ray's own messages"
    )
