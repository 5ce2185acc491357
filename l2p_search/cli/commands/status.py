"""`l2p-search status`: how a search stands, or all of them."""

import argparse
import json
from typing import TYPE_CHECKING, Any

from l2p_search.cli.invocation import in_words
from l2p_search.cli.next_steps import full_command, resume_command
from l2p_search.cli.options import add_dir, add_search, search_name
from l2p_search.cli.signals import tell
from l2p_search.display.phrases import count

if TYPE_CHECKING:
    from pathlib import Path

    from l2p_search.api.statuses import Status

_FINISHED, _STOPPED = "finished", "stopped"


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "status",
        help="show how a search stands, or all searches",
        description="Show how a search stands; without a name, every search.",
        epilog="example: l2p-search status wisconsin-paper --full",
    )
    add_search(parser, "all")
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--full",
        action="store_true",
        help="print everything that is known: every test score with its two intervals, the best"
        " trials, which hyperparameters mattered",
    )
    form.add_argument("--json", action="store_true", help="print a list of objects")
    add_dir(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read the journals, print; a search that cannot be read has its line among the others."""
    from l2p_search.api.statuses import Status, statuses
    from l2p_search.searching.records.lock import is_locked

    name = search_name(vars(args))
    found = statuses(name, args.dir, whole=args.json)
    if args.json:
        rows = [
            {"name": directory.name, "running": is_locked(directory), **status.found}
            if isinstance(status, Status)
            else {"name": directory.name, "error": in_words(status.message)}
            for directory, status in found
        ]
        print(json.dumps(rows, indent=2, allow_nan=False))
        return 0
    for place, (directory, status) in enumerate(found):
        if not isinstance(status, Status):
            print(f"{directory.name}: cannot be read\n  {in_words(status.message)}")
        elif args.full:
            print("\n" * bool(place), end="")
            _print_full(directory, status)
        else:
            _print(directory, status)
            if name is not None and status.best is not None:
                print(f"  everything: {full_command(directory)}")
    return 0


def _print_full(directory: "Path", status: "Status") -> None:
    """What the search has found, and before it how it stands unless it has ended."""
    from rich.console import Console

    from l2p_search.api.opening import open_search
    from l2p_search.display.result_text import print_full

    if _state(directory, status) != _FINISHED:
        _print(directory, status)
        print()
    console, search = Console(), open_search(directory.name, directory.parent)
    if console.is_terminal:
        print_full(search.summary(), console)
    else:
        print(search.text(full=True), end="")


def _state(directory: "Path", status: "Status") -> str:
    from l2p_search.searching.records.lock import is_locked, read_holder

    if is_locked(directory):
        return f"running (process {read_holder(directory).get('pid', '?')})"
    return _FINISHED if status.ended >= status.size else _STOPPED


def _print(directory: "Path", status: "Status") -> None:
    from l2p_search.metrics import briefly, title

    found, state = status.found, _state(directory, status)
    running = state not in (_FINISHED, _STOPPED)
    metric, counts = found["metric"], found["trials"]
    tell(f"{directory.name}: {state}, {status.ended} of {count(status.trials, 'trial')}")
    tell(
        f"  {found['dataset']}, space {found['space']}, {found['seeds']} seeds, {status.sampler}"
        + ("" if metric == "accuracy" else f", by {title(metric)}")
    )
    parts = [
        f"{counts[name]} {name.replace('_', ' ')}"
        for name in ("complete", "raced_out", "failed")
        if name in counts
    ]
    if status.open:
        parts.append(f"{status.open} {'running' if running else 'interrupted'}")
    tell(f"  trials: {', '.join(parts) or 'none yet'}")
    if status.best is not None:
        score, config = status.best
        number = found["best"]["number"]
        tell(f"  best: trial {number}, {briefly('validation', metric)} {score} %, {config}")
    if status.confirmed is not None:
        tell(f"  confirmed test {title(metric)}: {status.confirmed} %")
    if state == _STOPPED:
        print(f"  continue: {resume_command(directory)}")
