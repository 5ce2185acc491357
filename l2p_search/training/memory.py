"""Memory: what training takes, how many seeds fit at once, and when it ran out."""

import ctypes
import re
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from l2p_search.data.graph import Graph
from l2p_search.model.network import Network

# The numbers of these options in glibc's <malloc.h>.
_M_TRIM_THRESHOLD, _M_MMAP_MAX = -1, -4
_RAN_OUT = re.compile("out of memory|can't allocate memory|not enough memory", re.IGNORECASE)
"""What the messages of torch's allocators say: CPU on Linux and on Windows, CUDA, Apple's GPUs."""

_CACHE = 2**25
"""Bytes of all seeds' columns up to which it pays to propagate them together."""


def keep_freed_memory() -> None:
    """Ask the C library to keep freed blocks instead of returning them to the system.

    An epoch allocates and frees the same tensors as the one before. When their pages go back to
    the system in between, touching them anew costs up to half of an epoch's time. Only glibc
    has this switch; elsewhere nothing happens.

    It cannot be undone, so it is for processes of our own: workers and commands. A program that
    calls the library keeps its own settings.
    """
    if not sys.platform.startswith("linux"):
        return
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return
    mallopt(_M_MMAP_MAX, 0)  # large blocks from the heap too, which keeps them
    mallopt(_M_TRIM_THRESHOLD, -1)  # and the heap never shrinks


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory ran out, on a device or on the CPU.

    torch has a class for devices; its CPU allocator raises a plain RuntimeError.

    Example:
        >>> is_out_of_memory(MemoryError()), is_out_of_memory(RuntimeError("shapes differ"))
        (True, False)
    """
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return isinstance(error, RuntimeError) and _RAN_OUT.search(str(error)) is not None


def release_cached() -> None:
    """Give back what torch keeps of a CUDA device's memory; nothing where none is used."""
    if torch.cuda.is_initialized():
        torch.cuda.empty_cache()


def seeds_at_once(network: Network, memory_gb: float) -> int:
    """How many seeds train together: as many as is fastest and fits in the memory, by estimates.

    Seeds of a small graph share the fixed cost of an operation. On a large graph there is none to
    share, and columns of several seeds would push one another out of the cache.

    Args:
        network: Its `bytes_per_seed` and `bytes_of_step` are read.
        memory_gb: Memory for all of them, in GiB.

    Returns:
        At least one.

    Example:
        >>> from l2p_search.config import TrialConfig
        >>> from l2p_search.data.demo import demo_graph
        >>> from l2p_search.model.building import build_network
        >>> from l2p_search.model.problem import Problem
        >>> network = build_network(Problem(demo_graph()), TrialConfig())
        >>> seeds_at_once(network, memory_gb=1e-6)
        1
    """
    fitting = int(memory_gb * 2**30 // network.bytes_per_seed)
    return max(1, min(fitting, _CACHE // max(1, network.bytes_of_step)))


def graph_bytes(graph: Graph) -> int:
    """What a graph takes: its features, edges, labels and splits."""
    parts = (graph.x, graph.edges, graph.weights, graph.y, graph.train, graph.val, graph.test)
    return sum(part.nbytes for part in parts if part is not None)


def training_bytes(network: Network, seeds: int, memory_gb: float) -> int:
    """What training takes besides the graph, at its peak, by an estimate.

    Args:
        network: What is trained.
        seeds: All seeds of the trial, of which `seeds_at_once` train together.
        memory_gb: Memory for those that train together, in GiB.

    Returns:
        Bytes: the matrices that all seeds share, and the tensors of each seed.

    Example:
        >>> from l2p_search.config import TrialConfig
        >>> from l2p_search.data.demo import demo_graph
        >>> from l2p_search.model.building import build_network
        >>> from l2p_search.model.problem import Problem
        >>> network = build_network(Problem(demo_graph()), TrialConfig())
        >>> training_bytes(network, 20, 4.0) > training_bytes(network, 20, 1e-6)
        True
    """
    together = min(seeds, seeds_at_once(network, memory_gb))
    return shared_bytes(network) + together * network.bytes_per_seed


def shared_bytes(network: object) -> int:
    """The tensors that an object holds, each storage once: of a network, what seeds share."""
    found: dict[int, int] = {}
    waiting, seen = [network], set[int]()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, torch.Tensor):
            storage = one.untyped_storage()
            found[storage.data_ptr()] = storage.nbytes()
        elif isinstance(one, np.ndarray):
            found[one.ctypes.data] = one.nbytes
        else:
            waiting += _parts(one)
    return sum(found.values())


def _parts(one: object) -> list[Any]:
    """What an object is made of, as far as it may hold tensors."""
    if isinstance(one, Mapping):
        return list(one.values())
    if isinstance(one, list | tuple | set | frozenset):
        return list(one)
    if isinstance(one, type) or callable(one):
        return []
    slots = [getattr(one, name) for name in getattr(one, "__slots__", ()) if hasattr(one, name)]
    return [*getattr(one, "__dict__", {}).values(), *slots]
