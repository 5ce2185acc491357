"""How much each hyperparameter mattered: Optuna's fANOVA on the complete trials."""

import optuna
from optuna.importance import FanovaImportanceEvaluator, get_param_importances

from l2p_search.searching.records.journal import quiet_optuna
from l2p_search.searching.records.outcome import Outcome
from l2p_search.searching.space.axes import natural_distribution

_FEWEST = 8
"""Trials below which a forest of random trees says nothing."""


def importance_of(outcome: Outcome) -> dict[str, float] | None:
    """Hyperparameter -> its share of the variance of the objective, the largest first.

    None when there are too few trials, or none differs from another.
    """
    study = as_study(outcome)
    values = {trial.value for trial in study.get_trials(deepcopy=False)}
    if len(study.get_trials(deepcopy=False)) < _FEWEST or len(values) < 2:
        return None
    with quiet_optuna():
        found = get_param_importances(study, evaluator=FanovaImportanceEvaluator(seed=0))
    return {key: float(share) for key, share in found.items()}


def as_study(outcome: Outcome) -> optuna.Study:
    """The complete trials as a study of their own, in memory, for Optuna's analyses."""
    with quiet_optuna():
        study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(0))
    distributions = {
        key: natural_distribution(dimension)
        for key, dimension in outcome.settings.space.dimensions.items()
    }
    for record in outcome.records:
        if record.objective is not None:
            config = record.config.to_mapping()
            study.add_trial(
                optuna.trial.create_trial(
                    value=record.objective,
                    params={key: config[key] for key in distributions},
                    distributions=distributions,
                )
            )
    return study
