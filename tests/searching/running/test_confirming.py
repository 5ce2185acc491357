"""What is trained on fresh seeds once the trials of a search have ended."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
import torch

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.metrics import Metric
from l2p_search.model.building import build_network
from l2p_search.model.problem import Problem
from l2p_search.progress import Event, Snapshot
from l2p_search.results import TrialResult
from l2p_search.saved.trained_model import load_model
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import read_outcome
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.confirming import Confirming
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.searching.running.keeping import FOLDER, ModelKeeper
from l2p_search.searching.running.parts import divided_for
from l2p_search.searching.running.tasks import Task
from l2p_search.searching.running.worker import Train, run_task
from l2p_search.searching.space.space_file import parse_space
from l2p_search.training.fit import fit
from tests.searching.pretend import SPACE, begin, drive, pretend_training, searched

ALL = SPACE.size or 0
_RULE = "4x6/3/3-nodes"
_BESIDE = Goal(trials=6, confirm=4, ties=0, controls=True, fresh_splits=_RULE)


def test_the_best_and_its_ties_are_trained_on_fresh_seeds_that_no_trial_had(
    tmp_path: Path, small_graph: Graph
) -> None:
    journal = searched(tmp_path / "s", small_graph, Goal(trials=ALL, confirm=6))
    outcome = read_outcome(journal)
    best = outcome.best
    assert best is not None
    assert best.objective == max(r.objective for r in outcome.records if r.objective is not None)
    assert 1 <= len(outcome.confirmations) <= 5
    assert set(outcome.confirmations) <= {record.number for record in outcome.ties}
    for result in outcome.confirmations.values():
        assert [seed.seed for seed in result.seeds] == list(range(20, 26))
    assert outcome.confirmed is not None
    assert outcome.protocol is not None
    assert outcome.confirmed.mean == outcome.confirmations[best.number].test_mean


def test_a_confirmation_is_not_repeated_on_resume(tmp_path: Path, small_graph: Graph) -> None:
    goal = Goal(trials=6, confirm=4)
    searched(tmp_path / "s", small_graph, goal).close()
    journal = Journal.resume(tmp_path / "s")
    journal.begin(goal, {})
    coordinator = Coordinator(journal, goal, concurrency=1)
    assert coordinator.next_task() is None
    assert coordinator.done


def test_the_winner_ends_beside_its_controls_the_default_and_fresh_splits(
    tmp_path: Path, small_graph: Graph
) -> None:
    journal = searched(tmp_path / "s", small_graph, _BESIDE)
    held = read_outcome(journal).held
    assert [each.role for each in held.others] == ["default", "mlp", "backbone"]
    assert held.fresh_splits is not None
    assert [seed.seed for seed in held.fresh_splits.seeds] == [20, 21, 22, 23]
    assert len(journal.checked()) == 7
    assert len(journal.confirmations()) == 6


def test_each_piece_of_the_confirmation_is_trained_once_whenever_it_is_killed(
    tmp_path: Path, small_graph: Graph
) -> None:
    whole = read_outcome(searched(tmp_path / "whole", small_graph, _BESIDE))
    trained: list[tuple[str, int]] = []

    def training(
        graph: Graph, config: TrialConfig, seeds: list[int], *, metric: Metric
    ) -> TrialResult:
        if 20 in seeds:
            trained.append((config.config_id, graph.num_splits))
        return pretend_training(graph, config, seeds)

    journal = begin(tmp_path / "killed")
    for killed_after in (6, 1, 1, 1, 100):
        journal.begin(_BESIDE, {})
        drive(Coordinator(journal, _BESIDE), small_graph, training, killed_after)
        journal.close()
        journal = Journal.resume(tmp_path / "killed")
    assert read_outcome(journal).held.to_mapping("accuracy") == whole.held.to_mapping("accuracy")
    assert len(trained) == len(set(trained)) == 7
    assert [splits for _, splits in trained].count(4) == 1


def test_a_control_that_fails_leaves_the_confirmed_number_and_says_why(
    tmp_path: Path, small_graph: Graph
) -> None:
    def training(
        graph: Graph, config: TrialConfig, seeds: list[int], *, metric: Metric
    ) -> TrialResult:
        if config.model == "mlp":
            raise MemoryError
        return pretend_training(graph, config, seeds)

    seen: list[Coordinator] = []
    journal = searched(tmp_path / "s", small_graph, _BESIDE, training, on_coordinator=seen.append)
    outcome = read_outcome(journal)
    assert outcome.confirmed is not None
    assert [each.role for each in outcome.held.others] == ["default", "backbone"]
    assert seen[0].unchecked == {"MLP": "out of memory"}
    assert seen[0].unconfirmed == {}


def test_the_time_that_is_left_includes_the_confirmation(
    tmp_path: Path, small_graph: Graph
) -> None:
    left: list[float] = []

    def told(event: Event, snapshot: Snapshot) -> None:
        if event.kind in ("ended", "confirmed") and snapshot.seconds_left is not None:
            left.append(snapshot.seconds_left)

    drive(Coordinator(begin(tmp_path / "s"), _BESIDE, on_event=told), small_graph)
    # A pretended trial of 20 seeds takes a second, so 7 times 4 seeds are expected to take 0.2 s
    # each. They take a second each, too: after the first, the others are expected to, but for
    # the tie, whose own trial tells what its seeds take.
    wanted = [6.4, 5.4, 4.4, 3.4, 2.4, 1.4, 5.2, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0]
    assert left == pytest.approx(wanted, abs=1e-9)


def test_a_sealed_search_has_test_scores_of_its_confirmation_alone(
    tmp_path: Path, small_graph: Graph
) -> None:
    asked: list[tuple[bool, bool]] = []

    def training(
        graph: Graph,
        config: TrialConfig,
        seeds: list[int],
        *,
        metric: Metric,
        sealed: bool = False,
    ) -> TrialResult:
        asked.append((20 in seeds, sealed))
        found = pretend_training(graph, config, seeds)
        if not sealed:
            return found
        return replace(found, seeds=tuple(replace(seed, test=None) for seed in found.seeds))

    plain = searched(tmp_path / "plain", small_graph, _BESIDE)
    journal = searched(tmp_path / "s", small_graph, _BESIDE, training, sealed=True)
    assert set(asked) == {(False, True), (True, False)}
    outcome, wanted = read_outcome(journal), read_outcome(plain)
    assert outcome.best is not None
    assert wanted.best is not None
    assert outcome.best.config == wanted.best.config
    assert outcome.confirmed == wanted.confirmed
    assert (outcome.protocol, outcome.nested) == (None, None)
    assert (outcome.looks.trials, outcome.looks.confirmation) == (0, 28)
    assert (wanted.looks.trials, wanted.looks.confirmation) == (120, 28)
    told = outcome.to_mapping()
    assert told["sealed"]
    assert all(each["test_accuracy"] is None for each in told["budget"])
    assert [each["val_accuracy"] for each in told["budget"]] == [
        each["val_accuracy"] for each in wanted.to_mapping()["budget"]
    ]


def _in_twos(config: TrialConfig, seeds: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(seeds[start : start + 2]) for start in range(0, len(seeds), 2))


@pytest.mark.parametrize("ties", [0, 2])
def test_a_winner_and_ties_that_fail_on_fresh_seeds_are_told_by_their_numbers(
    ties: int, tmp_path: Path, small_graph: Graph
) -> None:
    def training(
        graph: Graph, config: TrialConfig, seeds: list[int], *, metric: Metric
    ) -> TrialResult:
        if seeds[0] >= 20:
            raise MemoryError
        found = pretend_training(graph, config, seeds)
        alike = tuple(replace(seed, val=80.0 + seed.seed % 3) for seed in found.seeds)
        return replace(found, seeds=alike)

    seen: list[Coordinator] = []
    goal = Goal(trials=5, confirm=2, ties=ties)
    journal = searched(tmp_path / "s", small_graph, goal, training, on_coordinator=seen.append)
    assert read_outcome(journal).confirmed is None
    failed = dict.fromkeys(range(1 + ties), "out of memory")  # of equals the earlier ones
    assert (seen[0].unconfirmed, seen[0].unchecked) == (failed, {})
    shown = seen[0].snapshot()
    assert (shown.confirming, shown.confirmed) == (1 + ties, 1 + ties)


def _side_by_side(
    coordinator: Coordinator, workers: int, graph: Graph, train: Train, stop_after: int = 1_000
) -> list[Task]:
    """Run tasks as so many workers would; what was begun last ends first. Returns what ended."""
    coordinator.concurrency = workers
    running: list[Task] = []
    ended: list[Task] = []
    while len(ended) < stop_after:
        while (task := coordinator.next_task()) is not None:
            running.append(task)
        if not running:
            break
        task = running.pop()

        def report(message: dict[str, Any], task: Task = task) -> None:
            if "error" in message:
                coordinator.fail(task, message["error"])
            else:
                measured = json.loads(message["measured"])
                coordinator.report(task, measured, message.get("weights"))

        run_task(task.to_mapping(), graph, train, report)
        coordinator.release(task)
        ended.append(task)
    return ended


_TINY = parse_space("tiny", {"K": {"choices": [1, 2]}, "epochs": 6, "hidden": 4})
_FRESH = Goal(trials=2, confirm=5, ties=1, controls=True, fresh_splits="4x6/3/3-nodes")


def _without_times(line: str) -> str:
    """A line of a journal without times, which differ from run to run."""
    return re.sub(r'"[a-z_]*(seconds|datetime[a-z_]*|started)": ?[^,}]+', "", line)


def _lines(directory: Path) -> list[str]:
    """The lines of a journal that note a confirmation."""
    written = (directory / "journal.log").read_text().splitlines()
    return sorted(_without_times(line) for line in written if '"hits"' in line)


def test_one_worker_and_several_write_the_same_lines_but_for_times(
    tmp_path: Path, small_graph: Graph
) -> None:
    noted, kept = {}, {}
    for workers in (1, 2, 5):
        folder = tmp_path / str(workers)
        journal = begin(
            folder, space=_TINY, seeds=2, sampler="grid", data_digest=small_graph.digest
        )
        journal.begin(_FRESH, {})
        keeper = ModelKeeper(folder, small_graph)
        coordinator = Coordinator(journal, _FRESH, keeper=keeper, divide=_in_twos)
        ended = _side_by_side(coordinator, workers, small_graph, fit)
        assert coordinator.fatal is None
        assert coordinator.done
        fresh = [len(task.groups[0]) for task in ended if task.kind == "confirmation"]
        assert sorted(set(fresh)) == [1, 2]
        noted[workers], kept[workers] = _lines(folder), load_model(folder / FOLDER)
        assert len(noted[workers]) == len(fresh) / 3 == len(journal.checked())
    assert noted[1] == noted[2] == noted[5]
    for model in kept.values():
        assert model.seeds == (2, 3, 4, 5, 6)
        found = dict(model.weights.named())
        for name, one in kept[1].weights.named():
            assert torch.equal(one, found[name]), name


def test_parts_that_are_the_batches_of_one_training_give_its_very_numbers(
    tmp_path: Path, small_graph: Graph
) -> None:
    """Where memory holds two seeds at once, a training has these batches, too."""
    config, seeds = TrialConfig(K=2, hidden=4, epochs=6), range(20, 26)
    network = build_network(Problem(small_graph), config)
    memory_gb = 2.5 * network.bytes_per_seed / 2**30
    together = fit(small_graph, config, seeds, memory_gb=memory_gb)
    parts = divided_for(small_graph, memory_gb, "cpu")(config, seeds)
    assert [len(part) for part in parts] == [2, 2, 2]
    alone = [fit(small_graph, config, part, memory_gb=memory_gb) for part in parts]
    joined = reduce(TrialResult.joined, alone)
    times = {"seconds": 0.0, "cpu_seconds": 0.0}
    assert replace(joined, **times) == replace(together, **times)


def test_idle_workers_share_the_seeds_of_one_configuration(tmp_path: Path) -> None:
    goal = Goal(trials=1, confirm=6, ties=0)
    coordinator = Coordinator(begin(tmp_path / "s"), goal, concurrency=3, divide=_in_twos)
    trial = coordinator.next_task()
    assert trial is not None
    assert coordinator.next_task() is None, "nothing is confirmed while a trial runs"
    coordinator.report(trial, pretend_training(None, trial.config, trial.groups[0]).measured())
    coordinator.release(trial)
    tasks = [coordinator.next_task() for _ in range(4)]
    assert [task.groups for task in tasks if task is not None] == [
        ((20, 21),),
        ((22, 23),),
        ((24, 25),),
    ]
    titles = {task.title for task in tasks if task is not None}
    assert titles == {f"trial 0 on fresh seeds {first} to {first + 1}" for first in (20, 22, 24)}
    assert coordinator.snapshot().confirming == 1


@pytest.mark.parametrize(("workers", "begun"), [(1, [20, 21]), (2, [20, 21, 22, 23])])
def test_a_part_that_fails_fails_its_configuration_once_and_ends_the_others(
    workers: int, begun: list[int], tmp_path: Path, small_graph: Graph
) -> None:
    events: list[Event] = []
    trained: list[int] = []

    def training(
        graph: Graph, config: TrialConfig, seeds: list[int], *, metric: Metric
    ) -> TrialResult:
        if config.model == "mlp":
            trained.extend(seeds)
            raise MemoryError
        return pretend_training(graph, config, seeds)

    journal = begin(tmp_path / "s")
    journal.begin(_BESIDE, {})
    coordinator = Coordinator(
        journal, _BESIDE, divide=_in_twos, on_event=lambda event, snapshot: events.append(event)
    )
    _side_by_side(coordinator, workers, small_graph, training)
    assert coordinator.unchecked == {"MLP": "out of memory"}
    assert set(trained) <= set(begun)
    ended = [event.subject for event in events if event.kind == "confirmed"]
    assert ended.count("MLP") == 1
    assert len(ended) == 7
    assert coordinator.done


def test_parts_that_run_on_after_one_has_failed_change_nothing(tmp_path: Path) -> None:
    confirmed: list[Event] = []
    coordinator = Coordinator(
        begin(tmp_path / "s"),
        Goal(trials=1, confirm=6, ties=0),
        concurrency=3,
        divide=_in_twos,
        on_event=lambda event, snapshot: (
            confirmed.append(event) if event.kind == "confirmed" else None
        ),
    )
    trial = coordinator.next_task()
    assert trial is not None
    coordinator.report(trial, pretend_training(None, trial.config, trial.groups[0]).measured())
    coordinator.release(trial)
    first, second, third = (coordinator.next_task() for _ in range(3))
    assert first is not None
    assert second is not None
    assert third is not None
    coordinator.fail(first, "out of memory")
    coordinator.fail(second, "its worker died")
    coordinator.report(third, pretend_training(None, third.config, third.groups[0]).measured())
    for task in (first, second, third):
        coordinator.release(task)
    assert coordinator.unconfirmed == {0: "out of memory"}
    assert len(confirmed) == coordinator.snapshot().confirmed == 1
    assert coordinator.done


def test_a_winner_that_is_the_default_is_trained_once_and_each_task_knows_its_role(
    tmp_path: Path, small_graph: Graph
) -> None:
    space = parse_space("one", {"K": {"choices": [TrialConfig().K]}})
    goal = Goal(trials=1, confirm=2, ties=0, controls=True)
    journal = searched(tmp_path / "s", small_graph, Goal(trials=1, confirm=0), space=space)
    confirming = Confirming(journal, goal, None)
    confirming.begin()
    roles = [task.role for task in confirming.waiting or ()]
    assert roles == ["winner", "mlp", "backbone", "shared_out", "same_labels"]


def test_a_confirmation_with_a_seed_that_diverged_is_none(
    tmp_path: Path, small_graph: Graph
) -> None:
    journal = searched(tmp_path / "s", small_graph, Goal(trials=1, confirm=0))
    confirming = Confirming(journal, Goal(trials=1, confirm=2, ties=0), None)
    confirming.begin()
    task = confirming.next_task()
    assert task is not None
    trained = pretend_training(small_graph, task.config, task.groups[0])
    bad = replace(trained.seeds[1], val=None, test=None, reason="diverged at epoch 4")
    ended = confirming.end(task, replace(trained, seeds=(trained.seeds[0], bad)), None)
    assert ended is not None
    assert "diverged at epoch 4" in (ended.reason or "")
    assert list(confirming.unconfirmed) == [0]
    assert journal.confirmations() == {}
