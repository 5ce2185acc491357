"""Signals while a search runs: the first one ends it in good order, the second at once."""

import os
import signal
from types import FrameType, TracebackType
from typing import Any

from l2p_search.display.phrases import count
from l2p_search.results import TrialStatus
from l2p_search.search.records.outcome import Outcome
from l2p_search.search.running.pool import Pool

_WATCHED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Signals:
    """Handles Ctrl-C, SIGTERM and a closed terminal until the context ends."""

    def __init__(self, resume: str) -> None:
        """`resume` is the command that continues the search."""
        self._resume = resume
        self._pool: Pool | None = None
        self._received: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "Signals":
        """Start handling."""
        self._before = {number: signal.getsignal(number) for number in _WATCHED}
        self._install()
        return self

    def _install(self) -> None:
        for number in _WATCHED:
            signal.signal(number, self._handle)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Give the signals back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def watch(self, pool: Pool) -> None:
        """Stop these searches; at once when the signal was earlier."""
        self._install()  # Ray has taken SIGTERM for itself when it started
        self._pool = pool
        if self._received is not None:
            pool.stop()

    @property
    def exit_code(self) -> int:
        """As a shell reports a process that a signal ended."""
        return 128 + (self._received or 0)

    def report(self, outcome: Outcome) -> None:
        """Say what was interrupted and how to go on."""
        open_trials = [r.number for r in outcome.records if r.status is TrialStatus.RUNNING]
        ended = len(outcome.records) - len(open_trials)
        _say(f"interrupted; {count(ended, 'trial')} kept")
        if open_trials:
            numbers = ", ".join(map(str, open_trials))
            _say(f"interrupted and to run again: {count(len(open_trials), 'trial')} ({numbers})")
        if outcome.best is not None:
            _say(
                f"best so far: trial {outcome.best.number}, validation"
                f" {outcome.best.objective:.2f} %"
            )
        _say(f"continue with: {self._resume}")

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._received is not None:
            _say(f"stopped; continue with: {self._resume}")
            os._exit(self.exit_code)  # Ray's processes end with this one
        self._received = number
        _say("stopping; once more to stop at once")
        if self._pool is not None:
            self._pool.stop()


def _say(text: str) -> None:
    """Straight to the file: a handler may run in the middle of another print."""
    os.write(2, f"l2p-search: {text}\n".encode())
