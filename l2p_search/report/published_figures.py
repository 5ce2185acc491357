"""The figures of a paper: average ranks with their critical difference, and scores by budget."""

import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, NullFormatter, ScalarFormatter

from l2p_search.report.markup import drawn

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's: readers who are colour-blind can tell them apart."""
_DASHES = ("-", "--", ":", "-.")
_MARKERS = "osD^vPX"
_ACROSS = 4
"""Graphs beside each other."""
_LONGEST = 20
"""Letters of a name."""


@dataclass(frozen=True)
class BudgetPoint:
    """What so many trials find.

    Attributes:
        trials: How many.
        val: The expected validation score of their best.
        low: The lower end of its band.
        high: The upper end.
        test: The expected test score of the same configuration; None where it was not looked at.
    """

    trials: int
    val: float
    low: float
    high: float
    test: float | None


@dataclass(frozen=True, kw_only=True)
class BudgetPanel:
    """One graph of the figure.

    Attributes:
        title: The graph's name.
        score: What is measured, such as "accuracy".
        curves: Method -> its points, by the number of trials.
    """

    title: str
    score: str
    curves: Mapping[str, Sequence[BudgetPoint]]


def ranks_figure(
    average: Mapping[str, float],
    groups: Sequence[Sequence[str]],
    critical_difference: float,
    graphs: int,
) -> Figure:
    """Draw average ranks on a line, with bars over methods that cannot be told apart.

    Demsar (2006), "Statistical Comparisons of Classifiers over Multiple Data Sets", figure 1.

    Args:
        average: Method -> its average rank, at least two of them; 1 is the best.
        groups: Methods that cannot be told apart.
        critical_difference: Drawn as a ruler above the line.
        graphs: How many graphs the ranks are averaged over.

    Returns:
        The figure.
    """
    names = sorted(average, key=lambda name: average[name])
    count = len(names)
    half = math.ceil(count / 2)
    height = 1.15 + 0.24 * half + 0.16 * len(groups)
    figure = Figure(figsize=(6.4, height))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.axis("off")
    span = count - 1 or 1
    axes.set(xlim=(1 - 0.62 * span, count + 0.62 * span), ylim=(-height + 0.75, 0.75))
    axes.plot([1, count], [0, 0], color="black", lw=1.2)
    for rank in range(1, count + 1):
        axes.plot([rank, rank], [0, 0.07], color="black", lw=1)
        axes.text(rank, 0.11, str(rank), ha="center", va="bottom", fontsize=9)
    _ruler(axes, critical_difference, span, graphs)
    bars = 0.14 + 0.16 * len(groups)
    for place, group in enumerate(groups):
        low, high = min(average[x] for x in group), max(average[x] for x in group)
        y = -0.14 - 0.16 * place
        axes.plot(
            [low - 0.012 * span, high + 0.012 * span], [y, y], color=_COLOURS[1], lw=3.5,
            solid_capstyle="round",
        )  # fmt: skip
    for place, name in enumerate(names):
        left = place < half
        depth = place if left else count - 1 - place
        y, edge = -bars - 0.1 - 0.24 * depth, (1 - 0.06 * span if left else count + 0.06 * span)
        axes.plot([average[name], average[name], edge], [0, y, y], color="#777777", lw=0.9)
        axes.text(
            edge + (-0.02 if left else 0.02) * span,
            y,
            f"{drawn(name)}  {average[name]:.2f}"
            if left
            else f"{average[name]:.2f}  {drawn(name)}",
            ha="right" if left else "left",
            va="center",
            fontsize=9,
        )
    return figure


def _ruler(axes: Axes, wide: float, span: float, graphs: int) -> None:
    """The critical difference as a length; one that is longer than the line ends in an arrow."""
    shown = min(wide, span * 1.5)
    axes.plot([1, 1 + shown], [0.42, 0.42], color="black", lw=1.2)
    for end in (1.0, *([1 + shown] if wide <= shown else [])):
        axes.plot([end, end], [0.38, 0.46], color="black", lw=1.2)
    if wide > shown:
        axes.plot([1 + shown], [0.42], marker=">", color="black", ms=4)
    words = f"critical difference {wide:.2f} ({graphs} graphs, Nemenyi, 5 %)"
    axes.text(1 + shown / 2, 0.5, words, ha="center", va="bottom", fontsize=8)


def budget_figure(panels: Sequence[BudgetPanel]) -> Figure:
    """Draw what fewer trials would have found: validation above, test below, a graph a column.

    Args:
        panels: The graphs, at least one.

    Returns:
        The figure.
    """
    methods = list(dict.fromkeys(name for panel in panels for name in panel.curves))
    across = min(_ACROSS, len(panels))
    down = math.ceil(len(panels) / across)
    figure = Figure(figsize=(max(4.6, 2.6 * across), 4.2 * down + 0.4), layout="constrained")
    grid = figure.subplots(2 * down, across, squeeze=False)
    for axes in grid.flat:
        axes.set_visible(False)
    for place, panel in enumerate(panels):
        row, column = 2 * (place // across), place % across
        _draw_validation(grid[row, column], panel, methods)
        _draw_test(grid[row + 1, column], panel, methods)
        if column == 0:
            grid[row, column].set_ylabel("validation, %")
            grid[row + 1, column].set_ylabel("test, %")
    handles = [
        Line2D([], [], color=_colour(i), ls=_dash(i), marker=_marker(i), ms=4)
        for i in range(len(methods))
    ]
    # A label that begins with an underscore would be left out of the legend.
    labels = [f"\u200a{_short(name)}" for name in methods]
    figure.legend(handles, labels, loc="outside upper center", ncols=min(6, len(methods)),
                  frameon=False)  # fmt: skip
    return figure


def _draw_validation(axes: Axes, panel: BudgetPanel, methods: Sequence[str]) -> None:
    for name, points in panel.curves.items():
        i = methods.index(name)
        at = [point.trials for point in points]
        axes.fill_between(
            at, [p.low for p in points], [p.high for p in points], color=_colour(i), alpha=0.12,
            lw=0,
        )  # fmt: skip
        axes.plot(at, [p.val for p in points], color=_colour(i), ls=_dash(i), marker=_marker(i),
                  ms=4)  # fmt: skip
    axes.set_title(f"{_short(panel.title)}\n{panel.score}", fontsize=9)
    _finish(axes, panel)


def _draw_test(axes: Axes, panel: BudgetPanel, methods: Sequence[str]) -> None:
    for name, points in panel.curves.items():
        i = methods.index(name)
        known = [(p.trials, p.test) for p in points if p.test is not None]
        axes.plot([t for t, _ in known], [v for _, v in known], color=_colour(i), ls=_dash(i),
                  marker=_marker(i), ms=4)  # fmt: skip
    axes.set_xlabel("trials")
    _finish(axes, panel)


def _finish(axes: Axes, panel: BudgetPanel) -> None:
    axes.set_visible(True)
    trials = [point.trials for points in panel.curves.values() for point in points]
    if max(trials) > 1:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(ScalarFormatter())
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xticks(sorted(set(trials)) if len(set(trials)) <= 8 else [1, 4, 16, 64, 256])
        axes.set_xlim(min(trials) / 1.15, max(trials) * 1.15)
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)


def as_pdf(figure: Figure) -> bytes:
    """Render a figure as PDF with fonts in it, and without a date, so that it stays the same.

    Args:
        figure: The figure.

    Returns:
        The content of the file.
    """
    from matplotlib import rc_context

    file = io.BytesIO()
    with rc_context({"pdf.fonttype": 42}):
        FigureCanvasPdf(figure).print_pdf(file, metadata={"CreationDate": None})
    return file.getvalue()


def _short(name: str) -> str:
    """A name that fits beside the figure."""
    return drawn(name if len(name) <= _LONGEST else f"{name[: _LONGEST - 2]}..")


def _colour(place: int) -> str:
    return _COLOURS[place % len(_COLOURS)]


def _dash(place: int) -> str:
    return _DASHES[place // len(_COLOURS) % len(_DASHES)]


def _marker(place: int) -> str:
    return _MARKERS[place % len(_MARKERS)]
