"""Brief: the little of a long search that `status` shows, without reading all its results.

The process that searches keeps one in a file beside the journal, anew for every 256 kB of results.
It names how many bytes of the journal it is made of, and their checksum: whoever reads it trusts
it as long as the journal begins with these bytes, and reads only the lines after them.
"""

import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from optuna.distributions import json_to_distribution
from optuna.trial import TrialState

from l2p_search.config import TrialConfig
from l2p_search.errors import SearchError
from l2p_search.results import TrialResult, TrialStatus
from l2p_search.searching.records.journal_file import (
    FILE,
    FORMAT,
    JournalFile,
    parsed,
    understood,
)
from l2p_search.searching.records.recorded_trials import (
    IMPOSSIBLE,
    OUTCOME,
    PROPOSAL,
    REPEATED,
    RecordedTrials,
)
from l2p_search.searching.records.remembered import recall, remember
from l2p_search.searching.records.settings import Goal, SearchSettings
from l2p_search.trial_record import TrialRecord

STEP = 2**18
"""Bytes of a journal after which its brief is kept anew: some twenty trials of twenty seeds."""
_BESIDE = "brief.json"
_VERSION = 2
_CHUNK = 2**20
_STUDY_ATTR, _CREATE_TRIAL, _PARAM, _STATE, _TRIAL_ATTR = 2, 4, 5, 6, 8
"""Optuna's codes of what an entry does."""
_NEEDED: dict[int, tuple[str, ...]] = {
    0: ("study_name", "directions"), 1: ("study_id",), 2: ("study_id", "user_attr"),
    3: ("study_id", "system_attr"), 4: ("worker_id", "study_id", "datetime_start"),
    5: ("trial_id", "param_name", "param_value_internal", "distribution"),
    6: ("trial_id", "state", "values"), 7: ("trial_id", "step", "intermediate_value"),
    8: ("trial_id", "user_attr"), 9: ("trial_id", "system_attr"),
}  # fmt: skip
"""Code -> what Optuna reads of such an entry."""
_DATES = ("datetime_start", "datetime_complete")


@dataclass
class Point:
    """What is known of a point that Optuna has proposed."""

    params: dict[str, Any] = field(default_factory=dict)
    user_attrs: dict[str, Any] = field(default_factory=dict)


@dataclass
class Brief:
    """How a search stood when so many bytes of its journal were written.

    Attributes:
        size: How many bytes.
        checksum: Of them.
        created: How many points Optuna has proposed, with the confirmations.
        noted: What is noted of the search as a whole: its settings and its goal.
        counts: Status -> trials that ended so.
        open: Optuna's number -> point that has not ended.
        best: The best trial so far: its point, and the byte at which its result stands.
        objective: Its objective.
        confirmed: The bytes at which results on fresh seeds stand.
    """

    size: int = 0
    checksum: int = 0
    created: int = 0
    noted: dict[str, Any] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    open: dict[int, Point] = field(default_factory=dict)
    best: tuple[Point, int] | None = None
    objective: float | None = None
    confirmed: list[int] = field(default_factory=list)

    @property
    def settings(self) -> SearchSettings:
        """What was fixed when the search began."""
        return SearchSettings.from_mapping(self.noted["settings"])

    @property
    def goal(self) -> Goal | None:
        """How far its newest invocation goes; None before the first one."""
        goal = self.noted.get("goal")
        return None if goal is None else Goal.from_mapping(goal)

    @property
    def trials(self) -> dict[str, int]:
        """Status -> trials, with those that have not ended."""
        running = sum(PROPOSAL in point.user_attrs for point in self.open.values())
        return {**self.counts, **({TrialStatus.RUNNING.value: running} if running else {})}

    def best_trial(self, directory: Path) -> TrialRecord | None:
        """The complete trial with the highest mean validation score; None without one."""
        if self.best is None:
            return None
        point, place = self.best
        result = JournalFile(directory / FILE, writes=False).result_at(place)
        return RecordedTrials(self.settings).record(point, result)

    def confirmation(
        self, directory: Path, config: TrialConfig, seeds: tuple[int, ...]
    ) -> TrialResult | None:
        """The result of a configuration on these fresh seeds, if it was trained on them."""
        found, journal = None, JournalFile(directory / FILE, writes=False)
        trials = RecordedTrials(self.settings)
        with open(journal.path, "rb") as file, understood(journal, "a confirmation"):
            for place in self.confirmed:
                file.seek(place)
                mapping = parsed(file.readline())["user_attrs"]["result"]
                same = TrialConfig.recorded(mapping["config"]).config_id == config.config_id
                if same and mapping.get("splits") is None:
                    result = trials.result(mapping, config)
                    if tuple(seed.seed for seed in result.seeds) == seeds:
                        found = result
        return found

    def read_on(self, directory: Path) -> None:
        """Take in the whole lines that were written since.

        Raises:
            SearchError: They are damaged.
            OSError: The journal cannot be read.
        """
        file = JournalFile(directory / FILE, writes=False)
        trials = RecordedTrials(self.settings) if "settings" in self.noted else None
        with open(directory / FILE, "rb") as lines, understood(file, "its last lines"):
            lines.seek(self.size)
            for line in lines:
                if not line.endswith(b"\n"):
                    return  # it is being written, or was cut off by a crash
                self._take(parsed(line), self.size, trials)
                if trials is None and "settings" in self.noted:
                    trials = RecordedTrials(self.settings)
                self.size += len(line)
                self.checksum = zlib.crc32(line, self.checksum)

    def _take(self, log: dict[str, Any], place: int, trials: RecordedTrials | None) -> None:
        code = log["op_code"]
        _check(code, log)
        if code == _STUDY_ATTR:
            wanted = ("settings", "goal")
            self.noted |= {key: log["user_attr"][key] for key in wanted if key in log["user_attr"]}
            _ = self.goal  # one that nobody wrote so is damage
        elif code == _CREATE_TRIAL:
            if "result" in (log.get("user_attrs") or {}):
                self.confirmed.append(place)
            else:
                self.open[self.created] = Point()
            self.created += 1
        elif code == _PARAM:
            kind = json_to_distribution(log["distribution"])
            value = kind.to_external_repr(log["param_value_internal"])
            self.open[log["trial_id"]].params[log["param_name"]] = value
        elif code == _TRIAL_ATTR:
            self._note(log["trial_id"], log["user_attr"], place, trials)
        elif code == _STATE:
            point = self.open.get(log["trial_id"])
            if point is not None and PROPOSAL not in point.user_attrs:
                del self.open[log["trial_id"]]  # it was only asked for

    def _note(
        self, number: int, noted: dict[str, Any], place: int, trials: RecordedTrials | None
    ) -> None:
        if number not in self.open:
            return
        point = self.open[number]
        if REPEATED in noted or IMPOSSIBLE in noted:
            del self.open[number]
        elif OUTCOME not in noted:
            point.user_attrs |= noted
        else:
            assert trials is not None  # settings come before trials
            outcome = noted[OUTCOME]
            point.user_attrs[OUTCOME] = {**outcome, "result": None}
            record = trials.record(point, outcome["result"])
            self.counts[record.status.value] = self.counts.get(record.status.value, 0) + 1
            if record.objective is not None and self._is_better(record):
                self.best, self.objective = (point, place), record.objective
            del self.open[number]

    def _is_better(self, record: TrialRecord) -> bool:
        """By validation alone; of equals the earlier trial, as of `best_first`."""
        if self.best is None or self.objective is None or record.objective is None:
            return True
        number = int(self.best[0].user_attrs[PROPOSAL]["number"])
        return (record.objective, -record.number) > (self.objective, -number)

    def to_mapping(self) -> dict[str, Any]:
        """Plain JSON values."""
        best = None if self.best is None else [vars(self.best[0]), self.best[1]]
        points = {str(number): vars(point) for number, point in self.open.items()}
        return {**vars(self), "best": best, "open": points}

    @classmethod
    def from_mapping(cls, mapping: dict[str, Any]) -> "Brief":
        """The inverse of `to_mapping`."""
        best = mapping["best"]
        points = {int(number): Point(**point) for number, point in mapping["open"].items()}
        return cls(
            **{
                **mapping,
                "best": None if best is None else (Point(**best[0]), int(best[1])),
                "open": points,
            }
        )


def read_brief(directory: Path) -> Brief | None:
    """The brief of a search up to the last line of its journal.

    Args:
        directory: Where the search lives.

    Returns:
        The brief; None where none was kept, or what was kept is not of this journal.

    Raises:
        SearchError: What the journal says after the kept brief is damaged.
        OSError: The journal cannot be read.
    """
    brief = _kept(directory)
    if brief is None or _checksum(directory / FILE, brief.size) != brief.checksum:
        return None
    brief.read_on(directory)
    return brief


def keep_brief(directory: Path) -> None:
    """Keep the brief of the journal as it is; a search goes on also where that fails."""
    with suppress(OSError, SearchError):
        brief = read_brief(directory)
        if brief is None:
            brief = Brief()
            brief.read_on(directory)
        mapping = {"version": _VERSION, "format": FORMAT, "brief": brief.to_mapping()}
        remember(directory / _BESIDE, mapping)


def _kept(directory: Path) -> Brief | None:
    kept = recall(directory / _BESIDE)
    if kept is None or (kept.get("version"), kept.get("format")) != (_VERSION, FORMAT):
        return None
    brief = Brief.from_mapping(kept["brief"])
    return brief if "settings" in brief.noted else None


def _check(code: Any, log: dict[str, Any]) -> None:
    """Raise what reading the whole journal would: a damaged entry is nowhere passed over."""
    if code not in _NEEDED:
        raise ValueError(f"unknown op code {code!r}")
    ends = code == _STATE and TrialState(log["state"]).is_finished()
    for key in (*_NEEDED[code], *["datetime_complete"] * ends):
        _ = log[key]
    for key in _DATES:
        if log.get(key) is not None:
            datetime.fromisoformat(log[key])


def _checksum(path: Path, size: int) -> int | None:
    """Of the first bytes of a file; None where it has fewer."""
    checksum, left = 0, size
    with open(path, "rb") as file:
        while left:
            chunk = file.read(min(_CHUNK, left))
            if not chunk:
                return None
            checksum, left = zlib.crc32(chunk, checksum), left - len(chunk)
    return checksum
