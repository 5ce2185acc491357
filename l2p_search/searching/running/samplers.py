"""Which of Optuna's samplers proposes a configuration, and which trials it learns from.

A sampler that learns from every trial takes longer with each of them. Here it sees the trials of
a bounded history: the best ones, of which TPE takes at most 25, and the latest ones, which TPE
itself weighs more than older ones. Up to that bound nothing is left out.
"""

import heapq
import random
import warnings
from collections.abc import Container
from typing import Any

import optuna
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, GPSampler, PartialFixedSampler, RandomSampler, TPESampler
from optuna.trial import FrozenTrial, TrialState

from l2p_search.searching.records.settings import Sampler

_HISTORY = 400
"""The most ended trials that a sampler learns from."""
_BEST = 50
"""How many of them are the best ones; the others are the latest."""


def learning_sampler(
    kind: Sampler, seed: int, distributions: dict[str, BaseDistribution]
) -> BaseSampler:
    """A sampler that learns from the trials so far.

    Args:
        kind: "tpe" or "gp".
        seed: Of its random numbers.
        distributions: What every trial draws from.

    Returns:
        The sampler, for one proposal.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        if kind == "gp":
            inner: BaseSampler = GPSampler(seed=seed, deterministic_objective=False)
        else:
            inner = TPESampler(seed=seed, multivariate=True, constant_liar=True)
    return _OnHistory(inner, distributions)


def fixed_sampler(params: dict[str, Any], seed: int = 0) -> BaseSampler:
    """A sampler that proposes these values, and draws those of the other hyperparameters."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        return PartialFixedSampler(params, RandomSampler(seed))


def seed_of(*parts: object) -> int:
    """A seed that depends on these parts, and on nothing else.

    Example:
        >>> seed_of(0, 1), seed_of(0, 1) == seed_of(0, 2)
        (1155158870, False)
    """
    return random.Random("/".join(map(str, parts))).getrandbits(32)


class _OnHistory(BaseSampler):
    """Optuna's sampler on the trials of a bounded history."""

    def __init__(self, inner: BaseSampler, distributions: dict[str, BaseDistribution]) -> None:
        # Every trial draws from the same distributions: Optuna would compare those of all trials.
        self._space = {
            key: distribution
            for key, distribution in sorted(distributions.items())
            if not distribution.single()
        }
        self._inner = inner
        self._history: Any = None

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        self._history = _History(study)
        ended = (TrialState.COMPLETE, TrialState.PRUNED)
        return dict(self._space) if self._history._get_trials(states=ended) else {}

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        return self._inner.sample_relative(self._history, trial, search_space)

    def sample_independent(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        return self._inner.sample_independent(self._history, trial, param_name, param_distribution)


class _History:
    """A study of which a sampler sees the running trials, the best ones and the latest ones."""

    def __init__(self, study: optuna.Study) -> None:
        trials = study.get_trials(deepcopy=False)
        ended = [trial for trial in trials if trial.state.is_finished()]
        learned = [trial for trial in ended if trial.state is not TrialState.FAIL]
        kept = {trial.number for trial in learned}
        if len(learned) > _HISTORY:
            complete = [trial for trial in learned if trial.state is TrialState.COMPLETE]
            best = heapq.nlargest(_BEST, complete, key=lambda trial: trial.value or 0.0)
            kept = {trial.number for trial in best}
            for trial in reversed(learned):
                if len(kept) == _HISTORY:
                    break
                kept.add(trial.number)
        self._study = study
        self._trials = [t for t in trials if t.number in kept or not t.state.is_finished()]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._study, name)

    def _get_trials(
        self,
        deepcopy: bool = False,
        states: Container[TrialState] | None = None,
        use_cache: bool = False,
    ) -> list[FrozenTrial]:
        return [trial for trial in self._trials if states is None or trial.state in states]

    get_trials = _get_trials
