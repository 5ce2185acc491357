"""The budget curve: what so many trials are expected to find, with its band."""

from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from l2p_search.metrics import Metric, title
from l2p_search.report.drawing import BLUE, ORANGE


def budget_figure(
    trials: Sequence[int],
    val: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    test: Sequence[float] | None,
    metric: Metric = "accuracy",
    *,
    small: bool = False,
) -> Figure:
    """Draw the expected best of n trials against n.

    Args:
        trials: The numbers n, ascending.
        val: The expected validation score of the best of n trials, in percent.
        low: What one draw of n trials in twenty stays below.
        high: What one in twenty reaches.
        test: The expected test score of the same trial; None where trials have none.
        metric: What the scores are.
        small: Whether it is to fit on the screen of a telephone.

    Returns:
        A figure of one panel; n is on a logarithmic axis.
    """
    figure = Figure(figsize=(3.1, 2.7) if small else (6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    axes.fill_between(trials, low, high, color=BLUE, alpha=0.18, linewidth=0)
    axes.plot(trials, val, color=BLUE, marker="o", label="validation, with 5 to 95 % of draws")
    if test is not None:
        axes.plot(trials, test, color=ORANGE, marker="s", label="test, of the same trial")
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator(list(trials)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(list(trials), [str(number) for number in trials])
    axes.set(xlabel="trials, drawn at random", ylabel=f"{title(metric)} of the best, %")
    if small:
        figure.legend(frameon=False, loc="outside upper center", fontsize=8)
    else:
        axes.legend(frameon=False, loc="lower right")
    return figure
