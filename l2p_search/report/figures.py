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
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.ticker import MaxNLocator

from l2p_search.results import TrialResult

_BLUE, _ORANGE, _GREY = "#0072B2", "#D55E00", "#777777"
_MAP = "cividis"
_FEWEST_STEPS = 3


def profile_figure(result: TrialResult, title: str) -> Figure:
    """A trial's q: over all nodes with its spread over seeds, by degree, by class."""
    seeds = np.array([seed.profile for seed in result.finished if seed.profile is not None])
    steps = shown_steps(seeds.mean(axis=0))
    figure = Figure(figsize=(9.6, 3.2))
    # Placed by hand: matplotlib's own layout takes longer than all the rest.
    figure.subplots_adjust(left=0.07, right=0.9, bottom=0.16, top=0.82, wspace=0.33)
    figure.suptitle(title, fontsize=12)
    over_nodes, by_degree, by_class = figure.subplots(1, 3)
    _bars(over_nodes, seeds[:, :steps])
    if result.profiles is not None:
        groups = (result.profiles.by_degree, result.profiles.by_class)
        most = max(max(q) for group in groups for q in group.values())
        _heatmap(by_degree, groups[0], steps, "degree of the node", most)
        image = _heatmap(by_class, groups[1], steps, "class of the node", most)
        figure.colorbar(image, cax=figure.add_axes((0.915, 0.16, 0.012, 0.66)), label="q(t)")
    return figure


def curves_figure(result: TrialResult) -> Figure:
    """How a trial learned: losses and validation accuracy, means over seeds."""
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    if result.curves is None:
        return figure
    loss, accuracy = figure.subplots(1, 2)
    loss.plot(result.curves.epochs, result.curves.train_loss, color=_BLUE, label="training")
    loss.plot(result.curves.epochs, result.curves.val_loss, color=_ORANGE, label="validation")
    loss.set(xlabel="epoch", ylabel="loss")
    loss.legend(frameon=False)
    accuracy.plot(result.curves.epochs, result.curves.val_accuracy, color=_ORANGE)
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
    axes.bar(range(len(mean)), mean, color=_BLUE, width=0.8)
    low = np.minimum(spread, mean)  # a share is never below zero
    axes.errorbar(
        range(len(mean)), mean, yerr=[low, spread], fmt="none", ecolor=_GREY, capsize=2, lw=1
    )
    axes.set(xlabel="propagation step t", ylabel="q(t), mean over nodes", ylim=(0, None))
    axes.set_title(f"all nodes; bars: ± std over {len(profiles)} seeds", fontsize=10)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.spines[["top", "right"]].set_visible(False)


def _heatmap(
    axes: Axes, rows: Mapping[str, Sequence[float]], steps: int, what: str, most: float
) -> AxesImage:
    values = np.array([list(q)[:steps] for q in rows.values()])
    image = axes.imshow(values, aspect="auto", cmap=_MAP, vmin=0.0, vmax=most)
    axes.set_yticks(range(len(rows)), list(rows))
    axes.set(xlabel="propagation step t", ylabel=what)
    axes.set_title(f"by {what.split()[0]}", fontsize=10)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return image
