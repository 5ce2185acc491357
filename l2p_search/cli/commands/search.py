"""`l2p-search` without a command: the search itself."""

import argparse
import json
import shlex
import shutil
import sys
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from l2p_search import defaults
from l2p_search.cli.first_line import first_line
from l2p_search.cli.invocation import as_called
from l2p_search.cli.logs import log_to
from l2p_search.cli.next_steps import copy_of, next_steps, resume_command
from l2p_search.cli.options import (
    add_dataset,
    add_dir,
    add_margin,
    add_messages,
    add_metric,
    add_resources,
    add_tracking_uri,
    command_line,
    duration,
    means_of,
    natural,
    positive,
    reading,
)
from l2p_search.cli.signals import Signals, on_screen, say
from l2p_search.cli.telling_plans import tell_plans
from l2p_search.errors import SearchExistsError, UserError

if TYPE_CHECKING:
    from l2p_search.api.conducting import Means
    from l2p_search.api.found import Search
    from l2p_search.api.planning import Plan, Wanted
    from l2p_search.searching.running.first_worker import FirstWorker


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of a search. Those that make up a search default to None: not given."""
    what = parser.add_argument_group("what to search")
    add_dataset(what, required=False)
    what.add_argument(
        "--space",
        metavar="NAME",
        help="a space of `l2p-search spaces`, or the path of a YAML file"
        f" (default: {defaults.SPACE})",
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
        nargs="?",
        const=True,
        choices=["halving", "paired"],
        metavar="RULE",
        help="stop losing configurations before they have all their seeds; halving (the default):"
        " of those with as many seeds the best quarter goes on; paired: each goes on until it is"
        " significantly worse than the best",
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
    models: list[str | None] = [args.model]
    if args.models is not None:
        only = {key: vars(args)[key] for key in ("name", "space", "model", "register")}
        models = _models(args.models, args.dataset, only)
    # Before the imports of what follows, which take seconds and may swallow an interrupt.
    copy = copy_of(not args.no_tracking, args.tracking_uri)
    again = _again(args.name, args.dir, copy) if args.models is None else _all_again()
    with Signals(again) as signals, ExitStack() as until_the_end:
        worker = _begin(args, until_the_end)
        from l2p_search.api.planning import Wanted

        means = replace(means_of(vars(args), signals.stop), first_worker=worker)
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
            tell_plans(plans, means.resources, args.memory, as_json=args.json, quiet=args.quiet)
            return 0
        found = _run_all(plans, means, copy, as_json=args.json)
        if found and found[-1].interrupted:
            return signals.exit_code
    _print_all(found, several=args.models is not None, tracked=not args.no_tracking, args=args)
    return 0 if all(search.best is not None for search in found) else 1


def _begin(args: argparse.Namespace, until_the_end: ExitStack) -> "FirstWorker | None":
    """Say what is searched, and start the process that trains while Ray starts.

    Both before torch is imported; a program that has imported it need not be told to wait.
    """
    line = first_line(vars(args))
    if line is None or "torch" in sys.modules:
        return None
    if not args.quiet:
        line = line.replace(" and Ray start", " starts") if args.dry_run else line
        say(line, wrapped=True)
    if args.dry_run or args.address is not None or args.device not in ("auto", "cpu"):
        return None
    from l2p_search.searching.running.first_worker import FirstWorker

    worker = FirstWorker()
    until_the_end.callback(worker.close)
    return worker


def _run_all(plans: "list[Plan]", means: "Means", copy: str, *, as_json: bool) -> "list[Search]":
    """Run the searches one after another, until one is interrupted."""
    from l2p_search.api.searches import run_plan
    from l2p_search.searching.running.cluster import one_ray

    found = []
    with one_ray() if len(plans) > 1 else nullcontext():
        for place, plan in enumerate(plans, 1):
            part = f"model {place} of {len(plans)}" if len(plans) > 1 else ""
            search = run_plan(plan, replace(means, part=part))
            found.append(search)
            if search.interrupted:
                one = len(plans) == 1
                _report_interrupted(
                    search, resume_command(plan.directory, copy) if one else _all_again()
                )
                break
            if not as_json:
                _print(search, alone=len(plans) == 1)
    return found


def _print(search: "Search", *, alone: bool) -> None:
    """The result; of one of several only its first lines, as their comparison follows."""
    from rich.console import Console

    from l2p_search.display.result_text import (
        PIPED_WIDTH,
        print_to_terminal,
        print_verdict,
        summary_text,
    )

    console = Console()
    if not alone:
        console = console if console.is_terminal else Console(width=PIPED_WIDTH)
        print_verdict(search.summary(), console)
        console.print()
    elif console.is_terminal:
        print_to_terminal(search.summary(), console)
    else:
        print(summary_text(search.summary()), end="")


def _print_all(
    found: "list[Search]", *, several: bool, tracked: bool, args: argparse.Namespace
) -> None:
    """How several searches compare, and what to do next; or everything as one object."""
    from l2p_search.api.comparing import rank
    from l2p_search.display.phrases import listed

    ranking = rank(found, args.margin) if several else None
    if args.json:
        mapping = found[0].to_mapping()
        if ranking is not None:
            together = {"searches": [each.to_mapping() for each in found]}
            mapping = {**together, **ranking.to_mapping()}
        print(json.dumps(mapping, indent=2, allow_nan=False))
        return
    if ranking is not None:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        print("\n".join(on_screen(each, sys.stdout) for each in ranking.text(width).splitlines()))
    if steps := next_steps(found, tracked, args.tracking_uri):
        print(f"\n{on_screen(f'next: {listed(list(steps))}', sys.stdout)}")
        print("\n".join(f"  {command}" for command in steps.values()))


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
        question = f"{said}. Continue it?"
        if error.finished:
            question = f"{said}, all that were asked for. Show its result?"
        print(f"{question} [Y/n] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() not in ("", "y", "yes"):
            raise
    return make_plan(dataset, wanted, resume=True)


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


def _again(name: str | None, folder: Path | None, copy: str) -> str:
    """The command that continues a search which may not have been found yet."""
    command = ["l2p-search", "--resume"]
    if name is not None:
        command += ["--name", name]
    if folder is not None:
        command += ["--dir", str(folder)]
    return as_called(f"{shlex.join(command)}{copy}")


def _all_again() -> str:
    """The command that continues the searches of --models: the same, with --resume."""
    command = command_line()
    return as_called(command if "--resume" in sys.argv else f"{command} --resume")
