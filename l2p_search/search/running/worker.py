"""What runs in a worker: one task, group of seeds by group, a report after each.

This is the one border where a failure becomes data: whatever training raises is reported with its
reason, and the search goes on. A worker that dies reports nothing, which the driver notices.
"""

import json
import traceback
from collections.abc import Callable, Sequence
from typing import Any

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.results import TrialResult

Train = Callable[[Graph, TrialConfig, Sequence[int]], TrialResult]
"""Trains one configuration over some seeds; `fit` but for tests."""


def run_task(
    task: dict[str, Any], graph: Graph, train: Train, report: Callable[[dict[str, str]], None]
) -> None:
    """Train the task's groups in turn. `report` blocks until the driver wants the next."""
    config = TrialConfig.recorded(task["config"])
    so_far: TrialResult | None = None
    for group in task["groups"]:
        try:
            trained = train(graph, config, group)
            so_far = trained if so_far is None else so_far.joined(trained)
            message = {"result": json.dumps(so_far.to_mapping(), allow_nan=False)}
        except Exception as error:  # noqa: BLE001 - see the module's docstring
            report({"error": _reason(error), "traceback": traceback.format_exc()})
            return
        report(message)


def _reason(error: Exception) -> str:
    """One line: the first of the message, as torch appends a stack to its own."""
    if isinstance(error, MemoryError):
        return "out of memory"
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__
