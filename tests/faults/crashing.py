"""A process that is killed at its n-th write, as by `kill -9`: nothing is unwound."""

import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

_WRITES = ("write", "pwrite", "sendfile", "fsync", "ftruncate", "replace", "rename", "mkdir")
"""The functions of `os` through which everything reaches the disk, but for what `open` makes."""
_OF_PYTHON = (".pyc", "/dev/null")
"""Ends of the names of files that Python itself writes, or that are none."""
_DONE = 77
"""The exit code of a process that came to its end."""


def killed_at(place: int, work: Callable[[], object], *, half: bool = False) -> bool:
    """Run something in a process of its own, and kill that process at a write.

    Args:
        place: Which write, counted from 1.
        work: What is run.
        half: Whether half of the bytes still reach the file.

    Returns:
        Whether it was killed; False when it had fewer writes.
    """
    child = os.fork()
    if child == 0:
        _count(lambda number: number == place, half)
        _run_and_exit(work)
    _, ended = os.waitpid(child, 0)
    if os.WIFSIGNALED(ended):
        return True
    assert os.WEXITSTATUS(ended) == _DONE
    return False


def writes_of(work: Callable[[], object], counter: Path) -> int:
    """How many writes something has."""
    child = os.fork()
    if child == 0:
        seen = 0

        def count(number: int) -> bool:
            nonlocal seen
            seen = number
            return False

        _count(count, False)
        _run_and_exit(lambda: (work(), counter.write_text(str(seen))))
    os.waitpid(child, 0)
    return int(counter.read_text())


def _run_and_exit(work: Callable[[], object]) -> None:
    """No exception may get out of a forked process: it would go on with the parent's tests."""
    try:
        work()
    except BaseException:  # noqa: BLE001 - it has to end here
        traceback.print_exc()
        os._exit(1)
    os._exit(_DONE)


def _count(is_last: Callable[[int], bool], half: bool) -> None:
    number = 0

    def reached() -> bool:
        nonlocal number
        number += 1
        return is_last(number)

    def watched(original: Callable[..., Any], name: str) -> Callable[..., Any]:
        def write(*args: Any, **options: Any) -> Any:
            if reached():
                if half and name == "write":
                    original(args[0], args[1][: len(args[1]) // 2])
                if half and name == "sendfile":
                    original(*args[:3], 1)
                os.kill(os.getpid(), signal.SIGKILL)
            return original(*args, **options)

        return write

    for name in _WRITES:
        setattr(os, name, watched(getattr(os, name), name))

    def opened(event: str, args: tuple[Any, ...]) -> None:
        """`open` of Python is no function of `os`, but tells what it is about to do."""
        writes = event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+")
        if writes and not str(args[0]).endswith(_OF_PYTHON) and reached():
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(opened)
    if "sqlalchemy" in sys.modules:
        _count_statements(reached)


def _count_statements(reached: Callable[[], bool]) -> None:
    """A database writes by itself: killed before a statement that changes it, and before a commit.

    What a kill within a write leaves behind is rolled back by SQLite.
    """
    from sqlalchemy import event
    from sqlalchemy.engine import Engine

    def before(connection: object, cursor: object, statement: str, *more: object) -> None:
        if not statement.lstrip().upper().startswith(("SELECT", "PRAGMA")) and reached():
            os.kill(os.getpid(), signal.SIGKILL)

    def committing(connection: object) -> None:
        if reached():
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "before_cursor_execute", before)
    event.listen(Engine, "commit", committing)
