"""Parsed graphs, kept as .npz files: a published dataset is parsed once."""

import contextlib
import os
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import torch

from l2p_search.data.about import About
from l2p_search.data.graph import Graph
from l2p_search.errors import DataError

_PARTS = ("edges", "y", "train", "val", "test")


def read_cached(name: str, path: Path, about: About) -> Graph | None:
    """The cached graph, or None when there is none that can be read whole."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            digest = str(arrays["digest"])
            x = torch.zeros(tuple(arrays["x_shape"].tolist()))
            x[tuple(torch.from_numpy(arrays["x_places"]))] = torch.from_numpy(arrays["x_values"])
            edges, y, train, val, test = (torch.from_numpy(arrays[key]) for key in _PARTS)
        graph = Graph(name, x, edges, y, train, val, test, about=about)
    except (OSError, ValueError, KeyError, IndexError, zipfile.BadZipFile, DataError):
        return None
    return graph if graph.digest == digest else None


def write_cached(graph: Graph, path: Path) -> None:
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
