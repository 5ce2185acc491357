"""A process that is killed at its n-th write, as by `kill -9`: nothing is unwound."""

import os
import signal
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

_WRITES = ("write", "pwrite", "fsync", "ftruncate", "replace")
"""The functions of `os` through which everything reaches the disk."""
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

    def watched(original: Callable[..., Any], name: str) -> Callable[..., Any]:
        def write(*args: Any, **options: Any) -> Any:
            nonlocal number
            number += 1
            if is_last(number):
                if half and name == "write":
                    original(args[0], args[1][: len(args[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            return original(*args, **options)

        return write

    for name in _WRITES:
        setattr(os, name, watched(getattr(os, name), name))
