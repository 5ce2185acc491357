"""Standing: how a search stands, in the little that its decisions and its display need.

Each result is counted when it comes and is not kept: the journal has it. What a decision costs,
and what a search takes of memory, then hardly depend on how many trials there are.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from l2p_search.intervals import val_by_seed
from l2p_search.progress import Running, Snapshot
from l2p_search.results import TrialStatus
from l2p_search.searching.records.settings import Race
from l2p_search.searching.running.halving import Halving, Scores
from l2p_search.searching.running.racing import is_losing
from l2p_search.trial_record import TrialRecord


@dataclass(frozen=True, slots=True)
class Seen:
    """A configuration that has been proposed.

    Args:
        number: Of its trial.
        objective: None where it has none, or none yet.
    """

    number: int
    objective: float | None


class Standing:
    """Counts the trials of a search as they are proposed and end.

    Attributes:
        open: Number -> trial, of those that have not ended.
        best: The complete trial with the highest objective, the earlier one of equals.
    """

    def __init__(self, records: Iterable[TrialRecord], *, race: Race | None) -> None:
        """Count what is recorded.

        Args:
            records: Trials of earlier invocations.
            race: By which rule trials race, which needs their scores by seed; None for no race.
        """
        self.open: dict[int, TrialRecord] = {}
        self.best: TrialRecord | None = None
        self._race = race
        self._known: dict[str, Seen] = {}
        self._counts = dict.fromkeys(TrialStatus, 0)
        self._best_so_far: list[float] = []
        self._scores: dict[int, Scores] = {}
        self._halving = Halving() if race == "halving" else None
        self._seeds = 0
        self._seconds: list[float] = []
        self._fresh, self._fresh_seconds = 0, 0.0
        for record in records:
            self.keep(record)

    def __len__(self) -> int:
        """How many trials there are, ended or not."""
        return len(self._known)

    @property
    def known(self) -> Mapping[str, Seen]:
        """config_id -> what is known of its trial."""
        return self._known

    @property
    def ended(self) -> int:
        """How many trials have ended, in whatever way."""
        return len(self._known) - len(self.open)

    def keep(self, record: TrialRecord) -> None:
        """Take note of a trial that was proposed or has ended."""
        objective = record.objective
        self._known[record.config.config_id] = Seen(record.number, objective)
        if record.status is TrialStatus.RUNNING:
            self.open[record.number] = record
            return
        self.open.pop(record.number, None)
        self._counts[record.status] += 1
        if self._halving is not None:
            result = None if record.status is TrialStatus.FAILED else record.result
            self._halving.end(record.number, None if result is None else val_by_seed(result))
        if objective is None or record.result is None:
            return
        if self._race == "paired":
            self._scores[record.number] = val_by_seed(record.result)
        self._best_so_far.append(max([objective, *self._best_so_far[-1:]]))
        best = self.best
        ahead = (objective, -record.number)
        if best is None or ahead > (best.objective or 0.0, -best.number):
            self.best = record

    def why_stop(self, number: int, scores: Scores) -> str | None:
        """Whether a trial that has some of its seeds is losing its race.

        Args:
            number: Of the trial.
            scores: Of its seeds so far.

        Returns:
            Why it stops; None where it goes on.
        """
        if self._halving is not None:
            return self._halving.why_stop(number, scores)
        best = self.best
        if best is None:
            return None
        others = [each for other, each in sorted(self._scores.items()) if other != best.number]
        if not is_losing(scores, self._scores[best.number], others):
            return None
        return f"worse than trial {best.number} on its first {len(scores)} seeds"

    def seconds_per_trial(self) -> float | None:
        """The mean over the trials that this invocation has trained; None before the first."""
        return sum(self._seconds) / len(self._seconds) if self._seconds else None

    @property
    def seconds_per_seed(self) -> float:
        """The mean over all seeds of these trials; 0 before the first."""
        return sum(self._seconds) / max(1, self._seeds - self._fresh)

    @property
    def seconds_per_fresh_seed(self) -> float:
        """The mean over the fresh seeds that this invocation has trained; 0 before the first."""
        return self._fresh_seconds / max(1, self._fresh)

    def trained(self, seeds: int, seconds: float, *, fresh: bool = False) -> None:
        """Take note of a training of this invocation.

        Args:
            seeds: How many seeds it had.
            seconds: How long it took.
            fresh: Whether it was one of the confirmation, and no trial.
        """
        self._seeds += seeds
        if fresh:
            self._fresh += seeds
            self._fresh_seconds += seconds
        else:
            self._seconds.append(seconds)

    @property
    def seeds_trained(self) -> int:
        """By this invocation."""
        return self._seeds

    def snapshot(
        self,
        *,
        goal: int,
        total: int,
        seconds: float,
        seconds_left: tuple[float | None, bool],
        running: tuple[Running, ...],
        training_seconds: float | None,
        confirming: int,
        confirmed: int,
    ) -> Snapshot:
        """Summarise how the search stands, for a display; arguments as of `Snapshot`.

        `seconds_left` is with whether that is a bound.
        """
        trials = sum(each.stage == "trials" for each in running)
        return Snapshot(
            goal=goal,
            counts={**self._counts, TrialStatus.RUNNING: trials},
            best=self.best,
            best_so_far=tuple(self._best_so_far),
            seeds_trained=self._seeds,
            seconds=seconds,
            seconds_left=seconds_left[0],
            at_most=seconds_left[1],
            confirming=confirming,
            confirmed=confirmed,
            running=running,
            training_seconds=training_seconds,
            total=total,
        )
