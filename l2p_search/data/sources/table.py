"""Table: named columns of equal length, and what messages call its rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from l2p_search.data.sources.table_names import untyped
from l2p_search.errors import DataError, did_you_mean


@dataclass(frozen=True, eq=False)
class Table:
    """Columns as read: from a file, or from the attributes of a networkx graph's nodes.

    Attributes:
        source: What messages call the table: its path, or "the networkx graph".
        arrays: The columns by name, as pyarrow arrays of `num_rows` values.
        num_rows: How many rows there are.
        place: What messages call a row (counted from 0): "line 17", "row 16", "node 'Ann'".
        has_header: Whether the columns have names of their own.
        word: What messages call a column.
        read: The columns that were parsed already, by name: text is parsed once.
    """

    source: str
    arrays: Mapping[str, Any]
    num_rows: int
    place: Callable[[int], str]
    has_header: bool = True
    word: str = "column"
    read: dict[str, Any] = field(default_factory=dict)

    def error(
        self, message: str, *, column: str | None = None, row: int | None = None
    ) -> DataError:
        """An error that names the table, and the row and the column where these are given."""
        parts = [self.source]
        if row is not None:
            parts.append(self.place(row))
        if column is not None:
            parts.append(f"{self.word} {quoted(column)}")
        return DataError(f"{', '.join(parts)}: {message}")

    def checked(self, column: str, option: str) -> str:
        """The column's name if the table has it, else an error with the nearest name."""
        found = self.named(column)
        if found is None:
            remedy = did_you_mean(column, self.arrays) if self.arrays else "it has none"
            raise self.error(f"has no {self.word} {quoted(column)} ({option}); {remedy}")
        return found

    def named(self, column: str) -> str | None:
        """The table's own name of a column: `age` may stand for `age:int`; None without one."""
        if column in self.arrays:
            return column
        typed = [name for name in self.arrays if untyped(name) == column]
        return typed[0] if len(typed) == 1 else None


def quoted(value: object) -> str:
    r"""A value as messages show it: in quotes, on one line, at most 60 characters.

    Args:
        value: Anything.

    Returns:
        Its text.

    Example:
        >>> quoted("two\nlines")
        "'two\\nlines'"
    """
    shown = repr(str(value))
    return shown if len(shown) <= 60 else f"{shown[:57]}..{shown[-1]}"


def listed(names: Sequence[object], most: int = 8) -> str:
    """Names as messages list them: of many, the first ones and how many more there are.

    Args:
        names: What to list.
        most: How many are shown.

    Returns:
        One line.

    Example:
        >>> listed(["a", "b", "c"], most=2)
        "'a', 'b' and 1 more"
    """
    shown = ", ".join(quoted(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def plain_array(array: Any) -> Any:
    """A pyarrow array without its wrappings: categories as their values, one type for all text.

    Args:
        array: Any pyarrow array.

    Returns:
        An array with the same values.

    Example:
        >>> import pyarrow as pa
        >>> str(plain_array(pa.array(["a", "b", "a"]).dictionary_encode()).type)
        'large_string'
    """
    import pyarrow as pa  # type: ignore[import-untyped]

    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    is_text = pa.types.is_string(array.type) or pa.types.is_string_view(array.type)
    return array.cast(pa.large_string()) if is_text else array
