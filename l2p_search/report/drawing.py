"""Figures of one trial, made to be read at the size MLflow shows them.

Made with matplotlib's objects alone, never with pyplot's global state: they are drawn in a
background thread while a search runs. Colours are those that colour-blind readers can tell apart.
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
    """How a trial learned: losses and the metric on validation nodes, means over seeds."""
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
    """The figure as a file's bytes."""
    file = io.BytesIO()
    figure.set_dpi(dpi)
    if form == "png":
        FigureCanvasAgg(figure).print_png(file)
    else:
        FigureCanvasSVG(figure).print_svg(file)
    return file.getvalue()


def shown_steps(profile: Sequence[float]) -> int:
    """How many steps are worth showing: up to the last that holds half a percent."""
    worth = [step for step, share in enumerate(profile) if share >= 0.005]
    return min(len(profile), max(_FEWEST_STEPS, (worth[-1] if worth else 0) + 1))
