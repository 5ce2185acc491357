"""FirstWorker: a process of our own that trains the first trials while Ray starts.

Ray and its workers take several seconds to start, and a trial on a small graph less than one.
This process is started at once and gets tasks from the pool as Ray's workers do; the one that it
has when they are there is its last. A worker that dies costs its trial one attempt, wherever it
runs.
"""

import json
import os
import pickle
import queue
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from typing import IO, TYPE_CHECKING, Any

from l2p_search.guard import ending_with_us

if TYPE_CHECKING:
    from l2p_search.data.graph import Graph
    from l2p_search.searching.running.pool import Assignment, Pool

_BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]);"
    " from l2p_search.searching.running.first_worker import serve; serve()"
)
_LENGTH = struct.Struct("<Q")
_NICE = 15
"""As Ray's workers: whoever sits at the machine comes first."""
_WAIT = 0.05
"""Seconds between two looks at whether Ray is there."""


class FirstWorker:
    """Trains one task at a time, from the moment it is made until `close`."""

    def __init__(self) -> None:
        """Start the process, which imports torch while the caller does other things."""
        self._process = subprocess.Popen(
            [sys.executable, "-c", _BOOT, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the driver, which ends this process itself
        )
        self._guard = ExitStack()
        self._guard.enter_context(ending_with_us([self._process.pid]))
        self._messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._outbox: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._given: Assignment | None = None
        self._alive = True
        # A pipe holds little, and a graph may be large: nobody waits for the other side.
        for loop in (self._listen, self._speak):
            threading.Thread(target=loop, name="first-worker", daemon=True).start()

    @property
    def busy(self) -> bool:
        """Whether it has a task."""
        return self._given is not None

    def prepare(self, graphs: Iterable["Graph"], **options: Any) -> None:
        """Send what all tasks need.

        Args:
            graphs: What the searches train on.
            **options: `threads`, and the arguments of `fit` that are the same for all tasks.
        """
        self._send({"graphs": {graph.digest: graph for graph in graphs}, **options})

    def work_until(self, ready: Callable[[], bool], pool: "Pool") -> None:
        """Train tasks of the pool, one after another; in the thread that owns the pool.

        Args:
            ready: Says whether others are there to go on. A task that runs then goes on, too:
                `step` has to be called until it has ended.
            pool: Hands out the tasks.
        """
        while not ready() and not pool.stopping:
            if self._alive and self._given is None and not pool.done:
                self._begin(pool)
            self.step(pool, _WAIT)

    def finish(self, pool: "Pool") -> None:
        """Wait until the running task has ended."""
        while self.busy and not pool.stopping:
            self.step(pool, _WAIT)

    def step(self, pool: "Pool", wait: float = 0.0) -> None:
        """Take one message, if there is one.

        Args:
            pool: Has handed out the task.
            wait: Seconds to wait for a message.
        """
        from l2p_search.searching.running.receiving import receive

        try:
            message = self._messages.get(timeout=wait) if wait else self._messages.get_nowait()
        except queue.Empty:
            return
        given = self._given
        if message is None:
            self._alive, self._given = False, None
            if given is not None:
                pool.release(given, "its worker died")
        elif given is None:
            return
        elif "done" in message:
            self._given = None
            pool.release(given)
        else:
            goes_on = receive(pool, given, message)
            if "measured" in message:
                self._send({"goes_on": goes_on})

    def close(self) -> None:
        """End the process, whatever it does."""
        self._outbox.put(None)
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()
        self._guard.close()

    def _begin(self, pool: "Pool") -> None:
        self._given = pool.next()
        if self._given is not None:
            self._send({"task": self._given.task.to_mapping(), "graph": self._given.graph})

    def _send(self, message: dict[str, Any]) -> None:
        self._outbox.put(message)

    def _speak(self) -> None:
        assert self._process.stdin is not None
        # If it has died, the thread that listens notices, and says so.
        with suppress(OSError, ValueError):
            while (message := self._outbox.get()) is not None:
                _write(self._process.stdin, message)

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with suppress(OSError, ValueError, pickle.UnpicklingError):
            while (message := _read(self._process.stdout)) is not None:
                self._messages.put(message)
        self._messages.put(None)


def serve() -> None:
    """The process itself: tasks from stdin, messages of `run_task` to stdout."""
    source, target = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):  # what anybody prints is no message
        os.dup2(nowhere, descriptor)
    os.nice(_NICE)
    from functools import partial

    import torch

    from l2p_search.searching.running.worker import run_task
    from l2p_search.training.fit import fit
    from l2p_search.training.memory import keep_freed_memory

    options = _read(source)
    if options is None:
        return
    graphs = options.pop("graphs")
    torch.set_num_threads(options.pop("threads"))
    keep_freed_memory()
    train = partial(fit, **options)

    def report(message: dict[str, Any]) -> None:
        _write(target, message)
        if "measured" in message:
            answer = _read(source)
            if answer is None or not answer["goes_on"]:
                raise _StoppedError

    while (asked := _read(source)) is not None:
        with suppress(_StoppedError):
            run_task(asked["task"], graphs[asked["graph"]], train, report, tells_epochs=True)
        _write(target, {"done": True})


class _StoppedError(BaseException):
    """The driver wants no further group. Not an Exception: `run_task` would report it."""


def _write(pipe: IO[bytes], message: dict[str, Any]) -> None:
    content = pickle.dumps(message)
    pipe.write(_LENGTH.pack(len(content)) + content)
    pipe.flush()


def _read(pipe: IO[bytes]) -> dict[str, Any] | None:
    """The next message; None when the other side has gone."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    content = pipe.read(_LENGTH.unpack(head)[0])
    message: dict[str, Any] = pickle.loads(content)  # noqa: S301 - from our own process
    return message
