"""The column that holds the class of each node."""

import numpy as np

from l2p_search.data.sources.table import Table, listed, quoted
from l2p_search.data.sources.table_columns import read_column, text_values
from l2p_search.data.sources.table_names import KINDS, LABELS, usual
from l2p_search.errors import DataError, argument

_FEW_CLASSES = 20


def find_label(table: Table, label: str | None) -> str:
    """The column of classes: the one that is named, or the only one with a usual name.

    Args:
        table: The table of nodes.
        label: A column's name, or None to look for label, labels, y, class or target, or the
            kinds of nodes that Neo4j and Neptune write.

    Returns:
        The column's name.

    Raises:
        DataError: There is no such column, or there are several.

    Example:
        >>> find_label(Table("nodes.csv", {"id": [], "Label": []}, 0, str), None)
        'Label'
    """
    if label is not None:
        return table.checked(label, argument("label"))
    found = usual(table.arrays, LABELS) or [
        name for name in usual(table.arrays, KINDS) if len(table.arrays[name].unique()) > 1
    ]
    if len(found) == 1:
        return found[0]
    if found:
        raise table.error(
            f"{listed(found)} may all be the class; name one with {argument('label')}"
        )
    if not table.arrays:
        raise table.error(
            f"has no {table.word}s, so no class; add one and name it with {argument('label')}"
        )
    raise table.error(
        f"which {table.word} is the class? Name it with {argument('label')}:"
        f" {listed(list(table.arrays), 20)}"
    )


def label_if_any(table: Table, label: str | None) -> str | None:
    """The column that `find_label` would find; None where there is none to find."""
    try:
        return find_label(table, label)
    except DataError:
        return None


def labels_if_any(table: Table, name: str | None) -> np.ndarray | None:
    """What `read_labels` would read; None where the column holds no classes to learn."""
    try:
        return None if name is None else read_labels(table, name)[0]
    except DataError:
        return None


def read_labels(table: Table, name: str) -> tuple[np.ndarray, list[str]]:
    """The class of each node.

    Args:
        table: The table of nodes.
        name: The column of classes.

    Returns:
        [N] whole numbers, booleans, numbers or text; a missing one is NaN or None. And notes.

    Raises:
        DataError: The column holds no classes, one class, or a different value in most rows.

    Example:
        >>> import pyarrow as pa
        >>> table = Table("nodes.csv", {"club": pa.array(["a", "b", "", "a"])}, 4, str)
        >>> labels, notes = read_labels(table, "club")
        >>> labels.tolist(), notes
        (['a', 'b', None, 'a'], ["1 of 4 nodes has no 'club' and counts as unlabelled"])
    """
    column = read_column(table, name, strict=False)
    if column.kind in ("lists", "other"):
        raise table.error(
            "holds lists or records, not one class per node; give a column with one value per row",
            column=name,
        )
    if column.kind == "empty":
        raise table.error("is empty in every row; name the column of classes", column=name)
    values = column.values
    # Booleans with gaps were read as numbers; as text they keep their names.
    if column.kind in ("text", "time") or _are_words(table, name):
        values = text_values(table.arrays[name])
    missing = _missing(values)
    _check_classes(table, name, values, missing)
    count = int(missing.sum())
    if not count:
        return values, []
    verb = "has" if count == 1 else "have"
    unlabelled = "counts" if count == 1 else "count"
    return values, [
        f"{count:,} of {len(values):,} nodes {verb} no {quoted(name)} and {unlabelled} as"
        " unlabelled"
    ]


def _are_words(table: Table, name: str) -> bool:
    """Whether values with gaps are booleans, or the words that stand for missing numbers."""
    values = text_values(table.arrays[name])
    given = {value for value in values if value is not None}
    return None in values and {value.lower() for value in given} <= {"true", "false"}


def _missing(values: np.ndarray) -> np.ndarray:
    if values.dtype == object:
        return np.array([value is None for value in values])
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)


def _check_classes(table: Table, name: str, values: np.ndarray, missing: np.ndarray) -> None:
    given = values[~missing]
    if given.dtype.kind == "f" and np.isinf(given).any():
        row = int(np.isinf(values).argmax())
        raise table.error(f"{values[row]} is no class; correct it", column=name, row=row)
    classes = set(given.tolist())
    if len(classes) == 1:
        raise table.error(
            f"every node is of the class {quoted(next(iter(classes)))}; two classes are needed",
            column=name,
        )
    if len(classes) > max(_FEW_CLASSES, len(given) // 2):
        row = int((~missing).argmax())
        raise table.error(
            f"has {len(classes):,} different values (here {quoted(values[row])}) in"
            f" {len(given):,} nodes, so it is no class; name another column with"
            f" {argument('label')}, or"
            " group its values",
            column=name,
            row=row,
        )
    if given.dtype.kind == "f" and (given != np.floor(given)).any():
        row = int((~missing & (values != np.floor(values))).argmax())
        raise table.error(
            f"{values[row]:g} is no class; give whole numbers or names (this tool classifies, it"
            " does no regression)",
            column=name,
            row=row,
        )
