"""An adjacency matrix with labels as a RawGraph."""

from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array, issparse

from l2p_search.data.raw import RawGraph
from l2p_search.data.sources.table import quoted
from l2p_search.errors import DataError


def read_matrix(
    matrix: Any, *, labels: Any, features: Any = None, name: str = "matrix"
) -> RawGraph:
    """A graph from its adjacency matrix: an entry in row u and column v is an edge from u to v.

    Args:
        matrix: [N, N], a scipy matrix or array in any sparse format, or a numpy array. Entries
            that are stored as 0 are no edges.
        labels: [N], the class of each node; None, NaN or "" where it is unknown. Also [N, 1], or
            one-hot [N, C].
        features: [N, F], sparse or dense; None for a graph without features.
        name: The graph's name.

    Returns:
        The graph. Weights are kept unless all are equal.

    Raises:
        DataError: The shapes do not fit, or an entry is negative or not finite.

    Example:
        >>> adjacency = csr_array(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
        >>> graph = read_matrix(adjacency, labels=["a", "b", "a"])
        >>> graph.edges.tolist(), graph.weights
        ([[0, 1, 1, 2], [1, 0, 2, 1]], None)
    """
    source = f"the {name}" if name == "matrix" else f"the matrix {quoted(name)}"
    adjacency = _adjacency(matrix, source)
    size = adjacency.shape[0]
    weights, notes = _weights(adjacency, source)
    x = None if features is None else _features(features, size, source)
    if x is None:
        notes.append("no features were given")
    return RawGraph(
        name=name,
        source=source,
        num_nodes=size,
        edges=np.stack([adjacency.row, adjacency.col]).astype(np.int64),
        labels=_labels(labels, size, source),
        x=x,
        weights=weights,
        notes=tuple(notes),
    )


def _adjacency(matrix: Any, source: str) -> coo_array:
    """The entries by row and column, sorted, each once, and without stored zeros."""
    if not issparse(matrix) and not isinstance(matrix, np.ndarray):
        raise DataError(f"{source}: is a {type(matrix).__name__}; give a scipy or numpy matrix")
    shape = matrix.shape
    if len(shape) != 2 or shape[0] != shape[1]:
        raise DataError(f"{source}: has shape {list(shape)}; an adjacency matrix is square")
    if matrix.dtype.kind not in "biuf":
        raise DataError(f"{source}: has entries of type {matrix.dtype}; give numbers")
    rows = csr_array(matrix)  # this may be the caller's own data: nothing is done in place
    adjacency = csr_array(rows, copy=True)
    adjacency.sum_duplicates()
    adjacency.eliminate_zeros()
    if adjacency.nnz == 0:
        raise DataError(f"{source}: has no entries, so no edges; give a graph with edges")
    return adjacency.tocoo()


def _weights(adjacency: coo_array, source: str) -> tuple[np.ndarray | None, list[str]]:
    weights = np.asarray(adjacency.data, dtype=np.float64)
    bad = ~np.isfinite(weights) | (weights < 0)
    if bad.any():
        place = int(bad.argmax())
        raise DataError(
            f"{source}, row {adjacency.row[place]}, column {adjacency.col[place]}:"
            f" {weights[place]:g} is no weight; weights are finite and not negative"
        )
    if (weights == weights[0]).all():
        return None, []
    return weights, ["edges are weighted by the entries of the matrix"]


def _labels(labels: Any, size: int, source: str) -> np.ndarray:
    if labels is None:
        raise DataError(f"{source}: has no labels; give the class of each of its {size:,} nodes")
    try:
        given = labels.tolist() if hasattr(labels, "tolist") else list(labels)
        values = np.array(given, dtype=object if _has_words(given) else None)
    except (TypeError, ValueError):
        raise DataError(f"{source}: labels are no list; give one class per node") from None
    if values.ndim == 2 and values.shape[0] == size > values.shape[1]:
        return values  # one-hot or one column, which `ingest` reads
    if values.shape != (size,):
        raise DataError(
            f"{source}: labels have shape {list(values.shape)} and there are {size:,} nodes; give"
            " one class per node"
        )
    known = {value for value in given if value is not None and value == value and value != ""}
    if len(known) < 2:
        raise DataError(
            f"{source}: its labels are of {len(known)} class{'' if len(known) == 1 else 'es'};"
            " two are needed"
        )
    return values


def _has_words(values: list[Any]) -> bool:
    return any(value is None or isinstance(value, str) for value in values)


def _features(features: Any, size: int, source: str) -> np.ndarray | csr_array:
    x: np.ndarray | csr_array
    try:
        x = csr_array(features, copy=True) if issparse(features) else np.array(features)
    except ValueError:
        raise DataError(f"{source}: rows of features differ in length; make them equal") from None
    if x.ndim != 2 or x.shape[0] != size or x.shape[1] == 0:
        raise DataError(
            f"{source}: features have shape {list(x.shape)}; give [{size}, features], a row per"
            " node"
        )
    if x.dtype.kind not in "biuf":
        raise DataError(f"{source}: features are of type {x.dtype}; give numbers")
    entries = x.tocoo() if isinstance(x, csr_array) else None
    bad = ~np.isfinite(x if entries is None else entries.data)
    if bad.any():
        place = np.argwhere(bad)[0]
        row, column = place if entries is None else (entries.row[place[0]], entries.col[place[0]])
        raise DataError(
            f"{source}, row {row}: feature {column} is not a finite number; correct it"
        )
    return x
