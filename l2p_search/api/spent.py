"""What a method was given: trials, the size of its space, seeds, and the CPU time it took.

A score says little without it: a method that was tuned ten times longer is often the better one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from l2p_search.display.phrases import count
from l2p_search.durations import format_duration
from l2p_search.results import TrialResult
from l2p_search.searching.records.settings import SearchSettings
from l2p_search.trial_record import TrialRecord


@dataclass(frozen=True, kw_only=True)
class Spent:
    """The budget of one search, as it was used.

    Attributes:
        trials: How many were made; raced-out and failed ones count.
        seeds: Per trial.
        dimensions: How many hyperparameters vary.
        configurations: How many there are in the space; None where they cannot be counted.
        trainings: Seeds that were trained in the trials.
        cpu_seconds: The CPU time of all of them; None where it was not recorded.
        seconds: Their time by the clock, one after another.
        after: The CPU time of what was trained after the choice, on fresh seeds: the winner, its
            ties and its controls. None where it was not recorded.
    """

    trials: int
    seeds: int
    dimensions: int
    configurations: int | None
    trainings: int
    cpu_seconds: float | None
    seconds: float
    after: float | None = 0.0

    @property
    def time(self) -> str:
        """The CPU time for people; by the clock, and said so, where it was not recorded."""
        if self.cpu_seconds is None:
            return f"{format_duration(self.seconds)} by the clock"
        return f"{format_duration(self.cpu_seconds)} of CPU"

    @property
    def size(self) -> str:
        """How many configurations the space has, for people."""
        if self.configurations is None:
            return "a space that is not countable"
        return count(self.configurations, "configuration")

    def to_mapping(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "trials": self.trials,
            "seeds": self.seeds,
            "hyperparameters": self.dimensions,
            "configurations": self.configurations,
            "trainings": self.trainings,
            "cpu_seconds": self.cpu_seconds,
            "seconds": self.seconds,
            "confirmation_cpu_seconds": self.after,
        }

    def __str__(self) -> str:
        """For people: 6 trials of 5 seeds from 432 configurations, 17 s of CPU."""
        trials = f"{count(self.trials, 'trial')} of {count(self.seeds, 'seed')}"
        return f"{trials} from {self.size}, {self.time}"


def spent(
    settings: SearchSettings, records: Sequence[TrialRecord], confirmations: Iterable[TrialResult]
) -> Spent:
    """Add up what a search has used.

    Args:
        settings: Of the search.
        records: Its trials.
        confirmations: What was trained on fresh seeds, after the choice.

    Returns:
        The sum.
    """
    trained = [record.result for record in records if record.result is not None]
    return Spent(
        trials=len(records),
        seeds=settings.seeds,
        dimensions=len(settings.space.dimensions),
        configurations=settings.size,
        trainings=sum(len(each.seeds) for each in trained),
        cpu_seconds=_cpu(trained),
        seconds=sum(each.seconds for each in trained),
        after=_cpu(confirmations),
    )


def _cpu(results: Iterable[TrialResult]) -> float | None:
    times = [each.cpu_seconds for each in results]
    known = [each for each in times if each is not None]
    return sum(known) if len(known) == len(times) else None


def budget_lines(given: Mapping[str, Spent]) -> list[str]:
    """A line per method: what each was given.

    Args:
        given: Method -> what it has used.

    Returns:
        The lines, aligned.

    Example:
        >>> one = Spent(trials=6, seeds=5, dimensions=5, configurations=432, trainings=40,
        ...     cpu_seconds=17.2, seconds=20.0)
        >>> budget_lines({"l2q": one})
        ['l2q  6 trials of 5 seeds from 432 configurations, 17 s of CPU']
    """
    width = max(map(len, given), default=0)
    return [f"{method:<{width}}  {each}" for method, each in given.items()]
