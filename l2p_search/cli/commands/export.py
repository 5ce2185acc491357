"""`l2p-search export`: the best configuration of a search, to take away."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from l2p_search.cli.options import add_dir
from l2p_search.cli.output import write_output
from l2p_search.errors import UserError

if TYPE_CHECKING:
    from l2p_search.search.records.journal import Journal
    from l2p_search.search.records.outcome import Outcome

_SUFFIXES = {"yaml": "yaml", "json": "json", "script": "py"}


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "export",
        help="write the best configuration of a search, with where it came from",
        description="Write the best configuration of a search, with where it came from;"
        " `l2p-search train --config FILE` gives its numbers again.",
        epilog="example: l2p-search export --dataset wisconsin --out wisconsin.yaml",
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--dataset", metavar="NAME", help="the best of its latest search")
    which.add_argument("--search", metavar="NAME", help="the best of this search")
    which.add_argument("--all", action="store_true", help="of every dataset's latest search")
    parser.add_argument("--format", choices=list(_SUFFIXES), default="yaml", help="(yaml)")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="write there instead of to stdout; with --all a folder, a file a dataset",
    )
    add_dir(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Find the searches, write their best configurations."""
    from l2p_search.report.config_file import as_json, as_yaml
    from l2p_search.report.script import as_script

    forms = {"yaml": as_yaml, "json": as_json, "script": as_script}
    written = 0
    for journal, outcome in _searches(args):
        from l2p_search.api.exporting import provenance_of

        provenance, best = provenance_of(journal, outcome), outcome.best
        if provenance is None or best is None:
            continue
        text = forms[args.format](best.config, provenance)
        out = args.out
        if args.all and out is not None:
            out = out / f"{outcome.settings.dataset}.{_SUFFIXES[args.format]}"
        if out is None:
            print(text, end="")
        else:
            write_output(out, text)
        written += 1
    if not written:
        raise UserError("no search has a complete trial yet; see l2p-search status")
    return 0


def _searches(args: argparse.Namespace) -> list[tuple["Journal", "Outcome"]]:
    """The searches that are asked for; of a dataset the latest that has a best."""
    from l2p_search.search.records.directory import find_search, list_searches, searches_folder
    from l2p_search.search.records.journal import Journal
    from l2p_search.search.records.outcome import read_outcome

    folder = searches_folder(args.dir)
    newest = find_search(folder, args.search)
    directories = [newest] if args.search else list_searches(folder)
    latest: dict[str, tuple[Journal, Outcome]] = {}
    for directory in directories:
        journal = Journal.read(directory)
        outcome = read_outcome(journal)
        if outcome.best is not None:
            latest.setdefault(outcome.settings.dataset, (journal, outcome))
    if args.dataset is None:
        return list(latest.values())
    if args.dataset not in latest:
        there = ", ".join(sorted(latest)) or "none"
        raise UserError(
            f"--dataset {args.dataset}: no search of it in {folder} has a complete trial"
            f" (there are: {there}); search it first"
        )
    return [latest[args.dataset]]
