import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from l2p_search.data.graph import Graph
from l2p_search.errors import SearchError
from l2p_search.results import TrialStatus
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.recorded_trials import (
    RecordedTrials,
    outcome_of,
    proposal_of,
)
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from tests.searching.pretend import begin, drive, searched, settings
from tests.searching.records.made import record


def test_a_trial_without_an_outcome_is_running_and_one_with_it_has_its_result(
    tmp_path: Path, small_graph: Graph
) -> None:
    journal = begin(tmp_path / "s")
    drive(Coordinator(journal, Goal(trials=2, confirm=0)), small_graph, stop_after=1)
    ended, running = Journal.read(tmp_path / "s").records()
    assert (ended.number, ended.status) == (0, TrialStatus.COMPLETE)
    assert ended.result is not None
    assert len(ended.result.seeds) == 20
    assert (running.number, running.status, running.result) == (1, TrialStatus.RUNNING, None)


def test_a_config_is_written_once_as_the_parameters_of_optunas_trial(
    tmp_path: Path, small_graph: Graph
) -> None:
    searched(tmp_path / "s", small_graph, Goal(trials=12, confirm=0)).close()
    text = (tmp_path / "s" / "journal.log").read_text()
    assert text.count('"weight_decay"') == 1  # of the base, in the settings
    assert text.count('"param_name":"dropout"') == text.count('"op_code":4')
    assert "relative_params" not in text


def test_a_config_that_is_not_the_proposed_one_is_damage(
    tmp_path: Path, small_graph: Graph
) -> None:
    searched(tmp_path / "s", small_graph, Goal(trials=2, confirm=0)).close()
    path = tmp_path / "s" / "journal.log"
    lines = path.read_text().splitlines()
    place = next(i for i, line in enumerate(lines) if '"param_name":"K"' in line)
    entry = json.loads(lines[place])
    entry["param_value_internal"] = (entry["param_value_internal"] + 1) % 4
    lines[place] = json.dumps(entry)
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(SearchError, match=r"is damaged \(trial 0: its config is"):
        Journal.read(tmp_path / "s").records()


@dataclass
class _Point:
    params: dict[str, Any]
    user_attrs: dict[str, Any] = field(default_factory=dict)


def _recorded(**changes: object) -> tuple[_Point, dict[str, Any]]:
    """A complete trial with two seeds as it is written, some values of its result changed."""
    ended = replace(record(3, [80.0, 82.0], dropout=0.2, lr=0.01, K=4), ended=1.5e9)
    outcome = outcome_of(ended)
    noted = {"proposal": proposal_of(3, ended.config), "outcome": {**outcome, "result": 0}}
    ranks = {"dropout": 0, "lr": 1, "K": 1}  # an ordered choice is proposed by its place
    return _Point(ranks, noted), {**outcome["result"], **changes}


@pytest.mark.parametrize("metric", ["accuracy", "roc_auc"])
def test_a_trial_is_judged_by_the_metric_of_its_search_running_or_ended(metric: str) -> None:
    trials = RecordedTrials(settings(metric=metric))
    point, _ = _recorded()
    assert trials.record(point, None).metric == metric
    del point.user_attrs["outcome"]
    running = trials.record(point, None)
    assert (running.number, running.metric, running.reason) == (3, metric, None)
    point.user_attrs["interrupted"] = True
    assert (
        trials.record(point, None).reason == "interrupted; runs again when the search is resumed"
    )


@pytest.mark.parametrize(
    ("where", "values"),
    [("proposal", {"number": "3"}), ("outcome", {"reason": 5}), ("outcome", {"ended": "now"})],
)
def test_what_is_not_of_its_type_in_a_trial_is_damage(
    where: str, values: dict[str, object]
) -> None:
    trials = RecordedTrials(settings())
    point, result = _recorded()
    found = trials.record(point, result)
    assert (found.status, found.ended) == (TrialStatus.COMPLETE, 1.5e9)
    point.user_attrs[where] |= values
    with pytest.raises(ValueError, match=f"'{next(iter(values))}' is not what belongs there"):
        trials.record(point, result)


def test_what_is_not_of_its_type_in_a_result_is_damage() -> None:
    trials = RecordedTrials(settings())
    point, result = _recorded(seconds="long")
    with pytest.raises(ValueError, match="'seconds' is not what belongs there"):
        trials.record(point, result)
    point, result = _recorded()
    result["seeds"]["epochs"] = [3, "three"]
    with pytest.raises(ValueError, match="'epochs' is not what belongs there"):
        trials.record(point, result)
    point, result = _recorded()
    result["seeds"]["profile"] = [[0.5, 0.5], [1.0]]
    with pytest.raises(ValueError, match="its profiles are of unlike lengths"):
        trials.record(point, result)


@pytest.mark.parametrize(
    ("part", "values", "says"),
    [
        ("seeds", {"profile": [[], []]}, "a profile has no steps"),
        ("seeds", {"profile": [[-0.5, 1.5]] * 2}, "a share below 0"),
        ("seeds", {"profile": [[0.0, 0.0]] * 2}, "a profile has no steps"),
        ("seeds", {"seed": [1, 1]}, "its seeds are not each another one"),
        ("seeds", {"seed": [0, 99]}, "it has seeds beyond the 20"),
        ("seeds", {"val_accuracy": [80.0, None]}, "a seed has neither a result nor a reason"),
        ("seeds", {"test_accuracy": [80.0, None]}, "a seed has no 'test', and another has one"),
        ("seeds", {"profile": [[0.5, 0.5], None]}, "a seed has no 'profile', and another"),
        ("curves", {"val_loss": [1.0]}, "its curves are of unlike lengths"),
        ("profiles", {"by_class": {"0": [1.0]}}, "its profiles are of unlike lengths"),
        ("profiles", {"settled": [1.0]}, "its profiles are of unlike lengths"),
    ],
)
def test_series_that_nothing_can_be_drawn_of_are_damage(
    part: str, values: dict[str, object], says: str
) -> None:
    trials = RecordedTrials(settings())
    point, result = _recorded(
        curves={
            "epochs": [1, 2],
            "train_loss": [1, 1],
            "val_loss": [1, 1],
            "val_accuracy": [1, 1],
        },
        profiles={"by_degree": {"0": [0.5, 0.5]}, "by_class": {}, "node_steps": [0.5]},
    )
    result["seeds"]["profile"] = [[0.5, 0.5]] * 2
    trials.record(point, result)
    result[part] |= values
    with pytest.raises(ValueError, match=says):
        trials.record(point, result)
