"""Sharing out validation nodes: some are learned from, the others judge.

The paper uses validation labels three times: phi learns from them, training stops by them, and the
configuration is chosen by them. Where phi learns from a share of them only, the other nodes stop
and choose, and have taught nothing.
"""

import math

import torch
from torch import Tensor


def learned_share(labels: Tensor, share: float, order: Tensor) -> Tensor:
    """Which of the validation nodes are learned from: a share of each class.

    Each class gives its share, rounded down; then those with the largest remainder give one more,
    until `share` of all nodes are taken. At least one node is on either side.

    Args:
        labels: Classes of the validation nodes, [L].
        share: Of the nodes that are learned from, above 0 and below 1.
        order: A random order of the nodes, a permutation of 0 .. L - 1.

    Returns:
        A mask of the nodes that are learned from, [L].

    Raises:
        ValueError: There are not two nodes to share out.

    Example:
        >>> labels = torch.tensor([0, 0, 0, 0, 1, 1])
        >>> learned_share(labels, 0.5, torch.tensor([5, 3, 1, 0, 2, 4])).tolist()
        [False, True, False, True, False, True]
    """
    if len(labels) < 2:
        raise ValueError(f"{len(labels)} validation node cannot be shared out; at least 2 can")
    classes, places = labels[order].unique(return_inverse=True)
    wanted = [share * int((places == each).sum()) for each in range(len(classes))]
    taken = [math.floor(number) for number in wanted]
    total = min(max(1, math.floor(share * len(labels) + 0.5)), len(labels) - 1)
    first = [int((places == each).nonzero()[0]) for each in range(len(classes))]
    by_remainder = sorted(
        range(len(classes)), key=lambda each: (taken[each] - wanted[each], first[each])
    )
    for each in by_remainder[: total - sum(taken)]:
        taken[each] += 1
    mask = torch.zeros_like(labels, dtype=torch.bool)
    for each, number in enumerate(taken):
        mask[order[places == each][:number]] = True
    return mask
