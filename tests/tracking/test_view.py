import json
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from l2p_search.config import TrialConfig
from l2p_search.learned import Curves
from l2p_search.results import TrialStatus
from l2p_search.tracking.entries import Mark, TrialEntry
from l2p_search.tracking.view import (
    SEARCHES_VIEW,
    WHOLE_VIEW,
    run_link,
    runs_link,
    search_view,
    searches_view,
    trials_view,
    view_tag,
)
from tests.searching.records.made import result

_MANY = ("K", "lr", "hidden", "dropout", "weight_decay", "teleport", "kl_weight", "upper_lr")
_MANY += ("skip",)


def _state(*arguments: Any, **more: Any) -> dict[str, Any]:
    state: dict[str, Any] = json.loads(trials_view(*arguments, **more))
    return state


def _charts(state: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [chart for chart in state["compareRunCharts"] if chart["type"] == kind]


def test_trials_are_sorted_by_validation_accuracy_the_best_first() -> None:
    state = _state()
    assert state["orderByKey"] == "metrics.`val_accuracy_mean`"
    assert state["orderByAsc"] is False


def test_a_view_shows_the_trials_of_one_search_or_of_all() -> None:
    finished = "tags.kind = 'trial' and attributes.status = 'FINISHED'"  # none that was raced out
    assert _state()["searchFilter"] == finished
    assert _state("abc")["searchFilter"] == "tags.`mlflow.parentRunId` = 'abc'"


def test_columns_are_what_varies_and_the_papers_five_where_that_is_not_known() -> None:
    def params(*varied: str) -> list[str]:
        columns = _state("abc", varied)["selectedColumns"]
        return [each.split("`")[1] for each in columns if each.startswith("params.")]

    assert params("teleport", "K") == ["teleport", "K"]
    assert params() == ["dropout", "lr", "hidden", "weight_decay", "K"]
    assert params(*_MANY) == list(_MANY[:8])  # a table that needs no scrolling


def test_a_search_that_has_ended_is_sorted_by_the_rank_of_its_trials() -> None:
    state = _state("abc", ranked=True)
    assert (state["orderByKey"], state["orderByAsc"]) == ("metrics.`rank`", True)
    assert {"metrics.`rank`", "metrics.`tie`"} <= set(state["selectedColumns"])


def test_the_trials_of_all_searches_say_which_search_they_are_of() -> None:
    assert "tags.`search`" in _state()["selectedColumns"]
    assert "metrics.`rank`" not in _state()["selectedColumns"]  # it counts within one search


def test_a_chart_of_lines_has_five_axes_at_most_and_wide_ranges_by_their_logarithm() -> None:
    lines = _charts(_state("abc", _MANY, "accuracy", ("lr", "weight_decay")), "PARALLEL")
    axes = [[*each["selectedParams"], *each["selectedMetrics"]] for each in lines]
    assert all(len(each) <= 5 and each[-1] == "val_accuracy_mean" for each in axes)
    drawn = [key for each in axes for key in each[:-1]]
    plain = [key for key in _MANY if key not in ("lr", "weight_decay")]
    assert sorted(drawn) == sorted([*plain, "log10 lr", "log10 weight_decay"])


def test_pictures_of_the_profiles_come_first_and_bars_begin_at_the_best() -> None:
    state = _state("abc")
    assert state["compareRunCharts"][0]["imageKeys"] == ["profile"]
    (bars,) = _charts(state, "BAR")
    assert bars["metricKey"] == "behind_best"  # an axis from 0 would hide what differs


def test_searches_are_listed_with_number_interval_paper_budget_and_model() -> None:
    state = json.loads(searches_view())
    assert state["searchFilter"] == "tags.kind = 'search'"
    shown = {each.split("`")[1] for each in state["selectedColumns"]}
    assert {"confirmed", "interval_low", "interval_high", "paper", "trials"} <= shown
    assert {"dataset", "method", "seeds"} <= shown


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
    names = {name for name, _, _ in [*trial.metrics(), *Mark(1, True, 0.0).metrics()]}
    state = _state("abc")
    drawn = {chart["metricKey"] for chart in state["compareRunCharts"] if "metricKey" in chart}
    shown = {c.split("`")[1] for c in state["selectedColumns"] if c.startswith("metrics.")}
    assert drawn | shown <= names
    assert not any("test_accuracy" in name for name in drawn | shown)  # nothing to choose by
    sections = {section["name"] for section in state["compareRunSections"]}
    assert {name.split("/")[0] for name in names if "/" in name} <= sections


def test_every_chart_stands_in_a_section_that_is_open() -> None:
    state = _state("abc", ("K",))
    opened = {each["uuid"] for each in state["compareRunSections"] if each["display"]}
    assert {chart["metricSectionId"] for chart in state["compareRunCharts"]} == opened
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


def test_one_link_opens_the_searches_of_several_datasets() -> None:
    link = urlsplit(runs_link("http://127.0.0.1:5000", ("7", "9"), SEARCHES_VIEW, charts=True))
    path, _, query = link.fragment.partition("?")
    assert path == "/compare-experiments/s"
    asked = parse_qs(query)
    assert json.loads(asked["experiments"][0]) == ["7", "9"]
    assert asked["viewStateShareKey"] == [SEARCHES_VIEW]
    assert asked["compareRunsMode"] == ["CHART"]


def test_a_link_from_a_page_of_mlflow_needs_no_address() -> None:
    assert runs_link("", "7").startswith("#/experiments/7/runs?")
    assert run_link("http://h", "7", "abc").startswith("http://h/#/experiments/7/runs/abc?")


def test_searches_have_views_of_their_own() -> None:
    assert search_view("a" * 32) != search_view("b" * 32)
    assert search_view("a" * 32) != WHOLE_VIEW


def test_scores_of_searches_are_on_an_axis_that_begins_near_them() -> None:
    state = json.loads(searches_view())
    assert _charts(state, "BAR") == []  # MLflow's bars begin at 0
    assert [chart["yaxis"]["key"] for chart in _charts(state, "SCATTER")] == ["confirmed"]
    open_ = [each["name"] for each in state["compareRunSections"] if each["display"]]
    assert open_ == ["How far nodes look", "Overview"]
    assert "budget" in [each["name"] for each in state["compareRunSections"]]
