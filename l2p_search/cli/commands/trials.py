"""`l2p-search trials`: the trials of a search, the best first."""

import argparse
import csv
import json
import sys
from typing import Any

from l2p_search.cli.options import add_dir, add_search, positive, search_name
from l2p_search.display.phrases import count

_SHOWN = 20


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "trials",
        help="list the trials of a search, the best first",
        description="List the trials of a search, the best first; it may still be running.",
        epilog="example: l2p-search trials wisconsin-paper --top 20",
    )
    add_search(parser)
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
    from l2p_search.api.opening import open_search

    found = open_search(search_name(vars(args)), args.dir)
    if args.json:
        print(json.dumps(found.rows()[: args.top], indent=2, allow_nan=False))
    elif args.csv:
        _print_csv(found.rows()[: args.top])
    else:
        from rich.console import Console

        from l2p_search.display.leaderboard import LEGEND, leaderboard
        from l2p_search.trial_record import best_first

        console = Console()
        console = console if console.is_terminal else Console(width=140)
        records = best_first(found.outcome.records)
        shown = records[: args.top or _SHOWN]
        table = leaderboard(
            shown,
            keys=list(found.settings.space.dimensions),
            best=found.best,
            ties={record.number for record in found.ties},
            title=f"search {found.name}: {len(shown)} of {count(len(records), 'trial')}",
            metric=found.settings.metric,
            alive=found.running,
            width=console.width,
        )
        console.print(table)
        console.print(LEGEND, highlight=False)
    return 0


def _print_csv(rows: list[dict[str, Any]]) -> None:
    """One column per hyperparameter."""
    flat = [{**{key: row[key] for key in row if key != "config"}, **row["config"]} for row in rows]
    if not flat:
        return
    writer = csv.DictWriter(sys.stdout, fieldnames=list(flat[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
