"""An edge table as pairs of positions of nodes, with weights."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from l2p_search.data.sources.table import Table, listed, quoted
from l2p_search.data.sources.table_columns import read_column
from l2p_search.data.sources.table_ids import positions
from l2p_search.data.sources.table_names import ENDS, WEIGHTS, plain, usual
from l2p_search.errors import argument


def find_ends(table: Table, source: str | None, target: str | None) -> tuple[str, str]:
    """The two columns of an edge table that name nodes.

    Args:
        table: The table of edges.
        source: The first column's name, or None to look for a usual pair of names.
        target: The second column's name, or None.

    Returns:
        Both names.

    Raises:
        DataError: There is no such pair, or there are several.

    Example:
        >>> find_ends(Table("edges.csv", {"w": [], "u": [], "v": []}, 0, str), None, None)
        ('u', 'v')
    """
    if len(table.arrays) < 2:
        raise table.error(
            f"has one column, {listed(list(table.arrays))}, and an edge needs two; separate"
            " columns by a comma, a semicolon, a tab or a bar"
        )
    if source is not None:
        source = table.checked(source, argument("source_column"))
    if target is not None:
        target = table.checked(target, argument("target_column"))
    if source is not None and source == target:
        raise table.error(
            f"{argument('source_column')} and {argument('target_column')} both name"
            f" {quoted(source)}; name two columns"
        )
    by_name = {plain(name): name for name in table.arrays}
    pairs = [(by_name[a], by_name[b]) for a, b in ENDS if a in by_name and b in by_name]
    if len(table.arrays) == 2 and not pairs:
        pairs = [tuple(table.arrays)]  # type: ignore[list-item]
        pairs += [pairs[0][::-1]] if source or target else []
    pairs = [p for p in pairs if source in (None, p[0]) and target in (None, p[1])]
    if source is not None and target is not None:
        return source, target
    if len(pairs) == 1:
        return pairs[0]
    if pairs:
        shown = " and ".join(f"({a}, {b})" for a, b in pairs)
        raise table.error(
            f"{shown} may both be the ends; choose with {argument('source_column')} and"
            f" {argument('target_column')}"
        )
    raise table.error(
        "which two columns name the nodes of an edge? Name them with"
        f" {argument('source_column')} and {argument('target_column')}:"
        f" {listed(list(table.arrays), 20)}"
    )


def edge_positions(
    edges: Table,
    columns: Sequence[str],
    ends: Sequence[Any],
    nodes: Table,
    ids: Any,
    *,
    written: tuple[Sequence[Any], Any] | None = None,
) -> np.ndarray:
    """The positions of the nodes that each edge joins: [2, E] int64.

    Args:
        edges: The table of edges.
        columns: Its two columns of ids, for messages.
        ends: What these hold, as `read_ids` gives it.
        nodes: The table of nodes.
        ids: The ids of its rows; None if rows are numbered from 0 on.
        written: What is written in both columns of the edges, and the ids as they are written;
            None where values alone count.

    Returns:
        The positions.

    Raises:
        DataError: An edge names a node that is not there.

    Example:
        >>> import pyarrow as pa
        >>> edges, nodes = Table("edges.csv", {}, 2, str), Table("nodes.csv", {}, 3, str)
        >>> ends = pa.array(["b", "a"]), pa.array(["c", "b"])
        >>> edge_positions(edges, ("u", "v"), ends, nodes, pa.array(["a", "b", "c"])).tolist()
        [[1, 0], [2, 1]]
    """
    import pyarrow as pa  # type: ignore[import-untyped]

    known = pa.array(np.arange(nodes.num_rows)) if ids is None else ids
    if ids is not None and _are_ids(columns, known):
        raise edges.error(
            f"the names of the columns, {listed(columns)}, are ids of nodes, so the file has no"
            " header; write a line such as source,target above it"
        )
    forms = [None, None] if written is None else [(written[1], text) for text in written[0]]
    pairs = np.stack(
        [positions(known, end, written=form) for end, form in zip(ends, forms, strict=True)]
    )
    unknown = pairs < 0
    if not unknown.any():
        return pairs
    row = int(unknown.any(axis=0).argmax())
    side = int(unknown[:, row].argmax())
    value = (ends if written is None else written[0])[side][row].as_py()
    count = int(unknown.any(axis=0).sum())
    more = f" ({count:,} such edges in all)" if count > 1 else ""
    if ids is None:
        what = (
            f"{quoted(value)} is no row of {nodes.source}: without a column of ids these are"
            f" numbered 0 to {nodes.num_rows - 1}{more}; {_row_remedy(ends, nodes.num_rows)}"
        )
    else:
        what = (
            f"{quoted(value)} is no id in {nodes.source}{more}; add the node, drop the edge, or"
            f" name the column of ids with {argument('id')}"
        )
    raise edges.error(what, column=columns[side], row=row)


def read_weights(
    edges: Table, weight: str | None, ends: Sequence[str] = ()
) -> tuple[np.ndarray | None, list[str]]:
    """The weight of each edge: [E], and notes.

    Args:
        edges: The table of edges.
        weight: The column, or None to look for one that is called weight.
        ends: The columns that name nodes, which are no weights.

    Returns:
        The weights; None if there are none, or if all are equal.

    Raises:
        DataError: A weight is missing, negative, or no finite number.

    Example:
        >>> import pyarrow as pa
        >>> edges = Table("edges.csv", {"weight": pa.array([1.0, 2.5])}, 2, str)
        >>> read_weights(edges, None)[0].tolist()
        [1.0, 2.5]
    """
    if weight is not None:
        weight = edges.checked(weight, argument("weight"))
    if weight in ends:
        raise edges.error(
            "names the nodes of an edge, so it cannot be the weight; name another column",
            column=weight,
        )
    found = [weight] if weight is not None else usual(edges.arrays, WEIGHTS)
    if not found:
        return None, []
    if len(found) > 1:
        raise edges.error(
            f"{listed(found)} may all be the weight; name one with {argument('weight')}"
        )
    name = found[0]
    column = read_column(edges, name)
    if column.kind not in ("integer", "number", "boolean"):
        raise edges.error(
            "holds no numbers, so it cannot be the weight; name another column", column=name
        )
    weights = np.asarray(column.values, dtype=np.float64)
    bad = ~(weights >= 0)
    if bad.any():
        row = int(bad.argmax())
        what = "is missing" if np.isnan(weights[row]) else f"is negative ({weights[row]:g})"
        raise edges.error(
            f"the weight {what}; give every edge a weight of 0 or more", column=name, row=row
        )
    with np.errstate(over="ignore"):
        too_large = np.isinf(weights.astype(np.float32))
    if too_large.any():
        row = int(too_large.argmax())
        raise edges.error(
            f"the weight {weights[row]:g} is too large for 32 bits; give smaller weights",
            column=name,
            row=row,
        )
    if not weights.any():
        raise edges.error(
            "every weight is 0, so there is no edge; correct the weights, or name another column",
            column=name,
        )
    if (weights == weights[0]).all():
        return None, [f"all edges have the weight {weights[0]:g}, so weights play no part"]
    return weights, [f"edges are weighted by {edges.word} {quoted(name)}"]


def _row_remedy(ends: Sequence[Any], num_rows: int) -> str:
    import pyarrow as pa
    import pyarrow.compute as pc  # type: ignore[import-untyped]

    if all(pa.types.is_integer(end.type) for end in ends):
        low = min(pc.min(end).as_py() for end in ends)
        high = max(pc.max(end).as_py() for end in ends)
        if low == 1 and high == num_rows:
            return "the edges count from 1: add a column of ids to the nodes"
    return f"name its column of ids with {argument('id')}"


def _are_ids(names: Sequence[str], ids: Any) -> bool:
    import pyarrow as pa

    return bool((positions(ids, pa.array(list(names), pa.large_string())) >= 0).all())
