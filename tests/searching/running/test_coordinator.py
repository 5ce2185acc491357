from dataclasses import replace
from pathlib import Path

import pytest

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.errors import SearchError, TrainingBugError
from l2p_search.metrics import Metric
from l2p_search.progress import Event, Snapshot
from l2p_search.results import SeedResult, TrialResult, TrialStatus
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import read_outcome
from l2p_search.searching.records.settings import Goal, Race
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.searching.running.tasks import Task
from tests.searching.pretend import SPACE, begin, drive, outcomes, pretend_training, searched

ALL = SPACE.size or 0


@pytest.mark.parametrize("sampler", ["tpe", "random", "grid", "gp"])
def test_every_configuration_of_a_countable_space_is_visited_exactly_once(
    sampler: str, tmp_path: Path, small_graph: Graph
) -> None:
    asked_for = Goal(trials=ALL + 10, confirm=0)
    seen: list[Coordinator] = []
    journal = searched(
        tmp_path / "s", small_graph, asked_for, sampler=sampler, on_coordinator=seen.append
    )
    ids = [record.config.config_id for record in journal.records()]
    assert len(ids) == len(set(ids)) == ALL
    assert seen[0].exhausted


@pytest.mark.parametrize("sampler", ["tpe", "random", "grid"])
@pytest.mark.parametrize("race", [None, "halving", "paired"])
def test_a_search_killed_at_any_trial_and_resumed_ends_as_one_that_was_not(
    sampler: str, race: Race | None, tmp_path: Path, small_graph: Graph
) -> None:
    goal = Goal(trials=16, confirm=0)
    whole = searched(tmp_path / "whole", small_graph, goal, sampler=sampler, race=race)
    trained: list[str] = []

    def training(
        graph: Graph, config: TrialConfig, seeds: list[int], *, metric: Metric
    ) -> TrialResult:
        if 0 in seeds:
            trained.append(config.config_id)
        return pretend_training(graph, config, seeds)

    journal = begin(tmp_path / "killed", sampler=sampler, race=race)
    for killed_after in (0, 1, 3, 5, 100):
        drive(Coordinator(journal, goal, concurrency=1), small_graph, training, killed_after)
        journal.close()
        journal = Journal.resume(tmp_path / "killed")
    assert outcomes(journal) == outcomes(whole)
    assert len(trained) == len(set(trained)) == 16


def test_at_most_so_many_tasks_run_at_once(tmp_path: Path) -> None:
    coordinator = Coordinator(begin(tmp_path / "s"), Goal(trials=9), concurrency=2)
    assert coordinator.next_task() is not None
    second = coordinator.next_task()
    assert second is not None
    assert coordinator.next_task() is None
    assert not coordinator.done


@pytest.mark.parametrize(
    ("race", "why"), [("paired", "worse than trial"), ("halving", " trials on its first ")]
)
def test_racing_stops_losers_early_and_only_full_trials_can_be_best(
    race: Race, why: str, tmp_path: Path, small_graph: Graph
) -> None:
    goal = Goal(trials=ALL, confirm=0)
    full = searched(tmp_path / "full", small_graph, goal, sampler="random")
    raced = searched(tmp_path / "raced", small_graph, goal, sampler="random", race=race)
    statuses = [record.status for record in raced.records()]
    assert statuses.count(TrialStatus.RACED_OUT) > ALL / 3
    best, wanted = read_outcome(raced).best, read_outcome(full).best
    assert best is not None
    assert wanted is not None
    assert best.config == wanted.config
    assert best.result is not None
    assert len(best.result.seeds) == 20
    for record in raced.records():
        if record.status is TrialStatus.RACED_OUT:
            assert record.result is not None
            assert len(record.result.seeds) < 20
            assert record.objective is None
            assert record.reason is not None
            assert why in record.reason


def test_a_trial_that_raises_is_recorded_and_the_search_goes_on(
    tmp_path: Path, small_graph: Graph
) -> None:
    def training(
        graph: Graph, config: TrialConfig, seeds: list[int], *, metric: Metric
    ) -> TrialResult:
        if config.K == 4:
            raise RuntimeError("boom\nand a long stack")
        return pretend_training(graph, config, seeds)

    journal = searched(tmp_path / "s", small_graph, Goal(trials=ALL, confirm=0), training)
    failed = [r for r in journal.records() if r.status is TrialStatus.FAILED]
    assert {record.config.K for record in failed} == {4}
    assert {record.reason for record in failed} == {"RuntimeError: boom"}
    assert len(journal.records()) == ALL


def test_a_diverged_seed_fails_its_trial_with_the_reason(
    tmp_path: Path, small_graph: Graph
) -> None:
    def training(
        graph: Graph, config: TrialConfig, seeds: list[int], *, metric: Metric
    ) -> TrialResult:
        result = pretend_training(graph, config, seeds)
        lost = SeedResult(seed=0, split=0, epochs=3, reason="diverged at epoch 3")
        return TrialResult(
            config=config,
            dataset="small",
            data_digest="0",
            seconds=1.0,
            seeds=(lost, *result.seeds[1:]),
        )

    journal = searched(tmp_path / "s", small_graph, Goal(trials=2), training, race="paired")
    for record in journal.records():
        assert record.status is TrialStatus.FAILED
        assert record.reason is not None
        assert "diverged at epoch 3" in record.reason
    assert read_outcome(journal).best is None


def test_a_search_whose_first_trials_all_raise_gives_up_with_the_reason(
    tmp_path: Path, small_graph: Graph
) -> None:
    def training(
        graph: Graph, config: TrialConfig, seeds: list[int], *, metric: Metric
    ) -> TrialResult:
        raise RuntimeError("no such thing")

    seen: list[Coordinator] = []
    journal = searched(
        tmp_path / "s", small_graph, Goal(trials=20), training, on_coordinator=seen.append
    )
    assert isinstance(seen[0].fatal, SearchError)
    assert "no such thing" in str(seen[0].fatal)
    assert len(journal.records()) == 5


@pytest.mark.parametrize("bug", [TypeError, KeyError, AttributeError, NotImplementedError])
def test_a_bug_ends_the_search_at_once_and_is_no_failed_trial(
    bug: type[Exception], tmp_path: Path, small_graph: Graph
) -> None:
    def training(
        graph: Graph, config: TrialConfig, seeds: list[int], *, metric: Metric
    ) -> TrialResult:
        raise bug("in our code")

    seen: list[Coordinator] = []
    journal = searched(
        tmp_path / "s", small_graph, Goal(trials=20), training, on_coordinator=seen.append
    )
    assert isinstance(seen[0].fatal, TrainingBugError)
    assert "in our code" in str(seen[0].fatal)
    assert "Traceback (most recent call last)" in str(seen[0].fatal)
    (record,) = journal.records()
    assert record.status is TrialStatus.RUNNING  # it runs again once the bug is mended


def test_a_lost_worker_is_tried_once_more(tmp_path: Path) -> None:
    events: list[Event] = []
    running: list[int] = []

    def on_event(event: Event, snapshot: Snapshot) -> None:
        events.append(event)
        running.append(len(snapshot.running))

    journal = begin(tmp_path / "s")
    coordinator = Coordinator(journal, Goal(trials=1), concurrency=1, on_event=on_event)

    def lose() -> Task:
        task = coordinator.next_task()
        assert task is not None
        coordinator.release(task, "its worker died")
        return task

    first, second = lose(), lose()
    assert first.config == second.config
    assert (first.attempt, second.attempt) == (1, 2)
    assert [event.kind for event in events] == ["started", "retried", "started", "ended"]
    assert events[1].reason == "its worker died"
    assert running == [1, 0, 1, 0]
    (record,) = journal.records()
    assert record.status is TrialStatus.FAILED
    assert record.reason == "its worker died, 2 times"


@pytest.mark.parametrize("time_budget", [3.5, 4.0])
def test_the_time_budget_starts_no_further_trial_but_confirms(
    time_budget: float, tmp_path: Path, small_graph: Graph
) -> None:
    now = 100.0
    goal = Goal(trials=10, confirm=2, ties=0, time_budget=time_budget)
    journal = begin(tmp_path / "s")
    journal.begin(goal, {})
    told: list[tuple[str, float | None]] = []
    coordinator = Coordinator(
        journal,
        goal,
        clock=lambda: now,
        on_event=lambda event, snapshot: told.append((event.kind, snapshot.seconds_left)),
    )

    def training(
        graph: Graph, config: TrialConfig, seeds: list[int], *, metric: Metric
    ) -> TrialResult:
        nonlocal now
        now += 1.0
        return pretend_training(graph, config, seeds)

    drive(coordinator, small_graph, training)
    assert coordinator.out_of_time
    assert len(journal.records()) == 4
    assert read_outcome(journal).confirmed is not None
    # What is left then is the confirmation, at a second for twenty seeds.
    assert [left for kind, left in told if kind == "out_of_time"] == [pytest.approx(0.1)]


def test_a_search_that_has_all_it_can_have_knows_it(tmp_path: Path, small_graph: Graph) -> None:
    searched(tmp_path / "s", small_graph, Goal(trials=ALL, confirm=0)).close()
    journal = Journal.resume(tmp_path / "s")
    coordinator = Coordinator(journal, Goal(trials=ALL + 5, confirm=0))
    assert coordinator.exhausted
    begun = Coordinator(begin(tmp_path / "new"), Goal(trials=ALL + 5, confirm=0))
    assert (begun.exhausted, begun.done, begun.has_work) == (False, False, True)
    drive(begun, small_graph)
    assert (begun.exhausted, begun.done, begun.has_work) == (True, True, False)
    assert not coordinator.has_work
    assert Coordinator(journal, Goal(trials=ALL + 5, confirm=3)).has_work


@pytest.mark.parametrize(("trials", "told"), [(ALL, 0), (ALL + 1, 1)])
def test_that_a_space_has_no_more_configurations_is_told_once_to_whom_asked_for_more(
    trials: int, told: int, tmp_path: Path, small_graph: Graph
) -> None:
    kinds: list[str] = []
    coordinator = Coordinator(
        begin(tmp_path / "s", sampler="grid", metric="roc_auc"),
        Goal(trials=trials, confirm=1, ties=0),
        on_event=lambda event, snapshot: kinds.append(event.kind),
    )
    task = coordinator.next_task()
    assert task is not None
    (running,) = coordinator._standing.open.values()
    assert (task.metric, running.metric) == ("roc_auc", "roc_auc")
    coordinator.release(task, "lost")
    drive(coordinator, small_graph)
    assert kinds.count("exhausted") == told


def test_stopping_hands_out_nothing_and_marks_what_ran(tmp_path: Path) -> None:
    journal = begin(tmp_path / "s")
    coordinator = Coordinator(journal, Goal(trials=5), concurrency=2)
    task = coordinator.next_task()
    assert task is not None
    coordinator.stop()
    assert coordinator.next_task() is None
    assert coordinator.done
    coordinator.release(task)
    coordinator.close()
    (record,) = journal.records()
    assert record.status is TrialStatus.RUNNING
    assert record.reason == "interrupted; runs again when the search is resumed"
    journal.close()
    (again,) = Journal.resume(tmp_path / "s").records()
    assert again.reason is None


def test_no_choice_of_a_search_depends_on_test_accuracy(
    tmp_path: Path, small_graph: Graph
) -> None:
    def spoiled(
        graph: Graph, config: TrialConfig, seeds: list[int], *, metric: Metric
    ) -> TrialResult:

        result = pretend_training(graph, config, seeds)
        return replace(result, seeds=tuple(replace(s, test=float(s.seed)) for s in result.seeds))

    goal = Goal(trials=16, confirm=4)
    honest = searched(tmp_path / "a", small_graph, goal, race="paired")
    permuted = searched(tmp_path / "b", small_graph, goal, spoiled, race="paired")
    assert outcomes(honest) == outcomes(permuted)
    assert list(read_outcome(honest).confirmations) == list(read_outcome(permuted).confirmations)


def test_a_search_is_judged_raced_and_confirmed_by_its_metric(
    tmp_path: Path, small_graph: Graph
) -> None:
    """Its trainings are asked for the metric; what it keeps and finds has the metric's name."""
    asked: list[Metric] = []

    def training(
        graph: Graph, config: TrialConfig, seeds: list[int], *, metric: Metric
    ) -> TrialResult:
        asked.append(metric)
        return pretend_training(graph, config, seeds, metric=metric)

    goal = Goal(trials=8, confirm=4)
    plain = searched(tmp_path / "a", small_graph, goal, race="paired")
    journal = searched(
        tmp_path / "b", small_graph, goal, train=training, race="paired", metric="roc_auc"
    )
    assert set(asked) == {"roc_auc"}
    assert outcomes(journal) == outcomes(plain)
    found = read_outcome(Journal.read(tmp_path / "b"))
    assert found.best is not None
    assert all(record.metric == "roc_auc" for record in found.records)
    assert all(each.metric == "roc_auc" for each in found.confirmations.values())
    mapping = found.to_mapping()
    assert mapping["metric"] == "roc_auc"
    assert mapping["best"]["val_roc_auc_mean"] == found.best.objective
    assert mapping["confirmed_test_roc_auc"] == mapping["confirmations"][0]["test_roc_auc"]
    assert "accuracy" not in str({**mapping, "best": {**mapping["best"], "config": None}})
    written = (tmp_path / "b" / "journal.log").read_text()
    assert '"val_roc_auc":' in written
    assert '"val_accuracy":' not in written
    journal.close()
    plain.close()
