"""Graphs as the tables that a served model takes, and what such a model expects."""

import pandas

from l2p_search.data.graph import Graph
from l2p_search.saved.expected import Expected

PEOPLE = Expected(
    dataset="people",
    digest="0",
    nodes=3,
    features=2,
    feature_names=("age", "income"),
    classes=("no", "yes"),
    scaling="none",
    standard=None,
    splits="",
)
"""What a model of three people with two named features knows of its graph."""


def table_of(graph: Graph) -> pandas.DataFrame:
    """A row per node; the features as they are."""
    neighbours: list[list[int]] = [[] for _ in range(graph.num_nodes)]
    for start, end in graph.edges.t().tolist():
        neighbours[start].append(end)
    return pandas.DataFrame(
        {
            "node": range(graph.num_nodes),
            "features": graph.x.tolist(),
            "neighbours": neighbours,
        }
    )
