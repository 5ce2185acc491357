"""Outcome: what a search found, by validation alone, and what fresh seeds say of it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from l2p_search.held import HeldAgainst
from l2p_search.intervals import (
    Interval,
    indistinguishable,
    interval_of_test,
    interval_of_validation,
)
from l2p_search.results import TrialResult
from l2p_search.searching.records.controls import fresh_seeds, pieces_of
from l2p_search.searching.records.expected_best import expected_best
from l2p_search.searching.records.held_against import held_against
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.nested import Nested, nested
from l2p_search.searching.records.settings import Goal, SearchSettings
from l2p_search.trial_record import TrialRecord, best_first


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a search has found so far.

    Args:
        settings: Of the search.
        goal: Of its newest invocation; None before the first one.
        records: Every trial by number.
        confirmations: Trial number -> its result on fresh seeds, for the best trial and its ties.
        held: The best trial on those seeds beside the default configuration and controls, and on
            fresh splits.
    """

    settings: SearchSettings
    goal: Goal | None
    records: list[TrialRecord]
    confirmations: dict[int, TrialResult]
    held: HeldAgainst = field(default_factory=HeldAgainst)

    @property
    def best(self) -> TrialRecord | None:
        """The complete trial with the highest mean validation score; None without one."""
        return best_of(self.records)

    @property
    def ties(self) -> list[TrialRecord]:
        """The best trial and those that validation cannot tell from it, best first."""
        return ties_of(self.records)

    @property
    def confirmed(self) -> Interval | None:
        """The headline: the best trial's test score on fresh seeds, which chose nothing."""
        if self.best is None or self.best.number not in self.confirmations:
            return None
        return interval_of_test(self.confirmations[self.best.number])

    @property
    def protocol(self) -> Interval | None:
        """The paper's protocol: the best trial's test score on the seeds that chose it."""
        return interval_of_test(self.best.result) if self.best and self.best.result else None

    @property
    def nested(self) -> Nested | None:
        """Test scores with the configuration chosen anew for each split; None with one split."""
        return nested(self.records)

    def to_mapping(self) -> dict[str, Any]:
        """The outcome as plain JSON values; nothing in it is NaN."""
        best, metric, inner = self.best, self.settings.metric, self.nested
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
            "race": self.settings.race,
            "metric": metric,
            "trials": counts,
            "best": None if best is None else best.to_mapping(),
            "ties": [record.number for record in self.ties],
            "validation": _interval(
                interval_of_validation(best.result) if best and best.result else None
            ),
            f"confirmed_test_{metric}": _interval(self.confirmed),
            f"protocol_test_{metric}": _interval(self.protocol),
            f"nested_test_{metric}": None if inner is None else inner.to_mapping(),
            "budget": [each.to_mapping(metric) for each in expected_best(self.records)],
            "confirmations": [
                {
                    "number": number,
                    "seeds": [seed.seed for seed in result.seeds],
                    f"val_{metric}": _interval(interval_of_validation(result)),
                    f"test_{metric}": _interval(interval_of_test(result)),
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
        The best trial, and then by accuracy every complete trial that a paired t-test on
        validation cannot tell from it; empty when no trial is complete.
    """
    ordered = _complete(records)
    if not ordered or ordered[0].result is None:
        return []
    best, others = ordered[0], ordered[1:]
    return [
        best,
        *(
            record
            for record in others
            if record.result is not None and indistinguishable(record.result, ordered[0].result)
        ),
    ]


def _complete(records: Iterable[TrialRecord]) -> list[TrialRecord]:
    """The trials with all their seeds, best first."""
    return [record for record in best_first(list(records)) if record.objective is not None]


def _interval(interval: Interval | None) -> dict[str, Any] | None:
    if interval is None:
        return None
    return interval.to_mapping()
