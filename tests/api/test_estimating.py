"""What a search will cost, without searching."""

from pathlib import Path
from typing import Any

import pytest

from l2p_search.api import estimating
from l2p_search.api.estimating import estimate, trials_at_once
from l2p_search.api.planning import Wanted, make_plan
from l2p_search.data.graph import Graph
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal
from l2p_search.training.fit import Progress
from tests.api.in_process import SPACE
from tests.searching.pretend import searched


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("L2P_SEARCH_DIR", raising=False)


@pytest.fixture
def existing(tmp_path: Path, small_graph: Graph) -> Journal:
    """Three trials of four seeds each on the small graph."""
    digest, goal = small_graph.digest, Goal(trials=3, confirm=7, ties=2)
    journal = searched(tmp_path / "searches" / "s", small_graph, goal, data_digest=digest, seeds=4)
    journal.close()
    return journal


def test_an_estimate_is_of_a_trial_in_the_middle_for_those_that_are_missing(
    existing: Journal, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(estimating, "_measure", lambda *asked: (10.0, True))
    plan = make_plan(small_graph, Wanted(name="s", trials=7), resume=True)
    found = estimate(plan, concurrency=2)
    assert (found.trial_seconds, found.seconds, found.at_once, found.whole) == (10, 20, 2, True)
    assert (found.config.dropout, found.config.K) == (0.4, 8)
    short = make_plan(small_graph, Wanted(name="s", trials=7, time_budget=15), resume=True)
    assert estimate(short, concurrency=2).seconds == 15


def test_a_long_trial_is_extrapolated_to_all_its_epochs(
    small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of four seeds one has finished and two train, at half of their epochs: half is done."""
    times = iter([0.0, 30.0, 30.0])
    monkeypatch.setattr(estimating.time, "perf_counter", lambda: next(times))

    def train(*asked: Any, on_epoch: Any, **further: Any) -> None:
        on_epoch(Progress(50, 100, training=2, finished=1, total=4, best_val=0.0))

    monkeypatch.setattr(estimating, "train", train)
    plan = make_plan(small_graph, Wanted(space=SPACE, trials=2, seeds=4))
    found = estimate(plan, concurrency=1)
    assert (found.trial_seconds, found.seconds, found.whole) == (60.0, 120.0, False)


def test_trials_at_once_are_those_asked_for_else_by_the_cpus(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(estimating, "own_cpus", lambda: 6)
    asked = ((5, 1), (None, 1), (None, 4), (None, 7))
    assert [trials_at_once(*each) for each in asked] == [5, 6, 1, 1]
