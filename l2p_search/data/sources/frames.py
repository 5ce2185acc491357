"""Two pandas DataFrames, of nodes and of edges, as a RawGraph."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from l2p_search.data.raw import RawGraph
from l2p_search.data.sources.csv_text import named_columns
from l2p_search.data.sources.table import Table, plain_array
from l2p_search.data.sources.tables import join_tables
from l2p_search.errors import DataError, argument


def read_frames(
    nodes: Any,
    *,
    edges: Any = None,
    label: str | None = None,
    id: str | None = None,  # noqa: A002 - the name of the option
    source_column: str | None = None,
    target_column: str | None = None,
    features: str | Sequence[str] | None = None,
    split: str | None = None,
    weight: str | None = None,
    name: str | None = None,
    with_masks: bool = True,
    labelled: bool = True,
) -> RawGraph:
    """A graph from a DataFrame of nodes and one of edges, as from their files.

    Args:
        nodes: The DataFrame of nodes. Its index is a column too, unless it only counts rows.
        edges: The DataFrame of edges. Its index is a column if it has a name.
        label: As in `read_tables`; so are the others.
        id: The column that identifies nodes.
        source_column: The first column of the edges that names nodes.
        target_column: The second one.
        features: The columns of features.
        split: The columns of splits.
        weight: The column of weights.
        name: What the graph is called.
        with_masks: Whether to read the table's own splits.
        labelled: Whether there have to be classes.

    Returns:
        The graph.

    Raises:
        DataError: There are no edges, or a value cannot be used.

    Example:
        >>> import pandas as pd
        >>> people = pd.DataFrame({"id": ["ann", "bob", "cy"], "club": ["go", "chess", "go"]})
        >>> friends = pd.DataFrame({"source": ["ann", "bob"], "target": ["bob", "cy"]})
        >>> read_frames(people, edges=friends, label="club").edges.tolist()
        [[0, 1], [1, 2]]
    """
    import pandas as pd

    if not isinstance(edges, pd.DataFrame):
        what = "are missing" if edges is None else f"are a {type(edges).__name__}"
        raise DataError(
            f"the DataFrame of nodes: its edges {what}; give them as a DataFrame with"
            f" {argument('edges')}"
        )
    return join_tables(
        _table(nodes, "the DataFrame of nodes", index=True),
        _table(edges, "the DataFrame of edges", index=False),
        name=name or "graph",
        source="the DataFrame of nodes",
        called=("a DataFrame", "a DataFrame"),
        label=label,
        id=id,
        ends=(source_column, target_column),
        features=features,
        split=split,
        weight=weight,
        with_masks=with_masks,
        labelled=labelled,
    )


def _table(frame: Any, source: str, *, index: bool) -> Table:
    """The columns, and the index if it has names or if `index` says that it may hold ids."""
    import pandas as pd
    import pyarrow as pa  # type: ignore[import-untyped]

    if len(frame) == 0:
        raise DataError(f"{source}: has no rows; check how it was made")
    named = any(name is not None for name in frame.index.names)
    ids = named or (index and not isinstance(frame.index, pd.RangeIndex))
    whole = frame.reset_index(drop=not ids)
    names = named_columns(Path(source), [str(name) for name in whole.columns])
    columns = {}
    for place, name in enumerate(names):
        values = whole.iloc[:, place]
        try:
            columns[name] = plain_array(pa.array(values, from_pandas=True))
        except (pa.ArrowException, TypeError, OverflowError):  # values of several kinds
            text = [None if missing else str(value) for value, missing in _pairs(values)]
            columns[name] = pa.array(text, pa.large_string())
    return Table(source, columns, len(whole), lambda row: f"row {row}")


def _pairs(values: Any) -> Any:
    return zip(values.tolist(), values.isna().tolist(), strict=True)
