"""Graphs as the tables that a served model takes."""

import pandas

from l2p_search.data.graph import Graph


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
