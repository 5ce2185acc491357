"""The drawing of a profile, read back and held against matplotlib's colours."""

from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.colors import PowerNorm, to_hex

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.report.profile_drawing import profile_panels, profile_svg
from l2p_search.results import TrialResult
from l2p_search.training.fit import fit

_SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def result(small_graph: Graph) -> TrialResult:
    return fit(small_graph, TrialConfig(K=4, epochs=30, hidden=4, dropout=0.0), range(3))


@pytest.fixture(scope="module")
def drawn(result: TrialResult) -> ElementTree.Element:
    return ElementTree.fromstring(profile_svg(result, "trial 7 on <a & b>"))


def _of_class(drawn: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [rect for rect in drawn.iter(f"{_SVG}rect") if rect.get("class") == name]


def test_bars_are_as_high_as_the_shares(result: TrialResult, drawn: ElementTree.Element) -> None:
    heights = np.array([float(bar.get("height", "")) for bar in _of_class(drawn, "bar")])
    profile = np.array(result.profile)[: len(heights)]
    assert heights / heights.sum() == pytest.approx(profile / profile.sum(), abs=1e-3)


def test_cells_have_matplotlibs_colours(result: TrialResult, drawn: ElementTree.Element) -> None:
    assert result.profiles is not None
    rows = np.array(list(result.profiles.by_degree.values()))
    colors = colormaps["cividis"](PowerNorm(0.5, 0.0, rows.max())(rows))
    darkest, brightest = rows.argmin(), rows.argmax()
    fills = [cell.get("fill") for cell in _of_class(drawn, "cell")]
    for place in (darkest, brightest):
        wanted = to_hex(colors.reshape(-1, 4)[place])
        near = [fill for fill in fills if fill and _distance(fill, wanted) <= 2]
        assert near, wanted


def _distance(one: str, other: str) -> int:
    parts = [[int(color[i : i + 2], 16) for i in (1, 3, 5)] for color in (one, other)]
    return max(abs(a - b) for a, b in zip(*parts, strict=True))


def test_it_says_in_words_what_it_shows(result: TrialResult, drawn: ElementTree.Element) -> None:
    said = [text.text for text in drawn.iter(f"{_SVG}text")]
    assert said[0] == "trial 7 on <a & b>"
    assert "q(t) of all nodes; lines: sd over 3 seeds" in said
    assert said.count("propagation step t") == 3
    assert result.profiles is not None
    assert set(result.profiles.by_degree) | set(result.profiles.by_class) <= set(said)


def test_everything_lies_within_the_picture(drawn: ElementTree.Element) -> None:
    for rect in drawn.iter(f"{_SVG}rect"):
        x, y = float(rect.get("x", 0)), float(rect.get("y", 0))
        assert x >= 0
        assert y >= 0
        assert x + float(rect.get("width", "")) <= 960.01
        assert y + float(rect.get("height", "")) <= 320.01


def test_classes_are_named_and_long_names_are_cut(result: TrialResult) -> None:
    assert result.profiles is not None
    numbers = sorted(result.profiles.by_class, key=int)
    names = ["chess", "the club of all gardeners", *numbers[2:]]
    drawn = ElementTree.fromstring(profile_svg(result, "t", names))
    said = [text.text for text in drawn.iter(f"{_SVG}text")]
    assert "chess" in said
    assert "the club of …" in said
    labels = [text for text in drawn.iter(f"{_SVG}text") if text.get("text-anchor") == "end"]
    assert {float(text.get("x", "")) for text in labels} == {49.0, 405.0, 729.0}


def test_names_of_many_rows_do_not_overlap(result: TrialResult) -> None:
    assert result.profiles is not None
    q = next(iter(result.profiles.by_class.values()))
    many = replace(result.profiles, by_class={str(number): q for number in range(40)})
    drawn = ElementTree.fromstring(profile_svg(replace(result, profiles=many), "t"))
    places = [
        float(text.get("y", ""))
        for text in drawn.iter(f"{_SVG}text")
        if text.get("x") == "729.0" and text.get("text-anchor") == "end"
    ]
    assert len(places) == 14
    assert min(b - a for a, b in pairwise(places)) >= 13.0


def test_each_panel_is_a_file_that_fits_on_a_telephone(result: TrialResult) -> None:
    panels = profile_panels(result, ["chess"] * 9)
    assert list(panels) == ["nodes", "degree", "class"]
    for content in panels.values():
        drawn = ElementTree.fromstring(content)
        assert drawn.get("width") == "300"
        left, top, width, height = map(float, drawn.get("viewBox", "").split())
        for text in drawn.iter(f"{_SVG}text"):
            x, y = float(text.get("x", "")), float(text.get("y", ""))
            room = 6.6 * len(text.text or "")  # about a character of this size
            start = {"end": x - room, "middle": x - room / 2}[text.get("text-anchor", "")]
            assert start >= left - 2
            assert start + room <= left + width + 2
            assert top < y < top + height
    assert profile_panels(replace(result, profiles=None)).keys() == {"nodes"}
