"""A plan in words: what would be searched, how much that is, and how long it may take."""

from l2p_search.api.planning import Estimate, Plan, trials_at_once
from l2p_search.display.phrases import count, describe_config, size_in_words
from l2p_search.durations import format_duration
from l2p_search.errors import argument
from l2p_search.metrics import title


def plan_text(plan: Plan, concurrency: int | None, cpus_per_trial: int) -> str:
    """What would be done, line by line; words that depend on the caller are two-sided."""
    settings, goal, graph = plan.settings, plan.goal, plan.graph
    space, total, metric = settings.space, plan.trials, settings.metric
    state = "new" if plan.recorded is None else f"{plan.done} trials done"
    lines = [
        f"search    {plan.directory.name}, {state}",
        f"kept in   {plan.directory}",
        f"dataset   {graph.name}: {graph.num_nodes} nodes, {graph.num_edges} edges,"
        f" {count(graph.num_splits, 'split')}",
        f"space     {space.name}: {size_in_words(len(space.dimensions), space.size)}",
        *(f"          {key}: {dimension}" for key, dimension in space.dimensions.items()),
        *(f"          {key}: {value} (fixed)" for key, value in space.fixed.items()),
        f"sampler   {settings.sampler}, seed {settings.seed}{', racing' * settings.race}",
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
    return "\n".join(lines)


def time_text(plan: Plan, found: Estimate) -> str:
    """How long it may take, and by which trial that is told."""
    about = "about" if found.whole else "at most"
    trial = describe_config(found.config, plan.settings.space.dimensions)
    took = f"took {found.trial_seconds:.1f} s"
    if not found.whole:
        took = f"would take {found.trial_seconds:.0f} s if no seed stopped early"
    return f"time      {about} {format_duration(found.seconds)}: a trial with {trial} {took}"
