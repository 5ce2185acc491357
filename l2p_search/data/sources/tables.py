"""Tables of nodes and edges (CSV, Parquet, or an edge list) as a RawGraph."""

from pathlib import Path
from typing import Any

import numpy as np

from l2p_search.data.raw import RawGraph
from l2p_search.data.sources.list_files import list_features
from l2p_search.data.sources.node_columns import ReadFile, read_nodes
from l2p_search.data.sources.table import Table, listed, quoted
from l2p_search.data.sources.table_edges import edge_positions, find_ends, read_weights
from l2p_search.data.sources.table_features import FeatureBlocks
from l2p_search.data.sources.table_files import read_table
from l2p_search.data.sources.table_folders import TableFiles, find_tables
from l2p_search.data.sources.table_ids import find_ids, read_ids
from l2p_search.data.sources.table_labels import find_label, label_if_any
from l2p_search.errors import DataError, argument


def read_tables(
    nodes: Path,
    *,
    edges: Path | None = None,
    label: str | None = None,
    id: str | None = None,  # noqa: A002 - the name of the option
    source: str | None = None,
    target: str | None = None,
    features: str | None = None,
    split: str | None = None,
    weight: str | None = None,
    with_masks: bool = True,
    labelled: bool = True,
) -> RawGraph:
    r"""A graph from a table of nodes and a table of edges.

    Args:
        nodes: The table of nodes, CSV or Parquet, or a folder that holds both tables.
        edges: The table of edges, CSV or Parquet, or an edge list as SNAP has them: two whole
            numbers per line and comments that begin with #. In a folder it is found.
        label: The column of classes. Found if it is called label, labels, y, class or target.
        id: The column that identifies nodes. Found by its name and by the ends of the edges;
            without one, rows are numbered from 0 on.
        source: The first column of the edge table that names nodes. Usual names are found.
        target: The second one.
        features: Columns, or a JSON file of lists, with commas between them. Without it, all
            columns of use; in a folder with a JSON file of features, that file alone.
        split: The column with values train, val and test; several with commas between them.
        weight: The column of the edge table with weights. Found if it is called weight.
        with_masks: Whether to read the table's own splits; their columns are no features anyway.
        labelled: Whether there have to be classes; without, the column may be empty or missing.

    Returns:
        The graph, with a note for each decision. `x` is [N, F], `edges` [2, E].

    Raises:
        DataError: A file or a value cannot be used; the message names file, column and row.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder)
        ...     _ = (path / "edges.csv").write_text("source,target\nann,bob\nbob,cy\n")
        ...     _ = (path / "nodes.csv").write_text(
        ...         "id,age,club\nann,31,chess\nbob,7,go\ncy,64,go\n"
        ...     )
        ...     graph = read_tables(path, label="club")
        >>> graph.edges.tolist(), graph.labels.tolist(), graph.x.tolist()
        ([[0, 1], [1, 2]], ['chess', 'go', 'go'], [[31.0], [7.0], [64.0]])
    """
    files = _files(nodes, edges, label)
    node_table = read_table(files.nodes)
    edge_table = read_table(files.edges, header=False)
    label_name = find_label(node_table, label) if labelled else label_if_any(node_table, label)
    columns = find_ends(edge_table, source, target)
    ends = [read_ids(edge_table, name) for name in columns]
    id_name = find_ids(node_table, ends, label_name, id)
    ids = None if id_name is None else _unique_ids(node_table, id_name)
    pairs = edge_positions(edge_table, columns, ends, node_table, ids)
    weights, weight_notes = read_weights(edge_table, weight)
    found = read_nodes(
        node_table,
        label_name,
        ids=() if id_name is None else (id_name,),
        features=features,
        split=split,
        with_masks=with_masks,
        labelled=labelled,
        read_file=_file_reader(nodes, ids, node_table.num_rows),
        default=_default_features(files, features, ids, node_table.num_rows),
    )
    return RawGraph(
        name=nodes.resolve().name.split(".")[0],
        source=str(nodes),
        num_nodes=node_table.num_rows,
        edges=pairs,
        labels=found.labels,
        x=found.x,
        weights=weights,
        node_ids=None if ids is None else np.array(ids.to_numpy(zero_copy_only=False)),
        feature_names=found.feature_names,
        label_name=label_name,
        masks=found.masks,
        columns=found.columns,
        notes=(*_about_ids(files, columns, id_name), *weight_notes, *found.notes),
    )


def _files(nodes: Path, edges: Path | None, label: str | None) -> TableFiles:
    if nodes.is_dir():
        return find_tables(nodes, edges, label)
    if edges is None and nodes.exists():
        raise DataError(
            f"{nodes}: is a table of nodes, and the edges are missing; name their table with"
            f" {argument('edges')}, or give the folder that holds both"
        )
    return TableFiles(nodes, nodes if edges is None else edges)


def _unique_ids(table: Table, name: str) -> Any:
    """The ids of the nodes, after a check that no two are alike."""
    ids = read_ids(table, name)
    if len(ids.unique()) == len(ids):
        return ids
    first: dict[Any, int] = {}
    for row, value in enumerate(ids.to_pylist()):
        if value in first:
            raise table.error(
                f"the id {quoted(value)} is also in {table.place(first[value])}; keep one of both"
                f" rows, or name another column with {argument('id')}",
                column=name,
                row=row,
            )
        first[value] = row
    raise AssertionError(name)


def _file_reader(nodes: Path, ids: Any, num_nodes: int) -> ReadFile:
    """Reads the files that `--features` names, from here or from beside the nodes."""
    folder = nodes if nodes.is_dir() else nodes.parent

    def read(name: str) -> FeatureBlocks | None:
        for path in (Path(name), folder / name):
            if path.is_file():
                return list_features(path, ids, num_nodes)
        if name.lower().endswith((".json", ".json.gz")):
            return list_features(folder / name, ids, num_nodes)  # says that it is missing
        return None

    return read


def _default_features(
    files: TableFiles, features: str | None, ids: Any, num_nodes: int
) -> FeatureBlocks | None:
    if features is not None or files.features is None:
        return None
    return list_features(files.features, ids, num_nodes)


def _about_ids(files: TableFiles, columns: tuple[str, str], id_name: str | None) -> list[str]:
    source, target = columns
    where = (
        "ids are numbers of rows" if id_name is None else f"ids are in column {quoted(id_name)}"
    )
    notes = [
        f"nodes from {files.nodes.name}, where {where}",
        f"edges from {files.edges.name}, from column {quoted(source)} to {quoted(target)}",
    ]
    if files.ignored:
        notes.append(f"{listed([path.name for path in files.ignored])} was not read")
    return notes
