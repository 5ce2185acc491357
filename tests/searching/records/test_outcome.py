import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from l2p_search.data.graph import Graph
from l2p_search.intervals import val_by_seed
from l2p_search.node_hits import NodeHits
from l2p_search.results import SeedResult, TrialResult, TrialStatus
from l2p_search.searching.records import outcome as outcome_module
from l2p_search.searching.records.controls import fresh_seeds
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.looks import Looks
from l2p_search.searching.records.outcome import best_of, open_of, read_outcome, ties_of
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from tests.searching.pretend import begin, drive, searched, settings
from tests.searching.records.made import outcome, record, result


def test_the_best_is_complete_highest_and_the_earlier_one_of_equals() -> None:
    records = [
        record(3, [80.0, 82.0]),
        record(1, [81.0, 81.0]),
        record(0, [70.0, 71.0]),
        record(2, [99.0], TrialStatus.RACED_OUT),
        record(4, [98.0, 98.0], TrialStatus.FAILED),
        record(5, status=TrialStatus.RUNNING),
    ]
    best = best_of(records)
    assert best is not None
    assert best.number == 1
    assert best_of(records[3:]) is None
    assert best_of([]) is None


def test_ties_are_what_hsus_comparison_does_not_rule_out() -> None:
    best = record(0, [80.0, 82.0, 84.0, 83.0, 81.0])
    always_lower = record(1, [70.0, 72.01, 73.99, 73.0, 71.0])
    lower_at_times = record(2, [82.0, 80.0, 81.0, 84.0, 80.5])
    assert [each.number for each in ties_of([lower_at_times, always_lower, best])] == [0, 2]
    assert ties_of([record(7, [99.0], TrialStatus.RACED_OUT)]) == []


def test_raced_out_trials_that_are_not_ruled_out_are_told_but_are_no_ties() -> None:
    best = record(0, [80.0, 82.0, 84.0, 83.0, 81.0])
    complete = record(1, [79.0, 82.5, 83.0, 84.0, 80.5])
    near = record(2, [79.5, 81.9], TrialStatus.RACED_OUT)
    far = record(3, [40.0, 41.0], TrialStatus.RACED_OUT)
    trials = [best, complete, near, far]
    assert [each.number for each in ties_of(trials)] == [0, 1]
    assert [each.number for each in open_of(trials)] == [2]
    assert outcome(trials).to_mapping()["raced_out_not_ruled_out"] == [2]


def test_ties_come_best_first_and_one_seed_tells_nothing_apart() -> None:
    records = [record(0, [70.0]), record(1, [90.0]), record(2, [80.0])]
    assert [each.number for each in ties_of(records)] == [1, 2, 0]


def test_fresh_seeds_follow_those_of_the_search() -> None:
    assert fresh_seeds(settings(seeds=20), 3) == (20, 21, 22)
    assert fresh_seeds(settings(seeds=4), 0) == ()


def test_the_headline_is_of_fresh_seeds_and_the_protocol_of_the_searchs_own() -> None:
    trials = [record(0, [80.0, 82.0, 84.0]), record(1, [79.0, 82.0, 84.0])]
    unconfirmed = outcome(trials)
    assert unconfirmed.confirmed is None
    assert unconfirmed.protocol is not None
    assert unconfirmed.protocol.mean == 81.0
    other_confirmed = outcome(trials, {1: result([90.0, 90.0], first_seed=20)})
    assert other_confirmed.confirmed is None  # it is not the best
    confirmed = outcome(trials, {0: result([70.0, 72.0], first_seed=20)}).confirmed
    assert confirmed is not None
    assert confirmed.mean == 70.0


def test_luck_and_protocol_have_both_intervals_where_the_confirmation_kept_its_nodes() -> None:
    """Trials keep no nodes: what nodes add to the variance is that of the confirmation."""
    trials = [record(number, [80.0 - number, 82.0, 84.0]) for number in range(6)]
    fresh = result([70.0, 72.0, 71.0], first_seed=20)
    right = [100.0] * 14 + [0.0] * 6  # by all seeds alike: it is the nodes that are hard
    seeds = tuple(
        replace(seed, test=70.0, hits=NodeHits(np.arange(20), np.array(right)))
        for seed in fresh.seeds
    )
    bare = outcome(trials, {0: fresh}).to_mapping()
    found = outcome(trials, {0: replace(fresh, seeds=seeds)}).to_mapping()
    for name in ("confirmed_test_accuracy_with_luck", "protocol_test_accuracy"):
        assert bare[name]["other_nodes_of_this_kind"] is None, name
        here, there = (
            found[name]["this_graph_other_seeds_and_splits"],
            found[name]["other_nodes_of_this_kind"],
        )
        assert there["low"] < here["low"] < here["high"] < there["high"], name


def test_its_mapping_is_json_and_counts_every_status() -> None:
    trials = [
        record(0, [80.0, 82.0]),
        record(1, [60.0], TrialStatus.RACED_OUT),
        record(2, status=TrialStatus.FAILED),
        record(3, status=TrialStatus.FAILED),
    ]
    found = outcome(trials, {0: result([70.0, 72.0], first_seed=20)}).to_mapping()
    assert json.loads(json.dumps(found, allow_nan=False))["best"]["number"] == 0
    assert found["trials"] == {"complete": 1, "raced_out": 1, "failed": 2}
    assert found["ties"] == [0]
    assert found["validation"]["mean"] == 81.0
    assert found["confirmed_test_accuracy"]["mean"] == 70.0
    assert found["protocol_test_accuracy"]["mean"] == 80.0
    (confirmation,) = found["confirmations"]
    assert confirmation["seeds"] == [20, 21]
    assert confirmation["val_accuracy"]["mean"] == 71.0
    assert "test_accuracy_mean" not in found["best"]  # a list of trials invites choosing by it


def test_its_mapping_says_what_was_searched_and_every_number_that_the_outcome_has() -> None:
    trials = [
        record(number, [70.0 + number, 72.0 + number, 71.0], K=number) for number in range(1, 7)
    ]
    trials = [
        replace(each, result=result([*val_by_seed(each.result).values()], each.config, splits=3))
        for each in trials
        if each.result is not None
    ]
    fresh = result([70.0, 72.0, 71.5], first_seed=20)
    asked = settings(seeds=3, sampler="random", seed=9, race="halving", sealed=True)
    found = replace(outcome(trials, {6: fresh}), settings=asked, looks=Looks(18, 3))
    told = json.loads(json.dumps(found.to_mapping(), allow_nan=False))
    assert {key: told[key] for key in asked.to_mapping() if key in told} == {
        "dataset": "small",
        "data_digest": "0",
        "space": "pretend",
        "seeds": 3,
        "sampler": "random",
        "seed": 9,
        "race": "halving",
        "sealed": True,
        "metric": "accuracy",
    }
    assert outcome(trials).to_mapping()["race"] is False
    assert told["test_looks"] == {"trials": 18, "confirmation": 3, "total": 21}
    assert found.nested is not None
    assert told["nested_test_accuracy"] == found.nested.to_mapping()
    assert found.luck is not None
    assert told["confirmed_test_accuracy_with_luck"] == found.luck.to_mapping()
    assert found.estimate is not None
    assert told["confirmed_test_accuracy"] == found.estimate.to_mapping()
    assert found.spread is not None
    assert told["spread"] == found.spread.to_mapping()
    assert [each["trials"] for each in told["budget"]][-1] == 6
    (confirmed,) = told["confirmations"]
    assert confirmed["number"] == 6
    assert confirmed["test_accuracy_std"] == fresh.test_std
    assert confirmed["test_accuracy"]["mean"] == pytest.approx(70.0 + 1.0 / 6)
    assert told["profile"] == [0.5, 0.5]


def test_without_a_complete_trial_everything_is_none_and_nothing_breaks() -> None:
    found = outcome([record(0, status=TrialStatus.RUNNING)])
    assert (found.best, found.ties, found.confirmed, found.protocol) == (None, [], None, None)
    mapping = found.to_mapping()
    assert mapping["best"] is mapping["validation"] is mapping["profile"] is None
    assert mapping["trials"] == {"running": 1}


def test_confirmations_are_those_on_as_many_seeds_as_the_newest_goal_asks_for(
    tmp_path: Path, small_graph: Graph
) -> None:
    journal = searched(tmp_path / "s", small_graph, Goal(trials=4, confirm=3, ties=0))
    best = read_outcome(journal).best
    assert best is not None
    journal.confirm(result([80.0, 81.0], best.config, first_seed=20))
    found = read_outcome(journal).confirmations
    assert [seed.seed for seed in found[best.number].seeds] == [20, 21, 22]
    journal.begin(Goal(trials=4, confirm=2), {})
    found = read_outcome(journal).confirmations
    assert [seed.seed for seed in found[best.number].seeds] == [20, 21]
    journal.begin(Goal(trials=4, confirm=9), {})
    assert read_outcome(journal).confirmations == {}
    journal.close()


@pytest.mark.parametrize("confirmed", [0, 2])
def test_a_search_without_a_noted_goal_shows_its_largest_confirmation(
    confirmed: int, tmp_path: Path, small_graph: Graph
) -> None:
    journal = begin(tmp_path / "s")
    drive(Coordinator(journal, Goal(trials=2, confirm=confirmed, ties=0)), small_graph)
    found = read_outcome(Journal.read(tmp_path / "s"))
    assert found.goal is None
    assert [len(each.seeds) for each in found.confirmations.values()] == [2][: confirmed // 2]
    assert found.best is not None
    for seeds in (3, 1):
        journal.confirm(result([80.0] * seeds, found.best.config, first_seed=20))
    found = read_outcome(Journal.read(tmp_path / "s"))
    assert [len(each.seeds) for each in found.confirmations.values()] == [3]
    journal.close()


def test_a_search_counts_its_looks_at_test_labels(tmp_path: Path, small_graph: Graph) -> None:
    journal = searched(tmp_path / "s", small_graph, Goal(trials=3, confirm=2))
    looks = read_outcome(journal).looks
    assert looks.trials == sum(len(each.result.seeds) for each in journal.records() if each.result)
    assert looks.confirmation == sum(len(each.seeds) for each in journal.confirmations().values())
    assert looks.trials > looks.confirmation > 0


def test_the_spread_rests_on_the_20_best_trials_and_where_they_are_sealed_on_the_confirmed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[TrialResult | None, list[TrialResult]]] = []
    monkeypatch.setattr(
        outcome_module, "spread_of", lambda winner, others: asked.append((winner, list(others)))
    )
    trials = [record(number, [70.0 + number, 71.0 + number]) for number in range(25)]
    confirmed = {24: result([80.0, 81.0], first_seed=20), 23: result([79.0, 82.0], first_seed=20)}
    outcome(trials, confirmed).spread  # noqa: B018
    sealed = [
        replace(each, result=replace(each.result, seeds=_untested(each.result)))
        for each in trials
        if each.result is not None
    ]
    outcome(sealed, confirmed).spread  # noqa: B018
    outcome([*sealed[:24], trials[24]], confirmed).spread  # noqa: B018
    outcome([*sealed[:23], *trials[23:]], confirmed).spread  # noqa: B018
    best = [each.result for each in reversed(trials)][:20]
    assert asked[0] == (confirmed[24], best)
    assert asked[1] == (confirmed[24], list(confirmed.values()))
    assert asked[2] == asked[1]  # one trial alone cannot be compared
    assert asked[3] == (confirmed[24], best[:2])


def _untested(found: TrialResult) -> tuple[SeedResult, ...]:
    return tuple(replace(seed, test=None) for seed in found.seeds)
