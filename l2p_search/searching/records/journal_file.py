"""The file of a journal: Optuna's storage over it, its errors in words, and its last line."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import optuna
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock

from l2p_search.errors import SearchError, argument

FILE = "journal.log"
"""Its name in the directory of a search."""


def replay(path: Path) -> JournalStorage:
    """Open Optuna's storage on the file, made if need be; a damaged file is a `SearchError`."""
    try:
        return JournalStorage(JournalFileBackend(str(path), lock_obj=_AlreadyLocked(str(path))))
    except (ValueError, KeyError, TypeError) as error:
        raise SearchError(
            f"{path}: is damaged ({error}); restore it from a copy, or search under another"
            f" {argument('name')}"
        ) from error


class _AlreadyLocked(JournalFileOpenLock):
    """No lock: Optuna's lock file would outlive a killed process, and `DirectoryLock` is there."""

    def acquire(self) -> bool:
        return True

    def release(self) -> None:
        pass


@contextmanager
def quiet_optuna() -> Iterator[None]:
    """Silence Optuna's messages within the block; the caller's level is restored afterwards."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)


@contextmanager
def explained(directory: Path) -> Iterator[None]:
    """Turn an error of the file system into one line."""
    try:
        yield
    except OSError as error:
        raise SearchError(
            f"{directory}: the search cannot be written ({error.strerror or error}); what is"
            " recorded so far is kept: make room or fix the permissions, then add"
            f" {argument('resume', True)}"
        ) from error


def drop_cut_off_line(path: Path) -> None:
    """Drop a last line that a crash or a full disk cut off: what it was to say never counted."""
    try:
        with open(path, "rb+") as file:
            data = file.read()
            whole = data.rfind(b"\n") + 1
            if whole < len(data):
                file.truncate(whole)
                os.fsync(file.fileno())
    except FileNotFoundError:
        return
