import json
from pathlib import Path

import pytest

from l2p_search.api.estimating import Estimate
from l2p_search.api.measuring import Cost
from l2p_search.api.needs import Needs
from l2p_search.api.plan_text import memory_text, plan_mapping, plan_text, time_text
from l2p_search.api.planning import Plan, Wanted, make_plan
from l2p_search.data.graph import Graph
from l2p_search.errors import in_python, in_shell
from tests.api.in_process import SPACE


def _plan(folder: Path, graph: Graph, **wanted: object) -> Plan:
    asked = {"folder": folder, "space": {**SPACE, "epochs": 40}, "seeds": 4, **wanted}
    return make_plan(graph, Wanted(**asked))  # type: ignore[arg-type]


def test_a_plan_says_what_varies_what_is_fixed_and_how_much_is_trained(
    tmp_path: Path, small_graph: Graph
) -> None:
    said = in_python(plan_text(_plan(tmp_path, small_graph, trials=5), 2, 1)).splitlines()
    assert said[0] == "search    small-own, new"
    assert said[1] == f"kept in   {tmp_path / 'small-own'}"
    assert said[2].startswith("dataset   small: 12 nodes, 13 edges. 7 features. 3 classes: ")
    assert said[3] == "space     own: 3 hyperparameters, 24 configurations"
    assert "          dropout: 0.2, 0.4, 0.6" in said
    assert "          epochs: 40 (fixed)" in said
    assert "sampler   tpe, seed 0" in said
    assert "size      5 trials x 4 seeds = 20 trainings, 2 at once" in said
    assert said[-2:] == [
        "          then up to 5 x 20 fresh seeds to confirm",
        "          and 20 each: the winner on 20 fresh splits, the default configuration, MLP,"
        " APPNP at the winner's settings, the winner with phi_share 0.5, APPNP on the same labels",
    ]
    bare = _plan(tmp_path, small_graph, trials=5, controls=False, fresh_splits=False)
    assert plan_text(bare, 2, 1).endswith("fresh seeds to confirm")


def test_more_trials_than_the_space_has_are_said_in_the_callers_language(
    tmp_path: Path, small_graph: Graph
) -> None:
    text = plan_text(_plan(tmp_path, small_graph, trials=99), 1, 1)
    assert "trials=99 is more than the space has: it stops at 24" in in_python(text)
    assert "--trials 99 is more than the space has: it stops at 24" in in_shell(text)
    assert "24 trials x 4 seeds = 96 trainings" in text


def test_a_race_may_save_trainings_and_nothing_is_said_of_a_confirmation_that_is_off(
    tmp_path: Path, small_graph: Graph
) -> None:
    said = plan_text(_plan(tmp_path, small_graph, race="paired", confirm=0, trials=5), 1, 1)
    assert "seed 0, racing" in said
    assert said.endswith("1 at once (without the race's savings)")


def test_without_a_number_as_many_run_at_once_as_the_cpus_allow(
    tmp_path: Path, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("l2p_search.api.estimating.own_cpus", lambda: 8)
    plan = _plan(tmp_path, small_graph, trials=5)
    assert "trainings, 8 at once" in plan_text(plan, None, 1)
    assert "trainings, 2 at once" in plan_text(plan, None, 3)
    assert "trainings, 1 at once" in plan_text(plan, None, 9)


def _estimate(plan: Plan, **changes: object) -> Estimate:
    config = plan.settings.config(plan.settings.space.middle())
    needs = Needs(
        config=config,
        together=2,
        trial=3 * 2**29,
        everything=2**32,
        more=2**31,
        available=12 * 2**30,
    )
    values = {
        "config": config,
        "trial": Cost(seconds=2.5, at_most=2.5, whole=True),
        "seconds": 200.0,
        "confirming": 60.0 * bool(plan.goal.confirm),
        "at_most": 400.0,
        "at_once": 1,
        "memory": needs,
        **changes,
    }
    return Estimate(**values)  # type: ignore[arg-type]


def test_a_time_says_whether_it_was_measured_and_what_bounds_it(
    tmp_path: Path, small_graph: Graph
) -> None:
    plan = _plan(tmp_path, small_graph, confirm=0)
    measured = "a trial with dropout=0.4 lr=0.01 K=8"
    assert time_text(plan, _estimate(plan)).splitlines() == [
        "time      about 3 min 20 s",
        f"          {measured} took 2.5 s of CPU",
    ]
    long = _estimate(plan, trial=Cost(seconds=200.0, at_most=400.0, whole=False))
    assert time_text(plan, long).splitlines() == [
        "time      about 3 min 20 s, at most 6 min 40 s if no seed stops early",
        f"          {measured} takes about 3 min 20 s of CPU",
    ]
    confirmed = _plan(tmp_path, small_graph, confirm=4)
    long = _estimate(confirmed, trial=Cost(seconds=200.0, at_most=400.0, whole=False))
    assert (
        "about 3 min 20 s (1 min of it to confirm), at most 6 min 40 s if no seed stops early"
        " and all ties are confirmed"
    ) in time_text(confirmed, long)


def test_memory_is_told_per_trial_in_all_and_free(tmp_path: Path, small_graph: Graph) -> None:
    plan = _plan(tmp_path, small_graph)
    assert memory_text(plan, _estimate(plan)) == (
        "memory    up to 1.5 GB a trial (2 of 4 seeds at a time), 4.0 GB with all that runs at"
        " once; 12 GB are free"
    )


def test_a_plan_as_json_says_the_same(tmp_path: Path, small_graph: Graph) -> None:
    plan = _plan(tmp_path, small_graph, trials=5)
    found = json.loads(json.dumps(plan_mapping(plan, _estimate(plan)), allow_nan=False))
    assert (found["search"], found["trials"], found["trainings"]) == ("small-own", 5, 20)
    assert found["estimate"]["seconds_at_most"] == 400.0
