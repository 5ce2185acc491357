"""Graphs of the Open Graph Benchmark, where its package is installed: ogb:ogbn-arxiv."""

import contextlib
import importlib
import sys
import zipfile
from typing import Any

import numpy as np

from l2p_search.data.raw import RawGraph
from l2p_search.data.raw_files import cache_folder
from l2p_search.data.sources.arrays import from_arrays
from l2p_search.data.sources.imported import one_line
from l2p_search.errors import DataError


def read_ogb(text: str, *, name: str | None = None, with_masks: bool = True) -> RawGraph:
    """Read a node-classification dataset of OGB; it is downloaded into the cache folder once.

    Args:
        text: `ogb:NAME`, such as `ogb:ogbn-arxiv`.
        name: What the graph is called.
        with_masks: Whether to read its own splits.

    Returns:
        What `ingest` reads, with the column `node_year` where the dataset has it.

    Raises:
        DataError: ogb is not installed, or cannot load the dataset.
    """
    dataset_name = text.removeprefix("ogb:")
    try:
        ogb: Any = importlib.import_module("ogb.nodeproppred")
    except ImportError:
        raise DataError(f"{text}: ogb is not installed; install it by pip install ogb") from None
    import torch

    # What ogb keeps of numpy arrays; torch loads nothing else of its files.
    numpy_classes: list[Any] = [np.zeros(1).__reduce__()[0], np.ndarray, np.dtype]
    numpy_classes += [type(np.dtype(kind)) for kind in "?bhilqBHILQefdU"]
    try:
        # ogb asks before it downloads much: its question goes where a person sees it.
        with (
            contextlib.redirect_stdout(sys.stderr),
            torch.serialization.safe_globals(numpy_classes),
        ):
            dataset = ogb.NodePropPredDataset(name=dataset_name, root=str(cache_folder() / "ogb"))
            parts = dataset.get_idx_split()
            graph, labels = dataset[0]
    except (OSError, EOFError, ValueError, KeyError, RuntimeError, zipfile.BadZipFile) as error:
        raise DataError(f"{text}: ogb cannot load it ({one_line(error)})") from None
    if "edge_index" not in graph:
        raise DataError(f"{text}: nodes of several kinds; give a dataset of one kind")
    year = graph.get("node_year")
    return from_arrays(
        name=name or dataset_name,
        source=text,
        edges=graph["edge_index"],
        y=labels,
        x=graph.get("node_feat"),
        masks=tuple(  # type: ignore[arg-type]
            _positions(parts[part], len(labels)) if with_masks else None
            for part in ("train", "valid", "test")
        ),
        num_nodes=graph["num_nodes"],
        columns={} if year is None else {"node_year": np.asarray(year).reshape(-1)},
    )


def _positions(positions: Any, num_nodes: int) -> np.ndarray:
    mask = np.zeros(num_nodes, dtype=bool)
    mask[np.asarray(positions)] = True
    return mask
