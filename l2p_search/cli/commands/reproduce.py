"""`l2p-search reproduce`: train a recorded trial again and compare its numbers."""

import argparse
import json
from pathlib import Path
from typing import Any

from l2p_search import defaults
from l2p_search.cli.options import add_dir, add_search_flag, positive, search_name
from l2p_search.display.phrases import count


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "reproduce",
        help="train a recorded trial again and compare its numbers",
        description="Train a recorded trial again on its graph and seeds. On the same machine and"
        " versions every number comes back to the last bit; elsewhere it is told what differs, and"
        " by how much. The exit code is 0 when all are equal, else 1.",
        epilog="example: l2p-search reproduce wisconsin-paper:45",
    )
    parser.add_argument(
        "name",
        nargs="?",
        metavar="SEARCH[:TRIAL]",
        help="a search and the number of a trial (default: the latest, its best trial)",
    )
    add_search_flag(parser)
    parser.add_argument("--data-dir", type=Path, metavar="DIR", help="a folder with raw files")
    parser.add_argument(
        "--threads", type=positive, metavar="N", help="threads of torch (default: as it had)"
    )
    parser.add_argument("--json", action="store_true", help="print one object")
    add_dir(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Train, compare, print."""
    from l2p_search.api.opening import split_trial
    from l2p_search.api.reproducing import reproduce

    trial = search_name(vars(args))
    name, number = (None, None) if trial is None else split_trial(trial)
    found = reproduce(
        name,
        number,
        folder=args.dir,
        data_dir=args.data_dir,
        threads=args.threads,
        memory_gb=defaults.MEMORY_GB,
    )
    if args.json:
        print(json.dumps(found.to_mapping(), indent=2, allow_nan=False))
        return 0 if found.equal else 1
    seeds = count(len(found.recorded.seeds), "seed")
    where = f"trial {found.number} of {found.search}, {seeds}"
    if found.equal:
        print(f"{where}: equal to the last bit")
    else:
        print(f"{where}: {len(found.differing)} of them differ")
        for key, largest in found.largest.items():
            print(f"  {key}: by at most {largest:.3g}")
    for key, (was, now) in found.elsewhere.items():
        print(f"  {key} was {was}, is {now}")
    if not found.equal and not found.elsewhere:
        print("  packages and machine are those that were noted")
    return 0 if found.equal else 1
