"""The search on a real Ray: its workers fail in every way, and it goes on."""

import os
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from l2p_search.config import DEFAULTS, TrialConfig
from l2p_search.data.demo import demo_graph
from l2p_search.data.graph import Graph
from l2p_search.errors import SearchError
from l2p_search.metrics import Metric
from l2p_search.progress import Event, Snapshot
from l2p_search.results import TrialResult, TrialStatus
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import read_outcome
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.cluster import Resources
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.searching.running.pool import Job
from l2p_search.searching.running.run import run_jobs, run_search
from l2p_search.searching.space.space_file import parse_space
from tests.searching.pretend import begin, drive, outcomes, searched, settings

_SPACE = parse_space(
    "ways",
    {"K": {"choices": [2, 3, 4, 5, 6]}, "epochs": 8, "patience": 8, "hidden": 8},
)


def test_workers_that_die_raise_or_give_nan_are_recorded_and_the_search_goes_on(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    marker = str(tmp_path / "died")

    def training(
        graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric
    ) -> TrialResult:
        # Defined here, so that the worker needs no test module.
        from l2p_search.training.fit import fit

        if config.K == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        if config.K == 3 and not os.path.exists(marker):
            open(marker, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        if config.K == 4:
            raise RuntimeError("boom")
        result = fit(graph, config, seeds)
        if config.K == 5:
            bad = replace(result.seeds[0], val=float("nan"))
            return replace(result, seeds=(bad, *result.seeds[1:]))
        return result

    events: list[Event] = []

    def on_event(event: Event, snapshot: Snapshot) -> None:
        events.append(event)

    journal = Journal.create(
        tmp_path / "s", settings(_SPACE, sampler="grid", seeds=2, base=DEFAULTS["heterophily"])
    )
    finish = run_search(
        journal,
        demo_graph(),
        Goal(trials=9, confirm=2),
        Resources(concurrency=2),
        train=training,
        on_event=on_event,
    )
    by_k = {record.config.K: record for record in journal.records()}
    assert {k: record.status.value for k, record in by_k.items()} == {
        2: "failed",
        3: "complete",
        4: "failed",
        5: "failed",
        6: "complete",
    }
    assert "its worker died" in (by_k[2].reason or "")
    assert "2 times" in (by_k[2].reason or "")
    assert by_k[4].reason == "RuntimeError: boom"
    assert "not finite" in (by_k[5].reason or "")
    assert [event.record.config.K for event in events if event.kind == "retried" and event.record]
    assert finish.exhausted
    assert not finish.interrupted
    captured = capfd.readouterr()
    assert captured.out == captured.err == ""


def test_a_race_on_ray_stops_losers_and_reuses_their_workers(tmp_path: Path) -> None:
    learns = {"lr": 0.05}
    rates = {"choices": [1e-6, 2e-6, 3e-6, learns["lr"]]}
    space = parse_space("race", {"lr": rates, "epochs": 30, "hidden": 8, "start": learns})
    journal = Journal.create(
        tmp_path / "s",
        settings(space, sampler="random", seeds=8, race="paired", base=DEFAULTS["heterophily"]),
    )
    run_search(journal, demo_graph(), Goal(trials=4, confirm=0), Resources(concurrency=1))
    statuses = [record.status for record in journal.records()]
    assert statuses == [TrialStatus.COMPLETE] + [TrialStatus.RACED_OUT] * 3


def test_on_one_split_permuted_test_labels_leave_every_choice_unchanged(tmp_path: Path) -> None:
    demo = demo_graph()
    # One split: with several, a test node of one is a training node of another.
    one = replace(demo, train=demo.train[:1], val=demo.val[:1], test=demo.test[:1])
    test = one.test[0].nonzero().squeeze(1)
    y = one.y.clone()
    y[test] = y[test[torch.randperm(len(test), generator=torch.Generator().manual_seed(0))]]
    assert not torch.equal(y, one.y)
    permuted = replace(one, y=y)
    space = parse_space(
        "small",
        {
            "K": {"choices": [1, 2, 4]},
            "dropout": {"choices": [0.1, 0.6]},
            "lr": {"choices": [0.01, 0.05]},
            "epochs": 15,
            "hidden": 8,
        },
    )
    goal = Goal(trials=10, confirm=3)
    found: list[Journal] = []
    accuracies = []
    for name, graph in (("honest", one), ("permuted", permuted)):
        journal = Journal.create(
            tmp_path / name,
            settings(space, seeds=5, race="paired", base=DEFAULTS["heterophily"]),
        )
        journal.begin(goal, {})
        drive(Coordinator(journal, goal, concurrency=1), graph, _fit)
        found.append(journal)
        confirmed = read_outcome(journal).confirmed
        assert confirmed is not None
        accuracies.append(confirmed.mean)
    honest, spoiled = found
    assert outcomes(honest) == outcomes(spoiled)
    assert list(read_outcome(honest).confirmations) == list(read_outcome(spoiled).confirmations)
    assert accuracies[0] > accuracies[1] + 5  # the labels were spoiled indeed


def _fit(
    graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric
) -> TrialResult:
    from l2p_search.training.fit import fit

    return fit(graph, config, seeds)


@pytest.fixture
def no_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Ray that cannot be started."""

    def refuse(*asked: object, **named: object) -> None:
        raise SearchError("Ray did not start")

    monkeypatch.setattr("l2p_search.searching.running.run.ray_cluster", refuse)


@pytest.mark.usefixtures("no_ray")
def test_ray_is_not_started_where_everything_is_recorded(
    tmp_path: Path, small_graph: Graph
) -> None:
    goal = Goal(trials=3, confirm=4, ties=0)
    journals = [searched(tmp_path / name, small_graph, goal) for name in ("a", "b")]
    ended: list[Coordinator] = []
    jobs = [
        Job(graph=small_graph, begin=lambda j=journal: Coordinator(j, goal), end=ended.append)
        for journal in journals
    ]
    assert run_jobs(jobs, Resources()) is False
    assert len(ended) == 2


@pytest.mark.usefixtures("no_ray")
def test_where_nothing_is_left_to_train_it_is_told_that_everything_is_trained(
    tmp_path: Path, small_graph: Graph
) -> None:
    goal, told = Goal(trials=3, confirm=4, ties=0), list[str]()
    journal = searched(tmp_path / "a", small_graph, goal)
    run_search(
        journal,
        small_graph,
        goal,
        Resources(),
        on_event=lambda event, snapshot: told.append(event.kind),
    )
    assert told[-1] == "finished"


@pytest.mark.usefixtures("no_ray")
def test_a_ray_that_does_not_start_leaves_no_search_open(
    tmp_path: Path, small_graph: Graph
) -> None:
    journal, ended = begin(tmp_path / "a"), list[Coordinator]()
    goal = Goal(trials=3)
    job = Job(graph=small_graph, begin=lambda: Coordinator(journal, goal), end=ended.append)
    with pytest.raises(SearchError, match="Ray did not start"):
        run_jobs([job], Resources())
    assert len(ended) == 1
    assert journal.records() == []
