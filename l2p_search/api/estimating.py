"""Estimating a search before it runs: how long it may take."""

import time
from dataclasses import dataclass

from l2p_search import defaults
from l2p_search.api.planning import Plan
from l2p_search.config import TrialConfig
from l2p_search.searching.running.cluster import own_cpus
from l2p_search.training.fit import Progress
from l2p_search.training.fit import fit as train

MEASURED_SECONDS = 20.0
"""The longest that one trial is trained in order to estimate the time of a search."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """How long a search may take, from one trial in the middle of its space.

    Attributes:
        config: The configuration that was measured.
        trial_seconds: How long one trial takes.
        seconds: How long the rest of the search takes.
        at_once: How many trials run at once.
        whole: Whether the trial was trained to its end. If not, its time is extrapolated to all
            its epochs, and is an upper bound: seeds may stop early.
    """

    config: TrialConfig
    trial_seconds: float
    seconds: float
    at_once: int
    whole: bool


def estimate(
    plan: Plan,
    *,
    concurrency: int | None = None,
    cpus_per_trial: int = defaults.CPUS_PER_TRIAL,
    memory_gb: float = defaults.MEMORY_GB,
) -> Estimate:
    """Train one trial in the middle of the space, and estimate how long the search may take.

    Args:
        plan: The search.
        concurrency: Trials at once; None for as many as there are CPUs.
        cpus_per_trial: Threads per trial.
        memory_gb: Memory per trial.

    Returns:
        The estimate for the trials that are missing; the confirmation is not in it.

    Raises:
        ConfigError: The configuration cannot be trained.
    """
    at_once = trials_at_once(concurrency, cpus_per_trial)
    config = plan.settings.typical_config()
    trial_seconds, whole = _measure(plan, config, memory_gb)
    total = trial_seconds * (plan.trials - plan.done) / at_once
    if plan.goal.time_budget is not None:
        total = min(total, plan.goal.time_budget)
    return Estimate(
        config=config, trial_seconds=trial_seconds, seconds=total, at_once=at_once, whole=whole
    )


def trials_at_once(concurrency: int | None, cpus_per_trial: int) -> int:
    """How many trials run at once on this machine.

    Args:
        concurrency: What was asked for; None for as many as the CPUs allow.
        cpus_per_trial: Threads per trial.

    Returns:
        At least 1.
    """
    return concurrency or max(1, own_cpus() // cpus_per_trial)


def _measure(plan: Plan, config: TrialConfig, memory_gb: float) -> tuple[float, bool]:
    """Seconds per trial, and whether it was trained to its end instead of extrapolated."""
    started = time.perf_counter()
    share = 0.0

    def watch(progress: Progress) -> None:
        nonlocal share
        # Groups of seeds that do not fit into memory together train one after another.
        share = (progress.finished + progress.training * progress.epoch / progress.epochs) / (
            progress.total
        )
        if time.perf_counter() - started > MEASURED_SECONDS:
            raise _EnoughError

    try:
        result = train(
            plan.graph,
            config,
            range(plan.settings.seeds),
            metric=plan.settings.metric,
            memory_gb=memory_gb,
            on_epoch=watch,
        )
    except _EnoughError:
        return (time.perf_counter() - started) / share, False
    return result.seconds, True


class _EnoughError(Exception):
    """The measurement has lasted long enough."""
