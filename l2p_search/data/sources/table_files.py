"""CSV files, Parquet files and edge lists as tables: the content decides which of them it is."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from l2p_search.data.sources.csv_text import first_names, named_columns, parse_csv
from l2p_search.data.sources.edge_lists import NAMES, is_edge_list, parse_edge_list
from l2p_search.data.sources.table import Table, plain_array
from l2p_search.data.sources.whole_input import check_size, decoded, read_bytes, read_start
from l2p_search.errors import DataError

_PARQUET = b"PAR1"


def read_table(path: Path, *, header: bool = True) -> Table:
    r"""The table in a CSV file (delimiter , ; tab or |, also in gzip) or a Parquet file.

    Args:
        path: The file.
        header: Whether a CSV file must name its columns in its first line. If not, a first line
            of whole numbers is taken for data, and the columns are called "column 1", ...; the
            file may then also be an edge list, see `edge_lists`.

    Returns:
        The table; the columns of a CSV file and of an edge list are text.

    Raises:
        DataError: The file is no table, has no rows, or a row has another number of columns than
            the header.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "edges.csv"
        ...     _ = path.write_text("source;target\n1;2\n2;3\n")
        ...     table = read_table(path)
        >>> list(table.arrays), table.num_rows, table.place(0)
        (['source', 'target'], 2, 'line 2')
    """
    content = read_bytes(path)
    if content[:4] == _PARQUET:
        table = _parquet(path, content)
    else:
        edges = None if header else parse_edge_list(path, content)
        table = parse_csv(path, content, header=header) if edges is None else edges
    if table.num_rows == 0:
        raise DataError(f"{path}: has a header and no rows; check how it was written")
    return table


def column_names(path: Path) -> list[str]:
    r"""The names of a file's columns, read from its start (Parquet: from its end).

    Args:
        path: A CSV or Parquet file, or an edge list.

    Returns:
        The names in their order.

    Raises:
        DataError: The file is no table.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "edges.csv"
        ...     _ = path.write_text("from,to\n1,2\n")
        ...     column_names(path)
        ['from', 'to']
    """
    start = read_start(path)
    if start[:4] == _PARQUET:
        return named_columns(path, _parquet_file(path, path).schema_arrow.names)
    return list(NAMES) if is_edge_list(decoded(path, start)) else first_names(path, start)


def _parquet_file(path: Path, content: Any) -> Any:
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    try:
        return pq.ParquetFile(content)
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise _damaged(path) from None


def _parquet(path: Path, content: bytes) -> Table:
    import pyarrow as pa

    file = _parquet_file(path, pa.BufferReader(content))
    about = file.metadata
    # Repeated values take no room in the file, so its size says little about the table's.
    check_size(path, 8 * about.num_rows * about.num_columns, expansion=2)
    try:
        data = file.read()
        data.validate(full=True)  # text that is not UTF-8 would else fail later
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise _damaged(path) from None
    columns = {}
    for name, column in zip(named_columns(path, data.column_names), data.columns, strict=True):
        columns[name] = plain_array(column.combine_chunks())
    columns |= _counted_index(data, columns)
    return Table(str(path), columns, data.num_rows, lambda row: f"row {row + 1}")


def _counted_index(data: Any, columns: Mapping[str, Any]) -> dict[str, Any]:
    """The index that pandas keeps as a start and a step, where it is not the numbers of the rows.

    Such an index has no column of its own in the file.
    """
    import pyarrow as pa

    try:
        kept = data.schema.pandas_metadata["index_columns"][0]
        start, step, name = int(kept["start"]), int(kept["step"]), kept["name"]
        values = start + step * np.arange(data.num_rows)
    except (TypeError, ValueError, LookupError, OverflowError):
        return {}  # no such index, or nothing that pandas wrote
    called = "index" if name is None else str(name)
    known = called in columns or (name is None and start == 0 and step == 1)
    return {} if known else {called: pa.array(values)}


def _damaged(path: Path) -> DataError:
    return DataError(f"{path}: is a Parquet file that is cut short or damaged; write it anew")
