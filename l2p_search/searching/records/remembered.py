"""What is remembered beside a journal so that it need not be read again: it can always be lost.

Such a file has a checksum of what it says. One that is damaged, cut off, unreadable or no file at
all is as good as none: the journal has everything.
"""

import errno
import json
import os
import zlib
from pathlib import Path
from typing import Any

from l2p_search.whole_file import write_whole

_CHECKSUM = "checksum"


def remember(path: Path, mapping: dict[str, Any]) -> None:
    """Write what is to be remembered.

    Args:
        path: The file. Its folder belongs to a search, so a link that leads out of it is left
            alone.
        mapping: Plain JSON values.

    Raises:
        OSError: It cannot be written.
    """
    if path.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    write_whole(path, json.dumps({**mapping, _CHECKSUM: _of(mapping)}))


def recall(path: Path) -> dict[str, Any] | None:
    """Read what was remembered.

    Args:
        path: The file; it need not exist.

    Returns:
        What was given to `remember`; None where the file says anything else.
    """
    try:
        if not path.is_file():  # opening a pipe would wait for somebody to write to it
            return None
        mapping = dict(json.loads(path.read_text(encoding="utf-8")))
        same = mapping.pop(_CHECKSUM) == _of(mapping)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return mapping if same else None


def _of(mapping: dict[str, Any]) -> int:
    """The checksum of values as they are written: keys are text, tuples are lists."""
    return zlib.crc32(json.dumps(mapping).encode())
