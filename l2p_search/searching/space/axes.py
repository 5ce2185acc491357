"""A space in Optuna's terms: what a sampler proposes, and what a reader of a study sees."""

from typing import Any

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from l2p_search.searching.space.search_space import Choices, Dimension, SearchSpace


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
