"""The two studies of a journal, as Optuna sees them: the trials, and the confirmations."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import optuna
from optuna.storages import JournalStorage
from optuna.trial import FrozenTrial, TrialState

from l2p_search.searching.records.journal_file import (
    JournalFile,
    explained,
    quiet_optuna,
    understood,
)

_TRIALS, _CONFIRMATIONS = "trials", "confirmations"


class StoredStudy:
    """Optuna's studies in one file; trials are named by Optuna's own numbers here.

    Attributes:
        file: The file.
        study: The trials.
        attrs: What is noted of the search as a whole, by name.
    """

    def __init__(self, path: Path, *, writes: bool) -> None:
        """Replay a file.

        Args:
            path: The file.
            writes: Whether this process appends to it; it makes what is missing then.

        Raises:
            SearchError: The file is damaged, was written by a newer version, or cannot be
                written.
        """
        self._directory = path.parent
        with explained(self._directory):
            self.file = JournalFile(path, writes=writes)
            with understood(self.file):
                self._storage = JournalStorage(self.file)
            if writes:
                self._create_missing()
            with understood(self.file):
                # Each proposal sets a sampler of its own; racing stops trials, not a pruner.
                self.study, self._confirmations = (
                    optuna.load_study(
                        study_name=name,
                        storage=self._storage,
                        sampler=optuna.samplers.RandomSampler(),
                        pruner=optuna.pruners.NopPruner(),
                    )
                    for name in (_TRIALS, _CONFIRMATIONS)
                )
                self.attrs = self.study.user_attrs

    @contextmanager
    def together(self) -> Iterator[None]:
        """Write all entries of the block at once, at its end."""
        with explained(self._directory), self.file.together():
            yield

    def trials(self, *states: TrialState) -> list[FrozenTrial]:
        """The trials in these states, or all; not copies, so only to be read."""
        return self.study.get_trials(deepcopy=False, states=states or None)

    def ask(
        self,
        sampler: optuna.samplers.BaseSampler,
        distributions: dict[str, optuna.distributions.BaseDistribution],
    ) -> optuna.Trial:
        """Have a sampler propose a point, as a new trial."""
        with explained(self._directory):
            self.study.sampler = sampler
            asked = self.study.ask(distributions)
        # Optuna makes distributions anew for each trial: over a long search they add up.
        self.trials()[asked.number].distributions = distributions
        return asked

    def note(self, number: int, key: str, value: Any) -> None:
        """Set an attribute of a trial."""
        with explained(self._directory):
            self._storage.set_trial_user_attr(self._id(number), key, value)

    def tell(self, number: int, value: float | None, state: TrialState | None = None) -> None:
        """End a trial; by default as complete, or as failed where there is no value."""
        state = state or (TrialState.FAIL if value is None else TrialState.COMPLETE)
        with explained(self._directory):
            self.study.tell(number, value, state=state)

    def tell_pruned(self, number: int, step: int, value: float) -> None:
        """End a trial early: samplers rank it by its last value, and by the step of that value."""
        with explained(self._directory):
            self._storage.set_trial_intermediate_value(self._id(number), step, value)
            self.study.tell(number, state=TrialState.PRUNED)

    def set(self, key: str, value: Any) -> None:
        """Note something of the search as a whole."""
        with explained(self._directory):
            self.study.set_user_attr(key, value)
            self.attrs = self.study.user_attrs

    def confirmations(self) -> list[Any]:
        """The results on fresh seeds or splits, as they were given to `confirm`."""
        done = self._confirmations.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
        return [trial.user_attrs["result"] for trial in done]

    @property
    def last_end(self) -> float | None:
        """When the newest trial or confirmation ended, in seconds since 1970."""
        ended = [
            trial.datetime_complete.timestamp()
            for study in (self.study, self._confirmations)
            for trial in study.get_trials(deepcopy=False)
            if trial.datetime_complete is not None
        ]
        return max(ended, default=None)

    def confirm(self, value: float, result: dict[str, Any]) -> None:
        """Add a result on fresh seeds."""
        made = optuna.trial.create_trial(value=value, user_attrs={"result": result})
        with explained(self._directory):
            self._confirmations.add_trial(made)

    def _create_missing(self) -> None:
        names = {study.study_name for study in self._storage.get_all_studies()}
        with quiet_optuna(), self.together():
            for name in (_TRIALS, _CONFIRMATIONS):
                if name not in names:
                    self._storage.create_new_study([optuna.study.StudyDirection.MAXIMIZE], name)

    def _id(self, number: int) -> int:
        return self._storage.get_trial_id_from_study_id_trial_number(self.study._study_id, number)
