"""Proposals: the next configuration, chosen by Optuna, never the same one twice.

Each trial has a sampler of its own, seeded by the search's seed and the trial's number. A proposal
then depends on nothing but the journal, and a search that was killed and resumed proposes the same
configurations as one that was not.
"""

import math
import random
import warnings
from collections.abc import Iterator
from functools import cached_property
from itertools import chain
from typing import Any

import optuna
from optuna.samplers import BaseSampler, GPSampler, PartialFixedSampler, RandomSampler, TPESampler

from l2p_search.config import TrialConfig
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import SearchSettings
from l2p_search.searching.space.axes import Axes
from l2p_search.searching.space.search_space import Range, SearchSpace
from l2p_search.trial_record import TrialRecord

_REPEATS = 8
"""How often a sampler may repeat itself before an unseen configuration is drawn at random."""
_SHUFFLED = 1_000_000
"""The largest grid whose order is kept in memory; of a larger one, points are drawn one by one."""


class Proposer:
    """Asks Optuna for configurations, and writes every proposal to the journal."""

    def __init__(self, journal: Journal, settings: SearchSettings) -> None:
        """Continue the proposals of a search.

        Args:
            journal: The search, open for writing.
            settings: Its settings.
        """
        self._journal, self._settings = journal, settings
        self._axes = Axes(settings.space)

    def propose(self, number: int, known: dict[str, TrialRecord]) -> TrialConfig | None:
        """Choose the configuration of the next trial.

        The first trials are the start points of the space, except for a grid, which is walked in
        an order drawn by the seed: any number of its points is a fair sample. A repeated proposal
        is answered from `known`, so that the sampler learns its value, and another one is asked
        for.

        Args:
            number: The number of the trial, counted from 0.
            known: config_id -> trial, of all trials so far.

        Returns:
            A configuration that is not in `known`; None when the space has no other.
        """
        settings = self._settings
        size, most = settings.space.size, _most_configurations(settings.space)
        if most is not None and len(known) >= most:
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
        while True:  # there is an unseen one, and every one is drawn sooner or later
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
        """A point that is not known: the next of a shuffled grid, else one drawn at random."""
        space, size = self._settings.space, self._settings.space.size
        if size is None:
            raise ValueError(f"space '{space.name}' cannot be counted")
        draws = random.Random(self._seed(number, _REPEATS))
        places: Iterator[int] = iter(lambda: draws.randrange(size), None)
        if self._settings.sampler == "grid" and size <= _SHUFFLED:
            # From its place on, which is taken only where a journal was begun in another order.
            places = chain(self._grid_order[number:], self._grid_order[:number])
        points = (space.point(place) for place in places)
        return next(p for p in points if self._settings.config(p).config_id not in known)

    @cached_property
    def _grid_order(self) -> list[int]:
        """Every place of a countable space once, in an order that the search's seed draws."""
        order = list(range(self._settings.space.size or 0))
        random.Random(f"{self._settings.seed}/grid").shuffle(order)
        return order

    def _seed(self, number: int, attempt: int) -> int:
        return random.Random(f"{self._settings.seed}/{number}/{attempt}").getrandbits(32)


def _most_configurations(space: SearchSpace) -> int | None:
    """How many there are, counting the whole numbers of a logarithmic range; None if endless."""
    counts = []
    for dimension in space.dimensions.values():
        values = dimension.enumerated()
        if values is not None:
            counts.append(len(values))
        elif isinstance(dimension, Range) and dimension.whole:
            counts.append(int(dimension.high) - int(dimension.low) + 1)
        else:
            return None
    return math.prod(counts)


def _fixed(params: dict[str, Any], seed: int = 0) -> BaseSampler:
    """A sampler that proposes these values, and draws those of the other hyperparameters."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        return PartialFixedSampler(params, RandomSampler(seed))
