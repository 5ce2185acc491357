"""`l2p-search sync`: bring MLflow up to date with the journals."""

import argparse
from typing import Any

from l2p_search.cli.options import add_dir, add_tracking_uri


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "sync",
        help="bring MLflow up to date with what searches have recorded",
        description="Write to MLflow what is missing there: after an outage, from another machine,"
        " or to another server. Nothing is written twice.",
        epilog="example: l2p-search sync wisconsin-paper",
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="a search (default: all)")
    add_tracking_uri(parser)
    add_dir(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write every search's trials that are not there."""
    from l2p_search.api.recording import search_entry, trial_entry, trial_uid
    from l2p_search.display.phrases import count
    from l2p_search.results import TrialStatus
    from l2p_search.search.records.directory import find_search, list_searches, searches_folder
    from l2p_search.search.records.journal import Journal
    from l2p_search.search.records.lock import is_locked
    from l2p_search.search.records.outcome import read_outcome
    from l2p_search.tracking.mlflow_tracker import MlflowTracker, explained
    from l2p_search.tracking.store import find_store

    folder = searches_folder(args.dir)
    newest = find_search(folder, args.name)
    store = find_store(args.tracking_uri)
    with explained(store):
        tracker = MlflowTracker(store)
        for directory in [newest] if args.name else list_searches(folder):
            journal = Journal.read(directory)
            outcome = read_outcome(journal)
            search = search_entry(journal, outcome)
            parent = tracker.begin(search)
            before = tracker.recorded(parent)
            for record in outcome.records:
                uid = trial_uid(journal, record)
                if record.status is not TrialStatus.RUNNING and not tracker.has(parent, uid):
                    tracker.record(parent, search, trial_entry(journal, record))
            if not is_locked(directory):
                unfinished = any(r.status is TrialStatus.RUNNING for r in outcome.records)
                tracker.finish(parent, search, interrupted=unfinished)
            new = tracker.recorded(parent) - before
            print(f"{directory.name}: {count(new, 'trial')} written, {before} were there")
    return 0
