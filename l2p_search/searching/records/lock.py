"""One writer per search: a lock that the operating system releases, however its holder ends."""

import fcntl
import json
import os
import time
import weakref
from pathlib import Path
from typing import Any

from l2p_search.errors import SearchError, argument

_FILE = "lock"


class DirectoryLock:
    """The right to write to a search, until `release` or the end of the process.

    Attributes:
        release: Gives the lock back; calling it again does nothing.
    """

    def __init__(self, directory: Path) -> None:
        """Take the lock.

        Args:
            directory: The directory of the search, which exists.

        Raises:
            SearchError: Another process, or another object in this one, has the lock; the
                message says which process, where and since when.
            OSError: The lock file cannot be written.
        """
        fd = os.open(directory / _FILE, os.O_RDWR | os.O_CREAT, 0o644)
        self.release = weakref.finalize(self, os.close, fd)
        # `is_locked` itself holds a shared lock for an instant: wait for such a reader.
        for _ in range(20):
            if _take(fd):
                break
            time.sleep(0.02)
        else:
            self.release()
            holder = read_holder(directory)
            raise SearchError(
                f"search '{directory.name}' is being run by process {holder.get('pid', '?')}"
                f" on {holder.get('host', '?')} since {holder.get('since', '?')};"
                f" wait for it, or search under another {argument('name')}"
            )
        holder = {
            "pid": os.getpid(),
            "host": os.uname().nodename,
            "since": time.strftime("%Y-%m-%d %H:%M:%S"),
        }
        os.ftruncate(fd, 0)
        os.pwrite(fd, json.dumps(holder).encode(), 0)


def is_locked(directory: Path) -> bool:
    """Whether a process is writing to the search now.

    Args:
        directory: The directory of the search; it need not exist.

    Returns:
        False where nobody has the lock or there is no lock file.
    """
    try:
        fd = os.open(directory / _FILE, os.O_RDONLY | os.O_NONBLOCK)  # a pipe is not waited for
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(fd)
    return False


def read_holder(directory: Path) -> dict[str, Any]:
    """What the lock file says of the process that took the lock last.

    Args:
        directory: The directory of the search; it need not exist.

    Returns:
        Its `pid`, `host` and `since`; empty where the file is missing or not readable.
    """
    try:
        path = directory / _FILE
        holder = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return holder if isinstance(holder, dict) else {}


def _take(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
