"""Memory: how many seeds fit at once, and keeping what was freed for the next epoch."""

import ctypes
import sys

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph

# Of glibc's <malloc.h>.
_M_TRIM_THRESHOLD, _M_MMAP_MAX = -1, -4


def keep_freed_memory() -> None:
    """Ask the C library to keep freed blocks instead of returning them to the system.

    An epoch allocates and frees the same tensors as the one before. When their pages go back to
    the system in between, touching them anew costs up to half of an epoch's time. Only glibc
    has this switch; elsewhere nothing happens.
    """
    if not sys.platform.startswith("linux"):
        return
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return
    mallopt(_M_MMAP_MAX, 0)  # large blocks from the heap too, which keeps them
    mallopt(_M_TRIM_THRESHOLD, -1)  # and the heap never shrinks


def seeds_at_once(graph: Graph, config: TrialConfig, memory_gb: float) -> int:
    """How many seeds can train together within the memory, by an estimate of one seed's needs."""
    return max(1, int(memory_gb * 2**30 // bytes_per_seed(graph, config)))


def bytes_per_seed(graph: Graph, config: TrialConfig) -> int:
    """The largest tensors of a training step, each as often as it is held at one time.

    Parameters: with gradient, two moments of Adam and the best state. Hidden representations:
    with gradient and random bytes. Columns: three of the recurrence and two in transit. Reads
    at the labelled nodes: with their gradients and the products of the mixing.
    """
    nodes, features, classes = graph.num_nodes, graph.num_features, graph.num_classes
    steps = config.K + 1
    labelled = max(int(graph.train.sum(dim=1).max()), int(graph.val.sum(dim=1).max()))
    columns = classes + (steps if config.scorer == "per_step" else 1)
    words = (
        6 * features * config.hidden
        + 3 * nodes * config.hidden
        + 5 * nodes * columns
        + 4 * steps * labelled * (1 + classes)
    )
    feature_noise = min(3 * int((graph.x != 0).sum()), graph.x.numel())
    return 4 * words + 4 * feature_noise
