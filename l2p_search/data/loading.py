"""load_graph: a name in, a Graph out; parsed once, then read from a cache."""

import contextlib
import os
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import torch

from l2p_search.data.catalogue import Dataset, find_dataset
from l2p_search.data.demo import demo_graph
from l2p_search.data.graph import Graph
from l2p_search.data.parsing import about_published, download, parse
from l2p_search.data.raw_files import cache_folder, data_folders, find_raw, verify
from l2p_search.errors import DataError

_FORMAT = 1
"""Raised when what a parsed graph holds changes; older caches are then made anew."""

_PARTS = ("edges", "y", "train", "val", "test")


def load_graph(name: str, data_dir: Path | None = None) -> Graph:
    """The named dataset from raw files, the cache, or PyTorch Geometric's downloader."""
    dataset = find_dataset(name)
    if dataset.name == "demo":
        return demo_graph()
    raw = find_raw(dataset, data_dir)
    if raw is not None:
        verify(dataset, raw)
    cached = cache_folder() / f"{dataset.name}-{_FORMAT}.npz"
    graph = _read(dataset, cached)
    if graph is None:
        if raw is not None:
            graph = parse(dataset, raw)
        else:
            graph = download(dataset, data_folders(data_dir)[0] / dataset.folder / "raw")
        _write(graph, cached)
    return graph


def _read(dataset: Dataset, path: Path) -> Graph | None:
    """The cached graph, or None when there is none that can be read whole."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            digest = str(arrays["digest"])
            x = torch.zeros(tuple(arrays["x_shape"].tolist()))
            x[tuple(torch.from_numpy(arrays["x_places"]))] = torch.from_numpy(arrays["x_values"])
            parts = {key: torch.from_numpy(arrays[key]) for key in _PARTS}
        graph = Graph(
            name=dataset.name,
            x=x,
            edges=parts["edges"],
            y=parts["y"],
            train=parts["train"],
            val=parts["val"],
            test=parts["test"],
            about=about_published(dataset.name, x.shape[1]),
        )
    except (OSError, ValueError, KeyError, IndexError, zipfile.BadZipFile, DataError):
        return None
    return graph if graph.digest == digest else None


def _write(graph: Graph, path: Path) -> None:
    """Keep the graph for the next time; a cache that cannot be written costs time, no more.

    It is written beside its place and then moved there, so that no reader sees half a file.
    """
    arrays = {
        "x_shape": np.asarray(graph.x.shape),
        "x_places": graph.x.nonzero().t().int().numpy(),
        "x_values": graph.x[graph.x != 0].numpy(),
        "digest": np.asarray(graph.digest),
        **{key: getattr(graph, key).numpy() for key in _PARTS},
    }
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            np.savez(Path(folder) / path.name, **arrays)
            os.replace(Path(folder) / path.name, path)
