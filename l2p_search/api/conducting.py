"""Running one search from where its journal stands: display, tracking, signals, trials."""

import argparse
import shlex
import sys
from typing import TYPE_CHECKING

from l2p_search.display.phrases import elsewhere

if TYPE_CHECKING:
    from l2p_search.cli.signals import Signals
    from l2p_search.data.graph import Graph
    from l2p_search.search.records.journal import Journal
    from l2p_search.search.records.settings import Goal
    from l2p_search.search.running.cluster import Resources
    from l2p_search.search.running.run import Finish


def conduct(
    args: argparse.Namespace, journal: "Journal", graph: "Graph", goal: "Goal"
) -> tuple["Finish", int]:
    """Search; with the exit code, which is not 0 when it was interrupted."""
    from l2p_search.cli.signals import Signals
    from l2p_search.search.records.directory import searches_folder

    where = elsewhere(journal.directory, searches_folder(None))
    # Before the imports of what follows, which may take seconds and may swallow an interrupt.
    with Signals(f"l2p-search --resume --name {journal.directory.name}{where}") as signals:
        finish = _run(args, journal, graph, goal, signals)
        if finish.interrupted:
            signals.report(finish.outcome)
            return finish, signals.exit_code
    return finish, 0


def _run(
    args: argparse.Namespace,
    journal: "Journal",
    graph: "Graph",
    goal: "Goal",
    signals: "Signals",
) -> "Finish":
    from l2p_search.api.recording import tracking
    from l2p_search.display.live import display
    from l2p_search.progress import Event, Snapshot
    from l2p_search.search.records.versions import versions
    from l2p_search.search.running.run import run_search

    _warn_of_other_versions(journal)
    journal.begin(goal, {"command": command_line(), "versions": versions()})
    with display(journal, args.quiet) as show, tracking(args, journal) as record:

        def on_event(event: Event, snapshot: Snapshot) -> None:
            show(event, snapshot)
            record(event)

        return run_search(
            journal,
            graph,
            goal,
            resources(args),
            memory_gb=args.memory,
            on_event=on_event,
            on_pool=signals.watch,
        )


def command_line() -> str:
    """What was typed, to be recorded and to be typed again."""
    return shlex.join(["l2p-search", *sys.argv[1:]])


def resources(args: argparse.Namespace) -> "Resources":
    """What trials run on, by the options."""
    from l2p_search.search.running.cluster import Resources

    return Resources(
        concurrency=args.concurrency,
        cpus_per_trial=args.cpus_per_trial,
        gpus_per_trial=args.gpus_per_trial,
        address=args.address,
        worker_log=args.verbose or args.log_file is not None,
    )


def _warn_of_other_versions(journal: "Journal") -> None:
    """Numbers of other versions may differ in their last digits, or more."""
    from l2p_search.search.records.versions import versions

    now = versions()
    for began in journal.invocations[:1]:
        for package, version in began["versions"].items():
            if now.get(package) != version:
                print(
                    f"l2p-search: note: search '{journal.directory.name}' began with {package}"
                    f" {version}, this is {now.get(package)}; numbers may differ",
                    file=sys.stderr,
                )
