"""Several searches on the same workers."""

import json
from collections.abc import Callable
from pathlib import Path

from l2p_search.data.graph import Graph
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import read_outcome
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.searching.running.pool import Assignment, Job, Pool
from l2p_search.searching.running.worker import run_task
from l2p_search.trial_record import INTERRUPTED
from tests.searching.pretend import begin, outcomes, pretend_training, searched

_GOAL = Goal(trials=5, confirm=4, ties=0)


def _job(journal: Journal, graph: Graph, end: Callable[[Coordinator], None]) -> Job:
    return Job(graph=graph, begin=lambda: Coordinator(journal, _GOAL), end=end)


def _work(pool: Pool, given: Assignment, graph: Graph) -> None:
    def report(message: dict[str, str]) -> None:
        pool.report(given, json.loads(message["measured"]))

    run_task(given.task.to_mapping(), graph, pretend_training, report)
    pool.release(given)


def test_searches_that_share_workers_end_as_each_would_alone(
    tmp_path: Path, small_graph: Graph
) -> None:
    seeds = (1, 2, 3)
    alone = [searched(tmp_path / f"alone-{s}", small_graph, _GOAL, seed=s) for s in seeds]
    journals = [begin(tmp_path / f"shared-{s}", seed=s) for s in seeds]
    for journal in journals:
        journal.begin(_GOAL, {})
    ended: list[Coordinator] = []
    pool = Pool([_job(journal, small_graph, ended.append) for journal in journals], 2)
    running: list[Assignment] = []
    most = 0
    while not pool.done:
        while (given := pool.next()) is not None:
            running.append(given)
        most = max(most, len(running))
        if running:
            _work(pool, running.pop(), small_graph)  # the later one ends first
    assert most == 2
    assert len(ended) == 3
    for one, other in zip(alone, journals, strict=True):
        assert outcomes(one) == outcomes(other)
        assert list(read_outcome(one).confirmations) == list(read_outcome(other).confirmations)


def test_a_search_is_opened_when_there_is_room_and_not_before(
    tmp_path: Path, small_graph: Graph
) -> None:
    opened: list[int] = []

    def job(number: int) -> Job:
        def open_it() -> Coordinator:
            opened.append(number)
            return Coordinator(begin(tmp_path / str(number)), _GOAL)

        return Job(graph=small_graph, begin=open_it)

    pool = Pool([job(number) for number in range(3)], 2)
    first, second = pool.next(), pool.next()
    assert first is not None
    assert second is not None
    assert first.coordinator is not second.coordinator
    assert pool.next() is None
    assert opened == [0, 1]


def test_a_single_search_has_all_workers(tmp_path: Path, small_graph: Graph) -> None:
    pool = Pool([_job(begin(tmp_path / "s"), small_graph, lambda coordinator: None)], 3)
    given = [pool.next() for _ in range(4)]
    assert [task is not None for task in given] == [True, True, True, False]


def test_a_grid_among_several_searches_has_all_workers(tmp_path: Path, small_graph: Graph) -> None:
    def job(name: str) -> Job:
        journal = begin(tmp_path / name, sampler="grid")
        return Job(graph=small_graph, any_order=True, begin=lambda: Coordinator(journal, _GOAL))

    pool = Pool([job("a"), job("b")], 3)
    given = [pool.next() for _ in range(3)]
    assert len({task.coordinator for task in given if task is not None}) == 1
    assert None not in given


def test_stopping_gives_every_search_up_and_keeps_what_has_ended(
    tmp_path: Path, small_graph: Graph
) -> None:
    journals = [begin(tmp_path / name) for name in ("a", "b")]
    ended: list[Coordinator] = []
    pool = Pool([_job(journal, small_graph, ended.append) for journal in journals], 2)
    first, second = pool.next(), pool.next()
    assert first is not None
    assert second is not None
    _work(pool, first, small_graph)
    pool.stop()
    assert pool.done
    assert pool.next() is None
    pool.close()
    assert len(ended) == 2
    statuses = [[record.status.value for record in journal.records()] for journal in journals]
    assert statuses == [["complete"], ["running"]]
    (stopped,) = journals[1].records()
    assert stopped.reason == INTERRUPTED


def test_stopping_reaches_each_search_and_an_error_of_any_ends_all(
    tmp_path: Path, small_graph: Graph
) -> None:
    def opened(name: str) -> tuple[Pool, list[Assignment]]:
        journals = [begin(tmp_path / f"{name}{at}") for at in range(2)]
        pool = Pool([_job(each, small_graph, lambda ended: None) for each in journals], 2)
        given = [pool.next(), pool.next()]
        return pool, [each for each in given if each is not None]

    pool, (first, second) = opened("stopped")
    pool.stop()
    assert pool.stopping
    assert (first.coordinator.stopping, second.coordinator.stopping) == (True, True)
    pool, (first, second) = opened("released")
    pool.stop()
    pool.release(second)  # nobody asked whether it stops: it is not tried again
    assert second.coordinator.stopping
    pool, (first, second) = opened("failed")
    pool.bug(second, "a bug", "")
    assert pool.fatal is second.coordinator.fatal
    assert pool.stopping
    assert not first.coordinator.stopping


def test_a_search_that_has_ended_says_so(tmp_path: Path, small_graph: Graph) -> None:
    told: list[str] = []
    goal = Goal(trials=1, confirm=0)

    def coordinator() -> Coordinator:
        return Coordinator(
            begin(tmp_path / "s"), goal, on_event=lambda event, stands: told.append(event.kind)
        )

    pool = Pool([Job(graph=small_graph, begin=coordinator, end=lambda ended: None)], 1)
    given = pool.next()
    assert given is not None
    _work(pool, given, small_graph)
    assert pool.next() is None
    assert pool.done
    assert told == ["started", "ended", "finished"]


def test_searches_without_work_need_no_workers(tmp_path: Path, small_graph: Graph) -> None:
    journals = [searched(tmp_path / name, small_graph, _GOAL) for name in ("a", "b")]
    ended: list[Coordinator] = []
    pool = Pool([_job(journal, small_graph, ended.append) for journal in journals], 2)
    assert not pool.needs_workers()
    assert len(ended) == 2
    assert pool.done
    assert not pool.stopping


def test_the_first_search_with_work_is_opened_once_and_gets_its_workers(
    tmp_path: Path, small_graph: Graph
) -> None:
    opened: list[str] = []

    def job(journal: Journal) -> Job:
        def open_it() -> Coordinator:
            opened.append(journal.directory.name)
            return Coordinator(journal, _GOAL)

        return Job(graph=small_graph, any_order=True, begin=open_it)

    done, fresh = searched(tmp_path / "done", small_graph, _GOAL), begin(tmp_path / "fresh")
    pool = Pool([job(done), job(fresh), job(begin(tmp_path / "last"))], 1)
    assert pool.needs_workers()
    assert pool.needs_workers()
    assert opened == ["done", "fresh"]
    pool.widen(3)
    given = [pool.next() for _ in range(3)]
    assert len({each.coordinator for each in given if each is not None}) == 1
    assert None not in given
    assert pool.next() is None
    assert opened == ["done", "fresh"]


def test_a_pool_that_is_stopped_needs_no_workers(tmp_path: Path, small_graph: Graph) -> None:
    pool = Pool([_job(begin(tmp_path / "a"), small_graph, lambda coordinator: None)], 2)
    pool.stop()
    assert not pool.needs_workers()
    assert pool.stopping


def test_the_confirmations_of_one_search_take_workers_that_no_other_search_needs(
    tmp_path: Path, small_graph: Graph
) -> None:
    goal = Goal(trials=1, confirm=4, ties=0, controls=True)

    def job(name: str) -> Job:
        journal = begin(tmp_path / name)
        return Job(graph=small_graph, begin=lambda: Coordinator(journal, goal))

    pool = Pool([job("a"), job("b")], 3)
    first, second = pool.next(), pool.next()
    assert first is not None
    assert second is not None
    assert pool.next() is None, "trials come one at a time"
    _work(pool, first, small_graph)
    beside = [pool.next(), pool.next()]
    assert [given.coordinator is first.coordinator for given in beside if given] == [True, True]
    assert {given.task.kind for given in beside if given} == {"confirmation"}
    assert pool.next() is None, "all three workers are busy"
    _work(pool, second, small_graph)
    third = pool.next()
    assert third is not None
    assert third.coordinator is second.coordinator, "each search's own worker comes first"
