"""From labels of any kind to classes 0..C-1, with -1 for nodes without a label."""

from typing import NamedTuple

import numpy as np

from l2p_search.errors import DataError

_WHAT_MISSING_IS = 'None, NaN or ""'


class Labelling(NamedTuple):
    """Classes [N], what each is called in the source, and one sentence per decision."""

    y: np.ndarray
    class_names: tuple[str, ...]
    changes: tuple[str, ...]


def number_classes(
    source: str, labels: np.ndarray | None, num_nodes: int, label_name: str | None = None
) -> Labelling:
    """Number the classes by the sorted values of their labels.

    Args:
        source: What error messages call the graph.
        labels: [N] ints, bools, strings or whole floats; [N, 1] and one-hot [N, C] too. Missing:
            None, NaN, "", and -1 unless the labels are just -1 and 1.
        num_nodes: N.
        label_name: The column of the labels, for messages.

    Returns:
        The classes, their names, and what was decided.

    Raises:
        DataError: There are no labels or only one class, a label is no class, or every node has a
            class of its own.

    Example:
        >>> found = number_classes("pets", np.array(["dog", "cat", "", "dog"], dtype=object), 4)
        >>> found.y.tolist(), found.class_names, found.changes
        ([1, 0, -1, 1], ('cat', 'dog'), ('1 node has no label',))
    """
    where = f"{source}, column '{label_name}'" if label_name else source
    if labels is None:
        raise DataError(f"{source}: there are no labels; name the column or array of the classes")
    values, changes = _one_per_node(where, np.asarray(labels), num_nodes)
    missing, values = _typed(where, values)
    if values.dtype.kind in "iu":
        minus = values == -1
        known = np.unique(values[~missing])
        if minus.any() and known.tolist() != [-1, 1]:
            missing = missing | minus
    names, y = np.unique(values[~missing], return_inverse=True)
    numbers = np.full(num_nodes, -1, dtype=np.int64)
    numbers[~missing] = y
    unlabelled = int(missing.sum())
    if unlabelled == num_nodes:
        raise DataError(f"{where}: no node has a label; give the classes of some nodes")
    if len(names) == 1:
        raise DataError(
            f"{where}: every labelled node is of class '{names[0]}'; at least two classes are"
            " needed"
        )
    if len(names) == num_nodes - unlabelled > 2:
        raise DataError(
            f"{where}: each of the {len(names)} labelled nodes has a class of its own; these look"
            " like ids: name the column of the classes"
        )
    if unlabelled:
        have = "node has" if unlabelled == 1 else "nodes have"
        changes += (f"{unlabelled:,} {have} no label",)
    return Labelling(numbers, tuple(map(str, names.tolist())), changes)


def as_printed(name: str) -> str:
    r"""The name of a class in one line, without codes that a terminal would obey.

    Example:
        >>> as_printed("red"), as_printed("two\nlines")
        ('red', 'two\\nlines')
    """
    return name if name.isprintable() else name.encode("unicode_escape").decode()


def _one_per_node(
    where: str, labels: np.ndarray, num_nodes: int
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Labels [N] of [N], [N, 1] or one-hot [N, C]."""
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim == 2 and labels.shape[0] == num_nodes and labels.dtype.kind in "biuf":
        if np.isin(labels, (0, 1)).all() and (labels.sum(axis=1) == 1).all():
            return labels.argmax(axis=1), ("one-hot labels were read as classes",)
        raise DataError(
            f"{where}: labels have shape {list(labels.shape)}: several per node; one class per"
            " node is needed"
        )
    if labels.shape != (num_nodes,):
        raise DataError(
            f"{where}: labels have shape {list(labels.shape)} for {num_nodes} nodes; give one per"
            " node"
        )
    return labels, ()


def _typed(where: str, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which labels are missing, and all of them as bools, ints or strings."""
    if labels.dtype.kind == "O":
        missing = np.array([_is_missing(value) for value in labels], dtype=bool)
        given = labels[~missing].tolist()
        if all(isinstance(value, bool | np.bool_) for value in given):
            kind: type = bool
        elif all(isinstance(value, int | np.integer) for value in given):
            kind = int
        elif all(isinstance(value, int | float | np.number) for value in given):
            kind = float
        else:
            kind = str
        typed = np.full(len(labels), kind(), dtype=object)
        typed[~missing] = [kind(value) for value in given]
        try:
            labels = typed.astype(kind)
        except OverflowError:  # integers beyond 64 bits
            labels = typed.astype(str)
    elif labels.dtype.kind in "US":
        if labels.dtype.kind == "S":
            labels = np.char.decode(labels, "utf-8", "replace")
        missing = labels == ""
    else:
        missing = np.zeros(len(labels), dtype=bool)
    if labels.dtype.kind == "f":
        missing = missing | np.isnan(labels)
        whole = missing | (np.isfinite(labels) & (labels == np.floor(labels)))
        whole &= missing | (np.abs(np.where(missing, 0, labels)) < 2**53)
        if not whole.all():
            node = int((~whole).argmax())
            raise DataError(
                f"{where}: the label of node {node} is {labels[node]}, which is no class; give"
                " whole numbers or names (this tool classifies, it does no regression)"
            )
        labels = np.where(missing, 0, labels).astype(np.int64)
    if labels.dtype.kind not in "biuU":
        raise DataError(
            f"{where}: labels have the type {labels.dtype}; give numbers, names, or for missing"
            f" ones {_WHAT_MISSING_IS}"
        )
    return missing, labels


def _is_missing(value: object) -> bool:
    if isinstance(value, str):
        return value == ""
    if isinstance(value, float | np.floating):
        return bool(np.isnan(value))
    return value is None or type(value).__name__ in ("NAType", "NaTType")  # pandas' own
