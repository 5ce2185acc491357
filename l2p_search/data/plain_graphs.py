"""Graphs for a program without this package: published ones by torch-geometric, others by file.

What is loaded here is what `load_graph` gives, tensor by tensor. An exported program has the
source of these functions.
"""

import hashlib
import io
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from l2p_search.data.graph import Graph


class PlainGraph(NamedTuple):
    """A graph of N nodes with P splits, both directions of every edge, no self-loop.

    Attributes:
        x: Features, [N, F].
        edges: [2, E].
        y: Classes [N], -1 for a node without a label.
        train: Training nodes of every split [P, N], bool; `val` and `test` likewise.
        val: Validation nodes.
        test: Test nodes.
        weights: Of the edges [E]; None when all count alike.
    """

    x: Tensor
    edges: Tensor
    y: Tensor
    train: Tensor
    val: Tensor
    test: Tensor
    weights: Tensor | None = None

    def digest(self) -> str:
        """A content hash: two graphs with one digest give the same training."""
        sha = hashlib.sha256()
        for part in self:
            if part is not None:
                sha.update(str((part.dtype, tuple(part.shape))).encode())
                sha.update(part.contiguous().numpy().tobytes())
        return sha.hexdigest()[:16]


PUBLISHED = {
    "cora": ("Planetoid", "", "Cora"),
    "citeseer": ("Planetoid", "", "CiteSeer"),
    "pubmed": ("Planetoid", "", "PubMed"),
    "actor": ("Actor", "Actor"),
    "texas": ("WebKB", "WebKB", "texas"),
    "wisconsin": ("WebKB", "WebKB", "wisconsin"),
    "cornell": ("WebKB", "WebKB", "cornell"),
    "cornell-legacy": ("WebKB", "WebKB-legacy", "cornell"),
}
"""Dataset -> what `load_published` takes."""


def load_published(folder: str, kind: str, inside: str, *name: str) -> PlainGraph:
    """A published graph by torch-geometric, undirected, its features divided by their sum.

    Args:
        folder: Where its files are, in torch-geometric's layout, or are downloaded to.
        kind: Its class in `torch_geometric.datasets`.
        inside: The folder of that class in the folder.
        *name: Which dataset of the class, if it has several.
    """
    from torch_geometric import datasets
    from torch_geometric.utils import remove_self_loops, to_undirected

    data = getattr(datasets, kind)(os.path.join(folder, inside), *name)[0]
    edges = to_undirected(remove_self_loops(data.edge_index)[0], num_nodes=data.num_nodes)
    x = data.x / data.x.abs().sum(dim=1, keepdim=True).clamp(min=torch.finfo(data.x.dtype).tiny)
    masks = (data.train_mask, data.val_mask, data.test_mask)
    return PlainGraph(x, edges, data.y, *(mask.view(len(x), -1).T.contiguous() for mask in masks))


def load_arrays(file: str | Path) -> PlainGraph:
    """A graph from an .npz file with one array for each of its parts."""
    with np.load(file, allow_pickle=False) as arrays:
        return PlainGraph(**{name: torch.from_numpy(arrays[name]) for name in arrays.files})


def as_arrays(graph: Graph) -> bytes:
    """A graph as the .npz file that `load_arrays` reads."""
    parts = {name: getattr(graph, name) for name in PlainGraph._fields}
    arrays = {name: part.numpy() for name, part in parts.items() if part is not None}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()
