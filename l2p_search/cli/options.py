"""Options that several commands share."""

import argparse
from pathlib import Path


def add_dataset(parser: argparse.ArgumentParser) -> None:
    """--dataset and --data-dir."""
    parser.add_argument(
        "--dataset",
        required=True,
        metavar="NAME",
        help="a dataset of `l2p-search datasets`, such as wisconsin, or the built-in demo",
    )
    add_data_dir(parser)


def add_data_dir(parser: argparse.ArgumentParser) -> None:
    """--data-dir."""
    parser.add_argument(
        "--data-dir",
        type=Path,
        metavar="DIR",
        help="a folder with raw files (default: $L2P_SEARCH_DATA, then ./data, then a download)",
    )


def positive(text: str) -> int:
    """A whole number of at least 1."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number of at least 1")
    return value


def positive_float(text: str) -> float:
    """A number above 0."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number above 0")
    return value
