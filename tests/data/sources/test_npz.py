from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, save_npz

from l2p_search.data.graph import Graph
from l2p_search.data.ingest import ingest
from l2p_search.data.sources.npz import read_npz
from l2p_search.errors import DataError

_NODES = 12


def _arrays() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {
        "x": (rng.random((_NODES, 20)) < 0.3).astype(np.float32),
        "edges": np.stack([np.arange(_NODES - 1), np.arange(1, _NODES)]),
        "y": np.arange(_NODES) % 3,
        "masks": np.stack([np.arange(_NODES) // 4 == part for part in range(3)]),
    }


def _csr(prefix: str, matrix: csr_array) -> dict[str, Any]:
    return {
        f"{prefix}data": matrix.data,
        f"{prefix}indices": matrix.indices,
        f"{prefix}indptr": matrix.indptr,
        f"{prefix}shape": np.array(matrix.shape),
    }


def _adjacency() -> csr_array:
    edges = _arrays()["edges"]
    return csr_array((np.ones(edges.shape[1], np.float32), tuple(edges)), shape=(_NODES, _NODES))


def _plain() -> dict[str, Any]:
    given = _arrays()
    train, val, test = given["masks"]
    return {
        "x": given["x"],
        "edge_index": given["edges"],
        "y": given["y"],
        "train_mask": train,
        "val_mask": val,
        "test_mask": test,
    }


def _platonov() -> dict[str, Any]:
    given = _arrays()
    train, val, test = given["masks"]
    return {
        "node_features": given["x"],
        "node_labels": given["y"],
        "edges": given["edges"].T,
        "train_masks": train[None],
        "val_masks": val[None],
        "test_masks": test[None],
    }


def _shchur(dot: str = "_", matrix: str = "") -> dict[str, Any]:
    given = _arrays()
    train, val, test = given["masks"]
    return {
        **_csr(f"adj{matrix}{dot}", _adjacency()),
        **_csr(f"attr{matrix}{dot}", csr_array(given["x"])),
        "labels": given["y"],
        "train_idx": np.flatnonzero(train),
        "val_idx": np.flatnonzero(val),
        "test_idx": np.flatnonzero(test),
    }


def _ppnp() -> dict[str, Any]:
    pickled = {"metadata": np.array({"a": 1}, dtype=object)}
    return {**_shchur(".", "_matrix"), **pickled}


@pytest.fixture
def wanted() -> Graph:
    given = _arrays()
    train, val, test = given["masks"]
    return Graph.build(
        x=given["x"], edges=given["edges"], y=given["y"], train=train, val=val, test=test
    )


def _valid() -> dict[str, Any]:
    """OGB's word for validation."""
    return {("valid_idx" if key == "val_idx" else key): each for key, each in _shchur().items()}


def _dense() -> dict[str, Any]:
    given = _arrays()
    names = dict(zip(("train_mask", "valid_mask", "test_mask"), given["masks"], strict=True))
    return {"adj": _adjacency().toarray(), "x": given["x"], "y": given["y"], **names}


def _dense_features() -> dict[str, Any]:
    sparse = {key: each for key, each in _shchur().items() if not key.startswith("attr")}
    return {**sparse, "attr_matrix": _arrays()["x"]}


@pytest.mark.parametrize(
    "dialect", [_plain, _platonov, _shchur, _ppnp, _valid, _dense, _dense_features]
)
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_every_dialect_gives_the_same_graph(
    tmp_path: Path, wanted: Graph, dialect: Any, save: Any
) -> None:
    save(tmp_path / "mine.npz", **dialect())
    graph = ingest(read_npz(tmp_path / "mine.npz"))
    assert graph.digest == wanted.digest
    assert graph.name == "mine"


def test_pickled_members_are_told_and_not_opened(tmp_path: Path) -> None:
    np.savez(tmp_path / "mine.npz", **_ppnp())
    assert read_npz(tmp_path / "mine.npz").notes == ("pickled members were not opened (metadata)",)


def test_two_edges_of_platonov_are_still_rows(tmp_path: Path) -> None:
    given = {**_platonov(), "edges": np.array([[0, 1], [5, 6]])}
    np.savez(tmp_path / "mine.npz", **given)
    assert read_npz(tmp_path / "mine.npz").edges.tolist() == [[0, 5], [1, 6]]


def test_names_of_nodes_classes_and_features_are_kept(tmp_path: Path) -> None:
    given = {
        **_ppnp(),
        "node_names": np.array([f"paper {k}\n" for k in range(_NODES)]),
        "class_names": np.array(["theory", "neural", "rules"]),
        "attr_names": np.array([f"word {k}" for k in range(20)]),
    }
    np.savez(tmp_path / "mine.npz", **given)
    graph = ingest(read_npz(tmp_path / "mine.npz"))
    assert graph.about.node_ids is not None
    assert graph.about.node_ids[1] == "paper 1"
    assert graph.about.class_names == ("neural", "rules", "theory")
    assert graph.y[:3].tolist() == [2, 0, 1]
    assert graph.about.feature_names is not None
    assert graph.about.feature_names[3] == "word 3"


def test_members_of_other_names_can_be_named(tmp_path: Path, wanted: Graph) -> None:
    given = _plain()
    given["kind"], given["words"] = given.pop("y"), given.pop("x")
    np.savez(tmp_path / "mine.npz", **given)
    raw = read_npz(tmp_path / "mine.npz", label="kind", features="words", name="renamed")
    assert ingest(raw).digest == wanted.digest
    assert raw.name == "renamed"


def test_weights_and_columns_are_read(tmp_path: Path) -> None:
    given = {**_plain(), "edge_weight": np.full(_NODES - 1, 2.0), "year": np.arange(_NODES)}
    np.savez(tmp_path / "mine.npz", **given)
    raw = read_npz(tmp_path / "mine.npz", with_masks=False)
    assert raw.masks is None
    graph = ingest(raw, splits="temporal:year")
    assert graph.weights is not None
    assert int(graph.train.sum()) == 6


def test_weights_of_an_adjacency_are_kept_unless_all_are_one(tmp_path: Path) -> None:
    given = _shchur()
    np.savez(tmp_path / "mine.npz", **{**given, "adj_data": given["adj_data"] * 3})
    assert ingest(read_npz(tmp_path / "mine.npz")).weights is not None


@pytest.mark.parametrize(
    ("dialect", "without", "says"),
    [
        (_plain, "y", "no y in it; it has edge_index"),
        (_plain, "edge_index", "no edge_index in it; it has test_mask"),
        (_plain, "val_mask", "no val mask beside the others"),
        (_platonov, "node_labels", "no y in it; it has edges, node_features"),
        (_shchur, "labels", "no labels in it"),
        (_shchur, "adj_indptr", "no adj_indptr in it"),
        (_shchur, "attr_shape", "no attr_shape in it"),
        (_ppnp, "adj_matrix.indices", "no adj_matrix.indices in it"),
    ],
)
def test_a_missing_member_is_named(tmp_path: Path, dialect: Any, without: str, says: str) -> None:
    given = dialect()
    del given[without]
    np.savez(tmp_path / "mine.npz", **given)
    with pytest.raises(DataError) as error:
        read_npz(tmp_path / "mine.npz")
    assert says in str(error.value)
    assert str(error.value).startswith(f"{tmp_path / 'mine.npz'}: ")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"adj_indices": np.full(_NODES - 1, 99)}, "members adj_* are no CSR matrix"),
        ({"adj_indptr": np.arange(3)}, "members adj_* are no CSR matrix"),
        ({"adj_shape": np.array([3])}, "members adj_* are no CSR matrix"),
        ({"attr_indices": np.zeros(2)}, "members attr_* are no CSR matrix"),
        ({"adj_data": np.full(_NODES - 1, "a")}, "(they have the types <U1, "),
        ({"adj_indices": np.full(_NODES - 1, 1.5)}, "members adj_* are no CSR matrix"),
        ({"adj_shape": np.array([_NODES, 99])}, "the adjacency has shape [12, 99]"),
    ],
)
def test_a_matrix_that_is_none_is_named(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    np.savez(tmp_path / "mine.npz", **{**_shchur(), **change})
    with pytest.raises(DataError) as error:
        read_npz(tmp_path / "mine.npz")
    assert says in str(error.value)


def test_a_lone_scipy_matrix_says_how_to_give_labels(tmp_path: Path) -> None:
    save_npz(tmp_path / "mine.npz", _adjacency())
    with pytest.raises(DataError, match="a scipy matrix without labels; load it by"):
        read_npz(tmp_path / "mine.npz")


# nodes, edges, features, classes, splits, scaling
_REAL = {
    "minesweeper.npz": (10_000, 39_402, 7, 2, 10, "none"),
    "tolokers.npz": (11_758, 519_000, 10, 2, 10, "standard"),
    "chameleon_filtered.npz": (890, 8_854, 2_325, 5, 10, "row"),
    "cora_ml.npz": (2_995, 8_158, 2_879, 7, 10, "row"),
    "amazon_photo.npz": (7_650, 119_081, 745, 8, 10, "row"),
}


@pytest.mark.parametrize("file", _REAL)
def test_real_files_are_read_as_published(own_data: Path, file: str) -> None:
    graph = ingest(read_npz(own_data / file))
    nodes, edges, features, classes, splits, scaling = _REAL[file]
    assert (graph.num_nodes, graph.num_edges, graph.num_features) == (nodes, edges, features)
    assert (graph.num_classes, graph.num_splits) == (classes, splits)
    assert graph.about.scaling == scaling
    assert graph.weights is None


def test_a_dense_adjacency_has_to_be_square(tmp_path: Path) -> None:
    np.savez(tmp_path / "mine.npz", **{**_dense(), "adj": np.ones((3, 12))})
    with pytest.raises(DataError, match=r"mine.npz: 'adj' has shape \[3, 12\]"):
        read_npz(tmp_path / "mine.npz")
