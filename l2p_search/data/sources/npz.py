"""Graphs in .npz files, in the dialects that exist: Platonov, Shchur, ppnp, plain arrays."""

from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from l2p_search.data.raw import RawGraph
from l2p_search.data.sources.archives import NpzArchive
from l2p_search.data.sources.arrays import MASK_NAMES, from_arrays
from l2p_search.errors import DataError

_EDGES = ("edge_index", "edges")
_FEATURES = ("x", "node_features", "features", "feat")
_LABELS = ("y", "node_labels", "labels", "label")
_WEIGHTS = ("edge_weight", "edge_weights", "weights", "weight")
_ADJACENCY = ("adj", "adjacency", "adj_matrix", "A")
_SCIPY = {"indices", "indptr", "format", "shape", "data"}


def read_npz(
    path: Path,
    *,
    label: str | None = None,
    features: str | None = None,
    weight: str | None = None,
    name: str | None = None,
    with_masks: bool = True,
) -> RawGraph:
    """Read a graph from an .npz file; members that are pickled are not opened.

    - Platonov et al. 2023: `edges` [E, 2], `node_features`, `node_labels`, `train_masks` [P, N],
      `val_masks`, `test_masks`.
    - Shchur et al. 2018: CSR matrices `adj_data`, `adj_indices`, `adj_indptr`, `adj_shape`, the
      same of `attr`, and `labels`.
    - ppnp (Klicpera et al. 2019): the same as `adj_matrix.data`, .. `attr_matrix.shape`.
    - Plain arrays: `edge_index` or `edges` (or a dense `adj` [N, N]), `x` or `features`, `y` or
      `labels`, `edge_weight`, `train_mask` or `train_idx` and so on.

    Args:
        path: The file.
        label: The member with the classes, if it has another name.
        features: The member with the features, if it has another name.
        weight: The member with the weights of edges, if it has another name.
        name: What the graph is called; the file's stem otherwise.
        with_masks: Whether to read the file's own splits.

    Returns:
        What `ingest` reads.

    Raises:
        DataError: It names the file and the member that is missing, damaged or too large.
    """
    archive = NpzArchive(path)
    called, members = name or path.stem, set(archive.names)
    for dot, adjacency, attributes in ((".", "adj_matrix", "attr_matrix"), ("_", "adj", "attr")):
        if any(member.startswith(adjacency + dot) for member in members):
            labels = _one_of(archive, label, _LABELS, "labels")
            matrices = (f"{adjacency}{dot}", f"{attributes}{dot}")
            return _of_matrices(archive, called, labels, matrices, features, with_masks)
    if members >= _SCIPY:
        raise DataError(
            f"{path}: a scipy matrix without labels; load it by scipy.sparse.load_npz and give"
            " load_graph(matrix, label=labels)"
        )
    weights = _any_of(archive, weight, _WEIGHTS)
    dense = None if _any_of(archive, None, _EDGES) is not None else _dense(archive, members)
    edges, weights = dense or (_one_of(archive, None, _EDGES, "edge_index"), weights)
    labels = _one_of(archive, label, _LABELS, "y")
    if members >= {"edges", "node_features"} and edges.ndim == 2:
        edges = np.ascontiguousarray(edges.T)  # [E, 2] also when E is 2
    return from_arrays(
        name=called,
        source=str(path),
        edges=edges,
        y=labels,
        x=_any_of(archive, features, _FEATURES),
        weights=weights,
        masks=_masks(archive, with_masks),
        columns=_columns(archive, len(np.atleast_1d(labels))),
        label_name=label,
        notes=_notes(archive),
    )


def _dense(archive: NpzArchive, members: set[str]) -> tuple[np.ndarray, np.ndarray] | None:
    """Edges [2, E] and weights [E] of a dense adjacency [N, N]; None when there is none."""
    name = next((name for name in _ADJACENCY if name in members), None)
    if name is None:
        return None
    matrix = archive[name]
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.dtype.kind not in "biuf":
        raise DataError(
            f"{archive.path}: '{name}' has shape {list(matrix.shape)} and type {matrix.dtype};"
            " give the adjacency as numbers [nodes, nodes], or edge_index [2, edges]"
        )
    ends = np.stack(matrix.nonzero())
    return ends, matrix[ends[0], ends[1]].astype(np.float64)


def _of_matrices(
    archive: NpzArchive,
    name: str,
    labels: np.ndarray,
    prefixes: tuple[str, str],
    features: str | None,
    with_masks: bool,
) -> RawGraph:
    adjacency = _csr(archive, prefixes[0])
    if adjacency.shape[0] != adjacency.shape[1]:
        raise DataError(
            f"{archive.path}: the adjacency has shape {list(adjacency.shape)}; give [nodes, nodes]"
        )
    x = _any_of(archive, features, (prefixes[1][:-1], "attr_matrix", *_FEATURES))
    if features is None and x is None and f"{prefixes[1]}data" in archive:
        x = _csr(archive, prefixes[1])
    entries = adjacency.tocoo()
    ids = archive.get("node_names")
    if ids is not None and len(np.unique(ids)) != len(ids):
        ids = None
    feature_names = archive.get("attr_names")
    return from_arrays(
        name=name,
        source=str(archive.path),
        edges=np.stack([entries.row, entries.col]).astype(np.int64),
        y=_named(labels, archive.get("class_names")),
        x=x,
        weights=entries.data,
        masks=_masks(archive, with_masks),
        node_ids=None if ids is None else np.char.strip(ids) if ids.dtype.kind == "U" else ids,
        feature_names=None if feature_names is None else feature_names.tolist(),
        num_nodes=adjacency.shape[0],
        notes=_notes(archive),
    )


def _csr(archive: NpzArchive, prefix: str) -> csr_array:
    """The matrix of four members, checked: scipy itself would read beyond the end of a bad one."""
    parts = ("data", "indices", "indptr", "shape")
    data, indices, indptr, shape = archive.need(*(f"{prefix}{part}" for part in parts))
    kinds = (data.dtype.kind, indices.dtype.kind, indptr.dtype.kind, shape.dtype.kind)
    if kinds[0] not in "biuf" or not set(kinds[1:]) <= set("iu"):
        raise DataError(
            f"{archive.path}: members {prefix}* are no CSR matrix (they have the types"
            f" {data.dtype}, {indices.dtype}, {indptr.dtype} and {shape.dtype}); make the file"
            " anew"
        )
    try:
        matrix = csr_array((data, indices, indptr), shape=tuple(shape.tolist()))
        matrix.check_format(full_check=True)
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        raise DataError(
            f"{archive.path}: members {prefix}* are no CSR matrix ({error}); make the file anew"
        ) from None
    matrix.sum_duplicates()
    return matrix


def _one_of(
    archive: NpzArchive, named: str | None, usual: tuple[str, ...], wanted: str
) -> np.ndarray:
    """The member that the user names or that has a usual name; an error when there is none."""
    found = _any_of(archive, named, usual)
    return archive.need(wanted)[0] if found is None else found


def _any_of(archive: NpzArchive, named: str | None, usual: tuple[str, ...]) -> np.ndarray | None:
    """The same, or None when there is none."""
    if named is not None:
        return archive.need(named)[0]
    if not any(name in archive for name in usual):
        for name in usual:
            if name in archive.pickled:
                raise DataError(
                    f"{archive.path}: '{name}' is pickled and was not opened; save it as an array"
                    " of numbers or text"
                )
    return next((archive[name] for name in usual if name in archive), None)


def _masks(
    archive: NpzArchive, wanted: bool
) -> tuple[np.ndarray | None, np.ndarray | None, np.ndarray | None]:
    if not wanted:
        return None, None, None
    train, val, test = (_any_of(archive, None, usual) for usual in MASK_NAMES)
    return train, val, test


def _columns(archive: NpzArchive, num_nodes: int) -> dict[str, np.ndarray]:
    """Members with one value per node that are nothing else, for splits by time."""
    usual = (_EDGES, _ADJACENCY, _FEATURES, _LABELS, _WEIGHTS, *MASK_NAMES)
    known = {name for names in usual for name in names}
    arrays = {name: archive[name] for name in archive.names if name not in known}
    return {name: array for name, array in arrays.items() if array.shape == (num_nodes,)}


def _named(labels: np.ndarray, names: np.ndarray | None) -> np.ndarray:
    """Names of classes instead of their numbers, when there is one for each."""
    if names is None or labels.dtype.kind not in "iu" or names.ndim != 1:
        return labels
    if not labels.size or labels.min() < 0 or labels.max() >= len(names):
        return labels
    if len(np.unique(names)) != len(names):
        return labels
    return np.asarray(names[labels])


def _notes(archive: NpzArchive) -> tuple[str, ...]:
    if not archive.pickled:
        return ()
    return (f"pickled members were not opened ({', '.join(archive.pickled)})",)
