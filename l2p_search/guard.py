"""Processes that end with this one, even when it is killed with a signal that nobody can catch."""

import os
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

# The shell waits in `read`. A dead process closes its end of the pipe without having said a word.
_WATCH = 'read -r word; [ "$word" = done ] || kill -s KILL -- "$@"'


@contextmanager
def ending_with_us(groups: Iterable[int]) -> Iterator[None]:
    """Kill process groups at once if this process dies within the block.

    Args:
        groups: Their numbers. If the block ends in any ordinary way, nothing happens to them.
    """
    minus = [f"-{group}" for group in groups]
    watcher = subprocess.Popen(
        ["/bin/sh", "-c", _WATCH, "watch", *minus],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,  # what is sent to our group does not end the watcher
    )
    assert watcher.stdin is not None
    try:
        yield
    finally:
        with suppress(OSError), watcher.stdin as pipe:  # somebody may have killed the watcher
            pipe.write(b"done\n")
        watcher.wait()


def own_group() -> None:
    """Put this process into a session and a group of its own; for a child before it runs."""
    with suppress(OSError):  # it leads a group already
        os.setsid()
