"""`l2p-search`: the commands, and the one border where a user's mistake becomes one line."""

import argparse
import io
import os
import sys
from collections.abc import Sequence

from l2p_search import __version__
from l2p_search.cli.commands import (
    answer,
    compare,
    completion,
    datasets,
    export,
    inspect,
    node,
    paper,
    predict,
    profiles,
    publish,
    report,
    reproduce,
    search,
    spaces,
    status,
    sync,
    train,
    trials,
    ui,
)
from l2p_search.cli.signals import unwound
from l2p_search.cli.words import Parser, check_words, print_error
from l2p_search.errors import UserError

_SEARCHES = (status, trials, ui, compare, publish, export, report, reproduce, profiles, node, sync)
_COMMANDS = (answer, *_SEARCHES, paper, spaces, datasets, inspect, train, predict, completion)


def build_parser() -> argparse.ArgumentParser:
    """All commands. Nothing heavy is imported for it, so that `--help` answers at once."""
    parser = Parser(
        prog="l2p-search",
        description="Search the configuration that learns best how far messages should travel on a"
        " graph (L2P, KDD '21). Without a command: search.",
        epilog="example: l2p-search --dataset wisconsin --trials 200",
        usage="l2p-search --dataset GRAPH [OPTION ..]\n       l2p-search COMMAND [OPTION ..]",
    )
    parser.add_argument("--version", action="version", version=f"l2p-search {__version__}")
    search.add_options(parser)
    parser.set_defaults(run=search.run)
    commands = parser.add_subparsers(metavar="COMMAND", title="commands", prog="l2p-search")
    for command in _COMMANDS:
        command.add_parser(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    _speak_in_any_locale()
    _draw_without_a_screen()
    try:
        parser, words = build_parser(), sys.argv[1:] if argv is None else list(argv)
        if words[:3] == ["completion", "words", "--"]:  # asked by a shell while a user types
            return completion.print_words(parser, words[3:])
        check_words(parser, words)
        args = parser.parse_args(words)
        with unwound():
            exit_code: int = args.run(args)
    except UserError as error:
        print_error(error.message)
        return 2
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough; nothing is left to be said on that pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        print("l2p-search: interrupted", file=sys.stderr)
        return 130
    return exit_code


def _speak_in_any_locale() -> None:
    """Print a question mark for what the terminal's encoding lacks, instead of failing at a ±.

    The name of a file may be no text in any encoding; in UTF-8 it is printed as its bytes.
    """
    for stream in (sys.stdout, sys.stderr):
        if not isinstance(stream, io.TextIOWrapper):
            continue
        if stream.encoding.lower() != "utf-8":
            stream.reconfigure(errors="replace")
        elif stream.errors == "strict":
            stream.reconfigure(errors="surrogateescape")


def _draw_without_a_screen() -> None:
    """Commands write figures to files: what the environment names to show them with is not read.

    matplotlib would refuse to be imported with a name that it does not know.
    """
    if "MPLBACKEND" in os.environ:
        os.environ["MPLBACKEND"] = "agg"
