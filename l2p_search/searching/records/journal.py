"""Journal: everything that is known of one search, in one append-only file.

The file is Optuna's own journal, so that nothing has to be written twice. It holds two studies:
the trials, each with its config and its whole result, and the confirmations. Entries are on the
disk before the search goes on. Only the last line can have been cut off by a crash; it is dropped
when the search is opened again.
"""

import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Any

from optuna.trial import FrozenTrial, TrialState

from l2p_search.config import TrialConfig
from l2p_search.errors import SearchError, argument
from l2p_search.field_types import check_mapping
from l2p_search.results import TrialResult, TrialStatus
from l2p_search.searching.records.brief import STEP, keep_brief
from l2p_search.searching.records.journal_file import (
    FILE,
    drop_cut_off_line,
    explained,
    has_begun,
    understood,
)
from l2p_search.searching.records.lock import DirectoryLock, is_locked
from l2p_search.searching.records.recorded_proposals import RecordedProposals
from l2p_search.searching.records.recorded_trials import (
    INTERRUPTION,
    OUTCOME,
    PROPOSAL,
    REPEATED,
    RecordedTrials,
    outcome_of,
)
from l2p_search.searching.records.settings import Goal, SearchSettings
from l2p_search.searching.records.stored_study import StoredStudy
from l2p_search.trial_record import TrialRecord

_STARTED = "%Y-%m-%dT%H:%M:%S%z"
"""How the start of an invocation is noted."""
_INVOCATION = {
    **dict.fromkeys(("started", "command", "device", "graph", "node_digest"), str | None),
    **dict.fromkeys(("versions", "machine"), Mapping[str, str | None]),
    "classes": tuple[str, ...],
}
_LOOK = {"by": str, "seeds": int}
"""What is noted of an invocation, and of a look at test labels; other versions may note more."""


class Journal:
    """A search on disk, opened by `read` to look at it, by `create` or `resume` to write to it.

    Attributes:
        directory: Where the search lives.
        proposals: What Optuna has proposed.
    """

    def __init__(self, directory: Path, lock: DirectoryLock | None) -> None:
        """Replay the file. Not for callers: `read`, `create` and `resume` check more.

        Args:
            directory: Where the search lives.
            lock: The lock on it, for writing; None for reading.
        """
        self.directory = directory
        self._lock = lock
        self._stored = StoredStudy(directory / FILE, writes=lock is not None)
        self._file, self._brief_at = self._stored.file, 0
        with understood(self._file, "settings"):
            if lock is None or "settings" in self._stored.attrs:
                self._trials = RecordedTrials(
                    SearchSettings.from_mapping(self._stored.attrs["settings"])
                )
        with understood(self._file, "proposals"):
            self.proposals = RecordedProposals(self._stored)

    @classmethod
    def exists(cls, directory: Path) -> bool:
        """Whether a search was begun in the directory; one that never began can be created."""
        return has_begun(directory / FILE)

    @classmethod
    def read(cls, directory: Path) -> "Journal":
        """Open a search, running or ended, for reading only.

        Args:
            directory: Where the search lives.

        Returns:
            The journal. Trials that end later are seen; a later goal is not.

        Raises:
            SearchError: There is no search, it is only just being created or never began, its
                file is damaged, or a newer version wrote it.
        """
        begun = cls.exists(directory)  # raises where it may not be looked into
        if not (directory / FILE).is_file():
            raise SearchError(f"{directory}: no search lives there")
        if not begun:
            if is_locked(directory):
                raise SearchError(f"{directory}: the search has just begun; try again")
            raise SearchError(_never_began(directory))
        return cls(directory, None)

    @classmethod
    def create(cls, directory: Path, settings: SearchSettings) -> "Journal":
        """Begin a new search.

        Args:
            directory: Where it will live. It may exist, but may not hold a search; what a search
                left that never began is replaced.
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
            if cls.exists(directory):
                lock.release()
                raise SearchError(
                    f"{directory}: a search lives there already; add {argument('resume', True)}"
                )
            (directory / FILE).write_bytes(b"")
        journal = cls(directory, lock)
        with journal.together():
            journal._stored.set("uid", uuid.uuid4().hex)
            journal._stored.set("settings", settings.to_mapping())
        journal._trials = RecordedTrials(settings)
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
        try:
            with explained(directory):
                if not cls.exists(directory):
                    raise SearchError(_never_began(directory))
                drop_cut_off_line(directory / FILE)
            journal = cls(directory, lock)
            journal._finish_half_written()
        except SearchError:
            lock.release()
            raise
        return journal

    def close(self) -> None:
        """Release the lock, so that another process can write."""
        if self._lock is not None:
            self._lock.release()

    @property
    def uid(self) -> str:
        """A random identifier, so that two searches of one name are told apart in MLflow."""
        return str(self._stored.attrs.get("uid", self.directory.name))

    @property
    def settings(self) -> SearchSettings:
        """What was fixed when the search began."""
        return self._trials.settings

    @property
    def goal(self) -> Goal | None:
        """How far the newest invocation goes; None before the first one."""
        with understood(self._file, "goal"):
            goal = self._stored.attrs.get("goal")
            return None if goal is None else Goal.from_mapping(goal)

    @property
    def invocations(self) -> list[dict[str, Any]]:
        """When, how and with which versions the search was started or resumed, oldest first."""
        with understood(self._file, "invocations"):
            found = [dict(each) for each in self._stored.attrs.get("invocations", [])]
            for each in found:
                check_mapping(each, _INVOCATION)
            return found

    @property
    def span(self) -> tuple[float | None, float | None]:
        """When the search first began and when it last ended something, in seconds since 1970."""
        began = next((each["started"] for each in self.invocations if "started" in each), None)
        with understood(self._file, "invocations"):
            start = None if began is None else _seconds(began)
        return start, self._stored.last_end

    def begin(self, goal: Goal, provenance: dict[str, Any]) -> None:
        """Note that an invocation starts.

        Args:
            goal: How far it goes.
            provenance: What else is noted of it, such as the command and the versions.
        """
        now = {"started": time.strftime(_STARTED), **provenance}
        with self.together():
            self._stored.set("goal", goal.to_mapping())
            self._stored.set("invocations", [*self.invocations, now])

    def records(self) -> list[TrialRecord]:
        """Every trial, by number. Repeated proposals that `answer` settled are not trials."""
        return list(self.each_record())

    def each_record(self) -> Iterator[TrialRecord]:
        """The same one after another: all results at once take much memory."""
        proposed = [each for each in self._stored.trials() if _is_trial(each)]
        with understood(self._file, "a proposal"):
            proposed.sort(key=lambda trial: int(trial.user_attrs[PROPOSAL]["number"]))
        for trial in proposed:
            yield self._record(trial)

    def confirmations(self) -> dict[tuple[str, tuple[int, ...]], TrialResult]:
        """Results on fresh seeds: (config_id, seeds) -> result."""
        return {key[:2]: each for key, each in self.checked().items() if key[2] is None}

    def checked(self) -> dict[tuple[str, tuple[int, ...], str | None], TrialResult]:
        """Results on fresh seeds, and on fresh splits: (config_id, seeds, rule) -> result.

        The rule is that of the fresh splits; None for the splits of the graph.
        """
        found = {}
        with understood(self._file, "a confirmation"):
            for mapping in self._stored.confirmations():
                result = self._trials.result(mapping, TrialConfig.recorded(mapping["config"]))
                seeds = tuple(seed.seed for seed in result.seeds)
                found[result.config.config_id, seeds, mapping.get("splits")] = result
        return found

    @property
    def looks(self) -> list[dict[str, Any]]:
        """What other commands have noted of looks at test labels, oldest first."""
        with understood(self._file, "looks"):
            found = [dict(each) for each in self._stored.attrs.get("looks", [])]
            for each in found:
                check_mapping({"by": each["by"], "seeds": each["seeds"]}, _LOOK)
            return found

    @classmethod
    def note_look(cls, directory: Path, look: dict[str, Any]) -> None:
        """Note that another command read test labels for the sake of a search.

        Args:
            directory: Where the search lives.
            look: `by`, the command, and `seeds`, how many trained seeds were scored.

        Raises:
            SearchError: The search runs, was never begun, or its folder cannot be written.
        """
        with explained(directory):
            lock = DirectoryLock(directory)
        try:
            if not cls.exists(directory):
                raise SearchError(_never_began(directory))
            with explained(directory):
                drop_cut_off_line(directory / FILE)
            journal = cls(directory, lock)
            now = time.strftime("%Y-%m-%dT%H:%M:%S%z")
            journal._stored.set("looks", [*journal.looks, {"when": now, **look}])
        finally:
            lock.release()

    def together(self) -> AbstractContextManager[None]:
        """Write all entries of the block at once, at its end."""
        return self._stored.together()

    def end(self, record: TrialRecord) -> None:
        """Record how a trial ended, before anybody is told of it."""
        optuna_number = self.proposals.optuna_numbers[record.number]
        with self.together():
            self._stored.note(optuna_number, OUTCOME, outcome_of(record))
            self._tell(optuna_number, record)
        if self._file.size - self._brief_at >= STEP:
            self._brief_at = self._file.size
            keep_brief(self.directory)

    def mark_interrupted(self, number: int) -> None:
        """Note that a trial was stopped together with the search, and will run again."""
        self._stored.note(self.proposals.optuna_numbers[number], INTERRUPTION, True)

    def confirm(self, result: TrialResult, splits: str | None = None) -> None:
        """Record a result on fresh seeds, with what each test node contributes to it.

        Args:
            result: The result.
            splits: The rule of the fresh splits that it was trained on; None for the splits of
                the graph.
        """
        recorded = {"config": result.config.to_mapping(), **result.to_record(hits=True)}
        if splits is not None:
            recorded["splits"] = splits
        self._stored.confirm(result.val_mean or 0.0, recorded)

    def _finish_half_written(self) -> None:
        """End what has an outcome, answer what is known, drop what was only asked for."""
        with self.together():
            for trial in self._stored.trials(TrialState.RUNNING):
                noted = trial.user_attrs
                if OUTCOME in noted:
                    self._tell(trial.number, self._record(trial))
                elif REPEATED in noted:
                    self._stored.tell(trial.number, self._objective(noted[REPEATED]))
                elif PROPOSAL not in noted:
                    self._stored.tell(trial.number, None)
                elif noted.get(INTERRUPTION):
                    self._stored.note(trial.number, INTERRUPTION, False)

    def _tell(self, optuna_number: int, record: TrialRecord) -> None:
        mean = None if record.result is None else record.result.val_mean
        if (
            record.status is TrialStatus.RACED_OUT
            and record.result is not None
            and mean is not None
        ):
            self._stored.tell_pruned(optuna_number, len(record.result.seeds), mean)
        else:
            self._stored.tell(optuna_number, record.objective)

    def _record(self, trial: FrozenTrial) -> TrialRecord:
        with understood(self._file, f"trial {trial.user_attrs[PROPOSAL].get('number')}"):
            place = trial.user_attrs.get(OUTCOME, {}).get("result")
            result = None if place is None else self._file.result_at(place)
            return self._trials.record(trial, result)

    def _objective(self, number: int) -> float | None:
        with understood(self._file, f"trial {number}"):
            return self._record(
                self._stored.trials()[self.proposals.optuna_numbers[number]]
            ).objective


def _is_trial(trial: FrozenTrial) -> bool:
    """An outcome without a proposal is one, too: it is damaged, and nothing to pass over."""
    return PROPOSAL in trial.user_attrs or OUTCOME in trial.user_attrs


def _seconds(started: str) -> float:
    return datetime.strptime(started, _STARTED).timestamp()


def _never_began(directory: Path) -> str:
    return (
        f"{directory}: the search was stopped before it began; start it again without"
        f" {argument('resume', True)}, or remove the folder"
    )
