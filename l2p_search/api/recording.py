"""The copy of a search in MLflow: written while it runs, or brought up to date later."""

import logging
import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from l2p_search.api.kept_model import model_entry
from l2p_search.api.mlflow_entries import search_entry, trial_entry, trial_uid
from l2p_search.errors import ModelError, SearchError, either
from l2p_search.progress import Event
from l2p_search.results import TrialStatus
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.lock import is_locked
from l2p_search.searching.records.outcome import Outcome, read_outcome
from l2p_search.tracking.entries import SearchEntry
from l2p_search.tracking.mlflow_tracker import MlflowTracker
from l2p_search.tracking.quiet import explained
from l2p_search.tracking.recorder import Recorder
from l2p_search.tracking.store import Store, find_store
from l2p_search.trial_record import TrialRecord

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Tracking:
    """Whether and where MLflow gets a copy.

    Attributes:
        on: Whether it gets one.
        uri: A tracking URI; None for $MLFLOW_TRACKING_URI, then a database in ./mlflow.
    """

    on: bool = True
    uri: str | None = None

    def check(self) -> None:
        """Refuse a store that cannot be one, before a search begins.

        Raises:
            UserError: Its address is none.
        """
        if self.on:
            find_store(self.uri)

    @property
    def store(self) -> Store:
        """The store; looked up anew each time, as ./mlflow depends on the current folder."""
        return find_store(self.uri)


@contextmanager
def tracking(
    journal: Journal, where: Tracking, note: Callable[[str], None]
) -> Iterator[Callable[[Event], None]]:
    """Write trials to MLflow in the background for as long as the context lasts.

    Trials of earlier sessions are written too, unless the store already has them. When the context
    ends, what the search found is written to its own run.

    Args:
        journal: The search.
        where: Whether and where MLflow gets a copy.
        note: Is called with one line when something could not be written, and with one on the
            version of a model that was registered.

    Yields:
        What has to be called with every event of the search.
    """
    if not where.on:
        yield lambda event: None
        return
    recorder = Recorder(where.store)

    def write(ended: TrialRecord) -> None:
        recorder.record(trial_uid(journal, ended), lambda: trial_entry(journal, ended))

    def record(event: Event) -> None:
        # Not before: its imports would slow down what training waits for.
        recorder.begin(lambda: search_entry(journal))
        if event.kind == "ended" and event.record is not None:
            write(event.record)

    for earlier in journal.records():  # an earlier session may have been killed before writing
        if earlier.status is not TrialStatus.RUNNING:
            write(earlier)

    failed = True
    try:
        yield record
        failed = False
    finally:
        try:
            outcome = read_outcome(journal)
        except SearchError:  # its folder is gone, as the error says by which the search ended
            recorder.close(None, interrupted=True)
            if not failed:
                raise
        else:
            _end(recorder, journal, outcome, failed, note)


def _end(
    recorder: Recorder,
    journal: Journal,
    outcome: Outcome,
    failed: bool,
    note: Callable[[str], None],
) -> None:
    """Write what a search has found, and say what could not be written."""
    stopped = failed or any(r.status is TrialStatus.RUNNING for r in outcome.records)
    entry = search_entry(journal, outcome)
    try:
        entry = replace(entry, model=model_entry(journal, outcome))
    except ModelError as error:
        note(f"the search's model is not in MLflow: {error.message}")
    failure = recorder.close(entry, interrupted=stopped)
    _log.info("MLflow took %.1f s", recorder.seconds)
    if failure is not None:
        name = journal.directory.name
        shell = f"l2p-search sync {shlex.quote(name)}"
        way = either(f"l2p.open_search({name!r}).sync()", shell)
        note(f"MLflow is behind ({failure}); the trials are safe: bring them there with {way}")
    elif entry.model is not None and recorder.version is not None:
        named = " and ".join(entry.model.aliases)
        note(
            f"registered in MLflow: version {recorder.version} of {entry.model.registered},"
            f" {named}"
        )


def sync(journal: Journal, where: Tracking) -> tuple[int, int]:
    """Write to MLflow what is missing there of a search; nothing is written twice.

    Files that somebody has deleted there are written anew.

    Args:
        journal: The search; its model is written too.
        where: Where; it is written even if tracking is off.

    Returns:
        How many trials were written, and how many were there before.

    Raises:
        UserError: The store cannot be used, or keeps no models.
        ModelError: The search's model cannot be read.
    """
    store = where.store
    with explained(store):
        tracker = MlflowTracker(store)
        outcome = read_outcome(journal)
        search = search_entry(journal, outcome)
        parent = tracker.begin(search)
        before = tracker.recorded(parent)
        for record in outcome.records:
            if record.status is TrialStatus.RUNNING:
                continue
            entry = trial_entry(journal, record)
            if tracker.has(parent, entry.uid):
                tracker.restore(parent, entry)
            else:
                tracker.record(parent, search, entry)
        if not is_locked(journal.directory):
            unfinished = any(r.status is TrialStatus.RUNNING for r in outcome.records)
            _, ended = journal.span  # long ago, as the case may be
            search = replace(search, model=model_entry(journal, outcome), ended=ended)
            tracker.finish(parent, search, interrupted=unfinished)
        return tracker.recorded(parent) - before, before


def publish(entry: SearchEntry, where: Tracking) -> None:
    """Write a run that stands for itself, such as an answer; the same one is written anew."""
    if not where.on:
        return
    store = where.store
    with explained(store):
        tracker = MlflowTracker(store)
        tracker.finish(tracker.begin(entry), entry, interrupted=False)


def attach(journals: Iterable[Journal], files: dict[str, bytes], where: Tracking) -> None:
    """Add files to the runs of searches in MLflow.

    Args:
        journals: The searches. One that the store does not have, as it was searched without
            tracking, is written first: a run with these files alone would look like a search that
            found nothing.
        files: File name -> content.
        where: Whether and where MLflow gets a copy.

    Raises:
        UserError: The store cannot be used.
    """
    if not where.on:
        return
    store = where.store
    with explained(store):
        tracker = MlflowTracker(store)
        for journal in journals:
            if not tracker.attach(search_entry(journal), files):
                sync(journal, where)
                tracker.attach(search_entry(journal), files)
