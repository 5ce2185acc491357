"""`l2p-search compare`: two searches or two trials, paired by seed and split."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from l2p_search.cli.options import add_dir
from l2p_search.errors import UserError

if TYPE_CHECKING:
    from l2p_search.report.comparison import Comparison
    from l2p_search.results import TrialResult
    from l2p_search.search.records.outcome import Outcome


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "compare",
        help="compare two searches or trials, paired by seed and split",
        description="Compare the best of two searches, or two trials (SEARCH:NUMBER), on the seeds"
        " that both have: the fresh seeds of the confirmation if both were confirmed, else the"
        " search's own.",
        epilog="example: l2p-search compare wisconsin-paper wisconsin-paper-l2s",
    )
    parser.add_argument("first", metavar="A", help="a search, or a trial such as NAME:12")
    parser.add_argument("second", metavar="B", help="another one")
    parser.add_argument("--json", action="store_true", help="print one object")
    add_dir(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read both, compare, say it in words."""
    from l2p_search.report.comparison import compare
    from l2p_search.search.records.directory import searches_folder

    folder = searches_folder(args.dir)
    first, second = _found(folder, args.first), _found(folder, args.second)
    fresh = "fresh" in first and "fresh" in second
    kind = "fresh" if fresh else "own"
    comparisons = [
        compare(first[kind], second[kind], metric) for metric in ("test_accuracy", "val_accuracy")
    ]
    if args.json:
        print(
            json.dumps(
                {
                    "first": args.first,
                    "second": args.second,
                    "fresh_seeds": fresh,
                    "comparisons": [each.to_mapping() for each in comparisons],
                },
                indent=2,
                allow_nan=False,
            )
        )
        return 0
    seeds = "fresh ones that chose nothing" if fresh else "the searches' own"
    print(f"on {comparisons[0].seeds} seeds, {seeds}; ± is the 95 % interval over splits")
    for each in comparisons:
        _print(each, args.first, args.second)
    return 0


def _print(comparison: "Comparison", first: str, second: str) -> None:
    name = {"test_accuracy": "test accuracy", "val_accuracy": "validation accuracy"}
    width = max(len(first), len(second))
    print(f"\n{name[comparison.metric]}")
    print(f"  {first:<{width}}  {comparison.first} %")
    print(f"  {second:<{width}}  {comparison.second} %")
    words = {
        "a tie": f"a tie: {first} and {second} cannot be told apart",
        "better": f"{second} is better than {first}",
        "worse": f"{second} is worse than {first}",
    }
    print(f"  difference {comparison.difference} points: {words[comparison.verdict]}")


def _found(folder: Path, text: str) -> dict[str, "TrialResult"]:
    """The result on the search's own seeds, and on fresh ones where there is one."""
    from l2p_search.search.records.directory import find_search
    from l2p_search.search.records.journal import Journal
    from l2p_search.search.records.outcome import read_outcome

    name, colon, number = text.rpartition(":")
    if not colon:
        name = text
    outcome = read_outcome(Journal.read(find_search(folder, name)))
    chosen = _numbered(outcome, text, number) if colon else outcome.best
    if chosen is None or chosen.result is None:
        raise UserError(f"{text}: has no result yet; see l2p-search trials {name}")
    found = {"own": chosen.result}
    if chosen.number in outcome.confirmations:
        found["fresh"] = outcome.confirmations[chosen.number]
    return found


def _numbered(outcome: "Outcome", text: str, number: str) -> Any:
    for record in outcome.records:
        if str(record.number) == number:
            return record
    last = len(outcome.records) - 1
    raise UserError(f"{text}: there is no trial {number}; give one of 0 to {last}")
