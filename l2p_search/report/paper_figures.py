"""Figures 3 and 4 of the L2P paper, and its table 4 as a plot."""

from collections.abc import Mapping
from typing import Final

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from l2p_search.intervals import Interval
from l2p_search.learned import Curves
from l2p_search.report.drawing import BLUE, GREY, ORANGE

# Okabe and Ito's palette, whose colours readers who are colour-blind can tell apart.
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = "osD^vPX*<>"

LEVELS: Final = {
    "joint": "joint: phi on training nodes",
    "first_order": "bi-level, first order",
    "unrolled": "bi-level, second order",
}
"""Values of `level` in the order of the panels -> their titles."""


def levels_figure(curves: Mapping[str, Mapping[str, Curves]]) -> Figure:
    """Figure 3: training and validation loss, one row per dataset, one column per level.

    Args:
        curves: Dataset -> level -> its learning curves; a missing level leaves an empty panel.

    Returns:
        The figure; both losses of a row share their scale.
    """
    figure = Figure(figsize=(10.5, 3.1 * len(curves)), layout="constrained")
    rows = figure.subplots(len(curves), len(LEVELS), sharey="row", squeeze=False)
    for row, (dataset, by_level) in zip(rows, curves.items(), strict=True):
        for axes, (level, words) in zip(row, LEVELS.items(), strict=True):
            if level in by_level:
                found = by_level[level]
                axes.plot(found.epochs, found.train_loss, color=BLUE, label="training")
                axes.plot(found.epochs, found.val_loss, color=ORANGE, label="validation")
            axes.set_title(f"{dataset}, {words}", fontsize=10)
            axes.set(xlabel="epoch")
            axes.spines[["top", "right"]].set_visible(False)
        row[0].set_ylabel("loss, mean over seeds")
    rows[0][0].legend(frameon=False)
    return figure


def algorithms_figure(bars: Mapping[str, Mapping[str, Interval]]) -> Figure:
    """Figure 4: test accuracy by learning algorithm, one panel per dataset.

    Args:
        bars: Dataset -> name of the algorithm -> its accuracy, in percent.

    Returns:
        The figure; the bars have their 95 % intervals, and APPNP, the baseline, is grey.
    """
    figure = Figure(figsize=(4.6 * len(bars), 3.6), layout="constrained")
    panels = figure.subplots(1, len(bars), squeeze=False)[0]
    for axes, (dataset, by_name) in zip(panels, bars.items(), strict=True):
        means = [interval.mean for interval in by_name.values()]
        spread = [interval.half_width or 0.0 for interval in by_name.values()]
        colors = [GREY if name == "appnp" else BLUE for name in by_name]
        axes.bar(list(by_name), means, yerr=spread, color=colors, capsize=3, width=0.7)
        lowest = min(mean - width for mean, width in zip(means, spread, strict=True))
        axes.set(ylim=(max(0.0, lowest - 2.0), None), ylabel="test accuracy, %")
        axes.set_title(dataset, fontsize=11)
        axes.tick_params(axis="x", labelrotation=20)
        axes.spines[["top", "right"]].set_visible(False)
    return figure


def depth_figure(ours: Mapping[str, Mapping[int, Interval]], dataset: str) -> Figure:
    """Table 4 as a plot: test accuracy by the number of propagation steps.

    Args:
        ours: Method -> K -> its accuracy, in percent.
        dataset: The name of the graph.

    Returns:
        The figure, with one line per method and L2P's lines thicker.
    """
    figure = Figure(figsize=(7.6, 4.4), layout="constrained")
    axes = figure.subplots()
    every = sorted({steps for row in ours.values() for steps in row})
    for place, (method, row) in enumerate(ours.items()):
        steps = sorted(row)
        axes.errorbar(
            steps,
            [row[k].mean for k in steps],
            yerr=[row[k].half_width or 0.0 for k in steps],
            color=_COLORS[place % len(_COLORS)],
            marker=_MARKERS[place % len(_MARKERS)],
            ls="--" if place >= len(_COLORS) else "-",
            lw=2.4 if method in ("l2q", "l2s") else 1.2,
            capsize=2,
            label=method,
        )
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator(every))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticklabels([str(k) for k in every])
    axes.set(xlabel="propagation steps K", ylabel=f"test accuracy on {dataset}, %")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure
