"""Memory: how many seeds fit at once, and keeping what was freed for the next epoch."""

import ctypes
import sys

from l2p_search.model.network import Network

# The numbers of these options in glibc's <malloc.h>.
_M_TRIM_THRESHOLD, _M_MMAP_MAX = -1, -4


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


def seeds_at_once(network: Network, memory_gb: float) -> int:
    """How many seeds can train together within the memory, by an estimate of one seed's needs.

    Args:
        network: Its `bytes_per_seed` is read.
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
    return max(1, int(memory_gb * 2**30 // network.bytes_per_seed))
