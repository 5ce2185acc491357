"""What Optuna has proposed: points that became trials, and points that were answered."""

from typing import Protocol

import optuna
from optuna.trial import FrozenTrial

from l2p_search.config import TrialConfig
from l2p_search.searching.records.recorded_trials import (
    IMPOSSIBLE,
    PROPOSAL,
    REPEATED,
    proposal_of,
)
from l2p_search.searching.records.stored_study import StoredStudy


class Known(Protocol):
    """A trial that a proposal can repeat."""

    @property
    def number(self) -> int:
        """Counted from 0."""

    @property
    def objective(self) -> float | None:
        """Its objective; None where it has none, or none yet."""


class RecordedProposals:
    """The proposals of a search. A point that was only asked for counts for nothing.

    A search can be killed between asking and deciding. So that it goes on as if it had not been,
    what is counted here is what was decided, and nothing else is what the next proposal depends
    on.

    Attributes:
        settled: How many points became trials or were answered.
        answered: How many were answered since the last one that became a trial.
        optuna_numbers: A trial's number -> Optuna's number of it.
    """

    def __init__(self, stored: StoredStudy) -> None:
        """Count what is recorded.

        Args:
            stored: The search.
        """
        self._stored = stored
        self.optuna_numbers: dict[int, int] = {}
        self.settled = self.answered = 0
        for trial in stored.trials():
            self._settle(trial)

    def ask(
        self,
        sampler: optuna.samplers.BaseSampler,
        distributions: dict[str, optuna.distributions.BaseDistribution],
    ) -> optuna.Trial:
        """Have Optuna propose a point.

        Args:
            sampler: Which proposes it.
            distributions: Hyperparameter -> the values it may have.

        Returns:
            The proposal, which has to be passed to `accept`, `answer` or `skip`.
        """
        return self._stored.ask(sampler, distributions)

    def accept(self, asked: optuna.Trial, number: int, config: TrialConfig) -> None:
        """Make a proposed point a trial of the search.

        Args:
            asked: What `ask` returned.
            number: The number of the trial, counted from 0.
            config: The point as a complete configuration.
        """
        self._stored.note(asked.number, PROPOSAL, proposal_of(number, config))
        self._settle(self._stored.trials()[asked.number])

    def answer(self, asked: optuna.Trial, known: Known) -> None:
        """Settle a repeated proposal: the sampler is told the value that is already known.

        Args:
            asked: What `ask` returned.
            known: The trial that has the same configuration.
        """
        self._stored.note(asked.number, REPEATED, known.number)
        self._stored.tell(asked.number, known.objective)
        self._settle(self._stored.trials()[asked.number])

    def skip(self, asked: optuna.Trial, reason: str) -> None:
        """Settle a proposal of values that exclude each other: there is nothing to train.

        Args:
            asked: What `ask` returned.
            reason: Which values.
        """
        self._stored.note(asked.number, IMPOSSIBLE, reason)
        self._stored.tell(asked.number, None)
        self._settle(self._stored.trials()[asked.number])

    def _settle(self, trial: FrozenTrial) -> None:
        if PROPOSAL in trial.user_attrs:
            self.optuna_numbers[trial.user_attrs[PROPOSAL]["number"]] = trial.number
            self.settled, self.answered = self.settled + 1, 0
        elif REPEATED in trial.user_attrs or IMPOSSIBLE in trial.user_attrs:
            self.settled, self.answered = self.settled + 1, self.answered + 1
