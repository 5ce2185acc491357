"""Bad graphs that users have: each gives one line with the file and the place, and leaves nothing.

Tables have more of them in tests/data/sources/.
"""

import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch_geometric.data import Batch, Data, HeteroData, InMemoryDataset

from l2p_search.data import limits
from l2p_search.data.loading import load_graph
from l2p_search.errors import DataError

_NODES = 12


def _good() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    part = np.arange(_NODES) // 4
    return {
        "x": rng.normal(size=(_NODES, 4)),
        "edge_index": np.stack([np.arange(_NODES - 1), np.arange(1, _NODES)]),
        "y": np.arange(_NODES) % 3,
        "train_mask": part == 0,
        "val_mask": part == 1,
        "test_mask": part == 2,
    }


def _npz(**changes: Any) -> Callable[[Path], Path]:
    """A writer of an .npz file; None leaves an array out."""

    def write(folder: Path) -> Path:
        arrays = {**_good(), **changes}
        kept = {key: value for key, value in arrays.items() if value is not None}
        np.savez(folder / "bad.npz", **kept)
        return folder / "bad.npz"

    return write


def _pt(make: Callable[[], Any]) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        torch.save(make(), folder / "bad.pt")
        return folder / "bad.pt"

    return write


def _file(name: str, content: bytes) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        (folder / name).write_bytes(content)
        return folder / name

    return write


def _put(key: str, place: Any, value: Any) -> np.ndarray:
    array = _good()[key]
    array[place] = value
    return array


def _data(**changes: Any) -> Data:
    given = {key: torch.as_tensor(value) for key, value in _good().items()}
    return Data(**{**given, **changes})


def _hetero() -> HeteroData:
    data = HeteroData()
    data["paper"].x = torch.rand(3, 2)
    data["paper", "cites", "paper"].edge_index = torch.tensor([[0], [1]])
    return data


class _Code:
    def __reduce__(self) -> Any:
        return os.system, ("touch it-ran",)


def _several(folder: Path) -> Path:
    InMemoryDataset.save([_data(), _data()], folder / "bad.pt")
    return folder / "bad.pt"


def _cut_short(folder: Path) -> Path:
    path = _npz()(folder)
    path.write_bytes(path.read_bytes()[:700])
    return path


def _claims_more(folder: Path) -> Path:
    header = io.BytesIO()
    description = {"descr": "<f8", "fortran_order": False, "shape": (_NODES, 10**12)}
    np.lib.format.write_array_header_1_0(header, description)
    path = _npz(x=None)(folder)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("x.npy", header.getvalue() + bytes(64))
    return path


def _zip_bomb(folder: Path) -> Path:
    path = _npz(x=None)(folder)
    header = io.BytesIO()
    description = {"descr": "<f8", "fortran_order": False, "shape": (_NODES, 10**6)}
    np.lib.format.write_array_header_1_0(header, description)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", header.getvalue() + bytes(8 * _NODES * 10**6))
    assert path.stat().st_size < 200_000
    return path


_TRAIN_ALL = np.ones(_NODES, dtype=bool)
_NONE = np.zeros(_NODES, dtype=bool)
_CSR = {"adj_data": np.ones(2), "adj_indices": np.array([1, 99]), "adj_shape": np.array([12, 12])}

_BAD: dict[str, tuple[Callable[[Path], Path], dict[str, Any], str]] = {
    # edges
    "an id out of range": (
        _npz(edge_index=_put("edge_index", (1, 4), 12)),
        {},
        "edge 4 goes from node 4 to node 12, but nodes are 0 to 11",
    ),
    "a negative id": (
        _npz(edge_index=_put("edge_index", (0, 0), -3)),
        {},
        "edge 0 goes from node -3 to node 1",
    ),
    "a huge id": (
        _npz(edge_index=_put("edge_index", (1, 2), 2**62)),
        {},
        "edge 2 goes from node 2 to node 4611686018427387904",
    ),
    "an id beyond 64 bits": (
        _npz(edge_index=np.array([[0], [2**64 - 1]], dtype=np.uint64)),
        {},
        "an edge names node 18446744073709551615",
    ),
    "half an id": (_npz(edge_index=[[0.5, 1], [1, 2]]), {}, "edge 0 names node 0.5"),
    "an id that is NaN": (_npz(edge_index=[[np.nan, 1], [1, 2]]), {}, "edge 0 names node nan"),
    "ids that are text": (_npz(edge_index=[["a"], ["b"]]), {}, "edges have the type <U1"),
    "three ends per edge": (_npz(edge_index=np.zeros((3, 5), int)), {}, "edges have shape [3, 5]"),
    "edges in a row": (_npz(edge_index=np.arange(6)), {}, "edges have shape [6]"),
    "no edges": (_npz(edge_index=np.zeros((2, 0), int)), {}, "no edge joins two nodes"),
    "only self-loops": (_npz(edge_index=[[1, 2], [1, 2]]), {}, "no edge joins two nodes"),
    "no edge list": (_npz(edge_index=None), {}, "no edge_index in it; it has"),
    "a negative weight": (
        _npz(edge_weight=np.r_[np.ones(10), -1.0]),
        {},
        "the edge from node 10 to node 11 (edge 10) has weight -1.0",
    ),
    "a weight that is NaN": (
        _npz(edge_weight=np.r_[np.nan, np.ones(10)]),
        {},
        "the edge from node 0 to node 1 (edge 0) has weight nan",
    ),
    "too few weights": (_npz(edge_weight=np.ones(3)), {}, "weights have shape [3]"),
    "weights that are text": (_npz(edge_weight=["a"] * 11), {}, "and type <U1; give 11 numbers"),
    # features
    "a feature that is NaN": (
        _npz(x=_put("x", (7, 2), np.nan)),
        {},
        "feature 2 of node 7 is nan (1 such values in all)",
    ),
    "an infinite feature": (_npz(x=_put("x", (3, 0), np.inf)), {}, "feature 0 of node 3 is inf"),
    "a feature beyond 32 bits": (
        _npz(x=_put("x", (3, 0), 1e300)),
        {"scale": "none"},
        "feature 0 of node 3 is 1e+300, too large for 32 bits",
    ),
    "features of other nodes": (
        _npz(x=np.ones((5, 4))),
        {},
        "5 rows of features and 12 labels; give one of each per node",
    ),
    "features with three axes": (
        _npz(x=np.ones((12, 2, 2))),
        {},
        "features have shape [12, 2, 2]",
    ),
    "features that are text": (_npz(x=np.full((12, 2), "a")), {}, "features have the type <U1"),
    "complex features": (_npz(x=np.full((12, 2), 1j)), {}, "features have the type complex128"),
    # labels
    "no labels": (_npz(y=None), {}, "no y in it; it has edge_index"),
    "a label too few": (_npz(y=np.arange(11) % 3), {}, "12 rows of features and 11 labels"),
    "labels that are measurements": (
        _npz(y=np.linspace(0, 1, 12)),
        {},
        "the label of node 1 is 0.09090909090909091, which is no class",
    ),
    "an infinite label": (
        _npz(y=np.r_[np.inf, np.arange(11) % 3]),
        {},
        "the label of node 0 is inf, which is no class",
    ),
    "several labels per node": (_npz(y=np.ones((12, 3))), {}, "several per node"),
    "one class": (_npz(y=np.zeros(12, int)), {}, "every labelled node is of class '0'"),
    "no label at all": (_npz(y=np.full(12, -1)), {}, "no node has a label"),
    "labels that are ids": (_npz(y=np.arange(12) * 7), {}, "has a class of its own"),
    "pickled labels": (
        _npz(y=np.array(["a", None] * 6, dtype=object)),
        {},
        "'y' is pickled and was not opened; save it as an array",
    ),
    "pickled features": (
        _npz(x=np.array([["a", None]] * _NODES, dtype=object)),
        {},
        "'x' is pickled and was not opened; save it as an array",
    ),
    "features that are a word": (
        _pt(lambda: _data(x="none")),
        {},
        "the features are a str; give numbers [nodes, features]",
    ),
    "an adjacency that is not square": (
        _pt(lambda: {"adj_t": torch.ones(5, 7).to_sparse(), "y": torch.arange(_NODES) % 3}),
        {},
        "the adjacency has shape [5, 7]; give [nodes, nodes], or edge_index",
    ),
    "a label that is not there": (_npz(), {"label": "club"}, "no club in it; it has edge_index"),
    # splits
    "masks that overlap": (
        _npz(val_mask=_good()["train_mask"]),
        {},
        "node 0 is in two parts of split 0",
    ),
    "a mask that covers nothing": (_npz(test_mask=_NONE), {}, "split 0 has no test node"),
    "a mask of other nodes": (_npz(train_mask=_TRAIN_ALL[:5]), {}, "the train mask has shape [5]"),
    "a mask of numbers": (
        _npz(train_mask=np.full(12, 0.5)),
        {},
        "the train mask has the type float64 and other values than true and false",
    ),
    "a mask too few": (_npz(val_mask=None), {}, "no val mask beside the others"),
    "different numbers of masks": (
        _npz(train_mask=np.stack([_good()["train_mask"]] * 3), test_mask=np.zeros((2, 12), bool)),
        {},
        "2 test masks beside 3 others",
    ),
    "a training node that does not exist": (
        _npz(train_mask=np.array([0, 50]), val_mask=np.array([1]), test_mask=np.array([2])),
        {},
        "the train nodes name node 50, but nodes are 0 to 11",
    ),
    "a class that no split trains": (
        _npz(train_mask=np.array([0, 3]), val_mask=np.array([1]), test_mask=np.array([2])),
        {},
        "class '1' has no training node in any split",
    ),
    "a rule with a typo": (_npz(), {"splits": "10x48/32"}, "splits '10x48/32': no such rule"),
    "shares beyond all": (_npz(), {"splits": "60/30/20"}, "the shares add up to 110"),
    "more nodes than there are": (
        _npz(),
        {"splits": "2-per-class/500/1000"},
        "splits '2-per-class/500/1000' want 500 validation nodes, and 6 labelled nodes are left",
    ),
    "too few nodes to split": (
        _npz(y=np.array([0, 1, *[-1] * 10])),
        {"splits": "10x48/32/20"},
        "2 labelled nodes are too few for it",
    ),
    "a time that is not there": (_npz(), {"splits": "temporal:year"}, "need a column 'year'"),
    "an unknown scale": (_npz(), {"scale": "minmax"}, "scale 'minmax' is unknown"),
    # matrices
    "a matrix without its end": (
        _npz(edge_index=None, **_CSR),
        {},
        "no adj_indptr in it; it has adj_data",
    ),
    "a matrix that points outside": (
        _npz(edge_index=None, adj_indptr=np.r_[0, np.full(12, 2)], **_CSR),
        {},
        "members adj_* are no CSR matrix",
    ),
    # files
    "code in a pickle": (
        _pt(lambda: {**_data().to_dict(), "trap": _Code()}),
        {},
        "holds posix.system, which is not opened, as that could run code",
    ),
    "a model": (_pt(lambda: torch.nn.Linear(2, 2)), {}, "holds torch.nn.modules.linear.Linear"),
    "a state of a model": (_pt(lambda: {"w": torch.rand(2)}), {}, "no edge_index in it"),
    "a tensor": (_pt(lambda: torch.rand(3)), {}, "holds a Tensor, which is no graph"),
    "nodes of several kinds": (_pt(_hetero), {}, "nodes of several kinds (HeteroData)"),
    "several graphs": (_several, {}, "several graphs"),
    "a batch": (_pt(lambda: Batch.from_data_list([_data()] * 2)), {}, "a batch: several graphs"),
    "Data without labels": (_pt(lambda: _data(y=None)), {}, "no 'y' in it; it has edge_index"),
    "a label per graph": (
        _pt(lambda: _data(y=torch.tensor([1]))),
        {},
        "12 rows of features and 1 labels",
    ),
    "a plain pickle": (_file("bad.pkl", b"\x80\x04N."), {}, "a pickle is not opened"),
    "an empty file": (_file("bad.npz", b""), {}, "the file is empty"),
    "text in an npz": (_file("bad.npz", b"hello"), {}, "not a readable archive"),
    "text in a pt": (_file("bad.pt", b"hello"), {}, "not a file of torch.save"),
    "a picture": (_file("bad.png", b"\x89PNG\r\n"), {}, "no graph in a known format"),
    "a file cut short": (_cut_short, {}, "not a readable archive"),
    "a header that lies": (_claims_more, {}, "member 'x' of shape [12, 1000000000000] would take"),
    "a zip bomb": (_zip_bomb, {}, "member 'x' of shape [12, 1000000] would take"),
    "no file": (lambda folder: folder / "none.csv", {}, "no such file or folder"),
    "an option of tables": (_npz(), {"id": "node"}, "'id' means nothing for such a graph"),
}


@pytest.mark.parametrize("kind", _BAD)
def test_a_bad_graph_is_one_line_that_names_the_place_and_leaves_nothing(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(limits, "free_bytes", lambda: 50_000_000)
    write, options, says = _BAD[kind]
    path = write(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(DataError) as error:
        load_graph(path, **options)
    assert says in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400
    about_the_options = str(error.value).startswith(("splits ", "scale "))
    assert str(path) in str(error.value) or about_the_options
    assert sorted(tmp_path.rglob("*")) == before
