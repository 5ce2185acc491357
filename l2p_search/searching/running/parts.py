"""Parts: how the fresh seeds of one configuration are divided, so that idle workers can help.

The last bits of a seed's numbers depend on which seeds train in one batch with it. So the parts
follow from the graph, the configuration, its seeds and `--memory` alone, never from how many
workers there are: one worker trains the same parts one after another, and gets the same numbers.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.errors import UserError
from l2p_search.model.building import build_network
from l2p_search.model.problem import Problem
from l2p_search.training.memory import seeds_at_once

Parts = tuple[tuple[int, ...], ...]
"""Seeds, divided: every seed once, in order."""
Divide = Callable[[TrialConfig, Sequence[int]], Parts]
"""Divides the fresh seeds of a configuration."""

_ENOUGH_BYTES = 100 * 2**20
"""What the seeds of a part hold in tensors, at least: with less, the fixed cost of an operation,
which the seeds of a batch share, is more than a tenth of the time."""
_ENOUGH_SEEDS = 5
"""However large the graph, a part has so many seeds: reading and normalising it costs, too."""


def whole(config: TrialConfig, seeds: Sequence[int]) -> Parts:
    """All seeds as one part.

    Example:
        >>> whole(TrialConfig(), range(3))
        ((0, 1, 2),)
    """
    return (tuple(seeds),)


def divided_for(graph: Graph, memory_gb: float, device: str) -> Divide:
    """How fresh seeds are divided on a graph.

    Args:
        graph: What is trained on.
        memory_gb: Memory per training, which bounds how many seeds train at once.
        device: Where it trains. Only on CPUs are seeds divided: a GPU is one worker.

    Returns:
        A function of a configuration and its seeds.
    """
    return partial(_divided, graph, memory_gb) if device == "cpu" else whole


def _divided(graph: Graph, memory_gb: float, config: TrialConfig, seeds: Sequence[int]) -> Parts:
    try:
        network = build_network(Problem(graph), config)
    except (UserError, RuntimeError, MemoryError, ValueError):
        return whole(config, seeds)  # the worker meets the same error, and reports it
    return in_parts(seeds, network.bytes_per_seed, seeds_at_once(network, memory_gb))


def parts_at_once(graph: Graph, config: TrialConfig, parts: Parts, memory_gb: float) -> int:
    """How many of the parts fit into the memory together, by an estimate: at least one."""
    if len(parts) == 1:
        return 1
    largest = max(map(len, parts))
    network = build_network(Problem(graph), config)
    return max(1, int(memory_gb * 2**30 // (largest * network.bytes_per_seed)))


def in_parts(seeds: Sequence[int], bytes_per_seed: int, at_once: int) -> Parts:
    """Divide seeds into parts of about equal size that are large enough to be worth it.

    Args:
        seeds: All of them.
        bytes_per_seed: What a seed that trains holds.
        at_once: How many seeds train in one batch at the most; no part has more.

    Returns:
        The parts.

    Example:
        >>> in_parts(range(8), bytes_per_seed=2**30, at_once=20)
        ((0, 1, 2, 3), (4, 5, 6, 7))
    """
    enough = max(_ENOUGH_SEEDS, -(-_ENOUGH_BYTES // max(1, bytes_per_seed)))
    count = -(-len(seeds) // max(1, min(enough, at_once)))
    edges = [len(seeds) * place // count for place in range(count + 1)]
    return tuple(tuple(seeds[start:end]) for start, end in pairwise(edges))
