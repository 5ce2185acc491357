"""Searches that run whole in the process of the test: no Ray, and a training of a millisecond."""

import contextlib
import json
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from l2p_search.searching.running.cluster import Resources
from l2p_search.searching.running.pool import Job, Pool
from l2p_search.searching.running.worker import Train, run_task
from tests.searching.pretend import pretend_training

SPACE = {
    "dropout": {"choices": [0.2, 0.4, 0.6]},
    "lr": {"choices": [0.001, 0.01]},
    "K": {"choices": [2, 4, 8, 16]},
}
"""The space of `tests.searching.pretend`, as a caller would write it."""


class _StoppedError(Exception):
    """What Tune does to a worker whose trial is not to go on."""


def without_ray(monkeypatch: pytest.MonkeyPatch, train: Train = pretend_training) -> list[int]:
    """Run the tasks of searches one after another in this process, from now on.

    The value grows by the number of searches of each call that would have started Ray.
    """
    calls: list[int] = []

    def run_jobs(
        jobs: Sequence[Job],
        resources: Resources,
        *,
        memory_gb: float = 1.0,
        train: Train | None = train,
        stop: threading.Event | None = None,
        first: object = None,
    ) -> bool:
        calls.append(len(jobs))
        pool = Pool(jobs, 1, stop)
        graphs = {job.graph.digest: job.graph for job in jobs}
        try:
            while (given := pool.next()) is not None:

                def report(message: dict[str, Any], given=given) -> None:  # type: ignore[no-untyped-def]
                    if "bug" in message:
                        pool.bug(given, message["bug"], message["traceback"])
                    elif "error" in message:
                        pool.fail(given, message["error"])
                    elif not pool.report(
                        given, json.loads(message["measured"]), message.get("weights")
                    ):
                        raise _StoppedError

                with contextlib.suppress(_StoppedError):
                    run_task(given.task.to_mapping(), graphs[given.graph], ours, report)
                pool.release(given)
        finally:
            if pool.stopping:
                pool.close()
        if pool.fatal is not None:
            raise pool.fatal
        return pool.stopping

    ours = train
    monkeypatch.setattr("l2p_search.searching.running.run.run_jobs", run_jobs)
    monkeypatch.setattr("l2p_search.api.conducting.run_jobs", run_jobs)
    return calls
