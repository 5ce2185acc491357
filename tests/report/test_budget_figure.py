"""The budget curve: its points, its band, and numbers of trials on its axis."""

from l2p_search.report.budget_figure import budget_figure
from l2p_search.report.drawing import rendered


def test_the_curve_has_its_band_and_the_numbers_of_trials_as_ticks() -> None:
    val, low = [80.0, 81.0, 82.0], [78.0, 79.0, 82.0]
    figure = budget_figure([1, 2, 3], val, low, [82.0] * 3, [79.0] * 3)
    (axes,) = figure.axes
    assert [line.get_ydata().tolist() for line in axes.get_lines()] == [
        [80.0, 81.0, 82.0],
        [79.0, 79.0, 79.0],
    ]
    assert len(axes.collections) == 1
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "2", "3"]
    assert rendered(figure, "png").startswith(b"\x89PNG")


def test_sealed_trials_have_no_test_curve() -> None:
    figure = budget_figure([1, 2], [80.0, 81.0], [78.0, 79.0], [82.0] * 2, None, "macro_f1")
    (axes,) = figure.axes
    assert len(axes.get_lines()) == 1
    assert axes.get_ylabel() == "macro F1 of the best, %"
