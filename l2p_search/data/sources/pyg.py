"""PyTorch Geometric's Data, in memory and in .pt files, which are read without full pickle."""

import itertools
import pickle
import re
import struct
import warnings
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from l2p_search.data.limits import check_fits
from l2p_search.data.raw import RawGraph
from l2p_search.data.sources.archives import check_archive
from l2p_search.data.sources.arrays import MASK_NAMES, from_arrays, to_numpy
from l2p_search.errors import DataError

_KINDS = "nodes of several kinds (HeteroData); give one kind of nodes: data.to_homogeneous()"
_SEVERAL = "several graphs; give one graph whose nodes have classes"


def read_data(
    data: Any,
    *,
    label: str | None = None,
    features: str | None = None,
    weight: str | None = None,
    name: str = "data",
    source: str = "the Data object",
    with_masks: bool = True,
) -> RawGraph:
    """Read PyG's Data, or the mapping that its `to_dict()` gives.

    Args:
        data: The object or mapping, with `edge_index` (or `adj_t`), `y`, and where there are
            some `x`, `edge_weight` and masks [N] or [N, P].
        label: The attribute with the classes, if not `y`.
        features: The attribute with the features, if not `x`.
        weight: The attribute with the weights of edges, if not `edge_weight`.
        name: What the graph is called.
        source: What error messages call it.
        with_masks: Whether to read its own splits.

    Returns:
        What `ingest` reads.

    Raises:
        DataError: It has several graphs or kinds of nodes, or an attribute is missing.
    """
    if hasattr(data, "node_types"):
        raise DataError(f"{source}: {_KINDS}")
    if getattr(data, "num_graphs", 1) != 1:
        raise DataError(f"{source}: {data.num_graphs} graphs in one batch: {_SEVERAL}")
    parts: Mapping[str, Any] = data if isinstance(data, Mapping) else data.to_dict()
    if any(isinstance(value, Mapping) for value in parts.values()):
        raise DataError(f"{source}: {_KINDS}")
    for key, value in parts.items():
        if hasattr(value, "element_size"):
            _check_tensor(f"{source}: '{key}'", value)
    edges, own_weights = _edges(source, parts)
    edge_weights = parts.get("edge_weight", own_weights)
    notes = []
    if weight is not None:
        edge_weights = _named(source, parts, weight, "weight")
    elif parts.get("edge_attr") is not None:
        notes.append("edge_attr was not used (name it as the weight, if it is one)")
    labels = _named(source, parts, label or "y", "label")
    count = len(labels) if hasattr(labels, "__len__") and np.ndim(labels) else None
    return from_arrays(
        name=name,
        source=source,
        edges=edges,
        y=labels,
        x=_named(source, parts, features, "features") if features else parts.get("x"),
        weights=edge_weights,
        masks=_masks(parts, with_masks),
        columns=_columns(parts, count, {label or "y", "x", *itertools.chain(*MASK_NAMES)}),
        label_name=label,
        notes=tuple(notes),
    )


def _check_tensor(what: str, value: Any) -> None:
    if value.is_nested or value.is_quantized or value.is_meta:
        raise DataError(f"{what} is a nested, quantized or empty tensor; give a plain one")
    # A view can claim more values than its file has.
    check_fits(what, value.numel() * value.element_size(), "check it")


def read_pt(
    path: Path,
    *,
    label: str | None = None,
    features: str | None = None,
    weight: str | None = None,
    name: str | None = None,
    with_masks: bool = True,
) -> RawGraph:
    """Read a file that torch.save wrote of Data or `data.to_dict()`, or one of InMemoryDataset.

    Nothing but tensors, plain containers and PyG's own storage classes is loaded: a pickle with
    code in it is refused and does not run.

    Args:
        path: The file.
        label: As in `read_data`; so are `features`, `weight` and `with_masks`.
        features: The attribute with the features.
        weight: The attribute with the weights of edges.
        name: What the graph is called; the file's stem otherwise.
        with_masks: Whether to read its own splits.

    Returns:
        What `ingest` reads.

    Raises:
        DataError: The file is missing, damaged, not a graph, or holds other classes.
    """
    content = _loaded(path)
    if isinstance(content, tuple) and 2 <= len(content) <= 3:  # InMemoryDataset: data, slices
        slices = content[1]
        if isinstance(slices, Mapping) and any(len(ends) > 2 for ends in slices.values()):
            raise DataError(f"{path}: {_SEVERAL}")
        content = content[0]
    if isinstance(content, list | tuple):
        if len(content) != 1:
            raise DataError(f"{path}: a list of {len(content)}: {_SEVERAL}")
        content = content[0]
    if not isinstance(content, Mapping) and not hasattr(content, "to_dict"):
        raise DataError(
            f"{path}: holds a {type(content).__name__}, which is no graph; save a Data object or"
            " data.to_dict()"
        )
    return read_data(
        content,
        label=label,
        features=features,
        weight=weight,
        name=name or path.stem,
        source=str(path),
        with_masks=with_masks,
    )


def _loaded(path: Path) -> Any:
    """The content of the file, without running anything that it says."""
    import torch

    check_archive(path)
    try:
        with (
            warnings.catch_warnings(action="ignore"),  # of torch, about old ways of saving
            _classes_of_pyg(),
            # Indices of a sparse tensor that point outside of it would be followed.
            torch.sparse.check_sparse_tensor_invariants(),
        ):
            return torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise DataError(f"{path}: no such file; check the path") from None
    except IsADirectoryError:
        raise DataError(f"{path}: a folder, not a file; check the path") from None
    except pickle.UnpicklingError as error:
        raise _refused(path, str(error)) from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from None
    except (
        RuntimeError,
        EOFError,
        ValueError,
        KeyError,
        IndexError,
        AttributeError,
        TypeError,
        AssertionError,
        MemoryError,
        OverflowError,
        struct.error,
    ) as error:  # what torch's reader raises on bytes that are no such file
        said = (str(error).splitlines() or [""])[0][:80]
        raise DataError(
            f"{path}: not a file of torch.save, or a damaged one ({said or type(error).__name__});"
            " save it anew"
        ) from None


@contextmanager
def _classes_of_pyg() -> Iterator[None]:
    """Let torch load PyG's own classes, and nothing else that this process may have allowed.

    A Data object that went through a transform, such as ToUndirected, keeps notes in a
    defaultdict, which torch's reader cannot fill: they are read into a plain dictionary.
    """
    from torch import serialization
    from torch_geometric.data.data import DataEdgeAttr, DataTensorAttr
    from torch_geometric.data.storage import AttrType, GlobalStorage

    before = serialization.get_safe_globals()
    of_pyg = [
        known
        for known in before
        if str(getattr(known, "__module__", "")).startswith("torch_geometric.")
        or known in (list, dict)
    ]
    notes: tuple[Any, str] = (lambda *_: OrderedDict(), "collections.defaultdict")
    serialization.clear_safe_globals()
    try:
        with serialization.safe_globals(
            [*of_pyg, DataEdgeAttr, DataTensorAttr, GlobalStorage, AttrType, notes]
        ):
            yield
    finally:
        serialization.clear_safe_globals()
        serialization.add_safe_globals(before)


def _refused(path: Path, said: str) -> DataError:
    """One line for what `weights_only` refuses, which torch says in ten."""
    found = re.search(r"GLOBAL ([\w.]+)", said)
    whole = found[1] if found else ""
    held = whole.rpartition(".")[2] if whole.startswith("torch_geometric.data.") else ""
    if held in ("BaseStorage", "NodeStorage", "EdgeStorage"):
        return DataError(f"{path}: {_KINDS}")
    if held == "DynamicInheritanceGetter":
        return DataError(f"{path}: a batch: {_SEVERAL}")
    if not whole:
        return DataError(
            f"{path}: not a file of torch.save, or a damaged one; save data.to_dict() anew"
        )
    return DataError(
        f"{path}: holds {whole}, which is not opened, as that could run code; save data.to_dict()"
        " of the graph instead"
    )


def _edges(source: str, parts: Mapping[str, Any]) -> tuple[Any, Any]:
    """Edges [2, E], and their weights if a sparse matrix has them."""
    edges = parts.get("edge_index")
    if edges is not None:
        return edges, None
    matrix = parts.get("adj_t", parts.get("adj"))
    if matrix is None:
        there = ", ".join(sorted(map(str, parts))[:12]) or "nothing"
        raise DataError(
            f"{source}: no edge_index in it, so it is no graph; it has {there}; save a Data object"
            " or data.to_dict()"
        )
    shape = list(matrix.sizes() if hasattr(matrix, "coo") else getattr(matrix, "shape", ()))
    if len(shape) != 2 or shape[0] != shape[1]:
        raise DataError(
            f"{source}: the adjacency has shape {shape}; give [nodes, nodes], or edge_index"
        )
    if hasattr(matrix, "coo"):  # torch_sparse
        row, column, values = matrix.coo()
    else:
        entries = matrix.to_sparse_coo().coalesce()
        (row, column), values = entries.indices(), entries.values()
    ends = [to_numpy(source, "the adjacency", end) for end in (row, column)]
    return np.stack(ends), values


def _masks(parts: Mapping[str, Any], wanted: bool) -> tuple[Any, Any, Any]:
    """The masks, or positions, of the three parts; None for one that is not there."""
    train, val, test = (
        next((parts[name] for name in names if wanted and parts.get(name) is not None), None)
        for names in MASK_NAMES
    )
    return train, val, test


def _named(source: str, parts: Mapping[str, Any], name: str, option: str) -> Any:
    if parts.get(name) is None:
        there = ", ".join(sorted(str(key) for key, value in parts.items() if value is not None))
        raise DataError(
            f"{source}: no '{name}' in it; it has {there}: name one of them as {option}"
        )
    return parts[name]


def _columns(
    parts: Mapping[str, Any], count: int | None, known: set[str]
) -> dict[str, np.ndarray]:
    """Attributes with one number per node, such as node_year, for splits by time."""
    found = {}
    for key, value in parts.items():
        shape = tuple(getattr(value, "shape", ()))
        if key not in known and hasattr(value, "numpy") and shape in ((count,), (count, 1)):
            found[str(key)] = to_numpy("the graph", str(key), value).reshape(-1)
    return found
