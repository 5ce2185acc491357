"""Optuna's interactive figures of a search, as pieces of a web page."""

import warnings

import optuna
from optuna.importance import FanovaImportanceEvaluator
from optuna.visualization import (
    plot_optimization_history,
    plot_parallel_coordinate,
    plot_param_importances,
)
from plotly.offline import get_plotlyjs

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


def interactive_figures(outcome: Outcome) -> dict[str, str]:
    """Draw a search: trials as lines, importance of hyperparameters, the course over time.

    Args:
        outcome: A search for which `importance_of` is not None.

    Returns:
        Title -> HTML of the figure, without the library that draws it (`plotly_script`).
    """
    study, forest = as_study(outcome), FanovaImportanceEvaluator(seed=0)
    name = f"validation {title(outcome.settings.metric)}, %"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        figures = {
            # No target function here: given one, Optuna reverses the colours, and the best
            # trials would be the palest.
            "Trials as lines through their hyperparameters": plot_parallel_coordinate(
                study, target_name=name
            ),
            "Importance of hyperparameters": plot_param_importances(
                study, evaluator=forest, target=_value, target_name=name
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


def _value(trial: optuna.trial.FrozenTrial) -> float:
    return trial.value if trial.value is not None else float("nan")
