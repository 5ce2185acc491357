"""One writer a search: a lock that the operating system lets go of, however its holder ends."""

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
    """Held while the search is written to, until `release` or the end of the process."""

    def __init__(self, directory: Path) -> None:
        """Take the lock, or say who has it."""
        fd = os.open(directory / _FILE, os.O_RDWR | os.O_CREAT, 0o644)
        self.release = weakref.finalize(self, os.close, fd)
        # A reader that looks whether the lock is taken holds it for an instant.
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
    """Whether a search is running there now."""
    try:
        with open(directory / _FILE, encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def read_holder(directory: Path) -> dict[str, Any]:
    """Who has the lock, as far as it says."""
    try:
        holder = json.loads((directory / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return holder if isinstance(holder, dict) else {}


def _take(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
