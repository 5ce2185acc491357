import re

import pytest

from l2p_search.effects import Effect, Effects
from l2p_search.searching.records.plots import interactive_figures, plotly_script
from tests.searching.pretend import SPACE
from tests.searching.records.made import outcome, record

_TITLES = [
    "Trials as lines through their hyperparameters",
    "Importance of hyperparameters",
    "The search over time",
]


@pytest.fixture(scope="module")
def figures() -> dict[str, str]:
    records = []
    for number in range(9):
        point = SPACE.point(number * 7 % (SPACE.size or 1))
        records.append(record(number, [70.0 + point["K"], 72.0 + point["K"]], **point))
    return interactive_figures(outcome(records), _told(0.9))


def _told(r2: float) -> Effects:
    shares = {key: Effect(0.2, 0.1, 0.3) for key in SPACE.dimensions}
    return Effects(shares, interactions=0.4, r2=r2, trials=9, partial=0)


def test_an_importance_that_cannot_be_told_is_not_drawn() -> None:
    records = [record(n, [70.0 + n], **SPACE.point(n)) for n in range(3)]
    assert list(interactive_figures(outcome(records), _told(0.0))) == [_TITLES[0], _TITLES[2]]


def test_there_are_three_figures_that_say_what_they_show(figures: dict[str, str]) -> None:
    assert list(figures) == _TITLES
    for html in figures.values():
        assert "Plotly.newPlot" in html
    for title in (_TITLES[0], _TITLES[2]):
        assert "validation accuracy, %" in figures[title]
    for key in SPACE.dimensions:
        assert f'"{key}"' in figures[_TITLES[0]]
        assert f'"{key}"' in figures[_TITLES[1]]
    assert '"interactions"' in figures[_TITLES[1]]
    assert "R\\u00b2 0.90 out of bag, 9 trials" in figures[_TITLES[1]]


def test_they_are_pieces_of_a_page_and_ask_no_network(figures: dict[str, str]) -> None:
    for html in figures.values():
        assert "<html" not in html
        assert "<body" not in html
        assert not re.findall(r'(?:src|href)="?(?:https?:)?//', html)
        assert len(html) < 100_000  # the library is not in each of them


def test_the_best_trials_have_the_darkest_colour(figures: dict[str, str]) -> None:
    assert '"reversescale":false' in figures[_TITLES[0]].replace(" ", "")


def test_the_library_can_stand_within_a_script_tag() -> None:
    script = plotly_script()
    assert "Plotly" in script
    assert "</script" not in script.lower()
