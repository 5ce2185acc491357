"""Which of several searches is meant by "the best of a dataset": one rule for every command."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from l2p_search.metrics import Metric
from l2p_search.results import TrialStatus
from l2p_search.searching.records.settings import Goal
from l2p_search.trial_record import TrialRecord

Search = TypeVar("Search")

RULE = (
    "finished searches before interrupted ones, then those with the most seeds per trial, then the"
    " best validation score; of equals the latest"
)
"""The rule in words, for help and documentation."""


@dataclass(frozen=True)
class Facts:
    """What the rule reads of a search.

    Attributes:
        finished: Whether no trial of it is open, and it was confirmed if its goal asks for that.
        seeds: Seeds per trial.
        metric: What it is judged by.
        score: The best trial's mean on validation nodes.
    """

    finished: bool
    seeds: int
    metric: Metric
    score: float


def facts(
    records: Iterable[TrialRecord],
    goal: Goal | None,
    confirmed: bool,
    *,
    seeds: int,
    metric: Metric,
    score: float,
) -> Facts:
    """The facts of a search.

    Args:
        records: Its trials.
        goal: Of its newest invocation.
        confirmed: Whether a configuration of it was trained on fresh seeds.
        seeds: Seeds per trial.
        metric: What it is judged by.
        score: The mean on validation nodes of the trial that is meant.

    Returns:
        Them.
    """
    still_open = any(record.status is TrialStatus.RUNNING for record in records)
    enough = confirmed or (goal is not None and not goal.confirm)
    return Facts(finished=enough and not still_open, seeds=seeds, metric=metric, score=score)


def preferred(searches: Sequence[Search], of: Callable[[Search], Facts]) -> Search:
    """The search that the rule chooses.

    Scores by different metrics cannot be compared: those by the latest search's metric count.

    Args:
        searches: At least one, the latest first.
        of: Gives the facts of one.

    Returns:
        One of them.

    Example:
        >>> whole = Facts(finished=True, seeds=20, metric="accuracy", score=80.0)
        >>> broken = Facts(finished=False, seeds=20, metric="accuracy", score=90.0)
        >>> preferred([broken, whole], lambda each: each).score
        80.0
    """
    known = [(each, of(each)) for each in searches]
    known = [pair for pair in known if pair[1].finished] or known
    seeds = max(pair[1].seeds for pair in known)
    known = [pair for pair in known if pair[1].seeds == seeds]
    metric = known[0][1].metric
    known = [pair for pair in known if pair[1].metric == metric]
    return max(known, key=lambda pair: pair[1].score)[0]
