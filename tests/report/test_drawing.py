import io
import threading
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

from l2p_search.learned import Curves
from l2p_search.report.drawing import BLUE, ORANGE, curves_figure, rendered, shown_steps

_CURVES = Curves((1, 5, 10), (1.5, 1.0, 0.5), (1.6, 1.2, 1.1), (40.0, 60.0, 70.0))


@pytest.mark.parametrize(
    ("profile", "steps"),
    [
        ((0.5, 0.3, 0.1, 0.098, 0.002), 4),  # the last one is below half a percent
        ((0.995, 0.0, 0.0, 0.005), 4),  # just half a percent
        ((1.0, 0.0, 0.0, 0.0, 0.0), 3),  # never fewer than three
        ((0.6, 0.4), 2),  # unless there are fewer
        ((1 / 65,) * 65, 65),
        ((0.001,) * 1000, 3),  # nothing is worth showing
    ],
)
def test_steps_are_shown_up_to_the_last_that_holds_half_a_percent(
    profile: tuple[float, ...], steps: int
) -> None:
    assert shown_steps(profile) == steps


def test_curves_show_both_losses_and_the_accuracy_by_epoch() -> None:
    loss, accuracy = curves_figure(_CURVES).axes
    train, val = loss.lines
    assert list(train.get_ydata()) == list(_CURVES.train_loss)
    assert list(val.get_ydata()) == list(_CURVES.val_loss)
    assert (train.get_color(), val.get_color()) == (BLUE, ORANGE)
    assert [text.get_text() for text in loss.get_legend().get_texts()] == [
        "training",
        "validation",
    ]
    (course,) = accuracy.lines
    assert list(course.get_xdata()) == [1, 5, 10]
    assert list(course.get_ydata()) == [40.0, 60.0, 70.0]
    assert accuracy.get_ylabel() == "validation accuracy, %"


def test_a_png_has_the_figures_inches_times_the_dots() -> None:
    figure = Figure(figsize=(4, 2))
    figure.subplots().plot([0, 1])
    for dpi in (50, 100):
        image = imread(io.BytesIO(rendered(figure, "png", dpi=dpi)))
        assert image.shape[:2] == (2 * dpi, 4 * dpi)
        assert image.std() > 0.05  # something is drawn


def test_an_svg_is_well_formed() -> None:
    drawn = ElementTree.fromstring(rendered(curves_figure(_CURVES), "svg"))
    assert drawn.tag == "{http://www.w3.org/2000/svg}svg"


def test_figures_are_drawn_in_a_thread_and_leave_pyplot_alone() -> None:
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    files: list[bytes] = []
    thread = threading.Thread(target=lambda: files.append(rendered(curves_figure(_CURVES), "png")))
    thread.start()
    thread.join()
    assert files[0].startswith(b"\x89PNG")
    assert plt.get_fignums() == before
