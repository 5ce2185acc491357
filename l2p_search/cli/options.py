"""Options that several commands share."""

import argparse
from pathlib import Path

from l2p_search.durations import parse_duration

Parser = argparse.ArgumentParser | argparse._ArgumentGroup


def add_dataset(parser: argparse.ArgumentParser) -> None:
    """--dataset and --data-dir."""
    parser.add_argument(
        "--dataset",
        required=True,
        metavar="NAME",
        help="a dataset of `l2p-search datasets`, such as wisconsin, or the built-in demo",
    )
    add_data_dir(parser)


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


def positive(text: str) -> int:
    """A whole number of at least 1."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number of at least 1")
    return value


def natural(text: str) -> int:
    """A whole number of at least 0."""
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number of at least 0")
    return int(text)


def at_least_zero(text: str) -> float:
    """A number of at least 0."""
    return 0.0 if text.strip() in ("0", "0.0") else positive_float(text)


def duration(text: str) -> float:
    """Seconds, from 30m or 8h."""
    try:
        return parse_duration(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def positive_float(text: str) -> float:
    """A number above 0."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number above 0")
    return value
