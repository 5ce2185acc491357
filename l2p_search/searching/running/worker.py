"""What runs in a worker: one task, group of seeds by group, a report after each.

This is the one border where a failure becomes data: a configuration that diverges, runs out of
memory or cannot be built is reported with its reason, and the search goes on. A bug is no property
of a configuration: it is reported with its traceback, and ends the search. A worker that dies
reports nothing, which the driver notices.
"""

import json
import traceback
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.errors import UserError
from l2p_search.metrics import Metric
from l2p_search.results import TrialResult


class Train(Protocol):
    """Trains one configuration over some seeds, and judges them; `fit` but for tests."""

    def __call__(
        self, graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric
    ) -> TrialResult:
        """The result of these seeds, measured by the metric."""


_OF_A_CONFIG = (UserError, MemoryError, ArithmeticError, RuntimeError, ValueError, OSError)
"""What a configuration or a machine can cause; torch raises RuntimeError for both."""
_BUGS = (NotImplementedError, RecursionError)
"""Kinds of RuntimeError that say something of the code, not of the configuration."""


def run_task(
    task: dict[str, Any], graph: Graph, train: Train, report: Callable[[dict[str, str]], None]
) -> None:
    """Train the task's groups in turn and report each group's own seeds.

    `report` blocks until the driver wants the next group.
    """
    config = TrialConfig.recorded(task["config"])
    for group in task["groups"]:
        try:
            trained = train(graph, config, group, metric=task["metric"])
            message = {"measured": json.dumps(trained.measured(), allow_nan=False)}
        except Exception as error:  # noqa: BLE001 - see the module's docstring
            kind = "error"
            if isinstance(error, _BUGS) or not isinstance(error, _OF_A_CONFIG):
                kind = "bug"
            report({kind: _reason(error), "traceback": traceback.format_exc()})
            return
        report(message)


def _reason(error: Exception) -> str:
    """One line: the first of the message, as torch appends a stack to its own."""
    if isinstance(error, MemoryError):
        return "out of memory"
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__
