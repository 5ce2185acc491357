"""How much each hyperparameter mattered: Optuna's fANOVA on the complete trials."""

import optuna
from optuna.importance import FanovaImportanceEvaluator, get_param_importances

from l2p_search.searching.records.journal_file import quiet_optuna
from l2p_search.searching.records.outcome import Outcome
from l2p_search.searching.space.axes import natural_distribution

_FEWEST = 8
"""With fewer complete trials than this, fANOVA's random forest has nothing to learn from."""


def importance_of(outcome: Outcome) -> dict[str, float] | None:
    """Measure which hyperparameters made the difference.

    fANOVA (Hutter, Hoos and Leyton-Brown, ICML 2014,
    https://proceedings.mlr.press/v32/hutter14.html) fits a random forest to the complete trials
    and splits the variance of its prediction among the hyperparameters.

    Args:
        outcome: A search, running or ended.

    Returns:
        Hyperparameter -> its share of the variance of the objective, the largest first;
        the shares sum to one. None when fewer than eight trials are complete, or when all of
        them are equally good.
    """
    study = as_study(outcome)
    values = {trial.value for trial in study.get_trials(deepcopy=False)}
    if len(study.get_trials(deepcopy=False)) < _FEWEST or len(values) < 2:
        return None
    with quiet_optuna():
        found = get_param_importances(study, evaluator=FanovaImportanceEvaluator(seed=0))
    return {key: float(share) for key, share in found.items()}


def as_study(outcome: Outcome) -> optuna.Study:
    """Copy the complete trials into an Optuna study in memory, for Optuna's analyses.

    Args:
        outcome: A search, running or ended.

    Returns:
        A study with the hyperparameters under their own values, where the journal's study has
        the ranks that samplers see (`Axes`), and with the objective as its value.
    """
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
