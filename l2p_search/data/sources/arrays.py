"""Arrays and tensors in memory -> RawGraph; the shapes that PyG, numpy and others use."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from l2p_search.data.raw import RawGraph
from l2p_search.errors import DataError

Masks = tuple[np.ndarray, np.ndarray, np.ndarray]
_PARTS = ("train", "val", "test")
MASK_NAMES = tuple(
    tuple(
        form.format(word)
        for word in words
        for form in ("{}_mask", "{}_masks", "{}_idx", "{}_index", "idx_{}")
    )
    for words in (("train",), ("val", "valid"), ("test",))
)
"""What libraries call the masks, or the positions, of the nodes of each part."""


def from_arrays(
    *,
    name: str,
    source: str,
    edges: Any,
    y: Any,
    x: Any = None,
    masks: tuple[Any, Any, Any] = (None, None, None),
    weights: Any = None,
    node_ids: Any = None,
    feature_names: Sequence[str] | None = None,
    label_name: str | None = None,
    num_nodes: int | None = None,
    columns: Mapping[str, np.ndarray] | None = None,
    notes: tuple[str, ...] = (),
) -> RawGraph:
    """A graph of numpy arrays, tensors or lists, in the shapes that libraries give them.

    Args:
        name: For titles and folders.
        source: What error messages call the graph.
        edges: [2, E] or [E, 2] positions of nodes.
        y: Labels [N], [N, 1] or one-hot [N, C]; None when there are none.
        x: Features [N, F] or [N]; dense, or a scipy or torch sparse matrix.
        masks: Train, validation and test: masks [N], [P, N] or [N, P], or positions of nodes.
        weights: [E] or [E, 1].
        node_ids: [N].
        feature_names: F names.
        label_name: What the labels are called.
        num_nodes: N, if neither features nor labels say it.
        columns: Further values per node, each [N].
        notes: What the reader decided before.

    Returns:
        What `ingest` reads.

    Raises:
        DataError: An array is no array of numbers, or has another shape.
    """
    features = _features(source, x)
    labels = None if y is None else _labels(source, y)
    if features is not None:
        nodes = features.shape[0]
        if labels is not None and len(labels) != nodes:
            raise DataError(
                f"{source}: {nodes} rows of features and {len(labels)} labels; give one of each"
                " per node"
            )
    elif labels is not None:
        nodes = len(labels)
    elif num_nodes is not None:
        nodes = num_nodes
    else:
        raise DataError(f"{source}: neither features nor labels: how many nodes are there?")
    pairs, told = _edges(source, edges)
    return RawGraph(
        name=name,
        source=source,
        num_nodes=nodes,
        edges=pairs,
        labels=labels,
        x=features,
        weights=None if weights is None else _column(to_numpy(source, "the weights", weights)),
        node_ids=None if node_ids is None else to_numpy(source, "the node ids", node_ids),
        feature_names=None if feature_names is None else tuple(map(str, feature_names)),
        label_name=label_name,
        masks=masks_of(source, masks, nodes),
        columns=columns or {},
        notes=(*notes, *told),
    )


def to_numpy(source: str, what: str, value: Any) -> np.ndarray:
    """An array of a list, an array or a tensor on any device.

    Raises:
        DataError: Its rows have different lengths.
    """
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if str(value.layout) != "torch.strided":
            value = value.to_dense()
        # numpy has no bfloat16.
        return np.asarray(value.float() if str(value.dtype) == "torch.bfloat16" else value)
    try:
        return np.asarray(value)
    except ValueError:
        raise DataError(f"{source}: {what}: rows have different lengths; give an array") from None


def masks_of(source: str, masks: tuple[Any, Any, Any], num_nodes: int) -> Masks | None:
    """Train, validation and test masks, each [P, N]; None when none of them is given.

    Raises:
        DataError: One or two are missing, or one has a shape that fits no other.
    """
    missing = [part for part, mask in zip(_PARTS, masks, strict=True) if mask is None]
    if len(missing) == 3:
        return None
    if missing:
        raise DataError(
            f"{source}: no {' and no '.join(missing)} mask beside the other"
            f"{'s' if len(missing) == 1 else ''}; give all three parts, or have splits made"
            " (splits '10x48/32/20')"
        )
    found = [
        _mask(source, part, to_numpy(source, f"the {part} mask", mask), num_nodes)
        for part, mask in zip(_PARTS, masks, strict=True)
    ]
    count = max(len(mask) for mask in found)
    for part, mask in zip(_PARTS, found, strict=True):
        if len(mask) not in (1, count):
            raise DataError(
                f"{source}: {len(mask)} {part} masks beside {count} others; give as many of each"
            )
    # WikiCS has twenty training masks and one test mask, which is that of all splits.
    train, val, test = (np.broadcast_to(mask, (count, num_nodes)).copy() for mask in found)
    return train, val, test


def _mask(source: str, part: str, mask: np.ndarray, num_nodes: int) -> np.ndarray:
    binary = bool(np.isin(mask, (0, 1)).all())
    if mask.ndim == 2 and mask.shape[1] == 1:  # mask.nonzero() of torch gives positions [K, 1]
        mask = mask[:, 0]
    if mask.dtype.kind in "iu" and mask.ndim == 1 and not (binary and len(mask) == num_nodes):
        return _of_positions(source, part, mask, num_nodes)
    if mask.dtype.kind not in "biuf" or not binary:
        raise DataError(
            f"{source}: the {part} mask has the type {mask.dtype} and other values than true and"
            " false; give a mask of bools, or positions of nodes"
        )
    mask = mask.astype(bool)
    if mask.shape == (num_nodes,):
        return mask[None]
    if mask.ndim == 2 and mask.shape[1] == num_nodes:
        return mask
    if mask.ndim == 2 and mask.shape[0] == num_nodes:
        return np.ascontiguousarray(mask.T)
    raise DataError(
        f"{source}: the {part} mask has shape {list(mask.shape)}; give [{num_nodes}] or"
        f" [splits, {num_nodes}]"
    )


def _of_positions(source: str, part: str, positions: np.ndarray, num_nodes: int) -> np.ndarray:
    outside = (positions < 0) | (positions >= num_nodes)
    if outside.any():
        raise DataError(
            f"{source}: the {part} nodes name node {positions[outside.argmax()]}, but nodes are 0"
            f" to {num_nodes - 1}; give positions of nodes, or a mask of bools"
        )
    mask = np.zeros((1, num_nodes), dtype=bool)
    mask[0, positions] = True
    return mask


def _features(source: str, x: Any) -> np.ndarray | csr_array | None:
    if x is None:
        return None
    if issparse(x):
        return csr_array(x)
    features = to_numpy(source, "the features", x)
    if features.ndim == 0:
        raise DataError(
            f"{source}: the features are a {type(x).__name__}; give numbers [nodes, features]"
        )
    return features[:, None] if features.ndim == 1 else features


def _labels(source: str, y: Any) -> np.ndarray:
    if isinstance(y, Sequence) and not isinstance(next(iter(y), None), list | tuple):
        # numpy would turn None beside strings into the string "None", and True beside 2 into 1.
        labels = np.empty(len(y), dtype=object)
        labels[:] = y
        return labels
    labels = to_numpy(source, "the labels", y)
    if labels.ndim == 0:
        raise DataError(f"{source}: one label for the whole graph; give one per node")
    return labels


def _edges(source: str, edges: Any) -> tuple[np.ndarray, tuple[str, ...]]:
    pairs = to_numpy(source, "the edges", edges)
    if pairs.ndim != 2 or 2 not in pairs.shape:
        raise DataError(f"{source}: edges have shape {list(pairs.shape)}; give [2, edges]")
    told: tuple[str, ...] = ()
    if pairs.shape[0] != 2:
        pairs, told = pairs.T, ("edges were given as [edges, 2]",)
    if pairs.dtype.kind == "f":
        whole = np.isfinite(pairs) & (pairs == np.floor(pairs)) & (np.abs(pairs) < 2**53)
        if not whole.all():
            row, place = np.argwhere(~whole)[0].tolist()
            raise DataError(
                f"{source}: edge {place} names node {pairs[row, place]}; give positions of nodes,"
                " which are whole numbers"
            )
    elif pairs.dtype.kind not in "iu" and pairs.size:
        raise DataError(
            f"{source}: edges have the type {pairs.dtype}; give positions of nodes, which are"
            " whole numbers"
        )
    if pairs.dtype == np.uint64 and pairs.size and pairs.max() > np.iinfo(np.int64).max:
        raise DataError(f"{source}: an edge names node {pairs.max()}; check the edge list")
    return np.ascontiguousarray(pairs, dtype=np.int64), told


def _column(values: np.ndarray) -> np.ndarray:
    return values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values
