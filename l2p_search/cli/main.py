"""`l2p-search`: the commands, and the one border where a user's mistake becomes one line."""

import argparse
import sys
from collections.abc import Sequence

from l2p_search import __version__
from l2p_search.cli import datasets, train
from l2p_search.errors import UserError

_COMMANDS = (train, datasets)


def build_parser() -> argparse.ArgumentParser:
    """All commands. Nothing heavy is imported for it, so that `--help` answers at once."""
    parser = argparse.ArgumentParser(
        prog="l2p-search",
        description="Learn how far messages should travel on a graph (L2P, KDD '21).",
        epilog="example: l2p-search train --dataset demo",
    )
    parser.add_argument("--version", action="version", version=f"l2p-search {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in _COMMANDS:
        command.add_parser(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    args = build_parser().parse_args(argv)
    try:
        exit_code: int = args.run(args)
    except UserError as error:
        print(f"l2p-search: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("l2p-search: interrupted", file=sys.stderr)
        return 130
    return exit_code
