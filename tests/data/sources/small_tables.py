"""A graph of four people as two tables, written to a folder, and read from it or refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from l2p_search.data.raw import RawGraph
from l2p_search.data.sources.tables import read_tables
from l2p_search.errors import DataError, in_shell

NODES = "id,age,club\nann,31,chess\nbob,7,go\ncy,64,go\ndee,20,chess\n"
EDGES = "source,target\nann,bob\nbob,cy\ncy,dee\n"


def write(folder: Path, nodes: str | bytes = NODES, edges: str | bytes = EDGES) -> None:
    """Write nodes.csv and edges.csv."""
    for name, content in (("nodes.csv", nodes), ("edges.csv", edges)):
        content = content.encode() if isinstance(content, str) else content
        (folder / name).write_bytes(content)


def read(
    folder: Path, nodes: str | bytes = NODES, edges: str | bytes = EDGES, **options: Any
) -> RawGraph:
    """Write both tables and read them; the class is `club` unless options say otherwise."""
    write(folder, nodes, edges)
    return read_tables(
        folder / "nodes.csv", edges=folder / "edges.csv", **{"label": "club", **options}
    )


def dense(graph: RawGraph) -> np.ndarray:
    """The features [N, F]."""
    assert graph.x is not None
    return graph.x.toarray() if isinstance(graph.x, csr_array) else graph.x


def refused(folder: Path, says: str, nodes: Path | None = None, **options: Any) -> None:
    """Reading ends with one line that begins with a path of the folder and has all the words."""
    before = _files_of(folder)
    given = {"label": "club", **options}
    if nodes is None:
        nodes = folder / "nodes.csv"
        given.setdefault("edges", folder / "edges.csv")
    with pytest.raises(DataError) as error:
        read_tables(nodes, **given)
    message = in_shell(error.value.message).replace(f"{folder}/", "")
    for words in says.split(" .. "):
        assert words in message, message
    assert len(message.splitlines()) == 1
    assert len(message) < 400
    assert _files_of(folder) == before


Case = tuple[str | bytes, str, dict[str, str]]
"""A bad table, what is said about it, and options; "nodes" or "edges" is the other table."""


def refused_nodes(folder: Path, case: Case) -> None:
    """A table of nodes is refused, with `EDGES` or the case's own edges."""
    nodes, says, options = case
    given: dict[str, Any] = {key: value or None for key, value in options.items()}
    write(folder, nodes, given.pop("edges", EDGES))
    refused(folder, says, **given)


def refused_edges(folder: Path, case: Case) -> None:
    """A table of edges is refused, with `NODES` or the case's own nodes."""
    edges, says, options = case
    given: dict[str, Any] = dict(options)
    write(folder, given.pop("nodes", NODES), edges)
    refused(folder, says, **given)


def _files_of(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in files}
