"""Columns of a node table as features: numbers as they are, few-valued text one-hot."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import csr_array, hstack

from l2p_search.data.sources.table import Table, listed
from l2p_search.data.sources.table_columns import Column, read_column
from l2p_search.data.sources.table_names import looks_like_an_id
from l2p_search.data.sources.word_lists import Lists, features_of, lists_of
from l2p_search.errors import DataError

_FEW_VALUES = 20
_MOST_MISSING = 0.5


@dataclass(eq=False)
class FeatureBlocks:
    """Features gathered column by column.

    Attributes:
        blocks: Matrices [N, F_i], dense or sparse.
        names: A name for each of the features.
        notes: What was done, one sentence each.
    """

    blocks: list[Any] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, block: Any, names: Sequence[str]) -> None:
        """Append a matrix [N, F_i] with its names."""
        self.blocks.append(block)
        self.names.extend(names)

    @property
    def x(self) -> np.ndarray | csr_array | None:
        """All features [N, F]: sparse if a block is, None if there are none."""
        if not self.blocks:
            return None
        if any(isinstance(block, csr_array) for block in self.blocks):
            return csr_array(hstack(self.blocks, format="csr"))
        return np.concatenate(self.blocks, axis=1)


def column_features(table: Table, names: Sequence[str], *, chosen: bool) -> FeatureBlocks:
    """The features in some columns of a table.

    Numbers stay as they are; booleans become 0 and 1; text of at most 20 different values (and
    fewer than half of the rows) is one-hot encoded; lists become bags of words or vectors. A
    missing number becomes the mean of its column; missing text is 0 in all of its columns.

    Args:
        table: The table of nodes.
        names: The columns.
        chosen: Whether the user named them. If not, columns that are of no use are left out
            with a note: identifiers, texts of many values, times, and mostly empty ones. If so,
            they are errors, but for identifiers, which are taken.

    Returns:
        The features with their names and notes.

    Raises:
        DataError: A value cannot be used, or a chosen column cannot.

    Example:
        >>> import pyarrow as pa
        >>> ages, places = pa.array([31, 7, 8, 8, 7]), pa.array(["a", "b", "a", "a", "b"])
        >>> table = Table("nodes.csv", {"age": ages, "place": places}, 5, str)
        >>> features = column_features(table, ["age", "place"], chosen=False)
        >>> features.names, features.x.shape
        (['age', 'place=a', 'place=b'], (5, 3))
    """
    found = FeatureBlocks()
    left_out: dict[str, list[str]] = {}
    one_hot: list[str] = []
    filled: list[str] = []
    for name in names:
        column = read_column(table, name)
        why = _of_no_use(column, chosen)
        if why and chosen:
            raise table.error(f"{why}, so it cannot be a feature; leave it out", column=name)
        if why:
            left_out.setdefault(why, []).append(name)
        elif column.kind == "text":
            found.add(*_one_hot(column))
            one_hot.append(name)
        elif column.kind == "lists":
            _add_lists(table, name, column, found)
        else:
            values = np.asarray(column.values, dtype=np.float64)
            missing = np.isnan(values)
            if missing.any():
                filled.append(f"{name} ({int(missing.sum()):,})")
                values = np.where(missing, values[~missing].mean(), values)
            found.add(values[:, None], [name])
    word = table.word
    if one_hot:
        found.notes.append(f"{_count(one_hot, f'text {word}')} one-hot encoded: {listed(one_hot)}")
    if filled:
        found.notes.append(f"missing numbers were filled with the mean: {', '.join(filled)}")
    for why, columns in left_out.items():
        found.notes.append(f"{_count(columns, word)} left out ({why}): {listed(columns)}")
    return found


def _of_no_use(column: Column, chosen: bool) -> str | None:
    """Why the column is no feature, or None if it is one."""
    if column.kind == "empty":
        return "no values"
    if column.kind == "time":
        return "a time, for splits by temporal:COLUMN"
    if column.kind == "other":
        return "neither numbers, text nor lists"
    if column.kind == "integer" and not chosen and _is_identifier(column):
        return "looks like an identifier"
    if column.kind == "number" and np.isnan(column.values).mean() > _MOST_MISSING:
        return "most values are missing"
    if column.kind == "text":
        values = {value for value in column.values if value is not None}
        many = not chosen and len(values) >= len(column.values) / 2
        if many or len(values) > _FEW_VALUES:
            return "text with many different values"
    return None


def _is_identifier(column: Column) -> bool:
    """Different whole numbers, called like an id or counting through the rows."""
    values = column.values
    different = np.unique(values)
    if len(different) < max(len(values), 2):
        return False
    return looks_like_an_id(column.name) or int(different[-1] - different[0]) == len(values) - 1


def _one_hot(column: Column) -> tuple[np.ndarray, list[str]]:
    values = sorted({value for value in column.values if value is not None})
    block = np.stack([column.values == value for value in values], axis=1)
    return block.astype(np.float64), [f"{column.name}={value}" for value in values]


def _add_lists(table: Table, name: str, column: Column, found: FeatureBlocks) -> None:
    def refuse(message: str, row: int | None) -> DataError:
        return table.error(message, column=name, row=row)

    features = features_of(_lists(column.values, refuse), name, refuse)
    found.add(features.x, features.names)
    found.notes.append(features.note)


def _lists(array: Any, refuse: Any) -> Lists:
    """A column of lists as `Lists`; from pyarrow, without a loop over rows where types allow."""
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.compute as pc  # type: ignore[import-untyped]

    if isinstance(array, list):
        return lists_of(array, refuse)
    flat = pc.list_flatten(array)
    number = pa.types.is_integer(flat.type) or pa.types.is_floating(flat.type)
    if not number or flat.null_count:
        return lists_of(array.to_pylist(), refuse)
    lengths = pc.fill_null(pc.list_value_length(array), 0).to_numpy(zero_copy_only=False)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    if pa.types.is_floating(flat.type):
        return Lists(flat.cast(pa.float64()).to_numpy(zero_copy_only=False), starts)
    # A number beyond int64 stays absurd when it is wrapped around to a negative one.
    return Lists(flat.cast(pa.int64(), safe=False).to_numpy(zero_copy_only=False), starts)


def _count(names: Sequence[str], word: str) -> str:
    return f"1 {word} was" if len(names) == 1 else f"{len(names)} {word}s were"
