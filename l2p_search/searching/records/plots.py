"""Optuna's interactive figures of a search, as pieces of a web page."""

import warnings

import optuna
from optuna.visualization import plot_optimization_history, plot_parallel_coordinate
from plotly.graph_objects import Bar, Figure
from plotly.offline import get_plotlyjs

from l2p_search.effects import Effects
from l2p_search.metrics import title
from l2p_search.searching.records.importance import as_study
from l2p_search.searching.records.outcome import Outcome


def plotly_script() -> str:
    """The JavaScript library that draws the figures, so that a page needs no network.

    Returns:
        Its source, to stand once in the page, before the figures.
    """
    script: str = get_plotlyjs()
    return script


def interactive_figures(outcome: Outcome, importance: Effects) -> dict[str, str]:
    """Draw a search: trials as lines, importance of hyperparameters, the course over time.

    Args:
        outcome: A search with a complete trial.
        importance: What mattered in it; where nothing is to be told, it is not drawn.

    Returns:
        Title -> HTML of the figure, without the library that draws it (`plotly_script`).
    """
    study = as_study(outcome)
    name = f"validation {title(outcome.settings.metric)}, %"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        figures = {
            # No target function here: given one, Optuna reverses the colours, and the best
            # trials would be the palest.
            "Trials as lines through their hyperparameters": plot_parallel_coordinate(
                study, target_name=name
            ),
            **(
                {"Importance of hyperparameters": _importance(importance)}
                if importance.told
                else {}
            ),
            "The search over time": plot_optimization_history(
                study, target=_value, target_name=name
            ),
        }
    for figure in figures.values():
        figure.update_layout(title=None, margin={"t": 30}, template="plotly_white")
    return {
        title: figure.to_html(full_html=False, include_plotlyjs=False)
        for title, figure in figures.items()
    }


def _importance(effects: Effects) -> Figure:
    """Shares of the variance with their intervals, and what is left for interactions."""
    names = [*effects.shares, "interactions"]
    shares = [*(each.share for each in effects.shares.values()), effects.interactions]
    above = [*(each.high - each.share for each in effects.shares.values()), 0.0]
    below = [*(each.share - each.low for each in effects.shares.values()), 0.0]
    bars = Bar(
        x=shares[::-1],
        y=names[::-1],
        orientation="h",
        error_x={"type": "data", "array": above[::-1], "arrayminus": below[::-1]},
    )
    axis = f"share of the variance over the space, with 95 % intervals ({effects.basis})"
    return Figure(bars, layout={"xaxis": {"title": axis, "range": [0, 1.05]}})


def _value(trial: optuna.trial.FrozenTrial) -> float:
    return trial.value if trial.value is not None else float("nan")
