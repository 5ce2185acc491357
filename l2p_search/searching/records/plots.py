"""Optuna's own figures of a search, as pieces of a web page."""

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
    """The program that draws them, whole, so that a page needs no network."""
    script: str = get_plotlyjs()
    return script


def interactive_figures(outcome: Outcome) -> dict[str, str]:
    """Title -> HTML, of a search with enough trials for their importance to be told."""
    study, forest = as_study(outcome), FanovaImportanceEvaluator(seed=0)
    name = f"validation {title(outcome.settings.metric)}, %"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        figures = {
            # Without a target, or Optuna would draw the best trials in the palest colour.
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
