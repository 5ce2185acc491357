"""The graph of a recorded search, read again and found to be the same."""

import os
from pathlib import Path

from l2p_search.data.catalogue import DATASETS
from l2p_search.data.graph import Graph
from l2p_search.data.loading import load_graph
from l2p_search.errors import DataError, SearchError, argument
from l2p_search.searching.records.settings import SearchSettings

_BESIDE = ("edges", "features")
"""Arguments that may name further files of a graph."""


def graph_again(
    settings: SearchSettings,
    name: str,
    given: Graph | str | None,
    data_dir: Path | None,
    way: str | None = None,
) -> Graph:
    """The graph that a search began with: as it is given, else as it was read then.

    Args:
        settings: Of the search.
        name: Of the search, for messages.
        given: The graph, where the caller has it; None to read it as the search did.
        data_dir: A folder with raw files of named datasets.
        way: How the caller can be given the graph, for messages; by the argument `graph`.

    Returns:
        The graph, whose content is that of the search's.

    Raises:
        SearchError: It was made in memory and is not given, or its content has changed.
        DataError: It cannot be read.
    """
    way = argument("graph") if way is None else way
    if given is not None:
        graph, source = load_graph(given, data_dir=data_dir), settings.dataset
    elif settings.graph is None and settings.dataset not in DATASETS:
        raise SearchError(
            f"search '{name}': its graph {settings.dataset} was made in memory; give it again with"
            f" {way}"
        )
    else:
        request = dict(settings.graph or {"source": settings.dataset})
        source = str(request.pop("source"))
        beside = [key for key in _BESIDE if os.path.isabs(str(request.get(key, "")))]
        try:
            graph = load_graph(source, data_dir=data_dir, **request)
        except DataError as error:
            moved = [argument(key) for key in beside if not os.path.exists(str(request[key]))]
            raise DataError(
                f"search '{name}': its graph cannot be read again: {error.message}; if the file"
                f" was moved, name it with {' and '.join([way, *moved])}"
            ) from None
        source = " and ".join([source, *(str(request[key]) for key in beside)])
    if graph.digest != settings.data_digest:
        raise SearchError(
            f"search '{name}': the data of {source} has changed since (digest {graph.digest}, it"
            f" was {settings.data_digest}); restore it, or search under another"
            f" {argument('name')}"
        )
    return graph
