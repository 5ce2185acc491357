"""Figures of learned profiles, made to be read at the size MLflow shows them.

Made with matplotlib's objects alone, never with pyplot's global state: they are drawn in a
background thread while a search runs. Colours are those that colour-blind readers can tell apart.
"""

import io
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure

from l2p_search.profiles import Curves
from l2p_search.results import TrialResult

BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#777777"
MAP = "cividis"
_FEWEST_STEPS = 3


def profile_figure(result: TrialResult, title: str) -> Figure:
    """A trial's q: over all nodes with its spread over seeds, by degree, by class."""
    seeds = np.array([seed.profile for seed in result.finished if seed.profile is not None])
    steps = shown_steps(seeds.mean(axis=0))
    figure = Figure(figsize=(9.6, 3.2))
    figure.suptitle(title, fontsize=12)
    # Placed by hand: matplotlib's own layout takes longer than all the rest.
    _bars(figure.add_axes((0.05, 0.16, 0.27, 0.66)), seeds[:, :steps])
    if result.profiles is not None:
        for left, what, rows in (
            (0.43, "degree", result.profiles.by_degree),
            (0.765, "class", result.profiles.by_class),
        ):
            axes = figure.add_axes((left, 0.16, 0.22, 0.66))
            _heatmap(axes, rows, steps, what)
    return figure


def curves_figure(curves: Curves) -> Figure:
    """How a trial learned: losses and validation accuracy, means over seeds."""
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    loss, accuracy = figure.subplots(1, 2)
    loss.plot(curves.epochs, curves.train_loss, color=BLUE, label="training")
    loss.plot(curves.epochs, curves.val_loss, color=ORANGE, label="validation")
    loss.set(xlabel="epoch", ylabel="loss")
    loss.legend(frameon=False)
    accuracy.plot(curves.epochs, curves.val_accuracy, color=ORANGE)
    accuracy.set(xlabel="epoch", ylabel="validation accuracy, %")
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


def _bars(axes: Axes, profiles: "np.ndarray") -> None:
    mean = profiles.mean(axis=0)
    spread = profiles.std(axis=0, ddof=1) if len(profiles) > 1 else np.zeros_like(mean)
    # One path for all bars and one for all spreads: an artist a step takes ten times as long.
    axes.stairs(mean, np.arange(len(mean) + 1) - 0.5, fill=True, color=BLUE)
    low = np.maximum(mean - spread, 0.0)  # a share is never below zero
    axes.vlines(range(len(mean)), low, mean + spread, color=ORANGE, lw=1.5)
    axes.set_ylim(0.0, None)
    axes.locator_params(axis="y", nbins=4)
    axes.spines[["top", "right"]].set_visible(False)
    _name(axes, f"q(t) of all nodes, ± std over {len(profiles)} seeds")
    axes.set_xticks(_few(len(mean)))


def _heatmap(axes: Axes, rows: Mapping[str, Sequence[float]], steps: int, what: str) -> None:
    values = np.array([list(q)[:steps] for q in rows.values()])
    # By square roots: one group that is sure of its step leaves the others visible.
    most = float(values.max())
    axes.imshow(values, aspect="auto", cmap=MAP, norm=PowerNorm(0.5, 0.0, most))
    # In words, as a bar of colours takes as long to draw as all of this.
    _name(axes, f"q(t) by {what}: 0 (dark) to {most:.2g}")
    axes.set_yticks(range(len(rows)), list(rows), fontsize=9)
    axes.set_xticks(_few(steps))


def _name(axes: Axes, title: str) -> None:
    """Title and label at fixed places: to look for free ones takes a third of the drawing."""
    axes.set_title(title, fontsize=10, y=1.02)
    axes.set_xlabel("propagation step t")
    axes.xaxis.set_label_coords(0.5, -0.13)


def _few(steps: int) -> range:
    """Steps to be named below an axis: not more than six, as each takes a millisecond."""
    return range(0, steps, max(1, -(-steps // 6)))
