"""run_search: a journal and a goal in, the search run to its end, its outcome out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from l2p_search.data.graph import Graph
from l2p_search.progress import Event, Snapshot
from l2p_search.search.records.journal import Journal
from l2p_search.search.records.outcome import Outcome, read_outcome
from l2p_search.search.records.settings import Goal
from l2p_search.search.running.cluster import Resources, ray_cluster
from l2p_search.search.running.coordinator import Coordinator
from l2p_search.search.running.pool import Job, Pool
from l2p_search.search.running.worker import Train
from l2p_search.training.fit import fit


@dataclass(frozen=True, kw_only=True)
class Finish:
    """How an invocation ended."""

    outcome: Outcome
    interrupted: bool
    exhausted: bool
    out_of_time: bool
    unconfirmed: dict[int, str]


def run_search(
    journal: Journal,
    graph: Graph,
    goal: Goal,
    resources: Resources,
    *,
    memory_gb: float = 4.0,
    train: Train | None = None,
    on_event: Callable[[Event, Snapshot], None] = lambda event, snapshot: None,
    on_pool: Callable[[Pool], None] = lambda pool: None,
) -> Finish:
    """Search until the goal is reached, the space is exhausted or somebody stops it."""
    coordinator = Coordinator(journal, goal, on_event=on_event)
    stopped = False
    if coordinator.has_work:
        job = Job(graph=graph, begin=lambda: coordinator)
        stopped = run_jobs([job], resources, memory_gb=memory_gb, train=train, on_pool=on_pool)
    return Finish(
        outcome=read_outcome(journal),
        interrupted=stopped,
        exhausted=coordinator.exhausted,
        out_of_time=coordinator.out_of_time,
        unconfirmed=coordinator.unconfirmed,
    )


def run_jobs(
    jobs: Sequence[Job],
    resources: Resources,
    *,
    memory_gb: float = 4.0,
    train: Train | None = None,
    on_pool: Callable[[Pool], None] = lambda pool: None,
) -> bool:
    """Run searches on the same workers; whether they were stopped.

    `on_pool` is given the pool before anything starts, so that a signal can stop it.
    """
    train = train or partial(fit, memory_gb=memory_gb)
    graphs = {job.graph.digest: job.graph for job in jobs}.values()
    with ray_cluster(resources, sum(map(_bytes, graphs))) as cluster:
        from l2p_search.search.running.tuner import (
            tune_tasks,  # imports Ray, whose environment is set
        )

        pool = Pool(jobs, cluster.concurrency)
        on_pool(pool)
        tune_tasks(pool, graphs, train, cluster, resources)
        if pool.stopping:
            pool.close()
    if pool.fatal is not None:
        raise pool.fatal
    return pool.stopping


def _bytes(graph: Graph) -> int:
    tensors = (graph.x, graph.edges, graph.y, graph.train, graph.val, graph.test)
    return sum(tensor.nbytes for tensor in tensors)
