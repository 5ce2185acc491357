"""What the driver does with a message of a worker, whichever way it came."""

import json
import logging
from typing import Any

from l2p_search.searching.running.pool import Assignment, Pool

_log = logging.getLogger(__name__)


def receive(pool: Pool, given: Assignment, message: dict[str, Any]) -> bool:
    """Pass a message of `run_task` on to the pool.

    Args:
        pool: Has handed out the task.
        given: The task with its search.
        message: As of `run_task`.

    Returns:
        Whether the worker may go on. After a bug, an error or the last group it returns by itself,
        and need not be stopped.
    """
    if "progress" in message:
        pool.progress(given, json.loads(message["progress"]))
        return True
    for note in json.loads(message.get("notes", "[]")):
        pool.note(given, note)
    if "bug" in message:
        pool.bug(given, message["bug"], message["traceback"])
        return True
    if "error" in message:
        _log.error("trial %d failed\n%s", given.task.number, message.get("traceback", ""))
        pool.fail(given, message["error"])
        return True
    measured = json.loads(message["measured"])
    # Taken out of Tune's hands, which would keep it and write it to its own files.
    weights = message.pop("weights", None)
    goes_on = pool.report(given, measured, weights)
    last: bool = measured["seeds"][-1]["seed"] == given.task.groups[-1][-1]
    return goes_on or last
