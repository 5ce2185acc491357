"""What a column holds: whole numbers, numbers, booleans, text, lists or times."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from l2p_search.data.sources.table import Table, quoted
from l2p_search.data.sources.written_lists import written_lists

Kind = Literal["integer", "number", "boolean", "text", "lists", "time", "empty", "other"]

MISSING_TEXT = ("", "nan", "NaN", "null", "NULL", "<NA>")
"""What stands for a missing value in any column."""

MISSING_NUMBER = (*MISSING_TEXT, "NA", "N/A", "n/a", "na", "#N/A", "None", "none", "?", "-")
"""What stands for a missing value among numbers; among words, these are words."""

_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
_DECIMAL_COMMA = r"^[+-]?\d*,\d+$"
_MOSTLY = 0.9
"""From this share of numbers on, a value that is none is taken for a mistake."""


@dataclass(frozen=True, eq=False)
class Column:
    """The values of a column, of one kind.

    Attributes:
        name: The column's name.
        kind: What it holds.
        values: By kind: int64; float64 with NaN where missing; bool; text (dtype object) with
            None where missing; lists, in a pyarrow array or a Python list; datetime64.
    """

    name: str
    kind: Kind
    values: Any


def read_column(table: Table, name: str, *, strict: bool = True) -> Column:
    """The column with its kind: text that holds numbers or booleans becomes these.

    Args:
        table: The table.
        name: One of its columns.
        strict: Whether a few words among many numbers are an error; else the column is text.

    Returns:
        The column. Booleans and whole numbers with missing values become numbers with NaN.

    Raises:
        DataError: A value among numbers is none, or is infinite.

    Example:
        >>> import pyarrow as pa
        >>> table = Table("nodes.csv", {"age": pa.array(["31", "", "7.5"])}, 3, str)
        >>> column = read_column(table, "age")
        >>> column.kind, column.values.tolist()
        ('number', [31.0, nan, 7.5])
    """
    column: Column = table.read.get(name) or _parsed(name, table.arrays[name])
    table.read[name] = column
    if strict and column.kind == "number":
        _refuse_infinity(table, column)
    if strict and column.kind == "text":
        _refuse_a_few_words(table, name)
    return column


def text_values(array: Any) -> np.ndarray:
    """The values as text (dtype object), with None where there is none.

    Args:
        array: A pyarrow array of text, numbers, booleans or times.

    Returns:
        [N] values.

    Example:
        >>> import pyarrow as pa
        >>> text_values(pa.array(["a", "", "nan"])).tolist()
        ['a', None, None]
    """
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.compute as pc  # type: ignore[import-untyped]

    array = array.cast(pa.large_string())
    missing = pc.is_in(array, pa.array(MISSING_TEXT, pa.large_string()))
    return _numpy(pc.if_else(missing, None, array))


def _numpy(array: Any) -> np.ndarray:
    """A copy that can be written to, as torch wants it."""
    return np.array(array.to_numpy(zero_copy_only=False))


def _parsed(name: str, array: Any) -> Column:
    import pyarrow as pa
    from pyarrow import types

    kind = array.type
    if array.null_count == len(array):
        return Column(name, "empty", None)
    if types.is_large_string(kind) or types.is_string(kind):
        return _from_text(name, array)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return Column(name, "lists", array)
    if types.is_date(kind) or types.is_timestamp(kind):
        return Column(name, "time", _numpy(array.cast(pa.timestamp("us"))))
    if types.is_boolean(kind) and array.null_count == 0:
        return Column(name, "boolean", _numpy(array))
    if types.is_integer(kind) and array.null_count == 0 and kind != pa.uint64():
        return Column(name, "integer", _numpy(array.cast(pa.int64())))
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return _numbers(name, array.cast(pa.float64(), safe=False))
    if types.is_boolean(kind):
        return _numbers(name, array.cast(pa.int8()).cast(pa.float64()))
    return Column(name, "other", None)


def _from_text(name: str, array: Any) -> Column:
    import pyarrow as pa

    known = _known(array)
    if known.null_count == len(known):
        words = text_values(array)
        return Column(name, "text" if any(words) else "empty", words)
    is_true = _booleans(known)
    if is_true is not None:
        if known.null_count == 0:
            return Column(name, "boolean", _numpy(is_true))
        return _numbers(name, is_true.cast(pa.int8()).cast(pa.float64()))
    try:
        whole = known.cast(pa.int64())
    except pa.ArrowInvalid:
        pass
    else:
        if whole.null_count == 0:
            return Column(name, "integer", _numpy(whole))
    try:
        return _numbers(name, known.cast(pa.float64()))
    except pa.ArrowInvalid:
        pass
    lists = written_lists(name, text_values(array))
    if lists is not None:
        return Column(name, "lists", lists)
    return Column(name, "text", text_values(array))


def _booleans(known: Any) -> Any:
    """The booleans that text stands for, in any case; None if it stands for something else."""
    import pyarrow as pa
    import pyarrow.compute as pc

    words = pa.array(["true", "false"], pa.large_string())
    first = known[pc.index(known.is_valid(), True).as_py()].as_py()
    if first.lower() not in ("true", "false"):  # spares large columns of numbers the rest
        return None
    lowered = pc.utf8_lower(known)
    all_words = pc.all(pc.is_in(lowered.drop_null(), words)).as_py()
    return pc.equal(lowered, "true") if all_words else None


def _numbers(name: str, array: Any) -> Column:
    values = _numpy(array)
    return Column(name, "empty" if np.isnan(values).all() else "number", values)


def _known(array: Any) -> Any:
    """Text, and null where it stands for a missing number."""
    import pyarrow as pa
    import pyarrow.compute as pc

    array = array.cast(pa.large_string())
    missing = pc.is_in(array, pa.array(MISSING_NUMBER, pa.large_string()))
    return pc.if_else(missing, None, array)


def _refuse_infinity(table: Table, column: Column) -> None:
    infinite = np.isinf(column.values)
    if infinite.any():
        row = int(infinite.argmax())
        raise table.error(
            f"{column.values[row]} is not a finite number{_more(int(infinite.sum()))}; correct it,"
            f" or leave out the {table.word}",
            column=column.name,
            row=row,
        )


def _refuse_a_few_words(table: Table, name: str) -> None:
    """Refuse a column of numbers in which some value is none."""
    import pyarrow.compute as pc

    known = _known(table.arrays[name])
    given = len(known) - known.null_count
    is_number = pc.match_substring_regex(known, _NUMBER).fill_null(True)
    row = pc.index(is_number, False).as_py()
    numbers = pc.sum(is_number).as_py() - known.null_count
    commas = pc.sum(pc.match_substring_regex(known, _DECIMAL_COMMA)).as_py()
    if commas and commas + numbers == given:
        raise table.error(
            f"{quoted(known[row])} has a decimal comma; write numbers with a point",
            column=name,
            row=row,
        )
    if row >= 0 and numbers >= _MOSTLY * given:
        raise table.error(
            f"{quoted(known[row])} is not a number, as most others are{_more(given - numbers)};"
            f" correct it, or leave out the {table.word}",
            column=name,
            row=row,
        )


def _more(count: int) -> str:
    return f" ({count:,} such values in all)" if count > 1 else ""
