"""What a search will cost, without searching."""

import json
from pathlib import Path

import pytest

from l2p_search.api import estimating
from l2p_search.api.estimating import estimate, trials_at_once
from l2p_search.api.measuring import Cost
from l2p_search.api.planning import Wanted, make_plan
from l2p_search.data.graph import Graph
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal
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


@pytest.fixture
def ten_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A trial takes ten seconds, or thirty where no seed stops early."""
    cost = Cost(seconds=10.0, at_most=30.0, whole=False)
    monkeypatch.setattr(estimating, "measure", lambda *asked, **further: cost)
    monkeypatch.setattr(estimating, "own_cpus", lambda: 2)


@pytest.mark.usefixtures("ten_seconds")
def test_an_estimate_is_of_a_trial_in_the_middle_for_those_that_are_missing(
    existing: Journal, small_graph: Graph
) -> None:
    plan = make_plan(small_graph, Wanted(name="s", trials=7, confirm=0), resume=True)
    found = estimate(plan, concurrency=2)
    start = estimating._START
    assert (found.seconds, found.at_most, found.at_once) == (start + 20, start + 60, 2)
    assert (found.config.dropout, found.config.K) == (0.4, 8)


@pytest.mark.usefixtures("ten_seconds")
def test_a_search_with_more_trials_than_are_asked_for_has_none_to_come(
    existing: Journal, small_graph: Graph
) -> None:
    plan = make_plan(small_graph, Wanted(name="s", trials=1, confirm=0), resume=True)
    found = estimate(plan, concurrency=1)
    assert (found.seconds, found.at_most) == (estimating._START, estimating._START)


@pytest.mark.usefixtures("ten_seconds")
def test_after_the_time_budget_only_what_runs_is_finished(
    existing: Journal, small_graph: Graph
) -> None:
    wanted = Wanted(name="s", trials=19, time_budget=15, confirm=0)
    found = estimate(make_plan(small_graph, wanted, resume=True), concurrency=2)
    assert (found.seconds, found.at_most) == (estimating._START + 25, estimating._START + 45)


@pytest.mark.usefixtures("ten_seconds")
def test_the_confirmation_is_counted_with_all_ties_as_its_bound(
    existing: Journal, small_graph: Graph
) -> None:
    """Eight fresh seeds take twice as long as the four of a trial; two run side by side."""
    wanted = Wanted(name="s", trials=3, confirm=8, confirm_ties=8)
    found = estimate(make_plan(small_graph, wanted, resume=True), concurrency=2)
    # Of three trials two can tie: three confirmations are two rounds, two are one.
    assert found.at_most == estimating._START + 2 * 60
    assert found.seconds == estimating._START + 20


@pytest.mark.usefixtures("ten_seconds")
def test_more_trials_at_once_than_cpus_are_not_faster(
    existing: Journal, small_graph: Graph
) -> None:
    plan = make_plan(small_graph, Wanted(name="s", trials=7, confirm=0), resume=True)
    two, eight = (estimate(plan, concurrency=many) for many in (2, 8))
    assert two.seconds == eight.seconds
    assert eight.memory.more > 3 * two.memory.trial


@pytest.mark.usefixtures("ten_seconds")
def test_an_estimate_as_json_has_no_object_of_ours(existing: Journal, small_graph: Graph) -> None:
    plan = make_plan(small_graph, Wanted(name="s", trials=7), resume=True)
    found = json.loads(json.dumps(estimate(plan).to_mapping(), allow_nan=False))
    assert found["trial_cpu_seconds"] == 10.0
    assert found["memory"]["seeds_together"] == 4
    assert found["memory"]["trial_bytes"] < found["memory"]["all_bytes"]


def test_trials_at_once_are_those_asked_for_else_by_the_cpus(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(estimating, "own_cpus", lambda: 6)
    asked = ((5, 1), (None, 1), (None, 4), (None, 7))
    assert [trials_at_once(*each) for each in asked] == [5, 6, 1, 1]


def test_trials_at_once_are_no_more_than_share_the_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimating, "own_cpus", lambda: 6)
    monkeypatch.setattr(estimating, "devices_here", lambda: ["cpu", "cuda:0", "cuda:1"])
    asked = ((None, 1, 1.0), (None, 1, 0.5), (None, 1, 0.25), (None, 1, 4.0), (3, 1, 1.0))
    assert [trials_at_once(*each) for each in asked] == [2, 4, 6, 1, 3]
