"""Features for a graph that has none: which node it is, or how many neighbours it has."""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

MOST_IDENTITIES = 4096
"""Up to this many nodes get a column of their own each; N columns of more nodes grow too large."""


class MadeFeatures(NamedTuple):
    """Features [N, F], a name for each column if it has one, and what was made."""

    x: Tensor
    names: tuple[str, ...] | None
    told: str


def make_features(edges: np.ndarray, num_nodes: int) -> MadeFeatures:
    """One-hot node numbers on small graphs, one-hot degrees on large ones.

    A node's own column lets a model learn which neighbourhoods carry which class, as the GCN
    paper does for graphs without features. Degrees fall into buckets that double in width
    (0, 1, 2-3, 4-7, ..), so that hubs of 1,000 and of 1,001 neighbours are alike.

    Args:
        edges: [2, E], both directions of every edge.
        num_nodes: N.

    Example:
        >>> make_features(np.array([[0, 1], [1, 0]]), 3).told
        'no features: each of the 3 nodes got a column of its own (one-hot)'
    """
    if num_nodes <= MOST_IDENTITIES:
        told = f"no features: each of the {num_nodes:,} nodes got a column of its own (one-hot)"
        return MadeFeatures(torch.eye(num_nodes), None, told)
    degree = np.bincount(edges[0], minlength=num_nodes)
    bucket = np.frexp(degree.astype(np.float64))[1]  # 0, 1, 2, 2, 3, 3, 3, 3, 4 ..
    count = int(bucket.max()) + 1
    names = ("degree 0", "degree 1", *(f"degree {2**k}-{2 ** (k + 1) - 1}" for k in range(1, 64)))
    told = f"no features: one-hot degrees were made, in {count} buckets that double in width"
    x = torch.nn.functional.one_hot(torch.from_numpy(bucket.astype(np.int64)), count)
    return MadeFeatures(x.float(), names[:count], told)
