"""Options that several commands share, and how their values are read."""

import argparse
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from l2p_search import defaults
from l2p_search.cli.invocation import in_words
from l2p_search.durations import parse_duration
from l2p_search.errors import UserError, cut
from l2p_search.masking import masked
from l2p_search.metrics import METRICS

if TYPE_CHECKING:
    import threading

    from l2p_search.api.conducting import Means

_DIGITS = 40
"""Digits of a number that are read and shown; there are no larger ones."""

Parser = argparse.ArgumentParser | argparse._ArgumentGroup


_READING = {
    "edges": "edges",
    "label": "label",
    "id": "id",
    "source": "source_column",
    "target": "target_column",
    "features": "features",
    "split": "split",
    "weight": "weight",
    "splits": "splits",
    "scale": "scale",
}
"""Options that say how a graph is read -> the arguments of `load_graph`."""


def add_dataset(parser: Parser, required: bool = True) -> None:
    """--dataset, --data-dir, and how a graph of one's own is read."""
    parser.add_argument(
        "--dataset",
        required=required,
        metavar="GRAPH",
        help="a dataset of `l2p-search datasets`; a file (.pt, .npz, .csv, .parquet, .graphml,"
        " .gml) or folder; pyg:CLASS:NAME; ogb:NAME; package.module:function",
    )
    add_reading(parser)


def add_reading(parser: Parser) -> None:
    """How a graph of one's own is read."""
    add_data_dir(parser)
    parser.add_argument(
        "--edges",
        metavar="FILE",
        help="the table of edges (or SNAP's list of them), where --dataset is that of nodes",
    )
    parser.add_argument("--label", metavar="COLUMN", help="the column that holds the class")
    parser.add_argument("--id", metavar="COLUMN", help="the column that identifies nodes")
    parser.add_argument("--source", metavar="COLUMN", help="the edges' first column of ids")
    parser.add_argument("--target", metavar="COLUMN", help="the edges' second column of ids")
    parser.add_argument(
        "--features", metavar="A,B,.. or FILE", help="columns, or a JSON file of lists"
    )
    parser.add_argument(
        "--split", metavar="COLUMN", help="the column with train, val and test (or several)"
    )
    parser.add_argument("--weight", metavar="COLUMN", help="the edges' column of weights")
    parser.add_argument(
        "--splits",
        metavar="RULE",
        help="make splits: 10x48/32/20 (default), 20-per-class/500/1000, temporal:COLUMN",
    )
    parser.add_argument(
        "--scale",
        choices=["auto", "row", "standard", "none"],
        help="how features are scaled (default: auto, by the kind of values)",
    )


def reading(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that say how a graph is read, as arguments of `load_graph`.

    Args:
        options: All options of a command.

    Returns:
        Argument of `load_graph` -> its value, for those that were given.
    """
    return {
        argument: options[option]
        for option, argument in _READING.items()
        if options.get(option) is not None
    }


def add_data_dir(parser: Parser) -> None:
    """--data-dir."""
    parser.add_argument(
        "--data-dir",
        type=Path,
        metavar="DIR",
        help="a folder with raw files (default: $L2P_SEARCH_DATA, then ./data, then a download)",
    )


def add_dir(parser: Parser) -> None:
    """--dir."""
    parser.add_argument(
        "--dir",
        type=Path,
        metavar="DIR",
        help="the folder of searches (default: $L2P_SEARCH_DIR, then ./searches)",
    )


def add_search(parser: Parser, usual: str = "the latest") -> None:
    """NAME and --search: the search that is meant; `usual` is the one where neither is given."""
    parser.add_argument("name", nargs="?", metavar="NAME", help=f"a search (default: {usual})")
    add_search_flag(parser)


def add_search_flag(parser: Parser) -> None:
    """--search alone, for a command whose first word says more than a name."""
    parser.add_argument("--search", metavar="NAME", help="the same")


def search_name(options: Mapping[str, Any]) -> str | None:
    """The search that the options of `add_search` name.

    Args:
        options: All options of a command.

    Returns:
        Its name; None where none is given.

    Raises:
        UserError: Two different ones are given.
    """
    first: str | None = options["name"]
    second: str | None = options["search"]
    if first is not None and second is not None and first != second:
        raise UserError(f"--search {second}: {first} is named already; name one of them")
    return first if first is not None else second


def add_metric(parser: Parser, usual: str = "auto") -> None:
    """--metric; `usual` is what holds where it is not given."""
    parser.add_argument(
        "--metric",
        choices=["auto", *METRICS],
        help="what to judge by; auto takes ROC AUC for two classes of which one has less than"
        f" 30 %% of the training nodes, else accuracy (default: {usual})",
    )


def add_tracking_uri(parser: Parser) -> None:
    """--tracking-uri."""
    parser.add_argument(
        "--tracking-uri",
        metavar="URI",
        help="an MLflow server (default: $MLFLOW_TRACKING_URI, then a database in ./mlflow)",
    )


def add_copy(parser: Parser) -> None:
    """--no-tracking and --tracking-uri, of a command that gives MLflow a copy."""
    parser.add_argument("--no-tracking", action="store_true", help="give MLflow no copy")
    add_tracking_uri(parser)


def add_figures(parser: Parser) -> None:
    """--out, of a command that writes figures."""
    parser.add_argument(
        "--out",
        type=Path,
        default=Path(defaults.FIGURES),
        metavar="DIR",
        help=f"the folder for figures (default: ./{defaults.FIGURES})",
    )


def add_resources(parser: argparse.ArgumentParser) -> None:
    """What trials run on."""
    on = parser.add_argument_group("what it runs on")
    on.add_argument(
        "--concurrency", type=positive, metavar="N", help="trials at once (default: all CPUs)"
    )
    on.add_argument(
        "--cpus-per-trial",
        type=positive,
        default=defaults.CPUS_PER_TRIAL,
        metavar="N",
        help="threads per trial (default: %(default)s)",
    )
    add_device(on)
    on.add_argument(
        "--gpus-per-trial",
        type=at_least_zero,
        default=defaults.GPUS_PER_TRIAL,
        metavar="N",
        help="the share of a GPU that a trial takes: with 0.25 four share one"
        " (default: 1 on CUDA)",
    )
    on.add_argument(
        "--address", metavar="ADDRESS", help="a running Ray cluster, such as auto or HOST:6379"
    )
    add_memory(on)


def add_device(parser: Parser) -> None:
    """--device."""
    parser.add_argument(
        "--device",
        default=defaults.DEVICE,
        metavar="NAME",
        help="what to compute on: auto (CUDA where there is one, else the CPU), cpu, cuda, cuda:1"
        " or mps (default: %(default)s)",
    )


def add_memory(parser: Parser) -> None:
    """--memory."""
    parser.add_argument(
        "--memory",
        type=positive_float,
        default=defaults.MEMORY_GB,
        metavar="GB",
        help="memory per trial: as many seeds train at once as fit into it (default: %(default)g)",
    )


def add_margin(parser: Parser) -> None:
    """--margin."""
    parser.add_argument(
        "--margin",
        type=positive_float,
        default=defaults.MARGIN,
        metavar="POINTS",
        help="scores that are surely no further apart are called equivalent"
        " (default: %(default)g)",
    )


def add_messages(shown: Parser) -> None:
    """What is said besides the result."""
    shown.add_argument("--quiet", action="store_true", help="print the result only")
    shown.add_argument("--log-file", type=Path, metavar="FILE", help="write a log there")
    shown.add_argument(
        "-v", "--verbose", action="store_true", help="show the workers' and Ray's own messages"
    )


def means_of(options: Mapping[str, Any], stop: "threading.Event") -> "Means":
    """By which means searches run, from the options of `add_resources` and `add_messages`."""
    from l2p_search.api.conducting import Means
    from l2p_search.api.recording import Tracking
    from l2p_search.searching.running.cluster import Resources

    return Means(
        resources=Resources(
            concurrency=options["concurrency"],
            cpus_per_trial=options["cpus_per_trial"],
            device=options["device"],
            gpus_per_trial=options["gpus_per_trial"],
            address=options["address"],
            worker_log=options["verbose"] or options["log_file"] is not None,
        ),
        memory_gb=options["memory"],
        tracking=Tracking(not options["no_tracking"], options["tracking_uri"]),
        shown="off" if options["quiet"] else "auto",
        stop=stop,
        command=command_line(),
        words=in_words,
        keep_model=not options.get("no_model", True),
    )


def command_line() -> str:
    """The command as it was typed, quoted so that it can be typed again; passwords are masked."""
    return masked(shlex.join(["l2p-search", *sys.argv[1:]]))


def positive(text: str) -> int:
    """A whole number of at least 1."""
    try:
        value = int(text) if len(text) <= _DIGITS else 0
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"'{cut(text)}' is not a whole number of at least 1")
    return value


def natural(text: str) -> int:
    """A whole number of at least 0."""
    if not text.isascii() or not text.isdigit() or len(text) > _DIGITS:
        raise argparse.ArgumentTypeError(f"'{cut(text)}' is not a whole number of at least 0")
    return int(text)


def at_least_zero(text: str) -> float:
    """A number of at least 0."""
    value = _number(text)
    if not 0.0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"'{cut(text)}' is not a number of at least 0")
    return value


def duration(text: str) -> float:
    """Seconds, from 30m or 8h."""
    try:
        return parse_duration(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def positive_float(text: str) -> float:
    """A number above 0."""
    value = _number(text)
    if not 0.0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"'{cut(text)}' is not a number above 0")
    return value


def _number(text: str) -> float:
    """The number that a text says; not a number where it says none."""
    try:
        return float(text)
    except ValueError:
        return float("nan")
