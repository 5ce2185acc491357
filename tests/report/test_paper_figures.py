import pytest
from matplotlib.colors import to_hex

from l2p_search.intervals import Interval
from l2p_search.learned import Curves
from l2p_search.report.drawing import BLUE, GREY, rendered
from l2p_search.report.paper_figures import (
    LEVELS,
    algorithms_figure,
    depth_figure,
    levels_figure,
)


def _curves(start: float) -> Curves:
    return Curves((1, 2), (start, start / 2), (start, start / 3), (40.0, 60.0))


def _interval(mean: float, half: float | None = 1.0) -> Interval:
    if half is None:
        return Interval(mean, None, None, 1)
    return Interval(mean, mean - half, mean + half, 10)


def test_losses_have_a_row_per_dataset_and_a_column_per_level() -> None:
    found = {
        "texas": {level: _curves(place + 1.0) for place, level in enumerate(LEVELS)},
        "pubmed": {"joint": _curves(9.0)},
    }
    figure = levels_figure(found)
    assert len(figure.axes) == 2 * len(LEVELS)
    for place, (axes, words) in enumerate(zip(figure.axes[:3], LEVELS.values(), strict=True)):
        assert axes.get_title() == f"texas, {words}"
        train, val = axes.lines
        assert list(train.get_ydata()) == [place + 1.0, (place + 1.0) / 2]
        assert list(val.get_ydata()) == [place + 1.0, (place + 1.0) / 3]
    assert [len(axes.lines) for axes in figure.axes[3:]] == [2, 0, 0]  # a level that failed
    assert rendered(figure, "png").startswith(b"\x89PNG")


def test_the_levels_of_a_dataset_share_their_scale() -> None:
    figure = levels_figure({"texas": {"joint": _curves(9.0), "first_order": _curves(1.0)}})
    limits = {axes.get_ylim() for axes in figure.axes}
    assert len(limits) == 1
    assert limits.pop()[1] >= 9.0


def test_bars_are_accuracies_and_the_baseline_is_grey() -> None:
    row = {"appnp": _interval(65.0), "l2q vi": _interval(84.0, 2.0), "l2s em": _interval(80.0)}
    figure = algorithms_figure({"texas": row, "cora": {"appnp": _interval(83.0, None)}})
    texas, cora = figure.axes
    assert [bar.get_height() for bar in texas.patches] == [65.0, 84.0, 80.0]
    colors = [bar.get_facecolor() for bar in texas.patches]
    assert len({colors[1], colors[2]}) == 1
    assert colors[0] != colors[1]
    assert texas.get_title() == "texas"
    assert texas.get_ylim()[0] == 65.0 - 1.0 - 2.0  # so much below the lowest interval
    assert cora.get_ylim()[0] == 81.0
    assert (to_hex(colors[0]), to_hex(colors[1])) == (GREY.lower(), BLUE.lower())
    assert rendered(figure, "png").startswith(b"\x89PNG")


def test_a_scale_never_begins_below_zero() -> None:
    figure = algorithms_figure({"texas": {"appnp": _interval(1.0, 5.0)}})
    assert figure.axes[0].get_ylim()[0] == 0.0


def test_depths_are_lines_over_the_steps_on_a_logarithmic_scale() -> None:
    ours = {
        "gcn": {4: _interval(60.0), 2: _interval(80.0)},
        "l2q": {2: _interval(82.0), 4: _interval(83.0, None), 64: _interval(85.0)},
    }
    figure = depth_figure(ours, "cora")
    (axes,) = figure.axes
    assert axes.get_xscale() == "log"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["2", "4", "64"]
    lines = {each.get_label(): each.lines[0] for each in axes.containers}
    assert list(lines["gcn"].get_xdata()) == [2, 4]
    assert list(lines["gcn"].get_ydata()) == [80.0, 60.0]
    assert list(lines["l2q"].get_xdata()) == [2, 4, 64]
    assert lines["l2q"].get_linewidth() > lines["gcn"].get_linewidth()
    assert axes.get_ylabel() == "test accuracy on cora, %"


@pytest.mark.parametrize("count", [1, 10])
def test_no_two_methods_look_alike(count: int) -> None:
    ours = {f"method {number}": {2: _interval(80.0)} for number in range(count)}
    (axes,) = depth_figure(ours, "cora").axes
    looks = {
        (line.get_color(), line.get_marker(), line.get_linestyle())
        for line in (each.lines[0] for each in axes.containers)
    }
    assert len(looks) == count
    assert len(axes.get_legend().get_texts()) == count
