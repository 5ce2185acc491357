import json
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from l2p_search.config import TrialConfig
from l2p_search.learned import Curves
from l2p_search.results import TrialStatus
from l2p_search.tracking.entries import TrialEntry
from l2p_search.tracking.view import WHOLE_VIEW, runs_link, search_view, view_state, view_tag
from tests.searching.records.made import result

_MANY = ("K", "lr", "hidden", "dropout", "weight_decay", "teleport", "kl_weight", "upper_lr")
_MANY += ("skip",)


def _state(*arguments: Any) -> dict[str, Any]:
    state: dict[str, Any] = json.loads(view_state(*arguments))
    return state


def test_trials_are_sorted_by_validation_accuracy_the_best_first() -> None:
    state = _state()
    assert state["orderByKey"] == "metrics.`val_accuracy_mean`"
    assert state["orderByAsc"] is False


def test_a_view_shows_the_trials_of_one_search_or_of_all() -> None:
    assert _state()["searchFilter"] == "tags.kind = 'trial'"
    assert _state("abc")["searchFilter"] == "tags.`mlflow.parentRunId` = 'abc'"


def test_columns_are_what_varies_and_the_papers_five_where_that_is_not_known() -> None:
    def params(*varied: str) -> list[str]:
        columns = _state("abc", varied)["selectedColumns"]
        return [each.split("`")[1] for each in columns if each.startswith("params.")]

    assert params("teleport", "K") == ["teleport", "K"]
    assert params() == ["dropout", "lr", "hidden", "weight_decay", "K"]
    assert params(*_MANY) == list(_MANY[:8])  # a table that needs no scrolling


def test_the_line_of_each_trial_goes_through_the_shown_hyperparameters() -> None:
    (parallel,) = [c for c in _state("abc", _MANY)["compareRunCharts"] if c["type"] == "PARALLEL"]
    assert parallel["selectedParams"] == list(_MANY[:8])
    assert parallel["selectedMetrics"] == ["val_accuracy_mean"]


def test_charts_and_columns_are_of_metrics_that_trials_have() -> None:
    config = TrialConfig(K=1)
    curves = Curves((1, 2), (1.0, 0.5), (1.0, 0.75), (40.0, 60.0))
    trial = TrialEntry(
        uid="u/0",
        number=0,
        status=TrialStatus.COMPLETE,
        config=config,
        result=replace(result([80.0, 82.0], config), curves=curves),
    )
    names = {name for name, _, _ in trial.metrics()}
    state = _state()
    drawn = {chart["metricKey"] for chart in state["compareRunCharts"] if "metricKey" in chart}
    shown = {c.split("`")[1] for c in state["selectedColumns"] if c.startswith("metrics.")}
    assert drawn | shown <= names
    assert not any("test_accuracy" in name for name in drawn | shown)  # nothing to choose by
    sections = {section["name"] for section in state["compareRunSections"]}
    assert {name.split("/")[0] for name in names if "/" in name} <= sections


def test_every_chart_stands_in_the_one_section_that_is_open() -> None:
    state = _state("abc", ("K",))
    (opened,) = [each for each in state["compareRunSections"] if each["display"]]
    assert {chart["metricSectionId"] for chart in state["compareRunCharts"]} == {opened["uuid"]}
    keys = [chart["uuid"] for chart in state["compareRunCharts"]]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("view", [WHOLE_VIEW, search_view("0123456789abcdef")])
def test_a_link_opens_the_view_that_the_tag_holds(view: str) -> None:
    link = urlsplit(runs_link("http://127.0.0.1:5000", "7", view))
    path, _, query = link.fragment.partition("?")
    assert path == "/experiments/7/runs"
    asked = parse_qs(query)
    assert view_tag(asked["viewStateShareKey"][0]) == view_tag(view)
    assert asked["workflowType"] == ["machine_learning"]  # not MLflow's view of language models


def test_searches_have_views_of_their_own() -> None:
    assert search_view("a" * 32) != search_view("b" * 32)
    assert search_view("a" * 32) != WHOLE_VIEW
