import random

import pytest

from l2p_search.effects import Effect, Effects
from l2p_search.report.drawing import rendered
from l2p_search.report.search_figures import Point, course_figure, lines_figure


def _points(count: int) -> list[Point]:
    draw = random.Random(0)
    return [
        Point(
            number,
            draw.uniform(60, 85),
            {"K": draw.choice([2, 4]), "lr": draw.uniform(1e-4, 0.1), "posterior": "quit"},
            complete=number % 5 != 4,
        )
        for number in range(count)
    ]


def test_the_course_shows_each_trial_and_the_best_so_far() -> None:
    points = _points(10)
    figure = course_figure(points, _effects(0.8))
    course, shares = figure.axes
    stopped, trials, best = course.lines
    assert len(stopped.get_xdata()) == 2
    assert len(trials.get_xdata()) == 8
    assert max(best.get_ydata()) == max(p.score for p in points if p.complete)
    assert [label.get_text() for label in shares.get_yticklabels()] == ["interactions", "K", "lr"]
    assert [bar.get_width() for bar in shares.patches] == [0.1, 0.2, 0.7]
    assert "R² 0.80 out of bag, 60 trials" in shares.get_title()
    assert rendered(figure, "png").startswith(b"\x89PNG")


def _effects(r2: float) -> Effects:
    shares = {"lr": Effect(0.7, 0.6, 0.8), "K": Effect(0.2, 0.1, 0.3)}
    return Effects(shares, interactions=0.1, r2=r2, trials=60, partial=0)


def test_an_importance_that_cannot_be_told_is_not_drawn() -> None:
    figure = course_figure(_points(10), _effects(0.0))
    assert "nothing to be told" in figure.axes[1].texts[0].get_text()
    assert not figure.axes[1].patches


def test_too_few_trials_say_so_instead_of_an_importance() -> None:
    figure = course_figure(_points(2), None)
    assert "too few trials" in figure.axes[1].texts[0].get_text()


@pytest.mark.parametrize("count", [1, 3, 60])
def test_lines_go_through_every_hyperparameter_to_the_accuracy(count: int) -> None:
    points = _points(count)
    figure = lines_figure(points)
    complete = [point for point in points if point.complete]
    lines = [line for line in figure.axes[0].lines if len(line.get_xdata()) == 4]
    assert len(lines) == len(complete) + 1  # and the best once more, bold
    names = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert names[:3] == ["K", "lr", "posterior"]
    best = max(complete, key=lambda point: point.score)
    assert figure.axes[0].get_legend().get_texts()[0].get_text() == f"best: trial {best.number}"
    assert rendered(figure, "png").startswith(b"\x89PNG")
