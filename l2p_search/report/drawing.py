"""What all figures share: colours, files, and how many steps to show; and a trial's curves.

Figures are made with matplotlib's objects alone, never with pyplot, whose global state is not safe
in the background thread that draws while a search runs. Readers who are colour-blind can tell the
colours apart.
"""

import io
from collections.abc import Sequence
from typing import Literal

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from l2p_search.learned import Curves
from l2p_search.metrics import Metric, title

BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#777777"
MAP = "cividis"
_FEWEST_STEPS = 3


def curves_figure(curves: Curves, metric: Metric = "accuracy") -> Figure:
    """Draw how a trial learned: losses on the left, the validation score on the right.

    Args:
        curves: Means over the seeds, by epoch.
        metric: What the score is.

    Returns:
        A figure of two panels.
    """
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    loss, score = figure.subplots(1, 2)
    loss.plot(curves.epochs, curves.train_loss, color=BLUE, label="training")
    loss.plot(curves.epochs, curves.val_loss, color=ORANGE, label="validation")
    loss.set(xlabel="epoch", ylabel="loss")
    loss.legend(frameon=False)
    score.plot(curves.epochs, curves.val, color=ORANGE)
    score.set(xlabel="epoch", ylabel=f"validation {title(metric)}, %")
    return figure


def rendered(figure: Figure, form: Literal["png", "svg"], dpi: int = 100) -> bytes:
    """Render a figure.

    Args:
        figure: Made with matplotlib's `Figure`.
        form: The file format.
        dpi: Dots per inch; the size in inches is the figure's own.

    Returns:
        The content of the file.
    """
    file = io.BytesIO()
    figure.set_dpi(dpi)
    if form == "png":
        FigureCanvasAgg(figure).print_png(file)
    else:
        FigureCanvasSVG(figure).print_svg(file)
    return file.getvalue()


def shown_steps(profile: Sequence[float]) -> int:
    """How many propagation steps of a profile are worth showing.

    Args:
        profile: q(t): [T].

    Returns:
        Enough to reach the last step with at least half a percent; at least three, unless the
        profile has fewer.

    Example:
        >>> shown_steps((0.5, 0.3, 0.1, 0.098, 0.002))
        4
    """
    worth = [step for step, share in enumerate(profile) if share >= 0.005]
    return min(len(profile), max(_FEWEST_STEPS, (worth[-1] if worth else 0) + 1))
