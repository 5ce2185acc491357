"""Outcome: what a search found, by validation alone, and what fresh seeds say of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from l2p_search.contenders import contenders
from l2p_search.held import HeldAgainst
from l2p_search.intervals import (
    Interval,
    interval_of_test,
    interval_of_validation,
    val_by_seed,
)
from l2p_search.other_nodes import (
    Estimate,
    NodeTerm,
    estimate_of_test,
    node_term,
    with_nodes,
)
from l2p_search.results import TrialResult, TrialStatus
from l2p_search.searching.records.controls import fresh_seeds, pieces_of
from l2p_search.searching.records.expected_best import expected_best
from l2p_search.searching.records.held_against import held_against
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.looks import Looks, looks_of
from l2p_search.searching.records.luck import Luck, luck_of
from l2p_search.searching.records.nested import Nested, nested
from l2p_search.searching.records.settings import Goal, SearchSettings
from l2p_search.trial_record import TrialRecord, best_first
from l2p_search.variances import Spread, spread_of

_COMPARED = 20
"""Of how many of the best trials the spread of differences is taken: bad ones scatter more."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a search has found so far.

    Args:
        settings: Of the search.
        goal: Of its newest invocation; None before the first one.
        records: Every trial by number.
        confirmations: Trial number -> its result on fresh seeds, for the best trial and its ties.
        looks: How often test labels were read.
        held: The best trial on those seeds beside the default configuration and controls, and on
            fresh splits.
    """

    settings: SearchSettings
    goal: Goal | None
    records: list[TrialRecord]
    confirmations: dict[int, TrialResult]
    held: HeldAgainst = field(default_factory=HeldAgainst)
    looks: Looks = field(default_factory=Looks)

    @property
    def best(self) -> TrialRecord | None:
        """The complete trial with the highest mean validation score; None without one."""
        return best_of(self.records)

    @cached_property
    def ties(self) -> list[TrialRecord]:
        """The best trial and those that may be as good on validation (Hsu), best first."""
        return ties_of(self.records)

    @cached_property
    def still_open(self) -> list[TrialRecord]:
        """Raced-out trials that the seeds they have do not rule out."""
        return open_of(self.records)

    @property
    def confirmed(self) -> Interval | None:
        """The headline: the best trial's test score on fresh seeds, which chose nothing."""
        if self.best is None or self.best.number not in self.confirmations:
            return None
        return interval_of_test(self.confirmations[self.best.number])

    @property
    def estimate(self) -> Estimate | None:
        """The same with both intervals: this graph, and other nodes of this kind."""
        if self.best is None or self.best.number not in self.confirmations:
            return None
        return estimate_of_test(self.confirmations[self.best.number])

    @property
    def protocol(self) -> Interval | None:
        """The paper's protocol: the best trial's test score on the seeds that chose it."""
        return interval_of_test(self.best.result) if self.best and self.best.result else None

    @property
    def protocol_estimate(self) -> Estimate | None:
        """The same with both intervals: what the nodes add is taken from the confirmation."""
        return None if self.protocol is None else with_nodes(self.protocol, self._node_term)

    @cached_property
    def _node_term(self) -> NodeTerm | None:
        """What the draw of test nodes adds to the variance of the best trial's mean."""
        fresh = self.confirmations.get(self.best.number) if self.best else None
        return None if fresh is None else node_term(fresh)

    @cached_property
    def spread(self) -> Spread | None:
        """Where the spread of test scores comes from; None without a result.

        Trials of a sealed search have no test scores: the confirmed ones are compared then.
        """
        complete = [each.result for each in _complete(self.records)[:_COMPARED] if each.result]
        confirmed = list(self.confirmations.values())
        tested = [each for each in complete if each.test_mean is not None]
        winner = self.confirmations.get(self.best.number) if self.best else None
        return spread_of(winner, tested if len(tested) > 1 else confirmed)

    @property
    def nested(self) -> Nested | None:
        """Test scores with the configuration chosen anew for each split; None with one split."""
        return nested(self.records, self._node_term)

    @property
    def luck(self) -> Luck | None:
        """The headline with intervals that include the luck of the search."""
        return luck_of(self.records, self.estimate)

    def to_mapping(self) -> dict[str, Any]:
        """The outcome as plain JSON values; nothing in it is NaN."""
        best, metric, inner, luck = self.best, self.settings.metric, self.nested, self.luck
        counts: dict[str, int] = {}
        for record in self.records:
            counts[record.status.value] = counts.get(record.status.value, 0) + 1
        return {
            "dataset": self.settings.dataset,
            "data_digest": self.settings.data_digest,
            "space": self.settings.space.name,
            "seeds": self.settings.seeds,
            "sampler": self.settings.sampler,
            "seed": self.settings.seed,
            "race": self.settings.race or False,
            "sealed": self.settings.sealed,
            "test_looks": self.looks.to_mapping(),
            "metric": metric,
            "trials": counts,
            "best": None if best is None else best.to_mapping(),
            "ties": [record.number for record in self.ties],
            "raced_out_not_ruled_out": [record.number for record in self.still_open],
            "validation": _interval(
                interval_of_validation(best.result) if best and best.result else None
            ),
            f"confirmed_test_{metric}": _interval(self.estimate),
            f"confirmed_test_{metric}_with_luck": None if luck is None else luck.to_mapping(),
            f"protocol_test_{metric}": _interval(self.protocol_estimate),
            f"nested_test_{metric}": None if inner is None else inner.to_mapping(),
            "spread": None if self.spread is None else self.spread.to_mapping(),
            "budget": [each.to_mapping(metric) for each in expected_best(self.records)],
            "confirmations": [
                {
                    "number": number,
                    "seeds": [seed.seed for seed in result.seeds],
                    f"val_{metric}": _interval(interval_of_validation(result)),
                    f"test_{metric}": _interval(estimate_of_test(result)),
                    f"test_{metric}_std": result.test_std,
                }
                for number, result in self.confirmations.items()
            ],
            **self.held.to_mapping(metric),
            "profile": best.result.profile if best and best.result else None,
        }


def read_outcome(journal: Journal) -> Outcome:
    """Read what a search has found by now.

    Args:
        journal: The search, running or ended.

    Returns:
        Its outcome. Confirmations are those on as many fresh seeds as the newest invocation
        asks for, or on the largest number of them where no invocation is noted.
    """
    records, settings, goal = journal.records(), journal.settings, journal.goal
    checked = journal.checked()
    wanted = goal or Goal(trials=len(records), confirm=_most_fresh(key[1] for key in checked))
    fresh = fresh_seeds(settings, wanted.confirm)
    ties = ties_of(records)
    trials = {record.config.config_id: record.number for record in records}
    return Outcome(
        settings=settings,
        goal=goal,
        records=records,
        confirmations={
            record.number: checked[record.config.config_id, fresh, None]
            for record in ties
            if (record.config.config_id, fresh, None) in checked
        },
        held=held_against(
            pieces_of(settings, wanted, ties[:1]), checked, trials, wanted.no_fresh_splits
        ),
        looks=looks_of(records, checked.values(), journal.looks),
    )


def _most_fresh(confirmations: Iterable[tuple[int, ...]]) -> int:
    """The largest number of fresh seeds among the confirmations."""
    return max(map(len, confirmations), default=0)


def best_of(records: Iterable[TrialRecord]) -> TrialRecord | None:
    """The complete trial with the highest mean validation score.

    Args:
        records: Trials in any order and of any status.

    Returns:
        The best one, the earlier one of equals; None when no trial is complete.
    """
    return next(iter(_complete(records)), None)


def ties_of(records: Iterable[TrialRecord]) -> list[TrialRecord]:
    """The trials that may be as good as the best.

    Args:
        records: Trials in any order and of any status.

    Returns:
        The best trial, and then by accuracy every complete trial that Hsu's comparison with the
        best does not rule out on validation; empty when no trial is complete.
    """
    ordered = _complete(seen := list(records))
    return [*ordered[:1], *_not_ruled_out(ordered, seen, ordered)]


def open_of(records: Iterable[TrialRecord]) -> list[TrialRecord]:
    """The raced-out trials that might have been as good as the best with all their seeds.

    Args:
        records: Trials in any order and of any status.

    Returns:
        Those that the seeds they have do not rule out. They cannot win: they stopped because
        they would hardly have ended above the best.
    """
    ordered = _complete(seen := list(records))
    stopped = [each for each in seen if each.status is TrialStatus.RACED_OUT]
    return _not_ruled_out(ordered, seen, stopped)


def _not_ruled_out(
    ordered: Sequence[TrialRecord], seen: Sequence[TrialRecord], asked: Sequence[TrialRecord]
) -> list[TrialRecord]:
    """Those of the asked that may be as good as the first of the ordered.

    It was selected among all trials that were tried, those of a race included.
    """
    if not ordered or ordered[0].result is None:
        return []
    best = ordered[0].result
    tried = (TrialStatus.COMPLETE, TrialStatus.RACED_OUT)
    others = {
        each.number: val_by_seed(each.result)
        for each in seen
        if each.status in tried and each.result is not None and each.number != ordered[0].number
    }
    splits = {seed.seed: seed.split for seed in best.finished}
    found = contenders(val_by_seed(best), list(others.values()), splits)
    tied = {number for number, each in zip(others, found, strict=True) if each.tied}
    return [each for each in asked if each.number in tied]


def _complete(records: Iterable[TrialRecord]) -> list[TrialRecord]:
    """The trials with all their seeds, best first."""
    return [record for record in best_first(list(records)) if record.objective is not None]


def _interval(interval: Interval | Estimate | None) -> dict[str, Any] | None:
    if interval is None:
        return None
    return interval.to_mapping()
