"""Graphs as problems, as tests want them: on the CPU, and precise enough to compare with."""

import torch

from l2p_search.data.graph import Graph
from l2p_search.model.problem import Problem


def precise(graph: Graph) -> Problem:
    """The graph in float64."""
    return Problem(graph, dtype=torch.float64)
