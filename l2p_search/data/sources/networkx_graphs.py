"""networkx graphs, in memory or in GraphML and GML files, as a RawGraph."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from l2p_search.data.raw import RawGraph
from l2p_search.data.sources.graph_markup import parse_markup
from l2p_search.data.sources.node_columns import read_nodes
from l2p_search.data.sources.table import Table, plain_array, quoted
from l2p_search.data.sources.table_edges import read_weights
from l2p_search.data.sources.table_labels import find_label
from l2p_search.data.sources.table_names import WEIGHTS, usual
from l2p_search.data.sources.whole_input import read_text
from l2p_search.errors import DataError

_IN_MEMORY = "the networkx graph"
_EXPANSION = 30
"""A node or an edge of networkx is a dict: many times the bytes of its text."""


def read_networkx(
    graph: Any,
    *,
    label: str | None = None,
    features: str | Sequence[str] | None = None,
    split: str | None = None,
    weight: str | None = None,
    name: str | None = None,
    with_masks: bool = True,
) -> RawGraph:
    """A networkx graph: Graph, DiGraph, MultiGraph or MultiDiGraph.

    Args:
        graph: The graph.
        label: The attribute of nodes that holds the class. Found if it is called label, labels,
            y, class or target.
        features: The attributes of nodes to use, as a list or with commas between them. Without
            it, all of use: numbers, booleans, text of few values, lists and arrays.
        split: The attribute with values train, val and test; several with commas between them.
        weight: The attribute of edges with their weight; found if it is called weight. An edge
            without it has the weight 1, as in networkx.
        name: The graph's name; else its own, else "graph".
        with_masks: Whether to read the graph's own splits.

    Returns:
        The graph with nodes in networkx's order, and a note for each decision.

    Raises:
        DataError: It is no such graph, or a value cannot be used.

    Example:
        >>> import networkx as nx
        >>> raw = read_networkx(nx.karate_club_graph(), label="club")
        >>> raw.num_nodes, raw.edges.shape, raw.labels[0], raw.x
        (34, (2, 78), 'Mr. Hi', None)
    """
    found = getattr(graph, "name", None)
    chosen = name or (found if isinstance(found, str) else "") or "graph"
    of_nodes = {"features": features, "split": split, "with_masks": with_masks}
    return _read(graph, _IN_MEMORY, chosen, label, weight, of_nodes)


def read_graph_file(
    path: Path,
    *,
    label: str | None = None,
    features: str | Sequence[str] | None = None,
    split: str | None = None,
    weight: str | None = None,
    with_masks: bool = True,
) -> RawGraph:
    """A graph in a GraphML or GML file; the content decides which of both it is.

    Args:
        path: The file; gzip is unpacked.
        label: As in `read_networkx`.
        features: As in `read_networkx`.
        split: As in `read_networkx`.
        weight: As in `read_networkx`.
        with_masks: As in `read_networkx`.

    Returns:
        The graph.

    Raises:
        DataError: The file is no such graph, or a value cannot be used.

    Example:
        >>> import networkx as nx, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "karate.graphml"
        ...     nx.write_graphml(nx.karate_club_graph(), path)
        ...     raw = read_graph_file(path, label="club")
        >>> raw.name, raw.num_nodes
        ('karate', 34)
    """
    graph = parse_markup(path, read_text(path, expansion=_EXPANSION))
    of_nodes = {"features": features, "split": split, "with_masks": with_masks}
    return _read(graph, str(path), path.name.split(".")[0], label, weight, of_nodes)


def _read(
    graph: Any,
    source: str,
    name: str,
    label: str | None,
    weight: str | None,
    of_nodes: dict[str, Any],
) -> RawGraph:
    nodes = _node_table(graph, source)
    label_name = find_label(nodes, label)
    weights, notes = _weights(graph, source, weight)
    found = read_nodes(nodes, label_name, ids=(), **of_nodes)
    return RawGraph(
        name=name,
        source=source,
        num_nodes=nodes.num_rows,
        edges=_positions(graph),
        labels=found.labels,
        x=found.x,
        weights=weights,
        node_ids=_ids(list(graph)),
        feature_names=found.feature_names,
        label_name=label_name,
        masks=found.masks,
        columns=found.columns,
        notes=(*notes, *found.notes),
    )


def _node_table(graph: Any, source: str) -> Table:
    """The attributes of the nodes, as the columns of a table."""
    import networkx as nx

    if not isinstance(graph, nx.Graph):
        raise DataError(f"{source}: is a {type(graph).__name__}; give a networkx graph")
    if len(graph) == 0 or graph.number_of_edges() == 0:
        raise DataError(f"{source}: has {len(graph)} nodes and no edges; give a graph with edges")
    names = list(graph)
    attributes = dict.fromkeys(key for data in graph.nodes.values() for key in data)
    return Table(
        source,
        {str(key): _array([data.get(key) for data in graph.nodes.values()]) for key in attributes},
        len(graph),
        lambda row: f"node {quoted(names[row])}",
        word="attribute",
    )


def _weights(graph: Any, source: str, weight: str | None) -> tuple[np.ndarray | None, list[str]]:
    """The weights of the edges; an edge without one has the weight 1."""
    edges = list(graph.edges(data=True))
    arrays: dict[str, Any] = {
        str(key): None for key in dict.fromkeys(key for *_, data in edges for key in data)
    }
    notes = []
    for name in [weight] if weight in arrays else usual(arrays, WEIGHTS):
        values = [data.get(name) for *_, data in edges]
        missing = values.count(None)
        if missing:
            notes.append(f"{missing:,} edges have no {quoted(name)} and count as 1")
        arrays[str(name)] = _array([1.0 if value is None else value for value in values])
    table = Table(
        source,
        arrays,
        len(edges),
        lambda row: f"edge ({quoted(edges[row][0])}, {quoted(edges[row][1])})",
        word="attribute",
    )
    weights, more = read_weights(table, weight)
    return weights, [*more, *notes]


def _positions(graph: Any) -> np.ndarray:
    """The positions of both ends of each edge: [2, E]."""
    place = {node: position for position, node in enumerate(graph)}
    pairs = np.array([(place[u], place[v]) for u, v in graph.edges()], dtype=np.int64)
    return np.ascontiguousarray(pairs.T)


def _array(values: list[Any]) -> Any:
    """A pyarrow array; values of several kinds become text, in which numbers are found again."""
    import pyarrow as pa  # type: ignore[import-untyped]

    plain = [value.tolist() if hasattr(value, "tolist") else value for value in values]
    plain = [list(value) if isinstance(value, tuple) else value for value in plain]
    try:
        return plain_array(pa.array(plain))
    except (pa.ArrowException, OverflowError):
        text = [None if value is None else str(value) for value in plain]
        return pa.array(text, pa.large_string())


def _ids(nodes: list[Any]) -> np.ndarray | None:
    """The nodes as an array; None if they are 0..N-1."""
    if nodes == list(range(len(nodes))):
        return None
    if all(type(node) is int and abs(node) < 2**62 for node in nodes):
        return np.array(nodes, dtype=np.int64)
    ids = np.empty(len(nodes), dtype=object)
    ids[:] = nodes  # np.array would make tuples a second dimension
    return ids
