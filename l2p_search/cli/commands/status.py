"""`l2p-search status`: how a search stands, or all of them."""

import argparse
import json
import shlex
import sys
from typing import TYPE_CHECKING, Any

from l2p_search import defaults
from l2p_search.cli.options import add_dir
from l2p_search.display.phrases import count, describe_config, elsewhere
from l2p_search.errors import in_shell

if TYPE_CHECKING:
    from l2p_search.api.found import Search


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "status",
        help="show how a search stands, or all searches",
        description="Show how a search stands; without a name, every search.",
        epilog="example: l2p-search status wisconsin-paper",
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="a search (default: all)")
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    add_dir(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read the journals, print."""
    from l2p_search.api.opening import open_named

    searches, unreadable = open_named(args.name, args.dir)
    for error in unreadable:
        print(f"l2p-search: {in_shell(error.message)}", file=sys.stderr)
    if args.json:
        rows = [
            {"name": found.name, "running": found.running, **found.outcome.to_mapping()}
            for found in searches
        ]
        print(json.dumps(rows, indent=2, allow_nan=False))
        return 0
    for found in searches:
        _print(found)
    return 0


def _print(found: "Search") -> None:
    from l2p_search.intervals import interval_of_validation
    from l2p_search.metrics import briefly, title
    from l2p_search.results import TrialStatus
    from l2p_search.searching.records.directory import searches_folder
    from l2p_search.searching.records.lock import read_holder

    outcome, settings, running = found.outcome, found.settings, found.running
    goal, metric = outcome.goal, settings.metric
    statuses = [record.status for record in outcome.records]
    open_trials = statuses.count(TrialStatus.RUNNING)
    # A search that was killed before its first trial has no goal yet: resumed, it gets this one.
    wanted = goal.trials if goal else settings.space.trials or defaults.TRIALS
    ended = len(statuses) - open_trials
    if running:
        state = f"running (process {read_holder(found.directory).get('pid', '?')})"
    elif ended >= settings.at_most(wanted):
        state = "finished"
    else:
        state = "stopped"
    print(f"{found.name}: {state}, {ended} of {count(wanted, 'trial')}")
    print(
        f"  {settings.dataset}, space {settings.space.name}, {settings.seeds} seeds,"
        f" {settings.sampler} with seed {settings.seed}{', racing' * settings.race}"
        + ("" if metric == "accuracy" else f", by {title(metric)}")
    )
    parts = [
        f"{statuses.count(status)} {status.value.replace('_', ' ')}"
        for status in TrialStatus
        if status in statuses and status is not TrialStatus.RUNNING
    ]
    if open_trials:
        parts.append(f"{open_trials} {'running' if running else 'interrupted'}")
    print(f"  trials: {', '.join(parts) or 'none yet'}")
    best = found.best
    if best is not None and best.result is not None:
        print(
            f"  best: trial {best.number}, {briefly('validation', metric)}"
            f" {interval_of_validation(best.result)} %,"
            f" {describe_config(best.config, settings.space.dimensions)}"
        )
    if found.confirmed is not None:
        print(f"  confirmed test {title(metric)}: {found.confirmed} %")
    if state == "stopped":
        where = elsewhere(found.directory, searches_folder(None))
        print(f"  continue: l2p-search --resume --name {shlex.quote(found.name)}{where}")
