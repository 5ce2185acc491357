"""The folder for what Ray and Tune write: short enough for sockets, and removed at the end."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from l2p_search.errors import SearchError

_PREFIX = "l2p-"
_LONGEST = 107 - len(
    "/l2p-1234567-12345678/session_2026-01-01_00-00-00_000000_1234567/sockets/plasma_store"
)
"""Bytes of the folder that holds it: Linux allows 107 for the path of a socket."""
_ELSEWHERE = ("/tmp", "/var/tmp", "/dev/shm")
_LEAST = 16 * 2**20
"""Bytes that Ray's logs and sockets take for sure."""


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Make a folder in the system's place for temporary files, and remove it at the end.

    Where that place's path is too long for sockets, another is taken. What killed searches have
    left behind is removed.

    Raises:
        SearchError: There is no place with a short path and some room.
    """
    place = _place()
    _sweep(place)
    try:
        scratch = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=place))
    except OSError as error:
        raise SearchError(
            f"{place}: temporary files cannot be written there ({error.strerror}); name another"
            " folder by TMPDIR"
        ) from None
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _place() -> Path:
    try:
        usual = Path(tempfile.gettempdir())
    except OSError as error:  # no place for temporary files at all
        raise SearchError(f"{error.strerror}; name a folder for them by TMPDIR") from None
    places = [usual, *map(Path, _ELSEWHERE)]
    short = [each for each in places if len(os.fsencode(each.resolve())) <= _LONGEST]
    for place in short:
        if os.access(place, os.W_OK) and shutil.disk_usage(place).free >= _LEAST:
            return place
    raise SearchError(
        f"{usual}: Ray needs {_LEAST // 2**20} MB of room for temporary files, in a folder whose"
        f" path has at most {_LONGEST} characters; name one by TMPDIR"
    )


def _sweep(place: Path) -> None:
    """Remove the folders of searches that were killed."""
    for path in place.glob(f"{_PREFIX}*-*"):
        pid = path.name.removeprefix(_PREFIX).partition("-")[0]
        if pid.isdigit() and not psutil.pid_exists(int(pid)):
            shutil.rmtree(path, ignore_errors=True)
