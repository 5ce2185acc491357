"""`l2p-search train`: one configuration over all its seeds."""

import argparse
import json
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from l2p_search import defaults
from l2p_search.cli.options import (
    add_dataset,
    add_device,
    add_memory,
    add_metric,
    positive,
    reading,
)
from l2p_search.cli.signals import say, tell
from l2p_search.errors import ConfigError, UserError

if TYPE_CHECKING:
    from l2p_search.data.graph import Graph
    from l2p_search.results import TrialResult


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "train",
        help="train one configuration over all its seeds",
        description="Train one configuration over all its seeds; print its accuracy, or what"
        " --metric names, and its profile.",
        epilog="example: l2p-search train --dataset wisconsin --set K=16 dropout=0.4 --seeds 20"
        " --save model/",
    )
    add_dataset(parser)
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="a YAML file of hyperparameters; those it leaves out keep the dataset's defaults",
    )
    parser.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        metavar="KEY=VALUE",
        help="set hyperparameters by hand, after the file's, such as K=16",
    )
    parser.add_argument(
        "--seeds",
        type=positive,
        metavar="N",
        help=f"how many seeds (default: those of an exported file, else {defaults.SEEDS})",
    )
    add_metric(parser, "that of an exported file, else auto")
    parser.add_argument(
        "--threads",
        type=positive,
        metavar="N",
        help="train the seeds in parts, N at once, each on one core; any N gives the same numbers"
        " (default: all seeds in one batch, on one core)",
    )
    add_device(parser)
    add_memory(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the result as JSON there")
    parser.add_argument(
        "--save",
        type=Path,
        metavar="FOLDER",
        help="keep the trained seeds as a model there, for `l2p-search predict`",
    )
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Train, print, write; exit code 1 when no seed finished."""
    from l2p_search.api.fitting import config_of, exported_metric, exported_seeds, fit
    from l2p_search.api.writing import check_writable, write_file
    from l2p_search.data.loading import load_graph
    from l2p_search.saved.folder import check_replaceable
    from l2p_search.training.memory import keep_freed_memory

    graph = load_graph(args.dataset, data_dir=args.data_dir, **reading(vars(args)))
    keys = _assignments(args.set)
    config_of(graph, args.config, keys)  # what is wrong with it is said before anything is written
    if args.out is not None:
        check_writable(args.out)
    if args.save is not None:
        check_replaceable(args.save)
    keep_freed_memory()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", UserWarning)
        result = fit(
            graph,
            args.config,
            seeds=args.seeds or exported_seeds(args.config),
            metric=args.metric or exported_metric(args.config),
            threads=args.threads,
            memory_gb=args.memory,
            device=args.device,
            display="off" if args.json else "auto",
            **keys,
        )
    for each in told:
        say(str(each.message))
    text = json.dumps(result.to_mapping(), indent=2, allow_nan=False)
    if args.out is not None:
        try:
            write_file(args.out, text + "\n")
        except UserError as error:
            print(text)  # the training is not lost with the file
            raise UserError(f"{error.message}; the result stands above") from None
    if args.json:
        print(text)
    else:
        _print(graph, result)
    if args.save is not None and result.finished:
        from l2p_search.display.phrases import count

        model = result.model
        model.save(args.save)
        size = f"{model.weights.megabytes:.2f} MB"
        print(f"kept {count(len(model.seeds), 'seed')} in {args.save} ({size})", file=sys.stderr)
    return 0 if result.finished else 1


def _assignments(given: list[str]) -> dict[str, Any]:
    """KEY=VALUE, as a YAML file would have them."""
    from l2p_search.yaml_file import parse_value

    changes: dict[str, Any] = {}
    for assignment in given:
        key, equals, value = assignment.partition("=")
        key = key.strip()
        if not equals or not key:
            raise ConfigError(f"--set {assignment}: write it as KEY=VALUE, such as K=16")
        if key in changes:
            raise ConfigError(f"--set {assignment}: {key} is set twice; leave one of them out")
        changes[key] = parse_value(value)
    return changes


def _print(graph: "Graph", result: "TrialResult") -> None:
    from l2p_search.data.catalogue import DATASETS
    from l2p_search.display.charts import bar_chart
    from l2p_search.display.phrases import count, two_digits_or_none
    from l2p_search.display.travel import travel_in_words
    from l2p_search.metrics import title
    from l2p_search.other_nodes import estimate_of_test

    config = result.config
    if graph.name in DATASETS:
        tell(
            f"{graph.name}: {graph.num_nodes:,} nodes, {graph.num_edges:,} edges,"
            f" {graph.num_classes} classes, {graph.num_splits} split{'s' * (graph.num_splits > 1)}"
        )
    else:
        tell(graph.describe())
    tell(
        f"config {config.config_id}: {config.method}, K={config.K} hidden={config.hidden}"
        f" dropout={config.dropout:g} lr={config.lr:g} weight_decay={config.weight_decay:g}"
        + (f" kl_weight={config.kl_weight:g}" if config.model == "l2p" else "")
    )
    if result.reason is not None:
        print(f"warning: {result.reason}", file=sys.stderr)
    if not result.finished:
        return
    score = title(result.metric)
    width = len(f"validation {score}") + 1
    tell(
        f"{f'validation {score}':<{width}} {result.val_mean:6.2f} %"
        f"   (sd over {count(len(result.finished), 'seed')}"
        f" {two_digits_or_none(result.val_std)}; {result.seconds:.1f} s)"
    )
    tell(
        f"{f'test {score}':<{width}} {result.test_mean:6.2f} %"
        f"   (sd {two_digits_or_none(result.test_std)})"
    )
    estimate = estimate_of_test(result)
    if estimate is not None and estimate.this_graph.low is not None:
        for line in estimate.lines:
            tell(f"{'':<{width + 1}} {line}")
    if result.profile is not None:
        tell(f"profile: {travel_in_words(result)}")
        print(bar_chart(result.profile))
