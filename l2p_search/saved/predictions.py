"""Predictions as columns: the nodes' own ids, the classes' names, probabilities and steps."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from l2p_search.data.graph import Graph


def columns_of(
    graph: Graph, classes: Sequence[str], p: Tensor, q: Tensor | None
) -> dict[str, list[Any]]:
    """One list of N values per column.

    Args:
        graph: What was predicted; its nodes' ids stand in the column `node`, their places where
            they have none.
        classes: What the C classes are called.
        p: Their probabilities, [N, C].
        q: Probabilities of the steps, [N, T]; None for a baseline.

    Returns:
        `node`, `class`, `p(NAME)` per class; with q also `expected_step` and `q(t)` per step.

    Example:
        >>> from l2p_search.data.unlabelled import Unlabelled
        >>> pair = Unlabelled.of("pair", torch.ones(2, 1), torch.tensor([[0, 1], [1, 0]]))
        >>> p = torch.tensor([[0.25, 0.75], [0.5, 0.5]])
        >>> columns_of(pair, ("cat", "dog"), p, None)
        {'node': [0, 1], 'class': ['dog', 'cat'], 'p(cat)': [0.25, 0.5], 'p(dog)': [0.75, 0.5]}
    """
    ids = graph.about.node_ids
    columns: dict[str, list[Any]] = {
        "node": list(range(graph.num_nodes)) if ids is None else list(ids),
        "class": [classes[place] for place in p.argmax(dim=1).tolist()],
    }
    for name, values in zip(classes, p.t().tolist(), strict=True):
        columns[f"p({name})"] = values
    if q is not None:
        steps = torch.arange(q.shape[1], dtype=q.dtype)
        columns["expected_step"] = (q @ steps).tolist()
        for step, values in enumerate(q.t().tolist()):
            columns[f"q({step})"] = values
    return columns
