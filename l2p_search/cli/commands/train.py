"""`l2p-search train`: one configuration over all its seeds."""

import argparse
import json
import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from l2p_search.cli.options import add_dataset, positive, positive_float
from l2p_search.errors import ConfigError, UserError
from l2p_search.whole_file import write_whole

if TYPE_CHECKING:
    from l2p_search.config import TrialConfig
    from l2p_search.data.catalogue import Dataset
    from l2p_search.data.graph import Graph
    from l2p_search.results import TrialResult


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "train",
        help="train one configuration over all its seeds",
        description="Train one configuration over all its seeds; print its accuracy and profile.",
        epilog="example: l2p-search train --dataset wisconsin --set K=16 dropout=0.4 --seeds 20",
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
        help="how many seeds (default: those of an exported file, else 20)",
    )
    parser.add_argument(
        "--threads", type=positive, default=1, metavar="N", help="torch threads (default: 1)"
    )
    parser.add_argument(
        "--memory",
        type=positive_float,
        default=4.0,
        metavar="GB",
        help="train as many seeds at once as fit into this (default: 4)",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the result as JSON there")
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Train, print, write; exit code 1 when no seed finished."""
    from l2p_search.data.catalogue import find_dataset

    dataset = find_dataset(args.dataset)
    config = _config(args, dataset)
    seeds = args.seeds or _exported_seeds(args.config) or 20
    if args.out is not None:
        _check_writable(args.out)

    import torch

    from l2p_search.data.loading import load_graph
    from l2p_search.training.fit import fit

    graph = load_graph(dataset.name, args.data_dir)
    torch.set_num_threads(args.threads)
    with _progress(quiet=args.json) as on_epoch:
        result = fit(graph, config, range(seeds), memory_gb=args.memory, on_epoch=on_epoch)
    if args.out is not None:
        _write(args.out, result)
    if args.json:
        print(json.dumps(result.to_mapping(), indent=2, allow_nan=False))
    else:
        _print(graph, result)
    return 0 if result.finished else 1


def _config(args: argparse.Namespace, dataset: "Dataset") -> "TrialConfig":
    """The dataset's defaults, then the file, then what was set by hand."""
    from l2p_search.config import DEFAULTS, TrialConfig
    from l2p_search.yaml_file import parse_value

    config = DEFAULTS[dataset.kind]
    if args.config is not None:
        config = TrialConfig.from_file(args.config, config)
    changes: dict[str, Any] = {}
    for assignment in args.set:
        key, equals, value = assignment.partition("=")
        if not equals or not key:
            raise ConfigError(f"--set {assignment}: write it as KEY=VALUE, such as K=16")
        changes[key.strip()] = parse_value(value)
    try:
        return TrialConfig.from_mapping(changes, config)
    except ConfigError as error:
        raise ConfigError(f"--set: {error}") from None


def _exported_seeds(path: Path | None) -> int | None:
    """The seeds that an exported file was searched with."""
    from l2p_search.config import PROVENANCE
    from l2p_search.yaml_file import read_yaml_mapping

    provenance = read_yaml_mapping(path).get(PROVENANCE) if path is not None else None
    seeds = provenance.get("seeds") if isinstance(provenance, dict) else None
    return seeds if isinstance(seeds, int) and seeds > 0 else None


def _check_writable(path: Path) -> None:
    """Find out before the training, not after it, that its result cannot be written."""
    folder = path.parent
    if path.is_dir():
        raise UserError(f"--out {path}: is a folder; name a file in it")
    if not folder.is_dir():
        raise UserError(f"--out {path}: there is no folder {folder}; make it first")
    if not os.access(folder, os.W_OK):
        raise UserError(f"--out {path}: the folder {folder} cannot be written; choose another")


def _write(path: Path, result: "TrialResult") -> None:
    text = json.dumps(result.to_mapping(), indent=2, allow_nan=False)
    try:
        write_whole(path, text + "\n")
    except OSError as error:
        print(text)  # the training is not lost with the file
        raise UserError(
            f"--out {path}: cannot be written ({error.strerror}); the result stands above"
        ) from None


def _progress(quiet: bool) -> Any:
    """A progress bar on a terminal's stderr; nothing elsewhere."""
    from rich.console import Console

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        return nullcontext(lambda progress: None)
    from l2p_search.display.training_bar import TrainingProgress

    return TrainingProgress(console)


def _print(graph: "Graph", result: "TrialResult") -> None:
    from l2p_search.display.charts import bar_chart

    config = result.config
    print(
        f"{graph.name}: {graph.num_nodes} nodes, {graph.num_edges} edges,"
        f" {graph.num_classes} classes, {graph.num_splits} split{'s' * (graph.num_splits > 1)}"
    )
    print(
        f"config {config.config_id}: {config.method}, K={config.K} hidden={config.hidden}"
        f" dropout={config.dropout:g} lr={config.lr:g} weight_decay={config.weight_decay:g}"
        + (f" kl_weight={config.kl_weight:g}" if config.model == "l2p" else "")
    )
    if result.reason is not None:
        print(f"warning: {result.reason}", file=sys.stderr)
    if not result.finished:
        return
    print(
        f"validation accuracy  {result.val_accuracy_mean:6.2f} ± {result.val_accuracy_std:.2f} %"
    )
    print(
        f"test accuracy        {result.test_accuracy_mean:6.2f} ± {result.test_accuracy_std:.2f} %"
        f"   (mean and standard deviation over {len(result.finished)} seeds,"
        f" {result.seconds:.1f} s)"
    )
    if result.profile is not None:
        print(f"profile: nodes take {result.expected_step:.2f} steps on average")
        print(bar_chart(result.profile))
