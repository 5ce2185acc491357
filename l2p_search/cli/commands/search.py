"""`l2p-search` without a command: the search itself."""

import argparse
import json
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from l2p_search.cli.search_options import DEFAULT_CONFIRM, DEFAULT_TIES, DEFAULT_TRIALS
from l2p_search.display.phrases import elsewhere
from l2p_search.errors import SearchError, UserError

if TYPE_CHECKING:
    from l2p_search.data.graph import Graph
    from l2p_search.search.records.journal import Journal
    from l2p_search.search.records.settings import Goal, SearchSettings
    from l2p_search.search.running.run import Finish


def run(args: argparse.Namespace) -> int:
    """One search, or one of each model and how they compare."""
    log_to(args.log_file, args.verbose)
    if args.models is None:
        return _run(args, _directory(args))
    from l2p_search.cli.commands.models import print_comparison, single_searches

    singles = single_searches(args)
    directories = [_directory(single) for single in singles]
    for single, directory in zip(singles, directories, strict=True):
        code = _run(single, directory)
        if code != 0:
            return code
    if not args.dry_run:
        print_comparison(directories, args.json)
    return 0


def _directory(args: argparse.Namespace) -> Path:
    """Where the search lives; `--model` is turned into its space."""
    from l2p_search.search.records.directory import find_search, search_directory, searches_folder
    from l2p_search.search.space.shipped import DEFAULT_SPACE, space_of_model

    folder = searches_folder(args.dir)
    if args.model is not None:
        if args.space is not None:
            raise UserError(f"--space {args.space}: does not go with --model, which has its own")
        args.space = space_of_model(args.model)
    if args.name is not None:
        return search_directory(folder, args.name)
    if args.dataset is not None:
        what = args.model or Path(args.space or DEFAULT_SPACE).stem
        return search_directory(folder, f"{args.dataset}-{what}")
    if args.resume:
        return find_search(folder, None)
    raise UserError(
        "which graph? Give --dataset, such as l2p-search --dataset demo --trials 10;"
        " `l2p-search --help` has the commands"
    )


def _run(args: argparse.Namespace, directory: Path) -> int:
    from l2p_search.api.planning import new_settings, print_plan, resumed_settings
    from l2p_search.data.loading import load_graph
    from l2p_search.search.records.directory import find_search
    from l2p_search.search.records.journal import Journal

    if Journal.exists(directory):
        recorded = Journal.read(directory)
        _check_wanted(args, recorded)
        settings = resumed_settings(args, recorded)
        graph = load_graph(settings.dataset, args.data_dir)
        if graph.digest != settings.data_digest:
            raise SearchError(
                f"search '{directory.name}': the data of {settings.dataset} has changed since"
                " (another digest); search under another --name"
            )
    elif args.dataset is None:
        find_search(directory.parent, directory.name)  # raises, with the names there are
        raise AssertionError("a search without a journal was found")
    else:
        recorded = None
        settings, graph = new_settings(args)
    settings.check_possible()
    goal = _goal(args, settings, recorded)
    if args.dry_run:
        print_plan(args, directory, settings, goal, graph, recorded)
        return 0
    if recorded is None:
        journal = Journal.create(directory, settings)
    else:
        journal = Journal.resume(directory)
    try:
        return _search(args, journal, graph, goal)
    finally:
        journal.close()


def _check_wanted(args: argparse.Namespace, recorded: "Journal") -> None:
    """A search that exists is continued when asked for, never by accident."""
    if args.resume or args.dry_run:
        return
    name, done = recorded.directory.name, len(recorded.records())
    if sys.stdin.isatty() and sys.stderr.isatty() and not args.quiet:
        print(
            f"search '{name}' exists, with {done} trials. Continue it? [Y/n] ",
            end="",
            file=sys.stderr,
            flush=True,
        )
        if sys.stdin.readline().strip().lower() in ("", "y", "yes"):
            return
    raise SearchError(
        f"search '{name}' exists, with {done} trials; add --resume to continue it, or search"
        " under another --name"
    )


def _goal(
    args: argparse.Namespace, settings: "SearchSettings", recorded: "Journal | None"
) -> "Goal":
    """What was asked for, else what the search was last asked for, else the space's budget."""
    from l2p_search.search.records.settings import Goal

    before = recorded.goal if recorded is not None else None
    space = settings.space
    confirm = args.confirm
    if confirm is None:
        confirm = before.confirm if before else DEFAULT_CONFIRM
    ties = args.confirm_ties
    if ties is None:
        ties = before.ties if before else DEFAULT_TIES
    return Goal(
        ties=ties,
        trials=args.trials or (before.trials if before else space.trials or DEFAULT_TRIALS),
        confirm=confirm,
        time_budget=args.time_budget or (None if before else space.time_budget),
    )


def _search(args: argparse.Namespace, journal: "Journal", graph: "Graph", goal: "Goal") -> int:
    from l2p_search.api.conducting import conduct
    from l2p_search.search.records.directory import searches_folder

    finish, code = conduct(args, journal, graph, goal)
    if code != 0:
        return code
    return _show(args, journal, finish, elsewhere(journal.directory, searches_folder(None)))


def _show(args: argparse.Namespace, journal: "Journal", finish: "Finish", where: str) -> int:
    from l2p_search.api.exporting import write_best
    from l2p_search.display.summary import print_results
    from l2p_search.search.records.importance import importance_of

    outcome = finish.outcome
    importance = importance_of(outcome)
    best_file = write_best(journal, outcome)
    if args.json:
        mapping = {
            "name": journal.directory.name,
            "directory": str(journal.directory),
            **outcome.to_mapping(),
            "importance": importance,
            "exhausted": finish.exhausted,
            "out_of_time": finish.out_of_time,
        }
        print(json.dumps(mapping, indent=2, allow_nan=False))
    else:
        print_results(journal.directory, finish, importance, best_file, where)
    return 0 if outcome.best is not None else 1


def log_to(path: Path | None, verbose: bool) -> None:
    """Our own log to a file, and with -v to the terminal."""
    logger = logging.getLogger("l2p_search")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logger.handlers = [logging.NullHandler()]
    if verbose:
        logger.addHandler(logging.StreamHandler())
    if path is not None:
        try:
            handler = logging.FileHandler(path, encoding="utf-8")
        except OSError as error:
            raise UserError(
                f"--log-file {path}: cannot be written ({error.strerror}); choose another"
            ) from None
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        logger.addHandler(handler)
