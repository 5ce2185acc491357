"""A graph of four people as two tables, written to a folder and read from it."""

from pathlib import Path
from typing import Any

from l2p_search.data.raw import RawGraph
from l2p_search.data.sources.tables import read_tables

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
