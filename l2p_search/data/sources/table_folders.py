"""Which files of a folder hold the nodes, the edges and the features."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from l2p_search.data.sources.table import listed
from l2p_search.data.sources.table_files import column_names
from l2p_search.data.sources.table_names import ENDS, KINDS, LABELS, plain, untyped, usual
from l2p_search.errors import DataError, argument, either

_TABLES = (".csv", ".tsv", ".tab", ".parquet", ".pq", ".csv.gz", ".tsv.gz")
_EDGES = ("edge", "link", "relationship", "relation", "connection")
_NODES = ("node", "vertices", "vertex", "target")


@dataclass(frozen=True)
class TableFiles:
    """The files of one graph, and the tables of the folder that were not read."""

    nodes: Path
    edges: Path
    features: Path | None = None
    ignored: tuple[Path, ...] = ()


def find_tables(folder: Path, edges: Path | None, label: str | None) -> TableFiles:
    r"""The files of a folder that belong together, by their names and columns.

    Args:
        folder: It holds an edge table, a node table, and perhaps a JSON file of features.
        edges: The edge table if the user named it.
        label: The column of classes if the user named it: the node table has it.

    Returns:
        The files.

    Raises:
        DataError: A table is missing, or several may be the one.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as name:
        ...     _ = (Path(name) / "links.csv").write_text("from,to\n1,2\n")
        ...     _ = (Path(name) / "people.csv").write_text("id,label\n1,a\n2,b\n")
        ...     found = find_tables(Path(name), None, None)
        >>> found.nodes.name, found.edges.name
        ('people.csv', 'links.csv')
    """
    files = sorted(path for path in folder.iterdir() if path.is_file())
    tables = [path for path in files if path.name.lower().endswith(_TABLES)]
    if not tables:
        raise DataError(
            f"{folder}: has no table of nodes or edges (.csv, .tsv or .parquet); name the files"
        )
    if edges is None:
        edges = _edge_table(folder, tables)
    others = [path for path in tables if path != edges]
    nodes = _node_table(folder, others, label)
    ignored = tuple(path for path in others if path != nodes)
    return TableFiles(nodes, edges, _features(folder, files), ignored)


def _edge_table(folder: Path, tables: Sequence[Path]) -> Path:
    found = [path for path in tables if _is_called(path, _EDGES)]
    if not found:
        found = [path for path in tables if _has_ends(path)]
    if len(found) == 1:
        return found[0]
    if found:
        raise DataError(
            f"{folder}: {_names(found)} may all be the edges; name one with {argument('edges')}"
        )
    raise DataError(
        f"{folder}: none of {_names(tables)} looks like the edges; name the file with"
        f" {argument('edges')}"
    )


def _node_table(folder: Path, tables: Sequence[Path], label: str | None) -> Path:
    if not tables:
        raise DataError(f"{folder}: has a table of edges and none of nodes; add one with a class")
    found = list(tables)
    by_name = [path for path in found if _is_called(path, _NODES)]
    if len(found) > 1:
        labelled = [path for path in found if _has_label(path, label)]
        found = labelled or found
    if len(found) > 1:
        found = [path for path in found if path in by_name] or found
    if len(found) == 1:
        return found[0]
    raise DataError(
        f"{folder}: {_names(found)} may all be the nodes; name one as"
        f" {either('source', '--dataset')}, with {argument('edges')}"
    )


def _features(folder: Path, files: Sequence[Path]) -> Path | None:
    """The JSON file of features: the one that says so in its name."""
    found = [path for path in files if path.name.lower().endswith((".json", ".json.gz"))]
    found = [path for path in found if _is_called(path, ("feat", "words", "attr"))]
    if len(found) > 1:
        raise DataError(
            f"{folder}: {_names(found)} may all be the features; name one with"
            f" {argument('features')}"
        )
    return found[0] if found else None


def _is_called(path: Path, words: Sequence[str]) -> bool:
    return any(word in path.name.lower() for word in words)


def _has_ends(path: Path) -> bool:
    names = {plain(name) for name in column_names(path)}
    return any(source in names and target in names for source, target in ENDS)


def _has_label(path: Path, label: str | None) -> bool:
    names = column_names(path)
    if label is not None:
        return label in names or label in map(untyped, names)
    return bool(usual(names, LABELS) or usual(names, KINDS))


def _names(paths: Sequence[Path]) -> str:
    return listed([path.name for path in paths])
