"""GraphML and GML text as networkx graphs, after checks that networkx leaves out."""

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from l2p_search.data.sources.table import quoted
from l2p_search.errors import DataError

_NAMESPACE = "{http://graphml.graphdrawing.org/xmlns}"


def parse_markup(path: Path, text: str) -> Any:
    """The networkx graph in GraphML or GML text.

    GraphML with a document type is refused: entities that it declares can fill all memory. Nodes
    that are declared twice, or not at all, are refused too, where networkx would merge or invent
    them.

    Args:
        path: The file, for messages.
        text: Its content. GraphML begins with "<".

    Returns:
        A networkx graph; a default value of GraphML is an attribute of the nodes without another.

    Raises:
        DataError: The text is neither.

    Example:
        >>> text = 'graph [ node [ id 0 label "a" ] node [ id 1 label "b" ] ]'
        >>> list(parse_markup(Path("g.gml"), text).nodes)
        ['a', 'b']
    """
    if text.lstrip().startswith("<"):
        return _graphml(path, text)
    return _gml(path, text)


def _graphml(path: Path, text: str) -> Any:
    import networkx as nx

    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise DataError(
            f"{path}: declares a document type or entities, which are not read; remove the"
            " <!DOCTYPE ..> part"
        )
    _check_graphml(path, text)
    graph = _parsed(path, "GraphML", lambda: nx.parse_graphml(text))
    for name, value in graph.graph.get("node_default", {}).items():
        for data in graph.nodes.values():
            data.setdefault(name, value)
    for name, value in graph.graph.get("edge_default", {}).items():
        for *_, data in graph.edges(data=True):
            data.setdefault(name, value)
    return graph


def _check_graphml(path: Path, text: str) -> None:
    """Every node once, and edges between these alone."""
    from xml.etree.ElementTree import ParseError, fromstring

    try:
        root = fromstring(text)
    except ParseError as error:
        line, _ = error.position
        raise DataError(
            f"{path}, line {line}: is no XML ({error.msg.split(':')[0]}); it may be cut short:"
            " write it anew"
        ) from None
    if root.tag != f"{_NAMESPACE}graphml":
        tag = root.tag.rpartition("}")[2]
        hint = "" if tag != "graphml" else f', and needs xmlns="{_NAMESPACE[1:-1]}"'
        raise DataError(f"{path}: its root is <{tag}>{hint}; give GraphML or GML")
    if len(root.findall(f"{_NAMESPACE}graph")) != 1:
        count = len(root.findall(f"{_NAMESPACE}graph"))
        raise DataError(f"{path}: holds {count} graphs; give one")
    ids: set[str | None] = set()
    for node in root.iter(f"{_NAMESPACE}node"):
        name = node.get("id")
        if name is None or name in ids:
            what = "has no id" if name is None else f"{quoted(name)} is there twice"
            raise DataError(f"{path}: node {len(ids) + 1} {what}; give each its own id")
        ids.add(name)
    for number, edge in enumerate(root.iter(f"{_NAMESPACE}edge"), start=1):
        for end in ("source", "target"):
            if edge.get(end) not in ids:
                raise DataError(
                    f"{path}: the {end} of edge {number}, {quoted(edge.get(end))}, is no node;"
                    " add the node, or drop the edge"
                )


def _gml(path: Path, text: str) -> Any:
    import networkx as nx

    try:
        graph = _parsed(path, "GraphML or GML", lambda: nx.parse_gml(text, label="id"))
    except DataError as error:
        if "is duplicated" not in str(error):
            raise
        # polblogs.gml and others list edges twice and do not say so in their header.
        several = re.sub(r"(?m)^(\s*graph\s*\[)", r"\1 multigraph 1", text, count=1)
        graph = _parsed(path, "GraphML or GML", lambda: nx.parse_gml(several, label="id"))
    # In GML `label` is the name of a node, unless nodes share it: then it is a class.
    names = nx.get_node_attributes(graph, "label")
    different = {str(name) for name in names.values() if isinstance(name, str | int)}
    if len(different) == len(graph):
        graph = nx.relabel_nodes(graph, names)
        for data in graph.nodes.values():
            del data["label"]
    return graph


def _parsed(path: Path, kind: str, parse: Callable[[], Any]) -> Any:
    import networkx as nx

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # ports, keys without a type: of no matter here
            return parse()
    # networkx does not check what it reads: a list where it expects a number, or a key that is
    # not there, ends in one of Python's own errors.
    except (
        nx.NetworkXException,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        RecursionError,
    ) as error:
        why = (str(error).splitlines() or [""])[0][:120] or type(error).__name__
        raise DataError(f"{path}: is no {kind} ({why}); write it anew") from None
