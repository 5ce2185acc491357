"""The graph of a recorded search, read again and found to be the same."""

import os
import sys
from inspect import signature
from pathlib import Path

from l2p_search.data.catalogue import DATASETS
from l2p_search.data.graph import Graph
from l2p_search.data.loading import load_graph
from l2p_search.data.sources.imported import is_function
from l2p_search.errors import DataError, SearchError, argument
from l2p_search.searching.records.settings import SearchSettings

_BESIDE = ("edges", "features")
"""Arguments that may name further files of a graph."""
_NOT_RECORDED = {"source", "data_dir", "to_predict"}
"""Arguments of `load_graph` that are none of how a search's graph was read."""


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
        if unknown := request.keys() - (signature(load_graph).parameters.keys() - _NOT_RECORDED):
            raise SearchError(
                f"search '{name}': its graph was read with {min(unknown)!r}, which this version"
                f" does not know; give it with {way}"
            )
        if is_function(source) and source.split(":")[0].split(".")[0] in sys.stdlib_module_names:
            # A journal of somebody else's must not call what it likes, such as os:abort.
            raise SearchError(
                f"search '{name}': {source} is a function of Python's own, which makes no graph;"
                f" give the graph with {way}"
            )
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
