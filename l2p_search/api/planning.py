"""What a search is going to be: its settings from the command line, and `--dry-run`."""

import argparse
import sys
import time
from pathlib import Path

from l2p_search.cli.commands.spaces import size_in_words
from l2p_search.cli.search_options import DEFAULT_SEEDS
from l2p_search.config import DEFAULTS, TrialConfig
from l2p_search.data.catalogue import find_dataset
from l2p_search.data.graph import Graph
from l2p_search.data.loading import load_graph
from l2p_search.display.phrases import count, describe_config
from l2p_search.durations import format_duration
from l2p_search.errors import SearchError
from l2p_search.search.records.journal import Journal
from l2p_search.search.records.settings import Goal, SearchSettings
from l2p_search.search.running.cluster import own_cpus
from l2p_search.search.space.shipped import DEFAULT_SPACE, load_space
from l2p_search.training.fit import Progress, fit

_MEASURED_SECONDS = 20.0


def new_settings(args: argparse.Namespace) -> tuple[SearchSettings, Graph]:
    """The settings of a search that begins, with its graph."""
    dataset = find_dataset(args.dataset)
    space = load_space(args.space or DEFAULT_SPACE)
    graph = load_graph(dataset.name, args.data_dir)
    settings = SearchSettings(
        dataset=dataset.name,
        data_digest=graph.digest,
        space=space,
        base=DEFAULTS[dataset.kind],
        seeds=args.seeds or space.seeds or DEFAULT_SEEDS,
        sampler=args.sampler or "tpe",
        seed=args.seed or 0,
        race=bool(args.race),
    )
    return settings, graph


def resumed_settings(args: argparse.Namespace, journal: Journal) -> SearchSettings:
    """The settings that the search began with; what is given again must agree with them."""
    settings = journal.settings
    given = {
        "--dataset": (args.dataset, settings.dataset),
        "--seeds": (args.seeds, settings.seeds),
        "--sampler": (args.sampler, settings.sampler),
        "--seed": (args.seed, settings.seed),
        "--race": (args.race, settings.race),
    }
    for option, (now, began) in given.items():
        if now is not None and now != began:
            raise SearchError(
                f"{option} {now}: search '{journal.directory.name}' began with {began}; leave it"
                " out to continue, or search under another --name"
            )
    space = settings.space if args.space is None else load_space(args.space)
    if (space.dimensions, space.fixed) != (settings.space.dimensions, settings.space.fixed):
        raise SearchError(
            f"--space {args.space}: is not the space that search '{journal.directory.name}' began"
            " with; leave it out to continue, or search under another --name"
        )
    return settings


def print_plan(
    args: argparse.Namespace,
    directory: Path,
    settings: SearchSettings,
    goal: Goal,
    graph: Graph,
    recorded: Journal | None,
) -> None:
    """Print what would be done and how long it may take, from one trial in the space's middle."""
    space = settings.space
    total = space.at_most(goal.trials)
    done = 0 if recorded is None else sum(r.result is not None for r in recorded.records())
    at_once = args.concurrency or max(1, own_cpus() // args.cpus_per_trial)
    print(f"search    {directory.name}, {'new' if recorded is None else f'{done} trials done'}")
    print(f"kept in   {directory}")
    print(
        f"dataset   {graph.name}: {graph.num_nodes} nodes, {graph.num_edges} edges,"
        f" {count(graph.num_splits, 'split')}"
    )
    print(f"space     {space.name}: {size_in_words(space)}")
    for key, dimension in space.dimensions.items():
        print(f"          {key}: {dimension}")
    for key, value in space.fixed.items():
        print(f"          {key}: {value} (fixed)")
    print(f"sampler   {settings.sampler}, seed {settings.seed}{', racing' * settings.race}")
    print(
        f"size      {count(total, 'trial')} x {count(settings.seeds, 'seed')} ="
        f" {total * settings.seeds:,} trainings, {at_once} at once"
        + (" (without the race's savings)" if settings.race else "")
    )
    if goal.trials > total:
        print(f"          --trials {goal.trials} is more than the space has: it stops at {total}")
    if goal.confirm:
        print(f"          then up to {1 + goal.ties} x {goal.confirm} fresh seeds to confirm")
    if sys.stderr.isatty():
        print(f"measuring one trial, {_MEASURED_SECONDS:.0f} s at most ..", file=sys.stderr)
    config = settings.config(space.middle())
    seconds, whole = _measure(graph, config, settings.seeds, args.memory)
    estimate = seconds * (total - done) / at_once
    if goal.time_budget is not None:
        estimate = min(estimate, goal.time_budget)
    print(
        f"time      {'about' if whole else 'at most'} {format_duration(estimate)}: a trial with"
        f" {describe_config(config, space.dimensions)}"
        + (
            f" took {seconds:.1f} s"
            if whole
            else f" would take {seconds:.0f} s if no seed stopped early"
        )
    )


def _measure(
    graph: Graph, config: TrialConfig, seeds: int, memory_gb: float
) -> tuple[float, bool]:
    """Seconds of a trial, and whether it was trained whole or extrapolated to all its epochs."""
    started = time.perf_counter()
    share = 0.0

    def watch(progress: Progress) -> None:
        nonlocal share
        # Groups of seeds that do not fit into memory together train one after another.
        share = (progress.finished + progress.training * progress.epoch / progress.epochs) / (
            progress.total
        )
        if time.perf_counter() - started > _MEASURED_SECONDS:
            raise _EnoughError

    try:
        return fit(graph, config, range(seeds), memory_gb=memory_gb, on_epoch=watch).seconds, True
    except _EnoughError:
        return (time.perf_counter() - started) / share, False


class _EnoughError(Exception):
    """The measurement has lasted long enough."""
