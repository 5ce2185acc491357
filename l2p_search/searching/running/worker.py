"""What runs in a worker: one task, a group of seeds after another, and a report after each group.

This is the one border where a failure becomes data: a configuration that diverges, runs out of
memory or cannot be built is reported with its reason, and the search goes on. A bug is not a
property of a configuration: it is reported with its traceback, and ends the search. A worker that
dies reports nothing; the driver notices that itself.
"""

import json
import logging
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from l2p_search.config import TrialConfig
from l2p_search.data.fresh_splits import with_fresh_splits
from l2p_search.data.graph import Graph
from l2p_search.errors import UserError
from l2p_search.metrics import Metric
from l2p_search.results import TrialResult
from l2p_search.saved.storing import weights_bytes
from l2p_search.searching.running.telling import EpochTeller


class Train(Protocol):
    """Trains one configuration over some seeds and scores it: `fit`, or a stand-in in tests."""

    def __call__(
        self, graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric
    ) -> TrialResult:
        """The result of these seeds, measured by the metric."""


_OF_A_CONFIG = (UserError, MemoryError, ArithmeticError, RuntimeError, ValueError, OSError)
"""What a configuration or a machine can cause; torch raises RuntimeError for both."""
_NO_MEMORY = ("can't allocate memory", "out of memory")
"""What torch says in a RuntimeError, on a CPU and on a GPU."""
_BUGS = (NotImplementedError, RecursionError)
"""Kinds of RuntimeError that are the fault of the code, not of the configuration."""


def run_task(
    task: dict[str, Any],
    graph: Graph,
    train: Train,
    report: Callable[[dict[str, Any]], None],
    *,
    tells_epochs: bool = False,
) -> None:
    """Train the groups of seeds of a task one after another, until all are done or one fails.

    Args:
        task: What `Task.to_mapping` gives: the config and the groups of seeds.
        graph: The graph to train on.
        train: Trains one group.
        report: Takes the message of one group and returns when the driver wants the next group.
            The message is {"measured": JSON of `TrialResult.measured`} after success, with
            {"weights": bytes of a safetensors file} where the task asks for them; after failure
            it is {"error": reason, "traceback": text} or {"bug": reason, "traceback": text}, and
            the last message. "notes" are what training warned of, if it did. {"progress": JSON}
            tells how far a group is, and wants no decision.
        tells_epochs: Whether `train` takes `on_epoch`, as `fit` does.
    """
    config = TrialConfig.recorded(task["config"])
    if task.get("splits") is not None:
        graph = with_fresh_splits(graph, task["splits"])
    before = 0
    for group in task["groups"]:
        notes: list[str] = []
        told: dict[str, Any] = {"on_epoch": EpochTeller(report, before)} if tells_epochs else {}
        if task.get("sealed"):
            told["sealed"] = True
        before += len(group)
        try:
            with _warnings_to(notes):
                trained = train(graph, config, group, metric=task["metric"], **told)
            message: dict[str, Any] = {"measured": _as_json(trained)}
            if task.get("with_weights") and trained.weights is not None:
                message["weights"] = weights_bytes(trained.weights)
        except Exception as error:  # noqa: BLE001 - see the module's docstring
            kind = "error"
            if isinstance(error, _BUGS) or not isinstance(error, _OF_A_CONFIG):
                kind = "bug"
            report({kind: _reason(error), "traceback": traceback.format_exc()} | _noted(notes))
            return
        report(message | _noted(notes))


class _Notes(logging.Handler):
    """A handler that keeps the messages of warnings."""

    def __init__(self, notes: list[str]) -> None:
        super().__init__(logging.WARNING)
        self._notes = notes

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one message."""
        self._notes.append(record.getMessage())


@contextmanager
def _warnings_to(notes: list[str]) -> Iterator[None]:
    """Collect what training warns of, for the driver: nobody reads the log of a worker."""
    logger, handler = logging.getLogger("l2p_search.training"), _Notes(notes)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


def _noted(notes: list[str]) -> dict[str, str]:
    return {"notes": json.dumps(notes)} if notes else {}


def _as_json(trained: TrialResult) -> str:
    """What was measured, or an error that says that it is not finite, which JSON cannot hold."""
    try:
        return json.dumps(trained.measured(), allow_nan=False)
    except ValueError as error:
        raise ValueError("training gave a number that is not finite") from error


def _reason(error: Exception) -> str:
    """The first line of the message: torch appends a stack to its own."""
    if isinstance(error, MemoryError) or any(words in str(error) for words in _NO_MEMORY):
        return "out of memory"
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__
