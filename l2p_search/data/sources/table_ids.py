"""Ids of nodes: as numbers or text, in whichever column they stand."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from l2p_search.data.sources.table import Table, listed
from l2p_search.data.sources.table_columns import read_column
from l2p_search.data.sources.table_names import is_usual_id, looks_like_an_id
from l2p_search.errors import argument


def read_ids(table: Table, name: str) -> Any:
    """The ids in a column, as a pyarrow array of whole numbers or, if some are none, of text.

    Args:
        table: The table.
        name: The column.

    Returns:
        An array without gaps.

    Raises:
        DataError: An id is missing, or the column holds no ids.

    Example:
        >>> import pyarrow as pa
        >>> read_ids(Table("nodes.csv", {"id": pa.array(["7", "08"])}, 2, str), "id").tolist()
        [7, 8]
    """
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.compute as pc  # type: ignore[import-untyped]

    array = table.arrays[name]
    if pa.types.is_floating(array.type):
        array = pc.if_else(pc.is_nan(array), None, array)
    try:
        text = array.cast(pa.large_string())
    except pa.ArrowException:
        raise table.error("holds no ids; ids are whole numbers or text", column=name) from None
    row = pc.index(pc.equal(pc.fill_null(text, ""), ""), True).as_py()
    if row >= 0:
        raise table.error("the id is missing; write it, or drop the row", column=name, row=row)
    for number in (pa.int64(), pa.float64()):
        try:  # pandas writes whole numbers as 7.0 where a column once had gaps
            return array.cast(number).cast(pa.int64())
        except pa.ArrowException:
            continue
    return text


def written_ids(table: Table, name: str) -> Any:
    """The ids in a column as the table has them: text, in which 007 is not 7.

    Args:
        table: The table.
        name: The column, which `read_ids` takes.

    Returns:
        A pyarrow array of text.

    Example:
        >>> import pyarrow as pa
        >>> written_ids(Table("nodes.csv", {"id": pa.array(["7", "08"])}, 2, str), "id").tolist()
        ['7', '08']
    """
    import pyarrow as pa

    return table.arrays[name].cast(pa.large_string())


def positions(ids: Any, wanted: Any, *, written: tuple[Any, Any] | None = None) -> np.ndarray:
    """Where each of the wanted ids stands among the ids, -1 where it does not: [E] int64.

    Args:
        ids: [N] ids, each once: a pyarrow array.
        wanted: [E] ids.
        written: Both as they are written. Where one column has numbers alone and the other does
            not, 007 is looked for as 007 first, and as 7 only if there is none.

    Returns:
        The positions.

    Example:
        >>> import pyarrow as pa
        >>> positions(pa.array([30, 10]), pa.array([10, 20, 30])).tolist()
        [1, -1, 0]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    found = None
    if ids.type != wanted.type:  # numbers against text
        ids, wanted = ids.cast(pa.large_string()), wanted.cast(pa.large_string())
        if written is not None:
            found = pc.index_in(written[1], written[0])
    by_value = pc.index_in(wanted, ids)
    found = pc.fill_null(by_value if found is None else pc.coalesce(found, by_value), -1)
    return np.asarray(found.to_numpy(zero_copy_only=False), dtype=np.int64)


def find_ids(
    nodes: Table,
    ends: Sequence[Any],
    label: str | None,
    given: str | None,
    *,
    written: Sequence[Any] | None = None,
) -> str | None:
    """The column of the node table whose values the ends of the edges are.

    Columns that are called like ids come first, then those that may be ids by their name, then
    text. Two that fit equally well are an error.

    Args:
        nodes: The table of nodes.
        ends: Both columns of the edge table, as `read_ids` gives them.
        label: The column of classes, which is no id.
        given: The column that the user named, or None.
        written: Both columns of the edge table, as `written_ids` gives them.

    Returns:
        The column's name; None if there is none, so that ids are numbers of rows from 0 on.

    Raises:
        DataError: Several columns fit, or the named one does not exist.

    Example:
        >>> import pyarrow as pa
        >>> columns = {"id": pa.array([901, 902]), "new_id": pa.array([0, 1])}
        >>> nodes = Table("target.csv", columns, 2, str)
        >>> find_ids(nodes, [pa.array([0]), pa.array([1])], "mature", None)
        'new_id'
    """
    if given is not None:
        return nodes.checked(given, argument("id"))
    names = [name for name in nodes.arrays if name != label]
    called_id = [name for name in names if is_usual_id(name)]
    maybe_id = [name for name in names if looks_like_an_id(name) and name not in called_id]
    text = [
        name
        for name in names
        if name not in called_id + maybe_id
        and read_column(nodes, name, strict=False).kind == "text"
    ]
    wanted = _distinct(ends)
    shares: dict[str, float] = {}
    for candidates in (called_id, maybe_id, text):
        shares |= {name: _share(nodes, name, wanted, written) for name in candidates}
        fitting = [name for name in candidates if shares[name] == 1.0]
        if len(fitting) > 1 and not _alike(nodes, fitting):
            raise nodes.error(
                f"{listed(fitting)} both contain the ends of every edge; choose with"
                f" {argument('id')}"
            )
        if fitting:
            return fitting[0]
    if called_id:
        return max(called_id, key=lambda name: shares[name])
    best = max(maybe_id + text, key=lambda name: shares[name], default=None)
    return best if best is not None and shares[best] > 0.5 else None


def _distinct(ends: Sequence[Any]) -> Any:
    import pyarrow as pa

    first, second = ends
    if first.type != second.type:
        first, second = first.cast(pa.large_string()), second.cast(pa.large_string())
    return pa.chunked_array([first, second]).unique()


def _share(table: Table, name: str, wanted: Any, written: Sequence[Any] | None) -> float:
    """The share of the wanted ids that the column contains; 0 if it cannot be the ids."""
    import pyarrow as pa
    import pyarrow.compute as pc

    array = table.arrays[name]
    if array.null_count or pa.types.is_nested(array.type):
        return 0.0
    if pa.types.is_large_string(array.type) and pc.index(array, "").as_py() >= 0:
        return 0.0
    ids = read_ids(table, name)
    if len(ids.unique()) < len(ids):
        return 0.0
    share = float((positions(ids, wanted) >= 0).mean())
    if share == 1.0 or written is None:
        return share
    as_written = positions(written_ids(table, name), _distinct(written))
    return max(share, float((as_written >= 0).mean()))


def _alike(table: Table, names: Sequence[str]) -> bool:
    first, *others = (read_ids(table, name) for name in names)
    return all(first.equals(other) for other in others)
