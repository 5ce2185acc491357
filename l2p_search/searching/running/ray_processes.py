"""Ray's own processes: apart from signals that are meant for us, watched, and never left behind.

`timeout`, batch systems and a closing terminal send their signal to the whole process group. Ray
would die of it before a search could end in good order, so that its processes get sessions of
their own. And if one of them dies by itself, Ray waits for it for minutes without a word.
"""

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import psutil

from l2p_search.guard import own_group

_VITAL = ("gcs_server", "raylet")
_EVERY = 0.5
"""Seconds between two looks."""
_SILENCE = 40.0
"""Seconds that a cluster's head may be silent; after 60 Ray itself would end this process."""
_PATIENCE = 10.0
"""Seconds that Ray is given to notice that it is dead."""
_starting = threading.local()


def lost_text(name: str) -> str:
    """What is said of a process of Ray that has died."""
    return f"Ray's process '{name}' died (killed, or out of memory?); what ended is kept"


def _after_fork() -> None:
    if getattr(_starting, "now", False):
        own_group()


# Ray offers no way to say so; it forks with a function of its own, and then these are called too.
os.register_at_fork(after_in_child=_after_fork)


@contextmanager
def sessions_of_their_own() -> Iterator[list[int]]:
    """Processes that this thread starts within the block are apart from our process group.

    Yields:
        The process groups that were started, filled when the block ends.
    """
    groups: list[int] = []
    before = {child.pid for child in psutil.Process().children()}
    _starting.now = True
    try:
        yield groups
    finally:
        _starting.now = False
        children = {child.pid for child in psutil.Process().children()}
        groups += [pid for pid in children - before if _leads_a_group(pid)]


@contextmanager
def watched(on_lost: Callable[[str], None], head: str | None = None) -> Iterator[None]:
    """Watch the processes of the Ray that this process has started, or the head of a cluster.

    Processes that appear within the block are watched as well: Ray may only be starting.

    Args:
        on_lost: Called once, in a thread of its own, when one that Ray cannot do without has died;
            with its name.
        head: The address of the head, HOST:PORT, if a cluster was joined. It is lost when nobody
            has listened there for longer than a network may fail.
    """
    vital = _vital()
    over = threading.Event()

    def watch() -> None:
        heard = time.monotonic()
        while not over.wait(_EVERY):
            vital.update(_vital())
            if head is None or _listens(head):
                heard = time.monotonic()
            elif time.monotonic() - heard > _SILENCE:
                on_lost(f"head {head}")
                return
            for process, name in vital.items():
                if _is_dead(process.pid):
                    on_lost(name)
                    return

    thread = threading.Thread(target=watch, name="ray-watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def ended_by_force() -> Iterator[Callable[[str], None]]:
    """End this process if the block does not end within seconds after Ray has lost a process.

    Ray may wait for the dead without listening to anybody; after a minute it would end this
    process itself, without a word that helps.

    Yields:
        What is to be called with the name of the process that has died.
    """
    over = threading.Event()

    def end(name: str) -> None:
        if not over.wait(_PATIENCE):
            os.write(2, f"l2p-search: error: {lost_text(name)}; resume the search\n".encode())
            try:
                _kill_ray()
            finally:
                os._exit(2)

    def lost(name: str) -> None:
        threading.Thread(target=end, args=[name], name="ray-lost", daemon=True).start()

    try:
        yield lost
    finally:
        over.set()


def _listens(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()
    except OSError:
        return False
    return True


def _leads_a_group(pid: int) -> bool:
    try:
        return os.getpgid(pid) == pid
    except ProcessLookupError:
        return False


def _kill_ray() -> None:
    """Kill what is left of a Ray of our own; its agents would look for it for a minute."""
    left = list(_vital())
    for process in left + [child for each in left for child in _descendants(each)]:
        with suppress(psutil.Error):
            process.kill()


def _descendants(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []


def _vital() -> dict[psutil.Process, str]:
    """The processes that a Ray of our own cannot do without, with their names."""
    children = psutil.Process().children()
    return {child: name for child in children if (name := _name(child)) in _VITAL}


def _name(process: psutil.Process) -> str:
    try:
        return process.name()
    except psutil.Error:
        return ""


def _is_dead(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    except psutil.NoSuchProcess:
        return True
