"""The dry run: what would be searched and what it may cost, of one search or one per model."""

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from l2p_search.cli.invocation import in_words
from l2p_search.cli.signals import say, tell

if TYPE_CHECKING:
    from l2p_search.api.estimating import Estimate
    from l2p_search.api.planning import Plan
    from l2p_search.searching.running.cluster import Resources

_LABEL = 10
"""Columns of a label, such as "dataset", and the spaces behind it."""


def tell_plans(
    plans: "Sequence[Plan]", wanted: "Resources", memory: float, *, as_json: bool, quiet: bool
) -> None:
    """Print each plan with what it may cost, and what all of them cost together.

    Args:
        plans: The searches, in the order in which they would be run.
        wanted: What trials would run on.
        memory: Gigabytes per trial.
        as_json: Whether to print one object instead.
        quiet: Whether nothing is said of the measuring.

    Raises:
        SearchError: The trials of a search do not fit into memory.
    """
    from l2p_search.api.plan_text import plan_mapping, totals_mapping, totals_text
    from l2p_search.training.memory import keep_freed_memory

    keep_freed_memory()  # as the workers do that are estimated
    found = []
    for place, plan in enumerate(plans, 1):
        if not as_json and place > 1:
            print()
        found.append(_told(plan, wanted, memory, as_json, quiet, f"{place} of {len(plans)}"))
    if as_json:
        told: dict[str, Any] = plan_mapping(plans[0], found[0])
        if len(plans) > 1:
            each = [plan_mapping(plan, cost) for plan, cost in zip(plans, found, strict=True)]
            told = {"plans": each, "total": totals_mapping(plans, found)}
        print(json.dumps(told, indent=2, allow_nan=False))
    elif len(plans) > 1:
        print()
        tell(totals_text(plans, found), _LABEL)


def _told(
    plan: "Plan", wanted: "Resources", memory: float, as_json: bool, quiet: bool, place: str
) -> "Estimate":
    from l2p_search.api.estimating import estimate, trials_at_once
    from l2p_search.api.measuring import MEASURED_SECONDS
    from l2p_search.api.needs import check_search_fits
    from l2p_search.api.plan_text import memory_text, plan_text, time_text
    from l2p_search.searching.running.placement import settled

    on = settled(wanted)
    at_once = trials_at_once(on.concurrency, on.cpus_per_trial, on.gpus_per_trial)
    if not as_json:
        tell(in_words(plan_text(plan, at_once, on.cpus_per_trial)), _LABEL)
        sys.stdout.flush()
    if not quiet:
        which = "" if place == "1 of 1" else f" (model {place})"
        say(f"measuring one trial{which}, about {MEASURED_SECONDS:.0f} s of CPU ..")
    check_search_fits(plan.graph, plan.settings, at_once=at_once, memory_gb=memory)
    found = estimate(
        plan,
        concurrency=at_once,
        cpus_per_trial=on.cpus_per_trial,
        memory_gb=memory,
        device=on.device,
    )
    if not as_json:
        tell(f"{time_text(plan, found)}\n{memory_text(plan, found)}", _LABEL)
        sys.stdout.flush()
    return found
