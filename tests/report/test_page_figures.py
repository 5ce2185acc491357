import re
from collections.abc import Callable
from xml.etree import ElementTree

import pytest

from l2p_search.effects import Effect, Effects
from l2p_search.report.page_figures import (
    course,
    curves_lines,
    heat_map,
    importance_bars,
    profile_bars,
    spark,
    trial_lines,
)
from l2p_search.report.search_figures import Point

_POINTS = [
    Point(0, 80.0, {"K": 2, "kind": "a<b"}),
    Point(1, 70.0, {"K": 4, "kind": "c"}, complete=False),
    Point(2, 82.0, {"K": 8, "kind": "c"}),
]
_EFFECTS = Effects({"K": Effect(0.7, 0.5, 0.9)}, interactions=0.3, r2=0.8, trials=40, partial=0)
_ALL: dict[str, Callable[[], str]] = {
    "bars": lambda: profile_bars((0.5, 0.3, 0.2), (0.1, 0.0, 0.1)),
    "bars of one step": lambda: profile_bars((1.0,)),
    "map": lambda: heat_map({"a<b": (0.5, 0.5), "1-2": (1.0, 0.0)}, 2, "class"),
    "course": lambda: course(_POINTS, "validation, %"),
    "course of one": lambda: course(_POINTS[:1], "validation, %"),
    "importance": lambda: importance_bars(_EFFECTS),
    "curves": lambda: curves_lines((1, 50), {"x": (1.0, 0.5), "y": (2.0, 0.1)}, "loss"),
    "lines": lambda: trial_lines(_POINTS, ["K", "kind"], "score"),
    "lines of one": lambda: trial_lines(_POINTS[:1], ["K"], "score"),
    "spark": lambda: spark((0.2, 0.8)),
}


@pytest.mark.parametrize("name", _ALL)
def test_a_drawing_is_whole_and_what_users_named_is_text(name: str) -> None:
    svg = _ALL[name]()
    root = ElementTree.fromstring(svg)
    assert root.tag == "svg"
    assert "nan" not in svg


def test_bars_are_as_high_as_their_shares_and_within_the_drawing() -> None:
    heights = re.findall(r'class="bar".*?height="([\d.]+)"', profile_bars((0.6, 0.3, 0.1)))
    first, second, third = map(float, heights)
    assert first == pytest.approx(2 * second, rel=0.01)
    assert first == pytest.approx(6 * third, rel=0.02)


def test_the_course_has_crosses_for_stopped_trials_and_a_line_that_never_falls() -> None:
    svg = course(_POINTS, "%")
    assert svg.count("<circle") == 2
    assert svg.count('class="stop"') == 1
    (line,) = re.findall(r'class="best" d="([^"]+)"', svg)
    ups = [float(y) for y in re.findall(r"V([\d.]+)", line)]
    start = float(line[1:].split(" ")[1].split("H")[0])
    assert all(y <= start for y in ups)  # upwards on the screen


def test_axes_of_scores_begin_near_the_values() -> None:
    labels = re.findall(r'text-anchor="end">([\d.]+)<', course(_POINTS, "%"))
    assert min(map(float, labels)) > 60


def test_the_line_of_the_best_trial_is_drawn_last_of_the_lines() -> None:
    lines = re.findall(r'<path class="(best|trial)"', trial_lines(_POINTS, ["K"], "score"))
    assert lines == ["trial", "best"]  # the stopped one is not drawn
