"""CSV text as a table: finds the delimiter, keeps every value as text, knows each row's line."""

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from l2p_search.data.sources.table import Table, listed, quoted
from l2p_search.data.sources.whole_input import decoded
from l2p_search.errors import DataError

_DELIMITERS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
_NO_TABLE = {"{": "JSON", "[": "JSON", "<": "XML or HTML"}
_START = 1 << 20
_SAMPLE_LINES = 20
_BLOCK = 1 << 26
_WHOLE_NUMBER = re.compile(r"[+-]?\d+")


def parse_csv(path: Path, content: bytes, *, header: bool) -> Table:
    r"""The table in the content of a CSV file.

    Args:
        path: The file, for messages.
        content: Its bytes, in UTF-8, separated by , ; tab or |.
        header: Whether the first line must name the columns. If not, a first line of whole
            numbers is taken for data, and the columns are called "column 1", ...

    Returns:
        The table; all columns are text, without spaces around their values.

    Raises:
        DataError: The content is no table, or its rows have different numbers of columns.

    Example:
        >>> table = parse_csv(Path("edges.csv"), b"u;v\n1; 2\n", header=True)
        >>> table.arrays["v"][0].as_py(), table.place(0)
        ('2', 'line 2')
    """
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.compute as pc  # type: ignore[import-untyped]

    text = decoded(path, content)
    if (sign := text[:_START].lstrip()[:1]) in _NO_TABLE:
        raise DataError(f"{path}: is {_NO_TABLE[sign]}, not a table; give CSV or Parquet")
    if not text[:_START].split("\n", 1)[0].strip():
        raise DataError(f"{path}, line 1: is empty; begin the file with the names of the columns")
    delimiter = _delimiter(text)
    data = _parsed(path, content, text, delimiter or ",")
    first = [str(column[0]).strip() for column in data.columns]
    has_header = not all(_WHOLE_NUMBER.fullmatch(cell) for cell in first)
    if header and not has_header:
        raise DataError(
            f"{path}, line 1: has only numbers ({listed(first, 3)}), so the columns have no names;"
            " write a line of names above it"
        )
    names = named_columns(path, first if has_header else [""] * len(first))
    if delimiter is None and re.search(r"\S[\s:^/]+\S", first[0]):
        raise DataError(
            f"{path}, line 1: only one column was found, {quoted(first[0])}; separate columns by"
            " a comma, a semicolon, a tab or a bar"
        )
    _check_quotes(path, content, data)
    rows = _filled_rows(data)[int(has_header) :]
    # Without empty lines among the rows, a slice spares the copy.
    whole = len(rows) == 0 or rows[-1] - rows[0] == len(rows) - 1
    start = int(rows[0]) if len(rows) else 0
    kept = data.slice(start, len(rows)) if whole else data.take(pa.array(rows))
    columns = {
        name: pc.utf8_trim_whitespace(column.combine_chunks())
        for name, column in zip(names, kept.columns, strict=True)
    }
    return Table(
        str(path),
        columns,
        len(rows),
        lambda row: f"line {_line(data, int(rows[row]))}",
        has_header,
    )


def first_names(path: Path, start: bytes) -> list[str]:
    r"""The names of the columns of a CSV file.

    Args:
        path: The file, for messages.
        start: Its first lines.

    Returns:
        The names in their order.

    Raises:
        DataError: The start is no text, or two columns have one name.

    Example:
        >>> first_names(Path("edges.csv"), b"from,to\n1,2\n")
        ['from', 'to']
    """
    text = decoded(path, start)
    return named_columns(path, _cells(text, _delimiter(text) or ","))


def named_columns(path: Path, names: Sequence[object]) -> list[str]:
    """The names without spaces around them; a column without a name is called by its number.

    Args:
        path: The file that has them.
        names: As the file has them.

    Returns:
        As many names, no two alike.

    Raises:
        DataError: Two columns have one name.

    Example:
        >>> named_columns(Path("nodes.csv"), ["", " id "])
        ['column 1', 'id']
    """
    found = [str(name).strip() or f"column {place + 1}" for place, name in enumerate(names)]
    for place, name in enumerate(found):
        if name in found[:place]:
            raise DataError(f"{path}: two columns are called {quoted(name)}; rename one")
    return found


def _parsed(path: Path, content: bytes, text: str, delimiter: str) -> Any:
    """All records of a CSV file as text, the header among them."""
    import pyarrow as pa
    import pyarrow.csv as arrow_csv  # type: ignore[import-untyped]

    ragged: list[Any] = []

    def keep(row: Any) -> str:
        ragged.append(row)
        return "error"

    width = len(_cells(text, delimiter))
    try:
        data = arrow_csv.read_csv(
            pa.BufferReader(content if content.endswith(b"\n") else content + b"\n"),
            # One thread: only then do ragged rows come with their numbers.
            arrow_csv.ReadOptions(
                use_threads=False, autogenerate_column_names=True, block_size=_BLOCK
            ),
            arrow_csv.ParseOptions(
                delimiter=delimiter,
                newlines_in_values=True,
                ignore_empty_lines=False,
                invalid_row_handler=keep,
            ),
            arrow_csv.ConvertOptions(
                column_types={f"f{place}": pa.large_string() for place in range(width)},
                strings_can_be_null=False,
            ),
        )
        return pa.table(
            [column.cast(pa.large_string()) for column in data.columns], data.column_names
        )
    except pa.ArrowInvalid as error:
        if ragged:
            row = ragged[0]
            remedy = f"put a value that contains {_DELIMITERS[delimiter]} into double quotes"
            if row.actual_columns < row.expected_columns:
                remedy = f"write {_DELIMITERS[delimiter]} for each missing value too"
            raise DataError(
                f"{path}, line {_line_of_record(text, delimiter, row.number)}: has"
                f" {row.actual_columns} columns where the first line has {row.expected_columns};"
                f" {remedy}"
            ) from None
        line = _long_line(content)
        if line is not None:
            raise DataError(
                f"{path}, line {line}: is longer than {_BLOCK >> 20} MB, so it is no row of a"
                " table; check how it was written"
            ) from None
        why = str(error).splitlines()[0][:100]
        raise DataError(f"{path}: is no CSV table ({why}); check how it was written") from None


def _long_line(content: bytes) -> int | None:
    """The number of the first line that is longer than a block of the parser."""
    start, line = 0, 1
    while start >= 0:
        end = content.find(b"\n", start)
        if (len(content) if end < 0 else end) - start > _BLOCK:
            return line
        start, line = (end + 1, line + 1) if end >= 0 else (-1, line)
    return None


def _delimiter(text: str) -> str | None:
    """The delimiter that cuts the first lines into equally many columns; None for one column."""
    sample = "\n".join(text[:_START].splitlines()[:_SAMPLE_LINES])
    lines = [line for line in re.sub(r'"[^"]*"', "", sample).split("\n") if line.strip()]
    if not lines:  # nothing but values in quotes, one a line
        return None
    best, best_score = None, (False, 0)
    for delimiter in _DELIMITERS:
        counts = [line.count(delimiter) for line in lines]
        score = (len(set(counts)) == 1, counts[0])
        if counts[0] and score > best_score:
            best, best_score = delimiter, score
    return best


def _cells(text: str, delimiter: str) -> list[str]:
    """The cells of the first record."""
    try:
        return next(csv.reader(io.StringIO(text[:_START]), delimiter=delimiter))
    except csv.Error:  # a cell beyond the csv module's limit of 128 KiB
        return text[:_START].split("\n", 1)[0].split(delimiter)


def _filled_rows(data: Any) -> np.ndarray:
    """The records that are not empty lines.

    In a table of one column an empty line is a missing value, unless nothing comes after it.
    """
    import pyarrow.compute as pc

    filled = np.zeros(data.num_rows, dtype=bool)
    for column in data.columns:
        filled |= pc.greater(pc.binary_length(column), 0).to_numpy()
    rows = filled.nonzero()[0]
    return np.arange(rows[-1] + 1) if data.num_columns == 1 and rows.size else rows


def _check_quotes(path: Path, content: bytes, data: Any) -> None:
    """Refuse a file whose last value began with a quote and swallowed all that came after it."""
    if content.count(b'"') % 2 and any("\n" in str(column[-1]) for column in data.columns):
        line = _line(data, data.num_rows - 1)
        raise DataError(f"{path}, line {line}: a quote is opened and never closed; close it")


def _line(data: Any, record: int) -> int:
    """The line of a record as an editor counts: values in quotes may contain line breaks."""
    import pyarrow.compute as pc

    breaks = 0
    for column in data.columns:
        breaks += pc.sum(pc.count_substring(column.slice(0, record), "\n")).as_py() or 0
    return record + 1 + breaks


def _line_of_record(text: str, delimiter: str, number: int) -> int:
    """The line on which record `number` (counted from 1) begins."""
    reader = csv.reader(io.StringIO(text), delimiter=delimiter)
    try:
        for _ in range(number - 1):
            next(reader)
    except (csv.Error, StopIteration):
        return number
    return reader.line_num + 1
