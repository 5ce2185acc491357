"""Figures of a graph: how many neighbours nodes have, and how many nodes each class has."""

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from l2p_search.report.drawing import BLUE, ORANGE

_MOST_CLASSES = 20


def distributions_figure(degrees: Mapping[str, int], classes: Mapping[str, int]) -> Figure:
    """Draw the number of nodes by degree and by class, side by side.

    Args:
        degrees: Bucket of degrees -> number of nodes.
        classes: Class -> number of nodes; the twenty largest are drawn.

    Returns:
        A figure of two panels.
    """
    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    _bars(left, degrees, BLUE, "neighbours")
    largest = sorted(classes.items(), key=lambda pair: -pair[1])[:_MOST_CLASSES]
    _bars(right, dict(largest), ORANGE, "class")
    return figure


def _bars(axes: Axes, counts: Mapping[str, int], color: str, what: str) -> None:
    places = range(len(counts))
    axes.bar(places, list(counts.values()), color=color)
    if max(map(len, counts)) > 4 and len(counts) > 5:
        axes.set_xticks(places, list(counts), rotation=45, ha="right")
    else:
        axes.set_xticks(places, list(counts))
    axes.set(xlabel=what, ylabel="nodes")
    axes.spines[["top", "right"]].set_visible(False)
