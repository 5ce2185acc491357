"""Journal: everything that is known of one search, in one append-only file.

The file is Optuna's own journal, so that nothing has to be written twice. It holds two studies:
the trials, each with its config and its whole result as attributes, and the confirmations. Every
entry is one line that is flushed to the disk before the search goes on. Only the last line can
have been cut off by a crash; it is dropped when the search is opened again.
"""

import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import optuna
from optuna.trial import FrozenTrial, TrialState

from l2p_search.config import TrialConfig
from l2p_search.errors import SearchError, argument
from l2p_search.results import TrialResult, TrialStatus
from l2p_search.searching.records.journal_file import (
    FILE,
    drop_cut_off_line,
    explained,
    quiet_optuna,
    replay,
)
from l2p_search.searching.records.lock import DirectoryLock
from l2p_search.searching.records.recorded_trials import record_of
from l2p_search.searching.records.settings import Goal, SearchSettings
from l2p_search.trial_record import TrialRecord

_TRIALS, _CONFIRMATIONS = "trials", "confirmations"
_STATES = {
    TrialStatus.COMPLETE: TrialState.COMPLETE,
    TrialStatus.RACED_OUT: TrialState.PRUNED,
    TrialStatus.FAILED: TrialState.FAIL,
}


class Journal:
    """A search on disk, opened by `read` to look at it, by `create` or `resume` to write to it.

    Attributes:
        directory: Where the search lives.
        study: Optuna's study of the trials, whose parameters are those of `Axes`.
    """

    def __init__(self, directory: Path, lock: DirectoryLock | None) -> None:
        """Replay the file. Not for callers: `read`, `create` and `resume` check more.

        Args:
            directory: Where the search lives.
            lock: The lock on it, for writing; None for reading.
        """
        self.directory = directory
        self._lock = lock
        with explained(directory):
            self._storage = replay(directory / FILE)
            # `ask` sets a sampler for each proposal; racing stops trials, not a pruner.
            plain: dict[str, Any] = {
                "storage": self._storage,
                "sampler": optuna.samplers.RandomSampler(),
                "pruner": optuna.pruners.NopPruner(),
            }
            if lock is not None:
                names = {study.study_name for study in self._storage.get_all_studies()}
                for name in {_TRIALS, _CONFIRMATIONS} - names:
                    with quiet_optuna():
                        self._storage.create_new_study(
                            [optuna.study.StudyDirection.MAXIMIZE], name
                        )
            try:
                self.study = optuna.load_study(study_name=_TRIALS, **plain)
                self._confirmations = optuna.load_study(study_name=_CONFIRMATIONS, **plain)
            except KeyError:
                raise SearchError(f"{directory}: the search has just begun; try again") from None
            self._attrs = self.study.user_attrs
        self._optuna_numbers: dict[int, int] = {
            trial.user_attrs["proposal"]["number"]: trial.number for trial in self._proposed()
        }

    @classmethod
    def exists(cls, directory: Path) -> bool:
        """Whether there is a search in the directory."""
        return (directory / FILE).is_file()

    @classmethod
    def read(cls, directory: Path) -> "Journal":
        """Open a search, running or ended, for reading only.

        Args:
            directory: Where the search lives.

        Returns:
            The journal. Trials that end later are seen; a later goal is not.

        Raises:
            SearchError: There is no search, it is only just being created, or its file is
                damaged.
        """
        if not cls.exists(directory):
            raise SearchError(f"{directory}: no search lives there")
        journal = cls(directory, None)
        if "settings" not in journal._attrs:
            raise SearchError(f"{directory}: the search has just begun; try again")
        return journal

    @classmethod
    def create(cls, directory: Path, settings: SearchSettings) -> "Journal":
        """Begin a new search.

        Args:
            directory: Where it will live. It may exist, but may not hold a search.
            settings: What the search is, for good.

        Returns:
            The journal, open for writing until `close`.

        Raises:
            SearchError: There is a search already, another process is writing to it, or the
                directory cannot be written.
        """
        with explained(directory):
            directory.mkdir(parents=True, exist_ok=True)
            lock = DirectoryLock(directory)
        drop_cut_off_line(directory / FILE)
        journal = cls(directory, lock)
        if "settings" in journal._attrs:
            journal.close()
            raise SearchError(
                f"{directory}: a search lives there already; add {argument('resume', True)}"
            )
        journal._set("uid", uuid.uuid4().hex)
        journal._set("settings", settings.to_mapping())
        return journal

    @classmethod
    def resume(cls, directory: Path) -> "Journal":
        """Open a search to continue it, and repair what a crash left half-written.

        Args:
            directory: Where the search lives.

        Returns:
            The journal, open for writing until `close`. A trial whose result was written counts
            as ended; one without a result runs again.

        Raises:
            SearchError: Another process is writing to it, the directory cannot be written, or
                the search was stopped before its settings were written.
        """
        with explained(directory):
            lock = DirectoryLock(directory)
        drop_cut_off_line(directory / FILE)
        journal = cls(directory, lock)
        if "settings" not in journal._attrs:
            journal.close()
            raise SearchError(
                f"{directory}: the search ended before it began; remove the folder and start again"
            )
        with explained(directory):
            for trial in journal.study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
                if "outcome" in trial.user_attrs:
                    record = record_of(trial, journal.settings)
                    journal._tell(trial.number, record.status, record.result)
                elif "proposal" not in trial.user_attrs:
                    journal.study.tell(trial.number, state=TrialState.FAIL)
                elif trial.user_attrs.get("interrupted"):
                    journal._mark_interrupted(trial.number, False)
        return journal

    def close(self) -> None:
        """Release the lock, so that another process can write."""
        if self._lock is not None:
            self._lock.release()

    @property
    def uid(self) -> str:
        """A random identifier, so that two searches of one name are told apart in MLflow."""
        return str(self._attrs.get("uid", self.directory.name))

    @property
    def settings(self) -> SearchSettings:
        """What was fixed when the search began."""
        return SearchSettings.from_mapping(self._attrs["settings"])

    @property
    def goal(self) -> Goal | None:
        """How far the newest invocation goes; None before the first one."""
        return Goal(**self._attrs["goal"]) if "goal" in self._attrs else None

    @property
    def invocations(self) -> list[dict[str, Any]]:
        """When, how and with which versions the search was started or resumed, oldest first."""
        return list(self._attrs.get("invocations", []))

    def begin(self, goal: Goal, provenance: dict[str, Any]) -> None:
        """Note that an invocation starts.

        Args:
            goal: How far it goes.
            provenance: What else is noted of it, such as the command and the versions.
        """
        now = {"started": time.strftime("%Y-%m-%dT%H:%M:%S%z"), **provenance}
        self._set("goal", goal.to_mapping())
        self._set("invocations", [*self.invocations, now])

    def records(self) -> list[TrialRecord]:
        """Every trial, by number. Repeated proposals that `answer` settled are not trials."""
        settings = self.settings
        records = (record_of(trial, settings) for trial in self._proposed())
        return sorted(records, key=lambda record: record.number)

    def confirmations(self) -> dict[tuple[str, tuple[int, ...]], TrialResult]:
        """Results on fresh seeds: (config_id, seeds) -> result."""
        trials = self._confirmations.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
        recorded, settings = [trial.user_attrs["result"] for trial in trials], self.settings
        results = [
            TrialResult.from_record(
                mapping,
                TrialConfig.recorded(mapping["config"]),
                settings.dataset,
                settings.data_digest,
                settings.metric,
            )
            for mapping in recorded
        ]
        return {(r.config.config_id, tuple(s.seed for s in r.seeds)): r for r in results}

    @property
    def asked(self) -> int:
        """How many points Optuna has proposed so far, repeated ones included."""
        return len(self.study.get_trials(deepcopy=False))

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
            The proposal, which has to be passed to `accept` or `answer`.
        """
        with explained(self.directory):
            self.study.sampler = sampler
            return self.study.ask(distributions)

    def accept(self, asked: optuna.Trial, number: int, config: TrialConfig) -> None:
        """Make a proposed point a trial of the search.

        Args:
            asked: What `ask` returned.
            number: The number of the trial, counted from 0.
            config: The point as a complete configuration.
        """
        with explained(self.directory):
            asked.set_user_attr("proposal", {"number": number, "config": config.to_mapping()})
        self._optuna_numbers[number] = asked.number

    def answer(self, asked: optuna.Trial, known: TrialRecord) -> None:
        """Settle a repeated proposal: the sampler is told the value that is already known.

        Args:
            asked: What `ask` returned.
            known: The trial that has the same configuration.
        """
        with explained(self.directory):
            asked.set_user_attr("duplicate_of", known.number)
            value = known.objective
            state = TrialState.FAIL if value is None else TrialState.COMPLETE
            self.study.tell(asked, value, state=state)

    def end(self, record: TrialRecord) -> None:
        """Record how a trial ended, before anybody is told of it."""
        outcome = {
            "status": record.status.value,
            "reason": record.reason,
            "result": None if record.result is None else record.result.to_record(),
            "ended": record.ended,
        }
        with explained(self.directory):
            optuna_number = self._optuna_numbers[record.number]
            self._storage.set_trial_user_attr(self._id(optuna_number), "outcome", outcome)
            self._tell(optuna_number, record.status, record.result)

    def mark_interrupted(self, number: int) -> None:
        """Note that a trial was stopped together with the search, and will run again."""
        with explained(self.directory):
            self._mark_interrupted(self._optuna_numbers[number], True)

    def confirm(self, result: TrialResult) -> None:
        """Record a result on fresh seeds."""
        with explained(self.directory):
            self._confirmations.add_trial(
                optuna.trial.create_trial(
                    value=result.val_mean or 0.0,
                    user_attrs={
                        "result": {"config": result.config.to_mapping(), **result.to_record()}
                    },
                )
            )

    def _tell(self, optuna_number: int, status: TrialStatus, result: TrialResult | None) -> None:
        value = None
        mean = None if result is None else result.val_mean
        if status is TrialStatus.COMPLETE:
            value = mean
        elif status is TrialStatus.RACED_OUT and result is not None and mean is not None:
            # Samplers rank a pruned trial by its last value and by the step of that value.
            self._storage.set_trial_intermediate_value(
                self._id(optuna_number), len(result.seeds), mean
            )
        self.study.tell(optuna_number, value, state=_STATES[status])

    def _mark_interrupted(self, optuna_number: int, interrupted: bool) -> None:
        self._storage.set_trial_user_attr(self._id(optuna_number), "interrupted", interrupted)

    def _id(self, optuna_number: int) -> int:
        return self._storage.get_trial_id_from_study_id_trial_number(
            self.study._study_id, optuna_number
        )

    def _set(self, key: str, value: Any) -> None:
        with explained(self.directory):
            self.study.set_user_attr(key, value)
            self._attrs = self.study.user_attrs

    def _proposed(self) -> Iterator[FrozenTrial]:
        for trial in self.study.get_trials(deepcopy=False):
            if "proposal" in trial.user_attrs:
                yield trial
