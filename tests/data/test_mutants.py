"""Files of every format with damage at random places: a graph, or one line; never more."""

import json
import random
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import torch
from scipy.sparse import csr_array
from torch_geometric.data import Data

from l2p_search.data.graph import Graph
from l2p_search.data.loading import load_graph
from l2p_search.errors import UserError

_NODES = 24
_MUTANTS = 40
"""Per format."""
_PATIENCE = 300
"""Seconds after which the mutants of a format count as hanging, far beyond what they take."""

Options = dict[str, Any]


def _arrays() -> dict[str, np.ndarray]:
    generator = np.random.default_rng(0)
    part = np.arange(_NODES) % 4
    return {
        "x": generator.normal(size=(_NODES, 3)).astype(np.float32),
        "edge_index": np.stack([np.arange(_NODES - 1), np.arange(1, _NODES)]),
        "y": np.arange(_NODES) % 3,
        "train_mask": part < 2,
        "val_mask": part == 2,
        "test_mask": part == 3,
    }


def _network() -> nx.Graph:
    graph = nx.cycle_graph(_NODES)
    for node in graph:
        graph.nodes[node].update(club=f"c{node % 3}", age=node / 2, size=node % 5)
    return graph


def _tables() -> tuple[pd.DataFrame, pd.DataFrame]:
    arrays = _arrays()
    nodes = pd.DataFrame(
        {
            "id": [f"n{node}" for node in range(_NODES)],
            "kind": [f"k{label}" for label in arrays["y"]],
            "age": arrays["x"][:, 0].astype(float),
            "town": ["here" if node % 2 else "there" for node in range(_NODES)],
            "split": np.where(
                arrays["train_mask"], "train", np.where(arrays["val_mask"], "val", "test")
            ),
        }
    )
    source, target = arrays["edge_index"]
    edges = pd.DataFrame({"source": [f"n{node}" for node in source], "w": source + 1.5})
    edges.insert(1, "target", [f"n{node}" for node in target])
    return nodes, edges


def _csv(folder: Path) -> Options:
    nodes, edges = _tables()
    nodes.to_csv(folder / "nodes.csv", index=False)
    edges.to_csv(folder / "edges.csv", index=False)
    return {"source": folder / "nodes.csv", "edges": folder / "edges.csv", "label": "kind"}


def _weighted_csv(folder: Path) -> Options:
    return {**_csv(folder), "weight": "w", "split": "split"}


def _parquet(folder: Path) -> Options:
    nodes, edges = _tables()
    nodes.to_parquet(folder / "nodes.parquet")
    edges.to_parquet(folder / "edges.parquet")
    named = {"source": folder / "nodes.parquet", "edges": folder / "edges.parquet"}
    return {**named, "label": "kind"}


def _bags(folder: Path) -> Options:
    nodes, edges = _tables()
    nodes[["id", "kind"]].assign(id=range(_NODES)).to_csv(folder / "nodes.csv", index=False)
    ends = edges[["source", "target"]].map(lambda end: int(end[1:]))
    ends.to_csv(folder / "edges.csv", index=False)
    words = {str(node): [node % 4, 4 + node % 3] for node in range(_NODES)}
    (folder / "words.json").write_text(json.dumps(words))
    named = {"source": folder / "nodes.csv", "edges": folder / "edges.csv"}
    return {**named, "label": "kind", "features": str(folder / "words.json")}


def _plain_npz(folder: Path) -> Options:
    np.savez(folder / "g.npz", **_arrays())
    return {"source": folder / "g.npz"}


def _platonov_npz(folder: Path) -> Options:
    arrays = _arrays()
    masks = {f"{part}_masks": arrays[f"{part}_mask"][None] for part in ("train", "val", "test")}
    np.savez_compressed(
        folder / "g.npz",
        edges=arrays["edge_index"].T,
        node_features=arrays["x"],
        node_labels=arrays["y"],
        **masks,
    )
    return {"source": folder / "g.npz"}


def _shchur_npz(folder: Path) -> Options:
    arrays = _arrays()
    source, target = arrays["edge_index"]
    shape = (_NODES, _NODES)
    adjacency = csr_array((np.ones(len(source)), (source, target)), shape=shape)
    members = {"labels": arrays["y"]}
    for name, matrix in (("adj", adjacency), ("attr", csr_array(np.abs(arrays["x"])))):
        for part in ("data", "indices", "indptr", "shape"):
            members[f"{name}_{part}"] = np.asarray(getattr(matrix, part))
    np.savez(folder / "g.npz", **members)
    return {"source": folder / "g.npz"}


def _saved_data(folder: Path) -> Options:
    arrays = {key: torch.from_numpy(value) for key, value in _arrays().items()}
    torch.save(Data(**arrays), folder / "g.pt")
    return {"source": folder / "g.pt"}


def _graphml(folder: Path) -> Options:
    nx.write_graphml(_network(), folder / "g.graphml")
    return {"source": folder / "g.graphml", "label": "club"}


def _gml(folder: Path) -> Options:
    nx.write_gml(_network(), folder / "g.gml")
    return {"source": folder / "g.gml", "label": "club"}


def _edge_list(folder: Path) -> Options:
    nodes, _ = _tables()
    nodes.assign(id=range(_NODES)).to_csv(folder / "nodes.csv", index=False)
    lines = [f"{node}\t{node + 1}" for node in range(_NODES - 1)]
    (folder / "edges.txt").write_text("# a list\n" + "\n".join(lines) + "\n")
    named = {"source": folder / "nodes.csv", "edges": folder / "edges.txt"}
    return {**named, "label": "kind"}


def _geom_gcn(folder: Path) -> Options:
    arrays = _arrays()
    source, target = arrays["edge_index"]
    edges = "".join(f"{a}\t{b}\n" for a, b in zip(source, target, strict=True))
    (folder / "out1_graph_edges.txt").write_text("node_id\tnode_id\n" + edges)
    lines = "".join(f"{node}\t{node % 2},1,0\t{label}\n" for node, label in enumerate(arrays["y"]))
    (folder / "out1_node_feature_label.txt").write_text("node_id\tfeature\tlabel\n" + lines)
    masks = {f"{part}_mask": arrays[f"{part}_mask"] for part in ("train", "val", "test")}
    np.savez(folder / "g_split_0.6_0.2_0.npz", **masks)
    return {"source": folder}


_FORMATS: list[Callable[[Path], Options]] = [
    _csv,
    _weighted_csv,
    _parquet,
    _bags,
    _plain_npz,
    _platonov_npz,
    _shchur_npz,
    _saved_data,
    _graphml,
    _gml,
    _edge_list,
    _geom_gcn,
]
_TOKENS = [b"", b"nan", b"-1", b"1e309", b"99999999999999999999", b"\x00", b"\xff\xfe", b'"', b","]


def _damaged(content: bytes, chance: random.Random) -> bytes:
    """Bytes flipped, cut out, doubled, put in or cut off; a number replaced by another token."""
    for _ in range(chance.choice((1, 1, 2, 5))):
        start = chance.randrange(max(1, len(content)))
        end = min(len(content), start + chance.choice((1, 3, 20, 200)))
        kind = chance.randrange(6)
        if kind == 0:
            middle = bytes(byte ^ (1 << chance.randrange(8)) for byte in content[start:end])
        elif kind == 1:
            middle = b""
        elif kind == 2:
            middle = content[start:end] * 2
        elif kind == 3:
            middle = chance.randbytes(end - start) + content[start:end]
        elif kind == 4:
            middle, end = b"", len(content)
        else:
            middle = chance.choice(_TOKENS)
        content = content[:start] + middle + content[end:]
    return content


@pytest.fixture
def no_hanging() -> Iterator[None]:
    def give_up(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"still reading after {_PATIENCE} seconds")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(_PATIENCE)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("no_hanging")
@pytest.mark.parametrize("write", _FORMATS, ids=lambda write: write.__name__.strip("_"))
def test_a_damaged_file_is_a_graph_or_one_line(
    write: Callable[[Path], Options], tmp_path: Path
) -> None:
    options = write(tmp_path)
    source = options.pop("source")
    whole = load_graph(source, **options)
    files = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    contents = [path.read_bytes() for path in files]
    chance = random.Random(write.__name__)
    refused = 0
    for _ in range(_MUTANTS):
        place = chance.randrange(len(files))
        mutant = _damaged(contents[place], chance)
        files[place].write_bytes(mutant)
        try:
            assert isinstance(load_graph(source, **options), Graph)
        except UserError as error:
            refused += 1
            said = str(error)
            assert said.strip(), mutant
            assert len(said.splitlines()) == 1, mutant
        files[place].write_bytes(contents[place])
    assert refused > 0
    assert load_graph(source, **options).digest == whole.digest
