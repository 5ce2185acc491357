"""Journal: the whole truth about one search, append-only, in one directory.

It is Optuna's own journal file, so nothing is written twice: a study of the trials, with the
config and the whole result of each as attributes, and a study of the confirmations. Every entry
is one line that is flushed to the disk before the search goes on; a line that was cut off by a
crash is the last one, and is dropped when the search is opened again.
"""

import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import optuna
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock
from optuna.trial import FrozenTrial, TrialState

from l2p_search.config import TrialConfig
from l2p_search.errors import SearchError, argument
from l2p_search.results import TrialResult, TrialStatus
from l2p_search.searching.records.lock import DirectoryLock
from l2p_search.searching.records.settings import Goal, SearchSettings
from l2p_search.trial_record import INTERRUPTED, TrialRecord

_FILE = "journal.log"
_TRIALS, _CONFIRMATIONS = "trials", "confirmations"
_STATES = {
    TrialStatus.COMPLETE: TrialState.COMPLETE,
    TrialStatus.RACED_OUT: TrialState.PRUNED,
    TrialStatus.FAILED: TrialState.FAIL,
}


class Journal:
    """A search as it is on disk. `read` looks at it; `create` and `resume` write to it."""

    def __init__(self, directory: Path, lock: DirectoryLock | None) -> None:
        """Replay what is there; use `read`, `create` or `resume`."""
        self.directory = directory
        self._lock = lock
        with _explained(directory):
            self._storage = _replay(directory / _FILE)
            # Samplers are set for each proposal; a pruner is never asked.
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
        """Whether a search lives there."""
        return (directory / _FILE).is_file()

    @classmethod
    def read(cls, directory: Path) -> "Journal":
        """Look at a search, running or not, without touching it."""
        if not cls.exists(directory):
            raise SearchError(f"{directory}: no search lives there")
        journal = cls(directory, None)
        if "settings" not in journal._attrs:
            raise SearchError(f"{directory}: the search has just begun; try again")
        return journal

    @classmethod
    def create(cls, directory: Path, settings: SearchSettings) -> "Journal":
        """Begin a search. The directory may exist, but no search in it."""
        with _explained(directory):
            directory.mkdir(parents=True, exist_ok=True)
            lock = DirectoryLock(directory)
        _drop_cut_off_line(directory / _FILE)
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
        """Open a search to continue it; what a crash left half-written is put in order."""
        with _explained(directory):
            lock = DirectoryLock(directory)
        _drop_cut_off_line(directory / _FILE)
        journal = cls(directory, lock)
        if "settings" not in journal._attrs:
            journal.close()
            raise SearchError(
                f"{directory}: the search ended before it began; remove the folder and start again"
            )
        with _explained(directory):
            for trial in journal.study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
                if "outcome" in trial.user_attrs:
                    record = _record(trial, journal.settings)
                    journal._tell(trial.number, record.status, record.result)
                elif "proposal" not in trial.user_attrs:
                    journal.study.tell(trial.number, state=TrialState.FAIL)
                elif trial.user_attrs.get("interrupted"):
                    journal._mark_interrupted(trial.number, False)
        return journal

    def close(self) -> None:
        """Let another process write."""
        if self._lock is not None:
            self._lock.release()

    @property
    def uid(self) -> str:
        """What no other search has, whatever its name."""
        return str(self._attrs.get("uid", self.directory.name))

    @property
    def settings(self) -> SearchSettings:
        """What the search is."""
        return SearchSettings.from_mapping(self._attrs["settings"])

    @property
    def goal(self) -> Goal | None:
        """How far the newest invocation goes."""
        return Goal(**self._attrs["goal"]) if "goal" in self._attrs else None

    @property
    def invocations(self) -> list[dict[str, Any]]:
        """Every start of this search: when, how and with which versions."""
        return list(self._attrs.get("invocations", []))

    def begin(self, goal: Goal, provenance: dict[str, Any]) -> None:
        """Note that an invocation starts."""
        now = {"started": time.strftime("%Y-%m-%dT%H:%M:%S%z"), **provenance}
        self._set("goal", goal.to_mapping())
        self._set("invocations", [*self.invocations, now])

    def records(self) -> list[TrialRecord]:
        """Every trial by number. Answered duplicates are not trials."""
        settings = self.settings
        records = (_record(trial, settings) for trial in self._proposed())
        return sorted(records, key=lambda record: record.number)

    def confirmations(self) -> dict[tuple[str, tuple[int, ...]], TrialResult]:
        """Results on fresh seeds, by config_id and seeds."""
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
        """How many points Optuna has proposed so far, repeated ones among them."""
        return len(self.study.get_trials(deepcopy=False))

    def ask(
        self,
        sampler: optuna.samplers.BaseSampler,
        distributions: dict[str, optuna.distributions.BaseDistribution],
    ) -> optuna.Trial:
        """Have Optuna propose a point; `accept` or `answer` has to follow."""
        with _explained(self.directory):
            self.study.sampler = sampler
            return self.study.ask(distributions)

    def accept(self, asked: optuna.Trial, number: int, config: TrialConfig) -> None:
        """Take a proposed point as the trial of that number."""
        with _explained(self.directory):
            asked.set_user_attr("proposal", {"number": number, "config": config.to_mapping()})
        self._optuna_numbers[number] = asked.number

    def answer(self, asked: optuna.Trial, known: TrialRecord) -> None:
        """Answer a proposed point that is known already: the sampler is told its value."""
        with _explained(self.directory):
            asked.set_user_attr("duplicate_of", known.number)
            value = known.objective
            state = TrialState.FAIL if value is None else TrialState.COMPLETE
            self.study.tell(asked, value, state=state)

    def end(self, record: TrialRecord) -> None:
        """Record how a trial ended."""
        outcome = {
            "status": record.status.value,
            "reason": record.reason,
            "result": None if record.result is None else record.result.to_record(),
            "ended": record.ended,
        }
        with _explained(self.directory):
            optuna_number = self._optuna_numbers[record.number]
            self._storage.set_trial_user_attr(self._id(optuna_number), "outcome", outcome)
            self._tell(optuna_number, record.status, record.result)

    def mark_interrupted(self, number: int) -> None:
        """Note that a trial was stopped with the search; it will run again."""
        with _explained(self.directory):
            self._mark_interrupted(self._optuna_numbers[number], True)

    def confirm(self, result: TrialResult) -> None:
        """Record a result on fresh seeds: one line."""
        with _explained(self.directory):
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
            # Samplers rank a pruned trial by its last value and how far it came.
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
        with _explained(self.directory):
            self.study.set_user_attr(key, value)
            self._attrs = self.study.user_attrs

    def _proposed(self) -> Iterator[FrozenTrial]:
        for trial in self.study.get_trials(deepcopy=False):
            if "proposal" in trial.user_attrs:
                yield trial


def _record(trial: FrozenTrial, settings: SearchSettings) -> TrialRecord:
    proposal, outcome = trial.user_attrs["proposal"], trial.user_attrs.get("outcome")
    config = TrialConfig.recorded(proposal["config"])
    if outcome is None:
        return TrialRecord(
            number=proposal["number"],
            status=TrialStatus.RUNNING,
            config=config,
            metric=settings.metric,
            reason=INTERRUPTED if trial.user_attrs.get("interrupted") else None,
        )
    result = outcome["result"]
    return TrialRecord(
        number=proposal["number"],
        status=TrialStatus(outcome["status"]),
        config=config,
        reason=outcome["reason"],
        ended=outcome.get("ended"),
        metric=settings.metric,
        result=None
        if result is None
        else TrialResult.from_record(
            result, config, settings.dataset, settings.data_digest, settings.metric
        ),
    )


def _replay(path: Path) -> JournalStorage:
    try:
        return JournalStorage(JournalFileBackend(str(path), lock_obj=_AlreadyLocked(str(path))))
    except (ValueError, KeyError, TypeError) as error:
        raise SearchError(
            f"{path}: is damaged ({error}); restore it from a copy, or search under another"
            f" {argument('name')}"
        ) from error


class _AlreadyLocked(JournalFileOpenLock):
    """Optuna's lock file would outlive a killed process; the directory's lock does not."""

    def acquire(self) -> bool:
        return True

    def release(self) -> None:
        pass


@contextmanager
def quiet_optuna() -> Iterator[None]:
    """Without Optuna's own messages, whose level is the caller's again afterwards."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)


@contextmanager
def _explained(directory: Path) -> Iterator[None]:
    """Turn what a file system does to us into one line."""
    try:
        yield
    except OSError as error:
        raise SearchError(
            f"{directory}: the search cannot be written ({error.strerror or error}); what is"
            " recorded so far is kept: make room or fix the permissions, then add"
            f" {argument('resume', True)}"
        ) from error


def _drop_cut_off_line(path: Path) -> None:
    """Drop a last line that a crash or a full disk cut off; it was never part of the truth."""
    try:
        with open(path, "rb+") as file:
            data = file.read()
            whole = data.rfind(b"\n") + 1
            if whole < len(data):
                file.truncate(whole)
                os.fsync(file.fileno())
    except FileNotFoundError:
        return
