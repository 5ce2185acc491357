"""Running one search, or several on the same workers, from a journal to its outcome."""

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from l2p_search import defaults
from l2p_search.data.graph import Graph
from l2p_search.errors import SearchError, argument
from l2p_search.progress import Event, Snapshot
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import Outcome, read_outcome
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.records.versions import versions
from l2p_search.searching.running.cluster import Resources, ray_cluster, ray_runs
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.searching.running.first_worker import FirstWorker
from l2p_search.searching.running.keeping import ModelKeeper
from l2p_search.searching.running.parts import Divide, divided_for, whole
from l2p_search.searching.running.placement import settled
from l2p_search.searching.running.pool import Job, Pool
from l2p_search.searching.running.ray_processes import ended_by_force, lost_text, watched
from l2p_search.searching.running.worker import Train
from l2p_search.training.fit import fit
from l2p_search.training.memory import graph_bytes


@dataclass(frozen=True, kw_only=True)
class Finish:
    """How one invocation of a search ended.

    Args:
        outcome: What the search has found by now.
        interrupted: Whether it was stopped before its goal.
        exhausted: Whether every configuration of the space has been tried.
        out_of_time: Whether the time budget ended it.
        unconfirmed: Trial number -> why it could not be confirmed on fresh seeds.
        unchecked: What the winner is held against, by name -> why it could not be trained.
    """

    outcome: Outcome
    interrupted: bool
    exhausted: bool
    out_of_time: bool
    unconfirmed: dict[int, str]
    unchecked: dict[str, str] = field(default_factory=dict)


def begin_search(
    journal: Journal,
    goal: Goal,
    provenance: Mapping[str, Any],
    on_event: Callable[[Event, Snapshot], None] = lambda event, snapshot: None,
    keeper: ModelKeeper | None = None,
    divide: Divide = whole,
) -> Coordinator:
    """Note in the journal that an invocation starts, and make its coordinator.

    The goal has to be noted before anything runs: `read_outcome` looks for confirmations on as
    many fresh seeds as the goal says.

    Args:
        journal: The search, open for writing.
        goal: How far this invocation goes.
        provenance: What is noted of this invocation, such as the command.
        on_event: Called with everything that happens and with how the search stands.
        keeper: Keeps the model of the winner; None for no model.
        divide: Divides the fresh seeds of a configuration into parts, for several workers.

    Returns:
        The coordinator, which hands out the tasks.
    """
    journal.begin(goal, {**provenance, "versions": versions()})
    return Coordinator(journal, goal, on_event=on_event, keeper=keeper, divide=divide)


def run_search(
    journal: Journal,
    graph: Graph,
    goal: Goal,
    resources: Resources,
    *,
    provenance: Mapping[str, Any] | None = None,
    memory_gb: float = defaults.MEMORY_GB,
    train: Train | None = None,
    on_event: Callable[[Event, Snapshot], None] = lambda event, snapshot: None,
    stop: threading.Event | None = None,
    keeper: ModelKeeper | None = None,
    first: FirstWorker | None = None,
) -> Finish:
    """Search until the goal is reached, the space is exhausted or `stop` is set.

    Args:
        journal: A search that is open for writing.
        graph: The graph that its settings name.
        goal: How far this invocation goes.
        resources: What trials run on.
        provenance: What is noted of this invocation, such as the command.
        memory_gb: Memory per trial, which bounds how many seeds train at once.
        train: Trains one configuration; None for `fit`.
        on_event: Called with everything that happens and with how the search stands.
        stop: Ends the search in good order when somebody sets it, from any thread.
        keeper: Keeps the model of the winner; None for no model.
        first: As of `run_jobs`.

    Returns:
        How it ended, and what the search has found by now.

    Raises:
        SearchError: The journal cannot be written, Ray failed, or the first trials all failed.
        TrainingBugError: Training hit a bug in l2p-search.
    """
    resources = settled(resources)
    divide = whole if train is not None else divided_for(graph, memory_gb, resources.device)
    coordinator = begin_search(journal, goal, provenance or {}, on_event, keeper, divide)
    stopped = False
    if coordinator.has_work:
        job = Job(graph=graph, begin=lambda: coordinator)
        stopped = run_jobs(
            [job], resources, memory_gb=memory_gb, train=train, stop=stop, first=first
        )
    else:
        coordinator.finish()
    return Finish(
        outcome=read_outcome(journal),
        interrupted=stopped,
        exhausted=coordinator.exhausted,
        out_of_time=coordinator.out_of_time,
        unconfirmed=coordinator.unconfirmed,
        unchecked=coordinator.unchecked,
    )


def run_jobs(
    jobs: Sequence[Job],
    resources: Resources,
    *,
    memory_gb: float = defaults.MEMORY_GB,
    train: Train | None = None,
    stop: threading.Event | None = None,
    first: FirstWorker | None = None,
) -> bool:
    """Run searches on the same workers, which are started when one has something to train.

    However it ends, also by an exception, every open search marks its running trials as
    interrupted.

    Args:
        jobs: The searches, in the order in which they are begun.
        resources: What trials run on.
        memory_gb: Memory per trial, which bounds how many seeds train at once.
        train: Trains one configuration; None for `fit`.
        stop: Ends the searches in good order when somebody sets it, from any thread.
        first: A worker that was started before, to train while Ray starts; it is ended.

    Returns:
        Whether they were stopped before the end.

    Raises:
        SearchError: See `run_search`; one search's error ends all of them.
        UserError: There is no such device, or no such share of one.
        TrainingBugError: Training hit a bug in l2p-search.
    """
    resources = settled(resources)
    tells_epochs = train is None
    train = train or partial(fit, memory_gb=memory_gb, device=resources.device)
    graphs = {job.graph.digest: job.graph for job in jobs}.values()
    pool = Pool(jobs, 1, stop)
    try:
        if pool.needs_workers():
            with _first_worker(first, resources, tells_epochs) as worker:
                if worker is not None:
                    threads, device = resources.cpus_per_trial, resources.device
                    worker.prepare(graphs, threads=threads, memory_gb=memory_gb, device=device)
                _on_workers(pool, graphs, train, resources, tells_epochs, worker)
    except BaseException:
        pool.stop()
        raise
    finally:
        if pool.stopping:
            pool.close()
    if pool.fatal is not None:
        raise pool.fatal
    return pool.stopping


def _on_workers(
    pool: Pool,
    graphs: Collection[Graph],
    train: Train,
    resources: Resources,
    tells_epochs: bool,
    first: FirstWorker | None,
) -> None:
    lost: list[str] = []
    with (
        ended_by_force() as end_by_force,
        ray_cluster(
            resources,
            sum(map(graph_bytes, graphs)),
            None if first is None else partial(first.work_until, pool=pool),
            on_lost=end_by_force,
        ) as cluster,
    ):
        from l2p_search.searching.running.tuner import (
            tune_tasks,  # imports Ray, which is ready now
        )

        def give_up(process: str) -> None:
            lost.append(process)
            pool.stop()
            end_by_force(process)

        if first is not None and cluster.concurrency == 1:
            first.finish(pool)  # there is no place beside it
        pool.widen(cluster.concurrency)
        if pool.done:
            return
        try:
            with watched(give_up, cluster.head):
                tune_tasks(
                    pool,
                    graphs,
                    train,
                    cluster,
                    resources,
                    tells_epochs=tells_epochs,
                    beside=(lambda: None) if first is None else partial(first.step, pool),
                )
        finally:
            if lost:
                way = argument("resume", True)
                raise SearchError(f"{lost_text(lost[0])}: add {way} to continue")


@contextmanager
def _first_worker(
    given: FirstWorker | None, resources: Resources, usual_training: bool
) -> Iterator[FirstWorker | None]:
    """The worker that trains while Ray starts; None where Ray runs, or only Ray knows a device."""
    here = resources.address is None and resources.device == "cpu" and not ray_runs()
    worker = None
    try:
        if here and usual_training:
            worker = given = given or FirstWorker()
        yield worker
    finally:
        if given is not None:
            given.close()
