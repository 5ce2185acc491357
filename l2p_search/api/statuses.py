"""How searches stand, in a few words; remembered, as long searches take long to read."""

import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from l2p_search import defaults
from l2p_search.api.arguments import check, path_of
from l2p_search.display.phrases import describe_config
from l2p_search.errors import SearchError
from l2p_search.intervals import interval_of_test, interval_of_validation
from l2p_search.results import TrialStatus
from l2p_search.searching.records.brief import read_brief
from l2p_search.searching.records.controls import fresh_seeds
from l2p_search.searching.records.directory import find_search, list_searches, searches_folder
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.journal_file import FILE
from l2p_search.searching.records.lock import is_locked
from l2p_search.searching.records.outcome import Outcome, read_outcome
from l2p_search.searching.records.remembered import recall, remember
from l2p_search.searching.records.settings import SearchSettings
from l2p_search.trial_record import TrialRecord

_REMEMBERED = "status.json"
_VERSION = 2
"""Of what is remembered: another one is made anew."""


@dataclass(frozen=True, kw_only=True)
class Status:
    """How one search stands.

    Attributes:
        sampler: With its seed, in words.
        trials: How many trials it is to have.
        size: How many of them there can be.
        best: The validation score of the best trial, and its config in words; None without one.
        confirmed: The best trial's test score on fresh seeds.
        found: What the search has found, as plain JSON values; of a long search that was killed
            or runs, only what is shown of it where no more was asked for.
    """

    sampler: str
    trials: int
    size: int
    best: tuple[str, str] | None
    confirmed: str | None
    found: dict[str, Any]

    @property
    def open(self) -> int:
        """How many trials have not ended."""
        return int(self.found["trials"].get(TrialStatus.RUNNING.value, 0))

    @property
    def ended(self) -> int:
        """How many trials have ended, in whatever way."""
        return int(sum(self.found["trials"].values())) - self.open


def statuses(
    name: str | None, folder: str | Path | None = None, *, whole: bool = True
) -> list[tuple[Path, Status | SearchError]]:
    """How a search stands, or every one of a folder.

    Args:
        name: The search's name; None for all of them.
        folder: The folder of searches; $L2P_SEARCH_DIR, then ./searches by default.
        whole: Whether everything in `found` is wanted; a long search is read faster without.

    Returns:
        The directory of each search, the latest first, and how it stands or why it cannot be read.

    Raises:
        SearchError: The named search cannot be read, or there is no search at all.
    """
    check(name=name)
    place = searches_folder(path_of("folder", folder))
    found = find_search(place, name)  # raises where there is none
    if name is not None:
        return [(found, status_of(found, whole=whole))]
    rows: list[tuple[Path, Status | SearchError]] = []
    for directory in list_searches(place):
        try:
            rows.append((directory, status_of(directory, whole=whole)))
        except SearchError as error:
            rows.append((directory, error))
    return rows


def status_of(directory: Path, *, whole: bool = True) -> Status:
    """How a search stands, from what is remembered of it while that still holds."""
    return _remembered(
        directory, lambda: _status(read_outcome(Journal.read(directory))), whole=whole
    )


def remember_status(directory: Path, outcome: Outcome) -> None:
    """Keep how a search stands, when that is known anyway."""
    _remembered(directory, lambda: _status(outcome), anew=True)


def _remembered(
    directory: Path, make: Callable[[], Status], *, whole: bool = True, anew: bool = False
) -> Status:
    """What was made before of the same journal, else what `make` makes of it.

    Where not the whole of it is wanted, what a search in the middle keeps of itself will do.
    """
    journal, file = directory / FILE, directory / _REMEMBERED
    before = None if anew else recall(file)
    with _read_of(directory):
        stat = journal.stat()
    key = {"version": _VERSION, "bytes": stat.st_size, "changed": stat.st_mtime_ns}
    if before is not None and all(before.get(name) == value for name, value in key.items()):
        return _from(before["status"])
    if not whole and (brief := _briefly(directory)) is not None:
        return brief
    with _read_of(directory):
        key["crc"] = zlib.crc32(journal.read_bytes())
    same = before is not None and all(
        before.get(name) == key[name] for name in ("version", "bytes", "crc")
    )
    status = _from(before["status"]) if same and before is not None else make()
    # Beside a running search it would be out of date at once, and its folder is the search's.
    if anew or not is_locked(directory):
        with suppress(OSError):  # where a folder cannot be written, it is read each time
            remember(file, {**key, "status": asdict(status)})
    return status


@contextmanager
def _read_of(directory: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SearchError(
            f"{directory}: the search cannot be read ({error.strerror}); check its permissions"
        ) from None


def _from(mapping: dict[str, Any]) -> Status:
    best = mapping["best"]
    return Status(**{**mapping, "best": None if best is None else tuple(best)})


def _briefly(directory: Path) -> Status | None:
    """What a search in the middle has kept of itself, with its last lines; None without it."""
    with _read_of(directory):
        brief = read_brief(directory)
        if brief is None or (goal := brief.goal) is None:
            return None
        settings, best, confirmed = brief.settings, brief.best_trial(directory), None
        if best is not None:
            fresh = fresh_seeds(settings, goal.confirm)
            confirmed = brief.confirmation(directory, best.config, fresh)
    return Status(
        sampler=_sampler(settings),
        trials=goal.trials,
        size=settings.at_most(goal.trials),
        best=_words(best, settings),
        confirmed=None if confirmed is None else str(interval_of_test(confirmed)),
        found={
            "dataset": settings.dataset,
            "space": settings.space.name,
            "seeds": settings.seeds,
            "metric": settings.metric,
            "trials": brief.trials,
            "best": None if best is None else {"number": best.number},
        },
    )


def _sampler(settings: SearchSettings) -> str:
    return f"{settings.sampler} with seed {settings.seed}{settings.racing}"


def _words(best: TrialRecord | None, settings: SearchSettings) -> tuple[str, str] | None:
    if best is None or best.result is None:
        return None
    varied = describe_config(best.config, settings.space.dimensions)
    return str(interval_of_validation(best.result)), varied


def _status(outcome: Outcome) -> Status:
    settings, goal, best = outcome.settings, outcome.goal, outcome.best
    # A search that was killed before its first trial has no goal yet: resumed, it gets this one.
    trials = goal.trials if goal else settings.space.trials or defaults.TRIALS
    return Status(
        sampler=_sampler(settings),
        trials=trials,
        size=settings.at_most(trials),
        best=_words(best, settings),
        confirmed=None if outcome.confirmed is None else str(outcome.confirmed),
        found=outcome.to_mapping(),
    )
