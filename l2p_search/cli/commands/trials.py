"""`l2p-search trials`: the trials of a search, the best first."""

import argparse
import csv
import json
import sys
from typing import TYPE_CHECKING, Any

from l2p_search.cli.options import add_dir, positive
from l2p_search.display.phrases import count

if TYPE_CHECKING:
    from l2p_search.trial_record import TrialRecord

_SHOWN = 20


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "trials",
        help="list the trials of a search, the best first",
        description="List the trials of a search, the best first; it may still be running.",
        epilog="example: l2p-search trials wisconsin-paper --top 20",
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="a search (default: the latest)")
    parser.add_argument(
        "--top",
        type=positive,
        metavar="N",
        help=f"at most so many trials (default: {_SHOWN} in the table, all in JSON and CSV)",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print a list of objects")
    form.add_argument("--csv", action="store_true", help="print comma-separated values")
    add_dir(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read the journal, print."""
    from l2p_search.search.records.directory import find_search, searches_folder
    from l2p_search.search.records.journal import Journal
    from l2p_search.search.records.lock import is_locked
    from l2p_search.search.records.outcome import read_outcome
    from l2p_search.trial_record import best_first

    directory = find_search(searches_folder(args.dir), args.name)
    outcome = read_outcome(Journal.read(directory))
    records, alive = best_first(outcome.records), is_locked(directory)
    if args.json or args.csv:
        rows = [_mapping(record, alive) for record in records[: args.top]]
        if args.csv:
            _print_csv(rows)
        else:
            print(json.dumps(rows, indent=2, allow_nan=False))
        return 0
    from l2p_search.display.leaderboard import print_leaderboard

    shown = records[: args.top or _SHOWN]
    title = f"search {directory.name}: {len(shown)} of {count(len(records), 'trial')}"
    print_leaderboard(outcome, shown, title, alive)
    return 0


def _mapping(record: "TrialRecord", alive: bool) -> dict[str, Any]:
    """A search that was killed could not mark its trials as interrupted."""
    from l2p_search.trial_record import INTERRUPTED

    mapping = record.to_mapping()
    if mapping["status"] == "running" and not alive:
        mapping["reason"] = INTERRUPTED
    return mapping


def _print_csv(rows: list[dict[str, Any]]) -> None:
    """One column a hyperparameter."""
    flat = [{**{key: row[key] for key in row if key != "config"}, **row["config"]} for row in rows]
    if not flat:
        return
    writer = csv.DictWriter(sys.stdout, fieldnames=list(flat[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
