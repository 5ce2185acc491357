"""Writing a file so that a reader sees the old content or the new one, whole."""

import errno
import os
import re
import stat
from pathlib import Path

_LONGEST_NAME, _LONGEST_PATH = 255, 4000
"""Bytes that file systems allow; a little is left for what is written beside a file."""


def write_whole(path: Path, content: str | bytes) -> None:
    """Write beside the target, flush to the disk, rename.

    A symbolic link stays one: the file that it names is written. A file keeps its permissions.

    Args:
        path: The file; its folder exists.
        content: Text, written as UTF-8, or bytes.

    Raises:
        OSError: It cannot be written, or it is a device, a pipe or a folder, which a rename would
            replace. Nothing is left behind.
    """
    path = Path(os.path.realpath(path))
    mode = _mode(path)
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(beside, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def is_path(path: Path) -> bool:
    """Whether a file could be there: no name is too long for a file system or has a zero byte.

    Example:
        >>> is_path(Path("a/b")), is_path(Path("a" * 300)), is_path(Path(chr(0)))
        (True, False, False)
    """
    try:
        parts = [os.fsencode(part) for part in path.parts]
    except UnicodeEncodeError:
        return False
    whole = sum(len(part) + 1 for part in parts)
    return whole < _LONGEST_PATH and all(
        len(part) <= _LONGEST_NAME and b"\0" not in part for part in parts
    )


def as_file_name(text: str) -> str:
    """A text as the name of one file or folder: it can lead nowhere else.

    Example:
        >>> as_file_name("../../my graph: 1"), as_file_name("größe-2.svg")
        ('_.._my graph_ 1', 'größe-2.svg')
    """
    return re.sub(r"[^\w. -]", "_", text).lstrip(".").strip() or "_"


def _mode(path: Path) -> int | None:
    """The permissions of a file; None where there is none yet."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    return stat.S_IMODE(found.st_mode)
