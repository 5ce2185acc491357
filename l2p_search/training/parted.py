"""The seeds of one configuration in parts, several of which train at once, each on one core.

Parts train in threads of this process: seeds are divided only where a part has enough to compute
that nearly all of its time is spent in torch's kernels, which do not hold Python's lock. Threads
share the graph, start at once, and need nothing of the program that calls.
"""

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import reduce
from typing import Any

import torch

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.results import TrialResult
from l2p_search.training.fit import Progress, fit

_News = tuple[int, Progress] | None
"""The part and its epoch; None when a part has ended."""


def fit_parts(
    graph: Graph,
    config: TrialConfig,
    parts: Sequence[Sequence[int]],
    at_once: int,
    *,
    on_epoch: Callable[[Progress], None] = lambda progress: None,
    **options: Any,
) -> TrialResult:
    """`fit` of every part, and their results as one, the same for every `at_once`.

    Args:
        graph: What to learn on.
        config: How.
        parts: The seeds, divided.
        at_once: How many parts train at once.
        on_epoch: Called in the caller's own thread with the progress of all parts together. What
            it raises ends the training.
        options: What `fit` takes besides.

    Returns:
        The result of all seeds, in the order of the parts.

    Example:
        >>> from l2p_search.data.demo import demo_graph
        >>> config = TrialConfig(K=2, hidden=8, epochs=3)
        >>> result = fit_parts(demo_graph(), config, [(0, 1), (2, 3)], 2)
        >>> [seed.seed for seed in result.seeds]
        [0, 1, 2, 3]
    """
    started, cpu = time.perf_counter(), time.process_time()
    stop, news = threading.Event(), queue.SimpleQueue[_News]()

    def train(place: int) -> TrialResult:
        def tell(progress: Progress) -> None:
            if stop.is_set():
                raise _Stopped
            news.put((place, progress))

        return fit(graph, config, parts[place], on_epoch=tell, **options)

    with ThreadPoolExecutor(at_once, "part", torch.set_num_threads, (1,)) as pool:
        trainings = [pool.submit(train, place) for place in range(len(parts))]
        for training in trainings:
            training.add_done_callback(lambda ended: news.put(None))
        try:
            for progress in _progress_of_all(news, trainings, [len(part) for part in parts]):
                on_epoch(progress)
        finally:  # an error, or Ctrl-C: what trains ends after its epoch
            stop.set()
            pool.shutdown(cancel_futures=True)
    _raise_first(trainings)
    return replace(
        reduce(TrialResult.joined, (training.result() for training in trainings)),
        seconds=time.perf_counter() - started,
        cpu_seconds=time.process_time() - cpu,
    )


class _Stopped(Exception):  # noqa: N818, it is no error
    """Another part has failed, or the caller wants no more."""


def _progress_of_all(
    news: "queue.SimpleQueue[_News]", trainings: Sequence[Future[TrialResult]], sizes: list[int]
) -> Iterator[Progress]:
    """The progress of all parts, after every epoch of one; until all have ended or one failed."""
    latest: dict[int, Progress] = {}
    running = len(trainings)
    while running:
        told = news.get()
        if told is not None:
            latest[told[0]] = told[1]
            yield _together(latest, sizes)
            continue
        running -= 1
        if any(training.done() and training.exception() for training in trainings):
            return


def _together(latest: dict[int, Progress], sizes: list[int]) -> Progress:
    """The latest epochs of parts that have so many seeds, as one."""
    ongoing = [one for one in latest.values() if one.training] or list(latest.values())
    best = sum(sizes[place] * one.best_val for place, one in latest.items())
    return replace(
        ongoing[0],
        epoch=min(one.epoch for one in ongoing),
        training=sum(one.training for one in latest.values()),
        finished=sum(one.finished for one in latest.values()),
        total=sum(sizes),
        best_val=best / sum(sizes[place] for place in latest),
    )


def _raise_first(trainings: Sequence[Future[TrialResult]]) -> None:
    """Raise what the first of the parts raised that failed by itself."""
    for training in trainings:
        error = None if training.cancelled() else training.exception()
        if error is not None and not isinstance(error, _Stopped):
            raise error
