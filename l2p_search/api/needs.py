"""What a search needs of memory, and refusing before it is tried what cannot fit."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Any

import psutil

from l2p_search.config import EXCLUDING, TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.data.limits import available_bytes, gigabytes
from l2p_search.errors import ConfigError, SearchError, argument
from l2p_search.model.building import build_network
from l2p_search.model.problem import Problem
from l2p_search.searching.records.settings import SearchSettings
from l2p_search.searching.space.search_space import Choices, Dimension, Range, SearchSpace
from l2p_search.training.memory import graph_bytes, seeds_at_once, training_bytes

_WORKER = 450 * 2**20
"""A worker before it has a graph: Python, torch and Ray."""
_RAY = 700 * 2**20
"""Ray's own processes, and its store beyond the graph."""
_SHAPING = ("model", "backbone", "encoder", "classifier", "scorer", "norm", "residual")
"""Hyperparameters without an order that change how much is held; numbers all let it grow."""
_NOTHING = "take a smaller graph, or a machine with more memory"
_TRIED = 2_000
"""How many combinations of numbers are tried for one whose values do not exclude each other."""
_SMALLEST = 8
"""Hidden units below which nothing is suggested."""


@dataclass(frozen=True, kw_only=True)
class Needs:
    """What memory a search needs at its peak, in bytes.

    Attributes:
        config: The configuration of the space that needs most.
        together: Its seeds that train together.
        trial: What a worker takes that trains it.
        everything: All trials at once, Ray and this process.
        more: What of that is not taken yet.
        available: What there is for it.
    """

    config: TrialConfig
    together: int
    trial: int
    everything: int
    more: int
    available: int

    @property
    def fits(self) -> bool:
        """Whether there is as much as is needed."""
        return self.more <= self.available


def needs_of(
    graph: Graph, config: TrialConfig, seeds: int, *, at_once: int, memory_gb: float
) -> Needs:
    """What trials of one configuration need.

    Args:
        graph: What they train on.
        config: The configuration.
        seeds: Seeds per trial.
        at_once: Trials at once.
        memory_gb: Memory for the seeds of a trial that train together.

    Returns:
        The needs, by estimates of the largest tensors.
    """
    network = build_network(Problem(graph), config)
    data = graph_bytes(graph)
    trial = _WORKER + data + training_bytes(network, seeds, memory_gb)
    more = at_once * trial + _RAY + 2 * data
    return Needs(
        config=config,
        together=min(seeds, seeds_at_once(network, memory_gb)),
        trial=trial,
        everything=more + psutil.Process().memory_info().rss,
        more=more,
        available=available_bytes(),
    )


def needs_of_search(
    graph: Graph, settings: SearchSettings, *, at_once: int, memory_gb: float
) -> Needs:
    """What the trials of a search need at the most: those of its largest configuration."""
    config = largest_config(graph, settings.space, settings.base)
    return needs_of(graph, config, settings.seeds, at_once=at_once, memory_gb=memory_gb)


def check_search_fits(
    graph: Graph, settings: SearchSettings, *, at_once: int, memory_gb: float
) -> None:
    """Refuse a search whose trials do not fit into memory.

    Args:
        graph: What is searched on.
        settings: The search.
        at_once: Trials at once.
        memory_gb: Memory for the seeds of a trial that train together.

    Raises:
        SearchError: One line that says what is needed, what there is, and what would fit.
    """
    space, base = settings.space, settings.base
    if _surely_fits(graph, space, base, settings.seeds, at_once, memory_gb):
        return
    found = needs_of_search(graph, settings, at_once=at_once, memory_gb=memory_gb)
    if found.fits:
        return
    each = f"a trial of {settings.seeds} seeds takes up to {gigabytes(found.trial)} GB"
    if at_once > 1:
        each += f", {at_once} at once and Ray {gigabytes(found.more)} GB"
    raise SearchError(
        f"{graph.name}: does not fit into memory: {each}, and {gigabytes(found.available)} GB are"
        f" free; {_what_fits(graph, found.config, settings.seeds, at_once, memory_gb)}"
    )


def largest_config(graph: Graph, space: SearchSpace, base: TrialConfig) -> TrialConfig:
    """The configuration of a space that needs most memory.

    Numbers are taken at their largest; what has no order is tried, one key after another. Where
    the largest numbers exclude each other, such as 17 hidden units and 8 heads, smaller ones are
    taken.

    Raises:
        ConfigError: No point was found whose values do not exclude each other.
    """
    point = {key: _largest(dimension) for key, dimension in space.dimensions.items()}
    for key in _SHAPING:
        dimension = space.dimensions.get(key)
        if isinstance(dimension, Choices) and len(dimension.values) > 1:
            options: Iterable[dict[str, Any]] = [
                {**point, key: value} for value in dimension.values
            ]
            point = max(
                options,
                key=lambda each: max(
                    (_per_seed(graph, config) for config in _possible(space, base, each)),
                    default=0,
                ),
            )
    found = _possible(space, base, point)
    if not found:
        return space.config(point, base)  # raises, with the values that exclude each other
    return max(found, key=lambda config: _per_seed(graph, config))


def _possible(space: SearchSpace, base: TrialConfig, point: dict[str, Any]) -> list[TrialConfig]:
    """The point as a config; where its numbers exclude each other, the largest that do not.

    There are two of them, as it is not known which number takes more: one has its first number
    as large as can be, the other its last.
    """
    numbers = {
        key: _downwards(dimension)
        for key, dimension in space.dimensions.items()
        if key in EXCLUDING and isinstance(point[key], int | float)
    }
    found = []
    for keys in (tuple(numbers), tuple(reversed(numbers))):
        for values in islice(product(*(numbers[key] for key in keys)), _TRIED):
            try:
                config = space.config({**point, **dict(zip(keys, values, strict=True))}, base)
            except ConfigError:
                continue
            found.append(config)
            break
    return found


def _downwards(dimension: Dimension) -> list[Any]:
    """The values of a number from the largest on; of a long range only the last of them."""
    values = dimension.enumerated()
    if values is not None:
        return sorted(values, reverse=True)[:_TRIED]
    assert isinstance(dimension, Range)  # choices are counted
    if dimension.whole:
        high = int(dimension.high)
        return [*range(high, max(int(dimension.low), high - _TRIED) - 1, -1)]
    return [dimension.high, dimension.low]


def _per_seed(graph: Graph, config: TrialConfig) -> int:
    return build_network(Problem(graph), config).bytes_per_seed


def _largest(dimension: Dimension) -> Any:
    if not isinstance(dimension, Choices):
        return int(dimension.high) if dimension.whole else dimension.high
    numbers = [value for value in dimension.values if isinstance(value, int | float)]
    return max(numbers) if len(numbers) == len(dimension.values) else dimension.values[0]


def check_training_fits(
    graph: Graph, config: TrialConfig, seeds: int, *, memory_gb: float
) -> None:
    """Refuse a training in this process that does not fit into memory.

    Args:
        graph: What is trained on.
        config: The configuration.
        seeds: All its seeds.
        memory_gb: Memory for those that train together.

    Raises:
        SearchError: One line, as of `check_search_fits`.
    """
    if _bound(graph, config.to_mapping(), seeds, memory_gb) < available_bytes():
        return
    network = build_network(Problem(graph), config)
    needed, free = training_bytes(network, seeds, memory_gb), available_bytes()
    if needed <= free:
        return
    one = training_bytes(network, 1, memory_gb)
    together = 1 + (free - one) // network.bytes_per_seed
    if together >= 1:
        gives, together = _memory_for(together, network.bytes_per_seed)
        remedy = f"give {argument('memory_gb', gives)} ({together} at a time)"
    else:
        ways = _smaller_models(
            graph,
            config,
            lambda c: training_bytes(build_network(Problem(graph), c), 1, memory_gb) <= free,
        )
        remedy = ", or ".join(f"give {key}={value}" for key, value in ways) or _NOTHING
    raise SearchError(
        f"{graph.name}: does not fit into memory: training takes {gigabytes(needed)} GB, and"
        f" {gigabytes(free)} GB are free; {remedy}"
    )


def _bound(graph: Graph, config: Mapping[str, Any], seeds: int, memory_gb: float) -> float:
    """Bytes far above what any model takes: where they fit, no network is built to find out."""
    hidden, nodes = config["hidden"], graph.num_nodes
    steps = config["K"] + config["head_layers"] + 1
    numbers = (
        24 * nodes * (hidden + graph.num_classes) * steps
        + 32 * config["heads"] * graph.num_edges * steps
        + 48 * hidden * (nodes + graph.num_features + hidden * steps)
    )
    most = max(memory_gb * 2**30, 4 * numbers)
    return float(8 * graph_bytes(graph) + min(seeds * 4 * numbers, most))


def _surely_fits(
    graph: Graph,
    space: SearchSpace,
    base: TrialConfig,
    seeds: int,
    at_once: int,
    memory_gb: float,
) -> bool:
    point = {key: _largest(dimension) for key, dimension in space.dimensions.items()}
    # Numbers that exclude each other, so that they are no config, bound all others as well.
    numbers = {**base.to_mapping(), **space.fixed, **point}
    trial = _WORKER + _bound(graph, numbers, seeds, memory_gb)
    return at_once * trial + _RAY < available_bytes()


def _what_fits(
    graph: Graph, config: TrialConfig, seeds: int, at_once: int, memory_gb: float
) -> str:
    """The nearest that would fit: fewer trials at once, fewer seeds together, a smaller model."""
    found = needs_of(graph, config, seeds, at_once=1, memory_gb=memory_gb)
    fixed = found.more - found.trial
    possible = int((found.available - fixed) // found.trial)
    ways = []
    if possible >= 1:
        ways.append(f"give {argument('concurrency', possible)}")
    network = build_network(Problem(graph), config)
    for fewer in dict.fromkeys((at_once, 1)):
        alone = found.trial - (found.together - 1) * network.bytes_per_seed
        spare = (found.available - fixed) / fewer - alone
        together = 1 + int(spare // network.bytes_per_seed)
        if spare >= 0 and together < found.together:
            gives, together = _memory_for(together, network.bytes_per_seed)
            memory = argument("memory_gb", gives)
            with_fewer = "" if fewer == at_once else f" and {argument('concurrency', 1)}"
            ways.append(f"give {memory}{with_fewer} ({together} at a time)")
            break
    if not ways:
        smaller = _smaller_models(
            graph,
            config,
            lambda c: needs_of(graph, c, 1, at_once=1, memory_gb=memory_gb).fits,
        )
        least = f"with {argument('concurrency', 1)} and {argument('memory_gb', 0.1)}"
        ways = [f"search {key} up to {value} {least}" for key, value in smaller]
    return ", or ".join(ways) or _NOTHING


def _memory_for(seeds: int, bytes_per_seed: int) -> tuple[float, int]:
    """Memory in GiB, rounded down, for so many seeds at a time, and for how many it is then."""
    gives = max(0.01, math.floor(100 * seeds * bytes_per_seed / 2**30) / 100)
    return gives, max(1, int(gives * 2**30 // bytes_per_seed))


def _smaller_models(
    graph: Graph, config: TrialConfig, fits: Callable[[TrialConfig], bool]
) -> Iterator[tuple[str, int]]:
    """Fewer hidden units, or fewer steps, with which one seed at a time would fit."""
    for key, least in (("hidden", _SMALLEST), ("K", 1)):
        if config.why_unread(key) is None:
            fitting = _halved_until(config, key, least, fits)
            if fitting is not None:
                yield key, fitting


def _halved_until(
    config: TrialConfig, key: str, least: int, fits: Callable[[TrialConfig], bool]
) -> int | None:
    part = config.heads if key == "hidden" and config.why_unread("heads") is None else 1
    value = getattr(config, key) // 2
    while value >= max(least, part):
        value -= value % part  # heads share the hidden units equally
        if fits(replace(config, **{key: value})):
            return int(value)
        value //= 2
    return None
