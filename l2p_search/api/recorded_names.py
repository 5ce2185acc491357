"""A graph under the name that its recorded searches know it by."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from l2p_search.data.graph import Graph
from l2p_search.data.own_names import earlier_name
from l2p_search.errors import SearchError
from l2p_search.searching.records.journal import Journal


def as_recorded(graph: Graph, directories: Callable[[str], Iterable[Path]]) -> Graph:
    """The graph, under its earlier name where a search of it is recorded under that one only.

    Earlier versions called a graph after its file even where that is nodes.csv. Their searches
    keep the name, and are continued under it.

    Args:
        graph: A graph.
        directories: The name of a graph -> where its searches would be.

    Returns:
        The graph; with another name where one of its earlier name's searches has the same data.
    """
    earlier = earlier_name(graph.about.request)
    if earlier is None or any(map(Journal.exists, directories(graph.name))):
        return graph
    for directory in filter(Journal.exists, directories(earlier)):
        with suppress(SearchError):  # it cannot be read, and so not be continued
            if Journal.read(directory).settings.data_digest == graph.digest:
                return replace(graph, name=earlier)
    return graph
