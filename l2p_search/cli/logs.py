"""The log of a command: to a file, to stderr, or nowhere; without passwords."""

import logging
import os
import sys
from contextlib import suppress
from pathlib import Path

from l2p_search.cli.signals import say
from l2p_search.errors import UserError
from l2p_search.masking import masked


class _Masked(logging.Formatter):
    """Writes no password, wherever in a record it is."""

    def format(self, record: logging.LogRecord) -> str:
        """The record in full, with its passwords masked."""
        return masked(super().format(record))


class _LogFile(logging.FileHandler):
    """A log that ends with a line where it cannot be written, as on a full disk; no work does."""

    _failed = False

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        """Say it once; logging itself would print a traceback per record."""
        if not self._failed:
            self._failed = True
            why = sys.exc_info()[1]
            reason = why.strerror if isinstance(why, OSError) else why
            say(f"--log-file {self.baseFilename}: cannot be written ({reason}); going on without")

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record, unless writing has failed before."""
        if not self._failed:
            super().emit(record)

    def close(self) -> None:
        """Close the file; what could not be written is still in its buffer, and stays there."""
        with suppress(OSError):
            super().close()


def log_to(path: Path | None, verbose: bool) -> None:
    """Send the log of l2p-search to a file, to stderr, or nowhere.

    The process belongs to the command: nothing is put back afterwards.

    Args:
        path: The file; None for none.
        verbose: Whether it goes to stderr too.

    Raises:
        UserError: The file cannot be written.
    """
    logger = logging.getLogger("l2p_search")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logger.handlers = [logging.NullHandler()]
    if verbose:
        shown = logging.StreamHandler()
        shown.setFormatter(_Masked())
        logger.addHandler(shown)
    if path is not None:
        try:
            # A pipe that nobody reads is refused here; opening it as a log would wait for ever.
            os.close(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK, 0o666))
            handler = _LogFile(path, encoding="utf-8")
        except (OSError, ValueError) as error:  # a zero byte is no error of the file system
            why = error.strerror if isinstance(error, OSError) else error
            raise UserError(
                f"--log-file {path}: cannot be written ({why}); choose another"
            ) from None
        handler.setFormatter(_Masked("%(asctime)s %(levelname)s %(message)s"))
        logger.addHandler(handler)
