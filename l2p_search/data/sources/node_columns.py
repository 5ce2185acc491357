"""What a table of nodes says: classes, features, splits, and columns for later."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from l2p_search.data.sources.table import Table, listed, quoted
from l2p_search.data.sources.table_columns import read_column
from l2p_search.data.sources.table_features import FeatureBlocks, column_features
from l2p_search.data.sources.table_labels import labels_if_any, read_labels
from l2p_search.data.sources.table_splits import Masks, read_splits
from l2p_search.errors import argument

ReadFile = Callable[[str], FeatureBlocks | None]
"""The features in a file that `--features` names; None if there is no such file."""


@dataclass(frozen=True, eq=False)
class NodeColumns:
    """The parts of a RawGraph that come from a table of nodes; shapes as there."""

    labels: np.ndarray | None
    x: np.ndarray | csr_array | None
    feature_names: tuple[str, ...] | None
    masks: Masks | None
    columns: Mapping[str, np.ndarray]
    notes: tuple[str, ...]


def read_nodes(
    table: Table,
    label: str | None,
    *,
    ids: Sequence[str],
    features: str | Sequence[str] | None,
    split: str | None,
    with_masks: bool = True,
    labelled: bool = True,
    read_file: ReadFile | None = None,
    default: FeatureBlocks | None = None,
) -> NodeColumns:
    """Classes, features and splits in a table of nodes.

    Args:
        table: The table.
        label: The column of classes; it is never a feature. None where it may be missing.
        ids: The columns that identify nodes; neither are they.
        features: Columns and files with commas between them; None takes every column of use.
        split: As in `read_splits`; so is `with_masks`.
        with_masks: Whether to read the splits that the table has.
        labelled: Whether there have to be classes.
        read_file: Reads a file that `features` names.
        default: Features that take the place of the columns when `features` names none.

    Returns:
        The parts of the graph.

    Raises:
        DataError: A column is missing or cannot be used.

    Example:
        >>> import pyarrow as pa
        >>> columns = {"club": pa.array(["a", "b"]), "age": pa.array([30, 50])}
        >>> nodes = read_nodes(
        ...     Table("nodes.csv", columns, 2, str), "club", ids=(), features=None, split=None
        ... )
        >>> nodes.x.tolist(), nodes.feature_names
        ([[30.0], [50.0]], ('age',))
    """
    labels: np.ndarray | None
    if labelled and label is not None:
        labels, notes = read_labels(table, label)
    else:
        labels, notes = labels_if_any(table, label), []
    splits = read_splits(table, split, with_masks=with_masks)
    notes += splits.notes
    taken = {label, *ids, *splits.columns}
    others = [name for name in table.arrays if name not in taken]
    if features is not None:
        found = _chosen(table, features, label, read_file)
    elif default is not None:
        found = default
        if others:
            found.notes.append(
                f"{table.word}s not used, because a file has the features: {listed(others)}"
                " (--features FILE,COLUMN takes both)"
            )
    else:
        found = column_features(table, others, chosen=False)
    notes += found.notes
    if found.x is None:
        notes.append("no features were found")
    return NodeColumns(
        labels=labels,
        x=found.x,
        feature_names=tuple(found.names) or None,
        masks=splits.masks,
        columns=_columns(table, others),
        notes=tuple(notes),
    )


def _chosen(
    table: Table, features: str | Sequence[str], label: str | None, read_file: ReadFile | None
) -> FeatureBlocks:
    """The features that the user named, in that order: columns, or files of lists."""
    if isinstance(features, str):
        whole = features in table.arrays
        wanted = [features] if whole else [name.strip() for name in features.split(",")]
    else:
        wanted = list(features)
    gathered = FeatureBlocks()
    for place, name in enumerate(wanted):
        if name in wanted[:place]:
            raise table.error(f"{argument('features')} names {quoted(name)} twice; name it once")
        part: FeatureBlocks | None
        column = table.named(name)
        if column is not None and column == label:
            raise table.error("is the class, so it cannot be a feature; leave it out", column=name)
        if column is not None:
            part = column_features(table, [column], chosen=True)
        else:
            part = read_file(name) if read_file is not None else None
        if part is None:
            table.checked(name, argument("features"))
            raise AssertionError(name)
        gathered.blocks += part.blocks
        gathered.names += part.names
        gathered.notes += part.notes
    return gathered


def _columns(table: Table, names: Sequence[str]) -> dict[str, np.ndarray]:
    """The columns that have one value per node."""
    read = (read_column(table, name, strict=False) for name in names)
    return {
        column.name: column.values
        for column in read
        if column.kind in ("integer", "number", "boolean", "text", "time")
    }
