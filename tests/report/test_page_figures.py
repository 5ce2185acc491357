import re
from collections.abc import Callable
from itertools import pairwise
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
    "lines": lambda: trial_lines(_POINTS, ["K", "kind"], "score")[0],
    "lines of one": lambda: trial_lines(_POINTS[:1], ["K"], "score")[0],
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
    (svg,) = trial_lines(_POINTS, ["K"], "score")
    lines = re.findall(r'<path class="(best|trial)"', svg)
    assert lines == ["trial", "best"]  # the stopped one is not drawn


@pytest.mark.parametrize(("keys", "axes"), [(1, [2]), (4, [5]), (5, [4, 3]), (9, [4, 4, 4])])
def test_trials_as_lines_have_five_axes_at_most_and_scores_on_each_drawing(
    keys: int, axes: list[int]
) -> None:
    names = [f"key{place}" for place in range(keys)]
    points = [Point(n, 80.0 + n, dict.fromkeys(names, n)) for n in range(3)]
    drawn = trial_lines(points, names, "score")
    assert [svg.count('class="axis"') for svg in drawn] == axes
    assert all(">score<" in svg for svg in drawn)
    assert all(f">{name}<" in "".join(drawn) for name in names)


def test_few_scores_stand_at_their_distances_not_at_their_ranks() -> None:
    points = [Point(n, score, {"K": n}) for n, score in enumerate((70.0, 79.0, 80.0))]
    (svg,) = trial_lines(points, ["K"], "score")
    ends = sorted(float(y) for y in re.findall(r'd="M[^"]*L[\d.]+ ([\d.]+)"', svg))
    assert (ends[1] - ends[0]) / (ends[2] - ends[0]) == pytest.approx(0.1, abs=0.01)


def test_the_labels_of_many_groups_do_not_overlap() -> None:
    rows = {f"class {n}": (0.5, 0.5) for n in range(40)}
    svg = heat_map(rows, 2, "class")
    places = [float(y) for y in re.findall(r'y="([\d.]+)" text-anchor="end">class \d', svg)]
    assert len(places) == 40
    assert min(b - a for a, b in pairwise(places)) >= 15  # letters are 12 high
    (height,) = re.findall(r'viewBox="0 0 380 (\d+)"', svg)
    assert max(places) < float(height)
