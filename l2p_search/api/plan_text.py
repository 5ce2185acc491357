"""A plan in words: what would be searched, how many trainings that is, what it may cost."""

from collections.abc import Sequence
from typing import Any

from l2p_search.api.estimating import Estimate, trials_at_once
from l2p_search.api.planning import Plan
from l2p_search.data.catalogue import DATASETS
from l2p_search.data.graph import Graph
from l2p_search.data.limits import gigabytes
from l2p_search.display.phrases import count, describe_config, size_in_words
from l2p_search.durations import format_duration
from l2p_search.errors import argument
from l2p_search.metrics import title
from l2p_search.searching.records.controls import beside
from l2p_search.searching.records.settings import SearchSettings


def plan_text(plan: Plan, concurrency: int | None, cpus_per_trial: int) -> str:
    """What would be searched, line by line.

    Args:
        plan: The search.
        concurrency: Trials at once; None for as many as there are CPUs.
        cpus_per_trial: Threads per trial.

    Returns:
        Text for `in_python` or `in_shell`, which spell arguments in the caller's language.
    """
    settings, goal, graph = plan.settings, plan.goal, plan.graph
    space, total, metric = settings.space, plan.trials, settings.metric
    state = "new" if plan.recorded is None else f"{plan.done} trials done"
    lines = [
        f"search    {plan.directory.name}, {state}",
        f"kept in   {plan.directory}",
        f"dataset   {_graph_text(graph)}",
        f"space     {space.name}: {size_in_words(len(space.dimensions), space.size)}",
        *_left_out(settings),
        *(f"          {key}: {dimension}" for key, dimension in space.dimensions.items()),
        *(f"          {key}: {value} (fixed)" for key, value in space.fixed.items()),
        f"sampler   {settings.sampler}, seed {settings.seed}{settings.racing}",
        *(["sealed    trials compute no test score"] if settings.sealed else []),
        *([] if metric == "accuracy" else [f"metric    {title(metric)}"]),
        f"size      {count(total, 'trial')} x {count(settings.seeds, 'seed')} ="
        f" {total * settings.seeds:,} trainings,"
        f" {trials_at_once(concurrency, cpus_per_trial)} at once"
        + (" (without the race's savings)" if settings.race else ""),
    ]
    if goal.trials > total:
        lines.append(
            f"          {argument('trials', goal.trials)} is more than the space has: it stops at"
            f" {total}"
        )
    if goal.confirm:
        lines.append(
            f"          then up to {1 + goal.ties} x {goal.confirm} fresh seeds to confirm"
        )
        if named := beside(settings, goal):
            lines.append(f"          and {goal.confirm} each: {', '.join(named)}")
        if goal.no_fresh_splits is not None:
            lines.append(f"          no fresh splits: {goal.no_fresh_splits}")
    return "\n".join(lines)


def _left_out(settings: SearchSettings) -> list[str]:
    """How many points of the space are none, if any."""
    points, possible = settings.space.size, settings.size
    if points is None or possible is None or points == possible:
        return []
    excluded = points - possible
    verb = "is" if excluded == 1 else "are"
    return [f"          {excluded} of them {verb} left out: values that exclude each other"]


def _graph_text(graph: Graph) -> str:
    """A few figures of a known graph; of any other one, all that was understood."""
    if graph.name not in DATASETS:
        return graph.describe()
    splits = count(graph.num_splits, "split")
    return f"{graph.name}: {graph.num_nodes:,} nodes, {graph.num_edges:,} edges, {splits}"


def plan_mapping(plan: Plan, found: Estimate) -> dict[str, Any]:
    """A plan and what it may cost as plain JSON values.

    Args:
        plan: The search.
        found: The estimate.

    Returns:
        What `plan_text`, `time_text` and `memory_text` say.
    """
    settings, goal = plan.settings, plan.goal
    return {
        "search": plan.directory.name,
        "directory": str(plan.directory),
        "dataset": settings.dataset,
        "data_digest": settings.data_digest,
        "space": settings.space.name,
        "sampler": settings.sampler,
        "race": settings.race or False,
        "metric": settings.metric,
        "trials": plan.trials,
        "trials_done": plan.done,
        "seeds": settings.seeds,
        "trainings": plan.trials * settings.seeds,
        "confirm": goal.confirm,
        "confirm_ties": goal.ties,
        "sealed": settings.sealed,
        "controls": goal.controls,
        "fresh_splits": goal.fresh_splits,
        "no_fresh_splits": goal.no_fresh_splits,
        "time_budget": goal.time_budget,
        "estimate": found.to_mapping(),
    }


def time_text(plan: Plan, found: Estimate) -> str:
    """How long the search may take, and which trial was measured for that.

    Args:
        plan: The search.
        found: The estimate.

    Returns:
        Two lines: the time, and what it was taken from.
    """
    trial = describe_config(found.config, plan.settings.space.dimensions)
    bounds = []
    if not found.trial.whole and found.trial.at_most > found.trial.seconds:
        bounds.append("no seed stops early")
    if plan.goal.confirm and plan.goal.ties and plan.trials > 1:
        bounds.append("all ties are confirmed")
    part = f" ({format_duration(found.confirming)} of it to confirm)" * bool(found.confirming)
    limit = f"{part}, at most {format_duration(found.at_most)} if {' and '.join(bounds)}"
    took = "took" if found.trial.whole else "takes about"
    return (
        f"time      about {format_duration(found.seconds)}{limit if bounds else part}\n"
        f"          a trial with {trial} {took} {_seconds(found.trial.seconds)} of CPU"
    )


def memory_text(plan: Plan, found: Estimate) -> str:
    """How much memory the search may take.

    Args:
        plan: The search.
        found: The estimate.

    Returns:
        One line.
    """
    needs, seeds = found.memory, count(plan.settings.seeds, "seed")
    together = seeds if needs.together == plan.settings.seeds else f"{needs.together} of {seeds}"
    upto = "up to " if plan.settings.space.dimensions else ""
    return (
        f"memory    {upto}{gigabytes(needs.trial)} GB a trial ({together} at a time),"
        f" {gigabytes(needs.everything)} GB with all that runs at once;"
        f" {gigabytes(needs.available)} GB are free"
    )


def totals_mapping(plans: Sequence[Plan], found: Sequence[Estimate]) -> dict[str, Any]:
    """What several searches take that run one after another, as plain JSON values.

    Args:
        plans: The searches.
        found: The estimate of each.

    Returns:
        Sums of trials, trainings and seconds, and the memory of the largest.
    """
    return {
        "searches": len(plans),
        "trials": sum(plan.trials for plan in plans),
        "trials_done": sum(plan.done for plan in plans),
        "trainings": sum(plan.trials * plan.settings.seeds for plan in plans),
        "seconds": sum(each.seconds for each in found),
        "seconds_at_most": sum(each.at_most for each in found),
        "all_bytes": max(each.memory.everything for each in found),
    }


def totals_text(plans: Sequence[Plan], found: Sequence[Estimate]) -> str:
    """What several searches take that run one after another.

    Args:
        plans: The searches.
        found: The estimate of each.

    Returns:
        One line.
    """
    total = totals_mapping(plans, found)
    return (
        f"in all    {count(len(plans), 'model')}, {count(total['trials'], 'trial')},"
        f" {total['trainings']:,} trainings; about {format_duration(total['seconds'])},"
        f" at most {format_duration(total['seconds_at_most'])};"
        f" {gigabytes(total['all_bytes'])} GB"
    )


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 100 else format_duration(seconds)
