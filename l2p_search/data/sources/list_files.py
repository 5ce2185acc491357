"""JSON files of lists, `{"id": [word numbers], ..}`, as features of the nodes with these ids."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array, vstack

from l2p_search.data.sources.table import quoted
from l2p_search.data.sources.table_features import FeatureBlocks
from l2p_search.data.sources.table_ids import positions
from l2p_search.data.sources.whole_input import read_text
from l2p_search.data.sources.word_lists import Lists, features_of, lists_of
from l2p_search.errors import DataError


def list_features(path: Path, ids: Any, num_nodes: int) -> FeatureBlocks:
    """The features that a JSON file of lists has for the nodes of a table.

    Args:
        path: The file: lists by id, or a list of lists in the order of the nodes.
        ids: The N ids of the nodes as a pyarrow array; None if these are 0..N-1.
        num_nodes: N.

    Returns:
        Features [N, F] with their names and notes; a node without a list has zeros.

    Raises:
        DataError: The file is unreadable, or its ids are not those of the nodes.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "features.json"
        ...     _ = path.write_text('{"1": [2, 0], "0": [1]}')
        ...     list_features(path, None, 2).x.toarray()
        array([[0., 1., 0.],
               [1., 0., 1.]], dtype=float32)
    """
    import pyarrow as pa  # type: ignore[import-untyped]

    keys, lists = read_json_lists(path)

    def refuse(message: str, row: int | None) -> DataError:
        return _error(path, keys, message, row)

    found = FeatureBlocks()
    features = features_of(lists, path.name.split(".")[0], refuse)
    found.notes.append(features.note)
    if keys is None:
        if len(lists.lengths) != num_nodes:
            raise DataError(
                f"{path}: has {len(lists.lengths):,} lists and there are {num_nodes:,} nodes;"
                " give one list per node, or lists by id"
            )
        found.add(features.x, features.names)
        return found
    of_nodes = positions(
        pa.array(np.arange(num_nodes)) if ids is None else ids, pa.array(keys, pa.large_string())
    )
    known = of_nodes >= 0
    if known.sum() < num_nodes / 2:
        raise refuse(
            f"only {known.sum():,} of {num_nodes:,} nodes have a list here, and this is the id"
            " of none; check that both files use the same ids",
            int((~known).argmax()) if not known.all() else None,
        )
    rows = np.full(num_nodes, len(keys))
    rows[of_nodes[known]] = np.flatnonzero(known)
    bare = int((rows == len(keys)).sum())
    if bare and not isinstance(features.x, csr_array):
        raise DataError(f"{path}: {bare:,} nodes have no vector; give one per node")
    if bare:
        found.notes.append(f"{bare:,} nodes have no list in {path.name} and so no words")
    if not known.all():
        found.notes.append(
            f"{int((~known).sum()):,} lists of {path.name} belong to no node and were left out"
        )
    found.add(_rows_or_zeros(features.x, rows), features.names)
    return found


def read_json_lists(path: Path) -> tuple[list[str] | None, Lists]:
    """The lists in a JSON file: `{"id": [..], ..}`, or `[[..], ..]` in the order of the nodes.

    Args:
        path: The file.

    Returns:
        The ids (None for a list of lists), and as many lists.

    Raises:
        DataError: The file is no JSON, or holds something else.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "features.json"
        ...     _ = path.write_text('{"a": [3, 1], "b": []}')
        ...     ids, lists = read_json_lists(path)
        >>> ids, lists.values.tolist()
        (['a', 'b'], [3, 1])
    """
    text = read_text(path)
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise DataError(
            f"{path}, line {error.lineno}: is no JSON ({error.msg}); check how it was written"
        ) from None
    except (RecursionError, ValueError):  # nested without end; a number of thousands of digits
        raise DataError(f"{path}: is no JSON of lists; give {{id: [word numbers]}}") from None
    if not isinstance(content, dict | list) or not content:
        raise DataError(f"{path}: holds no lists; give {{id: [word numbers]}}")
    ids = list(content) if isinstance(content, dict) else None
    rows = list(content.values()) if isinstance(content, dict) else content

    def refuse(message: str, row: int | None) -> DataError:
        return _error(path, ids, message, row)

    return ids, lists_of(rows, refuse)


def _error(path: Path, ids: list[str] | None, message: str, row: int | None) -> DataError:
    """An error that names the entry of a JSON file."""
    if row is None:
        return DataError(f"{path}: {message}")
    entry = f"list {row + 1}" if ids is None else f"entry {quoted(ids[row])}"
    return DataError(f"{path}, {entry}: {message}")


def _rows_or_zeros(x: np.ndarray | csr_array, rows: np.ndarray) -> np.ndarray | csr_array:
    """The rows of x; the one after the last is zero."""
    if isinstance(x, csr_array):
        zero = csr_array((1, x.shape[1]), dtype=x.dtype)
        return csr_array(vstack([x, zero], format="csr")[rows])
    return x[rows]
