"""Proposals: the next configuration, by Optuna, never the same one twice.

The sampler's randomness is drawn anew for each trial from the search's seed and the trial's
number. What is proposed then depends on nothing but what is in the journal, and a search that was
killed and resumed proposes what it would have proposed without.
"""

import random
import warnings
from typing import Any

import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import BaseSampler, GPSampler, PartialFixedSampler, RandomSampler, TPESampler

from l2p_search.config import TrialConfig
from l2p_search.search.records.journal import Journal
from l2p_search.search.records.settings import SearchSettings
from l2p_search.search.space.search_space import Choices, Dimension, SearchSpace
from l2p_search.trial_record import TrialRecord

_REPEATS = 8
"""So often a sampler may propose what is known before an unseen configuration is drawn."""


class Proposer:
    """Asks Optuna for configurations and remembers which ones there were."""

    def __init__(self, journal: Journal, settings: SearchSettings) -> None:
        """Continue from what the journal holds."""
        self._journal, self._settings = journal, settings
        self._axes = Axes(settings.space)

    def propose(self, number: int, known: dict[str, TrialRecord]) -> TrialConfig | None:
        """The config of trial `number`; None when every configuration is known."""
        settings = self._settings
        size = settings.space.size
        if size is not None and len(known) >= size:
            return None
        if number < len(settings.space.start) and settings.sampler != "grid":
            given = _fixed(self._axes.params(settings.space.start[number]), self._seed(number, 0))
            config = self._ask(number, given, known)
            if config is not None:
                return config
        if settings.sampler in ("tpe", "gp"):
            for attempt in range(_REPEATS):
                config = self._ask(number, self._sampler(number, attempt), known)
                if config is not None:
                    return config
        if size is not None:
            return self._ask(number, _fixed(self._axes.params(self._unseen(number, known))), known)
        while True:  # a continuous space repeats itself with probability zero
            attempt = len(self._journal.study.get_trials(deepcopy=False))
            config = self._ask(number, RandomSampler(self._seed(number, attempt)), known)
            if config is not None:
                return config

    def _ask(
        self, number: int, sampler: BaseSampler, known: dict[str, TrialRecord]
    ) -> TrialConfig | None:
        def accept(params: dict[str, Any]) -> TrialConfig | TrialRecord:
            config = self._settings.config(self._axes.point(params))
            return known.get(config.config_id, config)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            return self._journal.ask(number, sampler, self._axes.distributions, accept)

    def _sampler(self, number: int, attempt: int) -> BaseSampler:
        seed = self._seed(number, attempt)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            if self._settings.sampler == "gp":
                return GPSampler(seed=seed, deterministic_objective=False)
            return TPESampler(seed=seed, multivariate=True, constant_liar=True)

    def _unseen(self, number: int, known: dict[str, TrialRecord]) -> dict[str, Any]:
        """The next point of the grid; for the other samplers any unseen one, at random."""
        space, size = self._settings.space, self._settings.space.size
        if size is None:
            raise ValueError(f"space '{space.name}' cannot be counted")
        if self._settings.sampler == "grid":
            return space.point(number)
        draws = random.Random(self._seed(number, _REPEATS))
        while True:
            point = space.point(draws.randrange(size))
            if self._settings.config(point).config_id not in known:
                return point

    def _seed(self, number: int, attempt: int) -> int:
        return random.Random(f"{self._settings.seed}/{number}/{attempt}").getrandbits(32)


class Axes:
    """The space in a sampler's terms.

    Numeric choices have an order, which a categorical distribution would forget: samplers see
    the place of a value among the choices in ascending order.
    """

    def __init__(self, space: SearchSpace) -> None:
        """One axis a dimension."""
        self._ordered = {
            key: sorted(dimension.values)
            for key, dimension in space.dimensions.items()
            if isinstance(dimension, Choices) and not isinstance(dimension.values[0], str)
        }
        self.distributions: dict[str, BaseDistribution] = {
            key: IntDistribution(0, len(self._ordered[key]) - 1)
            if key in self._ordered
            else natural_distribution(dimension)
            for key, dimension in space.dimensions.items()
        }

    def point(self, params: dict[str, Any]) -> dict[str, Any]:
        """What a sampler proposes, as a point of the space."""
        return {
            key: self._ordered[key][value] if key in self._ordered else value
            for key, value in params.items()
        }

    def params(self, point: dict[str, Any]) -> dict[str, Any]:
        """The inverse of `point`."""
        return {
            key: self._ordered[key].index(value) if key in self._ordered else value
            for key, value in point.items()
        }


def natural_distribution(dimension: Dimension) -> BaseDistribution:
    """A dimension as a reader of the study would write it."""
    if isinstance(dimension, Choices):
        return CategoricalDistribution(dimension.values)
    if dimension.whole:
        step = 1 if dimension.step is None else int(dimension.step)
        return IntDistribution(int(dimension.low), int(dimension.high), dimension.log, step)
    return FloatDistribution(dimension.low, dimension.high, dimension.log, dimension.step)


def _fixed(params: dict[str, Any], seed: int = 0) -> BaseSampler:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        return PartialFixedSampler(params, RandomSampler(seed))
