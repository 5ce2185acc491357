"""Proposals: the next configuration, chosen by Optuna, never the same one twice.

Each attempt at a trial has a sampler of its own, seeded by the search's seed, the trial's number
and the attempt's. A proposal then depends on nothing but the journal, and a search that was killed
and resumed proposes the same configurations as one that was not.
"""

import math
import random
from collections.abc import Mapping
from functools import cached_property
from itertools import chain, count
from typing import Any

from optuna.samplers import BaseSampler, RandomSampler

from l2p_search.config import TrialConfig
from l2p_search.errors import ConfigError, SearchError
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.recorded_proposals import Known
from l2p_search.searching.records.settings import SearchSettings
from l2p_search.searching.running.samplers import fixed_sampler, learning_sampler, seed_of
from l2p_search.searching.space.axes import Axes
from l2p_search.searching.space.search_space import Range, SearchSpace

_REPEATS = 8
"""How often a sampler may repeat itself before an unseen configuration is drawn at random."""
_DRAWS = 10_000
"""How often one is drawn at random before all of them are looked through."""
_SHUFFLED = 1_000_000
"""The largest grid whose order is kept in memory; of a larger one, points are drawn one by one."""
_HOPELESS = 1_000
"""After this many points for one trial that are known or impossible, there is none that is new."""


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

    def propose(self, number: int, known: Mapping[str, Known]) -> TrialConfig | None:
        """Choose the configuration of the next trial.

        The first trials are the start points of the space, except for a grid, which is walked in
        an order drawn by the seed: any number of its points is a fair sample. A repeated proposal
        is answered from `known`, so that the sampler learns its value; one whose values exclude
        each other is skipped; and another one is asked for.

        Args:
            number: The number of the trial, counted from 0.
            known: config_id -> trial, of all trials so far.

        Returns:
            A configuration that is not in `known`; None when the space has no other.

        Raises:
            SearchError: Hardly any point of the space is possible.
        """
        most = _most_configurations(self._settings.space)
        if most is not None and len(known) >= most:
            return None
        # A search that was killed after some attempts goes on with the next one.
        for attempt in count(self._journal.proposals.answered):
            sampler = self._sampler(number, attempt, known)
            if sampler is None:
                return None
            config = self._ask(number, sampler, known)
            if isinstance(config, TrialConfig):
                return config
            if attempt >= _HOPELESS:
                if most is not None or config is None:
                    return None
                raise SearchError(
                    f"space '{self._settings.space.name}': {attempt} points in a row are"
                    f" impossible, the last one because {config}; mend the space"
                )
        return None

    def _ask(
        self, number: int, sampler: BaseSampler, known: Mapping[str, Known]
    ) -> TrialConfig | str | None:
        """A new configuration; None for a known one, and why for one that is impossible."""
        proposals = self._journal.proposals
        with self._journal.together():
            asked = proposals.ask(sampler, self._axes.distributions)
            try:
                config = self._settings.config(self._axes.point(asked.params))
            except ConfigError as error:
                proposals.skip(asked, error.message)
                return error.message
            if config.config_id in known:
                proposals.answer(asked, known[config.config_id])
                return None
            proposals.accept(asked, number, config)
            return config

    def _sampler(
        self, number: int, attempt: int, known: Mapping[str, Known]
    ) -> BaseSampler | None:
        """Which sampler an attempt asks; None when the space has no further configuration."""
        settings, seed = self._settings, self._settings.seed
        start = () if settings.sampler == "grid" else settings.space.start[number : number + 1]
        if attempt < len(start):
            return fixed_sampler(self._axes.params(start[0]), seed_of(seed, number, 0))
        attempt -= len(start)
        if settings.sampler in ("tpe", "gp") and attempt < _REPEATS:
            return learning_sampler(
                settings.sampler, seed_of(seed, number, attempt), self._axes.distributions
            )
        if settings.space.size is None:
            return RandomSampler(seed_of(seed, number, self._journal.proposals.settled))
        point = self._unseen(number, settings.space.size, known)
        return None if point is None else fixed_sampler(self._axes.params(point))

    def _unseen(self, number: int, size: int, known: Mapping[str, Known]) -> dict[str, Any] | None:
        """A point that is not known: the next of a shuffled grid, else one drawn at random."""
        draws = random.Random(seed_of(self._settings.seed, number, _REPEATS))
        drawn = (draws.randrange(size) for _ in range(min(_DRAWS, 20 * size)))
        places = chain(drawn, range(size))
        if self._settings.sampler == "grid" and size <= _SHUFFLED:
            # From its place on: those before it are known, unless another order was begun.
            places = chain(self._grid_order[number:], self._grid_order[:number])
        points = map(self._settings.space.point, places)
        return next((point for point in points if self._is_new(point, known)), None)

    @cached_property
    def _grid_order(self) -> list[int]:
        """Every place of a countable space once, in an order that the search's seed draws."""
        order = list(range(self._settings.space.size or 0))
        random.Random(f"{self._settings.seed}/grid").shuffle(order)
        return order

    def _is_new(self, point: dict[str, Any], known: Mapping[str, Known]) -> bool:
        try:
            return self._settings.config(point).config_id not in known
        except ConfigError:
            return False


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
