"""Proposals: the next configuration, by Optuna, never the same one twice.

The sampler's randomness is drawn anew for each trial from the search's seed and the trial's
number. What is proposed then depends on nothing but what is in the journal, and a search that was
killed and resumed proposes what it would have proposed without.
"""

import random
import warnings
from typing import Any

import optuna
from optuna.samplers import BaseSampler, GPSampler, PartialFixedSampler, RandomSampler, TPESampler

from l2p_search.config import TrialConfig
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import SearchSettings
from l2p_search.searching.space.axes import Axes
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
            sampler = RandomSampler(self._seed(number, self._journal.asked))
            config = self._ask(number, sampler, known)
            if config is not None:
                return config

    def _ask(
        self, number: int, sampler: BaseSampler, known: dict[str, TrialRecord]
    ) -> TrialConfig | None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            asked = self._journal.ask(sampler, self._axes.distributions)
        config = self._settings.config(self._axes.point(asked.params))
        if config.config_id in known:
            self._journal.answer(asked, known[config.config_id])
            return None
        self._journal.accept(asked, number, config)
        return config

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


def _fixed(params: dict[str, Any], seed: int = 0) -> BaseSampler:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        return PartialFixedSampler(params, RandomSampler(seed))
