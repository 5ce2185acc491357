"""The file of a journal: lines in Optuna's format, each on the disk before the search goes on.

Optuna keeps everything that it has read in memory. Results are most of a journal and no sampler
asks for them, so Optuna is given the place of a result in the file instead of the result.
"""

import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import optuna
from optuna.storages.journal import BaseJournalBackend

from l2p_search.errors import ConfigError, SearchError, argument

FILE = "journal.log"
"""Its name in the directory of a search."""
FORMAT = 2
"""What is written. In format 1, which names itself nowhere, a trial repeats its whole config."""

_CREATE_STUDY, _STUDY_ATTR, _TRIAL_ATTR, _TRIAL_SYSTEM_ATTR = 0, 2, 8, 9
_OURS = b'{"op_code":'
"""How every line begins."""
_DAMAGE = (
    ValueError, KeyError, TypeError, AttributeError, IndexError, AssertionError, OverflowError,
    RecursionError, ConfigError, optuna.exceptions.OptunaError,
)  # fmt: skip
"""What reading lines raises that nobody wrote so: wrong JSON, keys, types, numbers or names."""


class JournalFile(BaseJournalBackend):
    """What Optuna's storage reads from and writes to.

    Attributes:
        path: The file.
        lines: How many of its lines were read or written so far.
        size: How many of its bytes.
    """

    def __init__(self, path: Path, *, writes: bool) -> None:
        """Open a file; what it says is read by `read_logs`.

        Args:
            path: The file, which a writer makes if need be.
            writes: Whether this process, and no other, appends to it.
        """
        self.path, self.lines = path, 0
        self._writes, self._read = writes, False
        self.size = 0
        self._fresh: list[dict[str, Any]] = []
        self._together: list[bytes] | None = None
        self._failed: OSError | None = None
        if writes:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o644))

    def read_logs(self, log_number_from: int) -> Iterator[dict[str, Any]]:
        """What came after the entries that Optuna has seen."""
        if not (self._writes and self._read):
            yield from self._further_lines()
            self._read = True
        fresh, self._fresh = self._fresh, []
        yield from fresh

    def append_logs(self, logs: list[dict[str, Any]]) -> None:
        """Write entries, and give them to Optuna when it asks next."""
        for log in logs:
            kept = log
            # Optuna's note of what TPE drew: the parameters that follow say it again.
            if log["op_code"] != _TRIAL_SYSTEM_ATTR:
                line = self._line(log)
                kept = _without_result(log, self.size)
                self.size += len(line)
                self.lines += 1
                if self._together is None:
                    self._write(line)
                else:
                    self._together.append(line)
            self._fresh.append(kept)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Write all entries of the block at its end, at once: it waits for the disk once."""
        if self._together is not None:
            yield
            return
        self._together = []
        try:
            yield
        finally:
            lines, self._together = self._together, None
            if lines:
                self._write(b"".join(lines))

    def result_at(self, place: int) -> Any:
        """The result in the line that begins at a byte of the file.

        Raises:
            SearchError: The file was moved or removed since it was opened, or cannot be read.
        """
        try:
            with open(self.path, "rb") as file:
                file.seek(place)
                line = file.readline()
        except OSError as error:
            raise SearchError(
                f"{self.path}: cannot be read any more ({error.strerror}); put it back where it"
                f" was, then add {argument('resume', True)}"
            ) from error
        return parsed(line)["user_attr"]["outcome"]["result"]

    def _further_lines(self) -> Iterator[dict[str, Any]]:
        with open(self.path, "rb") as file:
            file.seek(self.size)
            for line in file:
                if not line.endswith(b"\n"):
                    return  # it is being written, or was cut off by a crash
                self.lines += 1
                log = parsed(line)
                if self.lines == 1:
                    self._check_format(log)
                place, self.size = self.size, self.size + len(line)
                yield _without_result(log, place)

    def _check_format(self, first: dict[str, Any]) -> None:
        written = first.get("format", 1)
        if not isinstance(written, int):
            raise ValueError(f"format {written!r}")
        if written > FORMAT:
            raise SearchError(
                f"{self.path}: was written by a newer l2p-search (journal format {written}, this"
                f" one reads up to {FORMAT}); open it with that version"
            )

    def _line(self, log: dict[str, Any]) -> bytes:
        # Nobody but Optuna asks who wrote a line, and not after the process has ended.
        entry = {**log, "worker_id": ""}
        if self.lines == 0:
            entry["format"] = FORMAT
        return json.dumps(entry, separators=(",", ":"), allow_nan=False).encode() + b"\n"

    def _write(self, lines: bytes) -> None:
        """Append to the file as it was left: half a line, or another's lines, would damage it."""
        if self._failed is not None:
            raise self._failed  # Optuna is ahead of the file: no later entry would make sense
        before = self.size - len(lines)
        try:
            self._append(lines, before)
        except OSError as error:
            self._failed = error
            raise

    def _append(self, lines: bytes, before: int) -> None:
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        try:
            if os.fstat(file).st_size != before:
                raise OSError(errno.ESTALE, "journal.log was changed by another program")
            try:
                while lines:
                    lines = lines[os.write(file, lines) :]
                os.fsync(file)
            except OSError:
                os.ftruncate(file, before)
                raise
        finally:
            os.close(file)


@contextmanager
def understood(file: JournalFile, part: str = "") -> Iterator[None]:
    """Turn what only a damaged file can cause into one line.

    Args:
        file: The file that is read within the block.
        part: What of it; the line that was read last where it is not given.

    Raises:
        SearchError: It is damaged; the message says where.
    """
    try:
        yield
    except SearchError:
        raise
    except _DAMAGE as error:
        said = error.message if isinstance(error, ConfigError) else str(error)
        what = said.strip().splitlines() or [type(error).__name__]
        raise SearchError(
            f"{file.path}: is damaged ({part or f'line {file.lines}'}: {what[0]}); restore it from"
            f" a copy, or search under another {argument('name')}"
        ) from error


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


@contextmanager
def quiet_optuna() -> Iterator[None]:
    """Silence Optuna's messages within the block; the caller's level is restored afterwards."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)


def has_begun(path: Path) -> bool:
    """Whether a search was begun in the file.

    Args:
        path: The file; it need not exist.

    Returns:
        False where a search was stopped before its settings were written: what is there, if
        anything, are the lines that come before them. True for a damaged file.

    Raises:
        SearchError: What is there cannot be read, or is no file.
    """
    try:
        if path.exists() and not path.is_file():
            raise SearchError(
                f"{path}: is no file, so that no search can be kept there; remove it, or choose"
                f" another {argument('name')}"
            )
        with open(path, "rb") as file:
            lines = [file.readline() for _ in range(4)]
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise SearchError(
            f"{path}: cannot be read ({error.strerror}); check its permissions, or choose another"
            f" {argument('name')}"
        ) from None
    whole = [line for line in lines if line.endswith(b"\n")]
    cut_off = [line for line in lines if line and not line.endswith(b"\n")]
    if len(whole) == len(lines) or not all(map(_can_be_cut_off, cut_off)):
        return True
    return not all(map(_comes_before_settings, whole))


def drop_cut_off_line(path: Path) -> None:
    """Drop a last line that a crash or a full disk cut off: what it was to say never counted.

    Raises:
        SearchError: It is no beginning of a line; dropping it could lose what somebody can mend.
    """
    with open(path, "rb+") as file:
        data = file.read()
        whole = data.rfind(b"\n") + 1
        if not _can_be_cut_off(data[whole:]):
            raise SearchError(
                f"{path}: is damaged (its last line is none of a search); restore it from a copy,"
                f" or search under another {argument('name')}"
            )
        if whole < len(data):
            file.truncate(whole)
            os.fsync(file.fileno())


def _can_be_cut_off(line: bytes) -> bool:
    """Whether it can be the beginning of a line of ours; a power failure leaves zeros behind it.

    A whole journal whose line ends somebody has changed is one line, too, and no such beginning.
    """
    written = line.rstrip(b"\0")
    return written[: len(_OURS)] == _OURS[: len(written)] and min(written, default=0x20) >= 0x20


def _comes_before_settings(line: bytes) -> bool:
    try:
        log = parsed(line)
    except ValueError:
        return False
    code = log.get("op_code")
    return code == _CREATE_STUDY or (code == _STUDY_ATTR and "uid" in log.get("user_attr", ()))


def parsed(line: bytes) -> dict[str, Any]:
    """The entry of a line; ValueError where it is none."""
    log = json.loads(line, parse_constant=_no_number)
    if not isinstance(log, dict):
        raise ValueError("not an entry")
    return log


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def _without_result(log: dict[str, Any], place: int) -> dict[str, Any]:
    """The entry with the place of the result instead of the result, if it has one."""
    if log["op_code"] != _TRIAL_ATTR or "outcome" not in log["user_attr"]:
        return log
    outcome = log["user_attr"]["outcome"]
    if outcome["result"] is None:
        return log
    return {**log, "user_attr": {"outcome": {**outcome, "result": place}}}
