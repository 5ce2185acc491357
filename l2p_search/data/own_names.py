"""What a graph of one's own is called: after its file, or after the folder of `nodes.csv`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

_GENERIC = frozenset({"nodes", "edges", "graph", "data"})
"""Names of files that say nothing of which graph they hold."""
_LONGEST = 60
"""Characters of a folder's name that is taken: searches are called after it."""


def own_name(path: Path) -> str:
    """What the graph in a file is called.

    Args:
        path: The file; it need not exist.

    Returns:
        The file's name up to its first dot; for one that says nothing, such as nodes.csv, the name
        of its folder, unless that says nothing either.

    Example:
        >>> own_name(Path("town/nodes.csv")), own_name(Path("town/karate.pt"))
        ('town', 'karate')
    """
    stem, folder = _stem(path), path.absolute().parent.name
    said = folder and folder.lower() not in _GENERIC and len(folder) <= _LONGEST
    if stem.lower() in _GENERIC and said and folder.isprintable() and not folder.startswith("."):
        return folder
    return stem


def earlier_name(request: Mapping[str, Any] | None) -> str | None:
    """What earlier versions called a graph, where that is another name: that of its file.

    Args:
        request: The arguments of `load_graph` that read it, as `About.request` has them.

    Returns:
        The name; None where it is the same now, or where the caller named the graph.

    Example:
        >>> earlier_name({"source": "/my/town/nodes.csv"}), earlier_name({"source": "demo"})
        ('nodes', None)
    """
    if request is None or "name" in request:
        return None
    path = Path(str(request["source"]))
    return _stem(path) if path.suffix and own_name(path) != _stem(path) else None


def _stem(path: Path) -> str:
    return path.name.split(".")[0]
