"""Tables of nodes and edges (CSV, Parquet, or an edge list) as a RawGraph."""

from collections.abc import Callable, Sequence
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
from l2p_search.data.sources.table_ids import find_ids, read_ids, written_ids
from l2p_search.data.sources.table_labels import find_label, label_if_any
from l2p_search.errors import DataError, argument, cut
from l2p_search.whole_file import is_path


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
    return join_tables(
        read_table(files.nodes),
        read_table(files.edges, header=False),
        name=nodes.resolve().name.split(".")[0],
        source=str(nodes),
        called=(files.nodes.name, files.edges.name),
        ignored=[path.name for path in files.ignored],
        label=label,
        id=id,
        ends=(source, target),
        features=features,
        split=split,
        weight=weight,
        with_masks=with_masks,
        labelled=labelled,
        files=lambda ids, rows: (
            _file_reader(nodes, ids, rows),
            _default_features(files, features, ids, rows),
        ),
    )


def join_tables(
    nodes: Table,
    edges: Table,
    *,
    name: str,
    source: str,
    called: tuple[str, str],
    ignored: Sequence[str] = (),
    label: str | None,
    id: str | None,  # noqa: A002 - the name of the option
    ends: tuple[str | None, str | None],
    features: str | Sequence[str] | None,
    split: str | None,
    weight: str | None,
    with_masks: bool = True,
    labelled: bool = True,
    files: Callable[[Any, int], tuple[ReadFile | None, FeatureBlocks | None]] | None = None,
) -> RawGraph:
    """A graph from both of its tables.

    Args:
        nodes: The table of nodes.
        edges: The table of edges.
        name: What the graph is called.
        source: What error messages call it.
        called: What both tables are called in its description.
        ignored: Tables beside them that were not read.
        label: As in `read_tables`; so are the others that are called alike.
        id: The column that identifies nodes.
        ends: The two columns of the edge table that name nodes.
        features: The columns of features.
        split: The columns of splits.
        weight: The column of weights.
        with_masks: Whether to read the table's own splits.
        labelled: Whether there have to be classes.
        files: Given the ids and the number of nodes, what reads a file of features and what is
            read when none is named.

    Returns:
        The graph.

    Raises:
        DataError: A value cannot be used; the message names table, column and row.
    """
    label_name = find_label(nodes, label) if labelled else label_if_any(nodes, label)
    columns = find_ends(edges, *ends)
    named = [read_ids(edges, column) for column in columns]
    texts = [written_ids(edges, column) for column in columns]
    id_name = find_ids(nodes, named, label_name, id, written=texts)
    ids = None if id_name is None else _unique_ids(nodes, id_name)
    written = None if id_name is None else (texts, written_ids(nodes, id_name))
    pairs = edge_positions(edges, columns, named, nodes, ids, written=written)
    weights, weight_notes = read_weights(edges, weight, columns)
    read_file, default = (None, None) if files is None else files(ids, nodes.num_rows)
    found = read_nodes(
        nodes,
        label_name,
        ids=() if id_name is None else (id_name,),
        features=features,
        split=split,
        with_masks=with_masks,
        labelled=labelled,
        read_file=read_file,
        default=default,
    )
    return RawGraph(
        name=name,
        source=source,
        num_nodes=nodes.num_rows,
        edges=pairs,
        labels=found.labels,
        x=found.x,
        weights=weights,
        node_ids=None if ids is None else np.array(ids.to_numpy(zero_copy_only=False)),
        feature_names=found.feature_names,
        label_name=label_name,
        masks=found.masks,
        columns=found.columns,
        notes=(*_about_ids(called, ignored, columns, id_name), *weight_notes, *found.notes),
    )


def _files(nodes: Path, edges: Path | None, label: str | None) -> TableFiles:
    if edges is not None and not is_path(edges):
        raise DataError(
            f"{argument('edges')}: {cut(str(edges))} is no path; name the table of edges"
        )
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
        if not is_path(Path(name)):
            return None  # nor is it a column, as will be said
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


def _about_ids(
    called: tuple[str, str],
    ignored: Sequence[str],
    columns: tuple[str, str],
    id_name: str | None,
) -> list[str]:
    source, target = columns
    where = (
        "ids are numbers of rows" if id_name is None else f"ids are in column {quoted(id_name)}"
    )
    notes = [
        f"nodes from {called[0]}, where {where}",
        f"edges from {called[1]}, from column {quoted(source)} to {quoted(target)}",
    ]
    if ignored:
        notes.append(f"{listed(list(ignored))} was not read")
    return notes
