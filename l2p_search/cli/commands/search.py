"""`l2p-search` without a command: the search itself."""

import argparse
import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from l2p_search import defaults
from l2p_search.cli.options import (
    add_dataset,
    add_dir,
    add_margin,
    add_messages,
    add_metric,
    add_resources,
    add_tracking_uri,
    duration,
    log_to,
    means_of,
    natural,
    positive,
    reading,
)
from l2p_search.cli.signals import Signals, say
from l2p_search.errors import SearchExistsError, UserError

if TYPE_CHECKING:
    from l2p_search.api.found import Search
    from l2p_search.api.planning import Plan, Wanted
    from l2p_search.searching.running.cluster import Resources


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of a search. Those that make up a search default to None: not given."""
    what = parser.add_argument_group("what to search")
    add_dataset(what, required=False)
    what.add_argument(
        "--space",
        metavar="NAME",
        help=f"a space of `l2p-search spaces`, or the path of a YAML file ({defaults.SPACE})",
    )
    what.add_argument(
        "--model",
        metavar="NAME",
        help="search a model in its own space: l2q, l2s, mlp, gcn, gat, appnp, .. (see spaces)",
    )
    what.add_argument(
        "--models",
        metavar="A,B,..",
        help="search each with the same budget, and compare them paired by seed",
    )
    add_margin(what)
    what.add_argument(
        "--trials",
        type=positive,
        metavar="N",
        help=f"configurations in all, with those of a resumed search (default: the space's"
        f" budget, else {defaults.TRIALS})",
    )
    what.add_argument(
        "--seeds",
        type=positive,
        metavar="N",
        help=f"seeds per trial (default: the space's, else {defaults.SEEDS})",
    )
    what.add_argument(
        "--sampler",
        choices=["tpe", "random", "grid", "gp"],
        help=f"who proposes configurations (default: {defaults.SAMPLER})",
    )
    what.add_argument(
        "--seed",
        type=natural,
        metavar="N",
        help=f"of the sampler (default: {defaults.SAMPLER_SEED})",
    )
    what.add_argument(
        "--race",
        action="store_true",
        default=None,
        help="stop a configuration as soon as it is significantly worse on paired seeds",
    )
    add_metric(what)
    what.add_argument(
        "--confirm",
        type=natural,
        metavar="N",
        help=f"train the best on N fresh seeds (default: {defaults.CONFIRM}; 0 for none)",
    )
    what.add_argument(
        "--confirm-ties",
        type=natural,
        metavar="N",
        help=f"confirm up to N ties beside it (default: {defaults.TIES})",
    )
    what.add_argument(
        "--sealed",
        action="store_true",
        default=None,
        help="compute no test score in trials, only in the confirmation",
    )
    what.add_argument(
        "--controls",
        action=argparse.BooleanOptionalAction,
        help="train the default configuration, and for L2P MLP and the backbone at the winner's"
        " settings, on the fresh seeds too (default: yes)",
    )
    what.add_argument(
        "--fresh-splits",
        action=argparse.BooleanOptionalAction,
        help="train the best on new splits of the graph's own rule, too (default: yes)",
    )
    what.add_argument(
        "--time-budget",
        type=duration,
        metavar="TIME",
        help="start no trial after this long, such as 8h; those that run are finished",
    )
    where = parser.add_argument_group("where it is kept")
    where.add_argument("--name", metavar="NAME", help="of the search (default: dataset-space)")
    add_dir(where)
    where.add_argument(
        "--resume",
        action="store_true",
        help="continue the search of that name; without a name or dataset, the latest",
    )
    where.add_argument(
        "--register",
        metavar="NAME",
        help="make the best one's model a version of NAME in MLflow's registry, alias candidate",
    )
    where.add_argument(
        "--champion",
        action="store_true",
        default=None,
        help="give that version the alias champion too",
    )
    where.add_argument(
        "--no-model",
        action="store_true",
        help="do not keep the winner's confirmed seeds as a model, in model/ of its folder",
    )
    add_tracking_uri(where)
    where.add_argument(
        "--no-tracking",
        action="store_true",
        help="write nothing to MLflow; `sync` can do it later",
    )
    add_resources(parser)
    shown = parser.add_argument_group("what is shown")
    shown.add_argument(
        "--dry-run",
        action="store_true",
        help="print the plan, its size, time and memory; write and search nothing",
    )
    shown.add_argument("--json", action="store_true", help="print the result as one JSON object")
    add_messages(shown)


def run(args: argparse.Namespace) -> int:
    """One search, or one of each model and how they compare."""
    log_to(args.log_file, args.verbose)
    if args.dataset is None and not args.resume and args.name is None and args.models is None:
        raise UserError(
            "which graph? Give --dataset, such as l2p-search --dataset demo --trials 10;"
            " `l2p-search --help` has the commands"
        )
    # Before the imports of what follows, which may take seconds and may swallow an interrupt.
    with Signals(_again(args.name, args.dir)) as signals:
        from l2p_search.api.comparing import rank
        from l2p_search.api.planning import Wanted
        from l2p_search.api.searches import run_plan

        means = means_of(vars(args), signals.stop)
        models = [args.model]
        if args.models is not None:
            only = {key: vars(args)[key] for key in ("name", "space", "model", "register")}
            models = _models(args.models, args.dataset, only)
        plans = [
            _planned(
                args.dataset,
                Wanted(
                    name=args.name,
                    folder=args.dir,
                    space=args.space,
                    model=model,
                    trials=args.trials,
                    seeds=args.seeds,
                    sampler=args.sampler,
                    seed=args.seed,
                    race=args.race,
                    metric=args.metric,
                    confirm=args.confirm,
                    confirm_ties=args.confirm_ties,
                    time_budget=args.time_budget,
                    register=args.register,
                    champion=args.champion,
                    sealed=args.sealed,
                    controls=args.controls,
                    fresh_splits=args.fresh_splits,
                    data_dir=args.data_dir,
                    reading=reading(vars(args)),
                ),
                resume=args.resume or args.dry_run,
                ask=not args.quiet,
            )
            for model in models
        ]
        if args.dry_run:
            told = [_tell_plan(plan, means.resources, args.memory, args.json) for plan in plans]
            if args.json:
                print(_as_json(told[0] if args.models is None else {"plans": told}))
            return 0
        found = []
        for plan in plans:
            search = run_plan(plan, means)
            if search.interrupted:
                _report_interrupted(search, _again_of(plan.directory))
                return signals.exit_code
            found.append(search)
            if not args.json:
                _print(search)
            elif args.models is None:
                print(_as_json(search.to_mapping()))
        if args.models is not None and found:
            ranking = rank(found, args.margin)
            together = {"searches": [each.to_mapping() for each in found]}
            as_json = _as_json({**together, **ranking.to_mapping()})
            print(as_json if args.json else f"\n{ranking}")
    return 0 if all(search.best is not None for search in found) else 1


def _models(names: str, dataset: str | None, only: dict[str, str | None]) -> list[str | None]:
    """The models to search one after another; what belongs to one search only is refused."""
    models = [each.strip() for each in names.split(",") if each.strip()]
    if len(models) < 2 or len(set(models)) < len(models):
        raise UserError(
            f"--models {names}: name two or more different ones, such as l2q,appnp,mlp"
        )
    for option, given in only.items():
        if given is not None:
            raise UserError(
                f"--{option} {given}: does not go with --models, which has one for each"
            )
    if dataset is None:
        raise UserError("--models: give the --dataset too")
    return list(models)


def _planned(dataset: str | None, wanted: "Wanted", *, resume: bool, ask: bool) -> "Plan":
    """The plan; on a terminal a user is asked whether an existing search is continued."""
    from l2p_search.api.planning import make_plan

    try:
        return make_plan(dataset, wanted, resume=resume)
    except SearchExistsError as error:
        if not (ask and sys.stdin.isatty() and sys.stderr.isatty()):
            raise
        said = str(error).partition(";")[0]
        print(f"{said}. Continue it? [Y/n] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() not in ("", "y", "yes"):
            raise
    return make_plan(dataset, wanted, resume=True)


def _print(search: "Search") -> None:
    from rich.console import Console

    from l2p_search.data.reading_again import one_line, shell_words, train_command
    from l2p_search.display.summary import print_summary

    console = Console()
    print_summary(search.summary(), console if console.is_terminal else Console(width=140))
    if search.best is None:
        return
    name, where = shlex.quote(search.name), _where(search.directory)
    print("\nnext")
    print("  l2p-search ui                         # compare the trials in MLflow")
    print(f"  l2p-search report --search {name}{where}")
    print(f"  l2p-search export --search {name}{where} --out best.yaml")
    settings, best_file = search.settings, str(search.directory / "best.yaml")
    print(f"  {train_command(settings.graph, settings.dataset, best_file)}")
    kept, graph = search.directory / "model", shell_words(settings.graph, settings.dataset)
    if kept.is_dir() and graph is not None:
        print(f"  {one_line(['l2p-search', 'predict', str(kept), *graph])}")
    more = 2 * len(search.outcome.records)
    print(f"  l2p-search --resume --name {name}{where} --trials {more}   # search on")


def _tell_plan(
    plan: "Plan", wanted: "Resources", memory: float, as_json: bool
) -> "dict[str, Any]":
    """Print what would be searched and what it may cost; with --json only give it back."""
    from l2p_search.api.estimating import estimate, trials_at_once
    from l2p_search.api.measuring import MEASURED_SECONDS
    from l2p_search.api.needs import check_search_fits
    from l2p_search.api.plan_text import memory_text, plan_mapping, plan_text, time_text
    from l2p_search.errors import in_shell
    from l2p_search.searching.running.placement import settled
    from l2p_search.training.memory import keep_freed_memory

    keep_freed_memory()  # as the workers do that are estimated
    on = settled(wanted)
    at_once = trials_at_once(on.concurrency, on.cpus_per_trial, on.gpus_per_trial)
    if not as_json:
        print(in_shell(plan_text(plan, at_once, on.cpus_per_trial)), flush=True)
    if sys.stderr.isatty():
        say(f"measuring one trial, about {MEASURED_SECONDS:.0f} s of CPU ..")
    check_search_fits(plan.graph, plan.settings, at_once=at_once, memory_gb=memory)
    found = estimate(
        plan,
        concurrency=at_once,
        cpus_per_trial=on.cpus_per_trial,
        memory_gb=memory,
        device=on.device,
    )
    if not as_json:
        print(f"{time_text(plan, found)}\n{memory_text(plan, found)}")
    return plan_mapping(plan, found)


def _report_interrupted(search: "Search", resume: str) -> None:
    """Say what was interrupted and how to go on."""
    from l2p_search.display.phrases import count
    from l2p_search.metrics import briefly

    open_trials = [r.number for r in search.outcome.records if r.status == "running"]
    say(f"interrupted; {count(len(search.outcome.records) - len(open_trials), 'trial')} kept")
    if open_trials:
        numbers = ", ".join(map(str, open_trials))
        say(f"interrupted and to run again: {count(len(open_trials), 'trial')} ({numbers})")
    if search.best is not None:
        named = briefly("validation", search.settings.metric)
        say(f"best so far: trial {search.best.number}, {named} {search.best.objective:.2f} %")
    say(f"continue with: {resume}")


def _again(name: str | None, folder: Path | None) -> str:
    """The command that continues a search which may not have been found yet."""
    command = ["l2p-search", "--resume"]
    if name is not None:
        command += ["--name", name]
    if folder is not None:
        command += ["--dir", str(folder)]
    return shlex.join(command)


def _again_of(directory: Path) -> str:
    """The command that continues the search in that folder."""
    return f"l2p-search --resume --name {shlex.quote(directory.name)}{_where(directory)}"


def _where(directory: Path) -> str:
    from l2p_search.display.phrases import elsewhere
    from l2p_search.searching.records.directory import searches_folder

    return elsewhere(directory, searches_folder(None))


def _as_json(mapping: dict[str, object]) -> str:
    return json.dumps(mapping, indent=2, allow_nan=False)
