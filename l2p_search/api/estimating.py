"""Estimating a search before it runs: how long it may take, and how much memory."""

import math
from dataclasses import dataclass
from typing import Any

from l2p_search import defaults
from l2p_search.api.measuring import Cost, measure
from l2p_search.api.needs import Needs, needs_of_search
from l2p_search.api.planning import Plan
from l2p_search.config import TrialConfig
from l2p_search.model.devices import devices_here
from l2p_search.searching.records.controls import expected_pieces
from l2p_search.searching.running.cluster import own_cpus

_START = 10.0
"""Seconds until the workers are there."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """What a search may cost, from one trial in the middle of its space.

    Times are CPU times of the trials, as if each had a core of its own: what else runs on the
    machine does not change them.

    Attributes:
        config: The configuration that was measured.
        trial: What one trial costs.
        seconds: About how long the rest of the search takes, with its confirmation.
        confirming: How much of it the confirmation takes, with what is trained beside the best.
        at_most: How long it takes if no seed stops early and all ties are there to be confirmed.
        at_once: How many trials run at once.
        memory: What its largest configuration needs.
    """

    config: TrialConfig
    trial: Cost
    seconds: float
    confirming: float
    at_most: float
    at_once: int
    memory: Needs

    def to_mapping(self) -> dict[str, Any]:
        """The estimate as plain JSON values."""
        memory = self.memory
        return {
            "measured_config": self.config.to_mapping(),
            "trial_cpu_seconds": self.trial.seconds,
            "trial_cpu_seconds_at_most": self.trial.at_most,
            "trial_trained_to_its_end": self.trial.whole,
            "seconds": self.seconds,
            "confirmation_seconds": self.confirming,
            "seconds_at_most": self.at_most,
            "trials_at_once": self.at_once,
            "memory": {
                "largest_config": memory.config.to_mapping(),
                "seeds_together": memory.together,
                "trial_bytes": memory.trial,
                "all_bytes": memory.everything,
                "available_bytes": memory.available,
            },
        }


def estimate(
    plan: Plan,
    *,
    concurrency: int | None = None,
    cpus_per_trial: int = defaults.CPUS_PER_TRIAL,
    memory_gb: float = defaults.MEMORY_GB,
    device: str = "cpu",
) -> Estimate:
    """Measure a trial in the middle of the space, and estimate what the search may cost.

    Args:
        plan: The search.
        concurrency: Trials at once; None for as many as there are CPUs.
        cpus_per_trial: Threads per trial.
        memory_gb: Memory per trial.
        device: What the trial computes on.

    Returns:
        The estimate for the trials that are missing, and for the confirmation.

    Raises:
        ConfigError: The configuration cannot be trained.
    """
    at_once = trials_at_once(concurrency, cpus_per_trial)
    settings, goal = plan.settings, plan.goal
    memory = needs_of_search(plan.graph, settings, at_once=at_once, memory_gb=memory_gb)
    config = settings.typical_config()
    trial = measure(
        plan.graph,
        config,
        settings.seeds,
        metric=settings.metric,
        memory_gb=memory_gb,
        device=device,
    )
    # More trials at once than CPUs share them.
    side_by_side = min(at_once, trials_at_once(None, cpus_per_trial))
    confirming, confirming_at_most = (
        math.ceil(expected_pieces(settings, goal, at_most=most) / side_by_side)
        * seconds
        * goal.confirm
        / settings.seeds
        for most, seconds in ((False, trial.seconds), (True, trial.at_most))
    )
    about = _START + _trials_part(plan, trial.seconds, side_by_side) + confirming
    at_most = _START + _trials_part(plan, trial.at_most, side_by_side) + confirming_at_most
    return Estimate(
        config=config,
        trial=trial,
        seconds=about,
        confirming=confirming,
        at_most=at_most,
        at_once=at_once,
        memory=memory,
    )


def trials_at_once(
    concurrency: int | None,
    cpus_per_trial: int,
    gpus_per_trial: float | None = defaults.GPUS_PER_TRIAL,
) -> int:
    """How many trials run at once on this machine.

    Args:
        concurrency: What was asked for; None for as many as the CPUs allow.
        cpus_per_trial: Threads per trial.
        gpus_per_trial: The share of a GPU that a trial takes, if it takes one.

    Returns:
        At least 1.
    """
    possible = own_cpus() // cpus_per_trial
    if gpus_per_trial:
        gpus = sum(name.startswith("cuda") for name in devices_here())
        possible = min(possible, int(gpus / gpus_per_trial))
    return concurrency or max(1, possible)


def _trials_part(plan: Plan, trial_seconds: float, at_once: int) -> float:
    """How long the missing trials take; after the time budget none is begun."""
    left = max(0, plan.trials - plan.done)  # a recorded search may have more than are asked for
    total = math.ceil(left / at_once) * trial_seconds
    if plan.goal.time_budget is None:
        return total
    return min(total, plan.goal.time_budget + trial_seconds)
