import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from l2p_search.data.graph import row_normalised, undirected
from l2p_search.data.loading import load_graph
from l2p_search.data.sources.geom_gcn import EDGES, NODES, read_geom_gcn
from l2p_search.errors import DataError

_FOLDERS = {
    "wisconsin": "WebKB/wisconsin",
    "texas": "WebKB/texas",
    "cornell": "WebKB/cornell",
    "actor": "Actor",
}
_HEAD = "node_id\tfeature\tlabel\n"


@pytest.mark.parametrize("name", _FOLDERS)
def test_the_published_files_give_the_graph_that_goes_by_their_name(
    name: str, real_data: Path
) -> None:
    raw = read_geom_gcn(real_data / _FOLDERS[name] / "raw")
    graph = load_graph(name, real_data)
    assert raw.num_nodes == graph.num_nodes
    edges = undirected(torch.from_numpy(raw.edges), raw.num_nodes)
    assert torch.equal(edges, graph.edges)
    assert raw.labels is not None
    assert raw.labels.tolist() == graph.y.tolist()
    assert isinstance(raw.x, csr_array)
    x = row_normalised(torch.from_numpy(raw.x.toarray()))
    torch.testing.assert_close(x, graph.x)
    assert raw.masks is not None
    for found, expected in zip(raw.masks, (graph.train, graph.val, graph.test), strict=True):
        assert torch.equal(torch.from_numpy(found), expected)
    assert raw.name == {"actor": "film"}.get(name, name)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four nodes, three features, two splits."""
    _write(tmp_path)
    for split in range(2):
        masks = np.roll(np.eye(3, 4, dtype=int), split, axis=1)
        path = tmp_path / f"small_split_0.6_0.2_{split}.npz"
        np.savez(path, train_mask=masks[0], val_mask=masks[1], test_mask=masks[2])
    return tmp_path


def _write(
    folder: Path,
    nodes: str = "node_id\tfeature\tlabel\n2\t0,0,1\t1\n0\t1,0,0\t0\n1\t1,1,0\t1\n3\t0,0,0\t0\n",
    edges: str = "node_id\tnode_id\n0\t1\n1\t0\n3\t3\n",
) -> None:
    (folder / NODES).write_text(nodes)
    (folder / EDGES).write_text(edges)


def test_nodes_stand_in_the_order_of_their_ids(folder: Path) -> None:
    raw = read_geom_gcn(folder)
    assert isinstance(raw.x, csr_array)
    assert raw.x.toarray().tolist() == [[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 0, 0]]
    assert raw.labels is not None
    assert raw.labels.tolist() == [0, 1, 1, 0]
    assert raw.edges.tolist() == [[0, 1, 3], [1, 0, 3]]
    assert raw.masks is not None
    assert raw.masks[0].tolist() == [[True, False, False, False], [False, True, False, False]]
    assert raw.name == "small"
    assert raw.notes == ("features are 3 of 0 or 1", "2 splits were found")


def test_ten_splits_stand_in_the_order_of_their_numbers(folder: Path) -> None:
    for split in range(12):
        mask = np.eye(4, dtype=bool)[split % 4]
        path = folder / f"small_split_0.6_0.2_{split}.npz"
        np.savez(path, train_mask=mask, val_mask=mask, test_mask=mask)
    raw = read_geom_gcn(folder)
    assert raw.masks is not None
    assert raw.masks[0].argmax(axis=1).tolist() == [split % 4 for split in range(12)]


def test_features_may_be_numbers_as_in_actor(folder: Path) -> None:
    header = "node_id\tfeature(feature_amount:7)\tlabel"
    _write(folder, f"{header}\n0\t5,1,5\t0\n1\t\t1\n2\t0\t1\n3\t1\t0\n")
    raw = read_geom_gcn(folder)
    assert isinstance(raw.x, csr_array)
    assert raw.x.shape == (4, 7)
    assert raw.x.toarray()[0].tolist() == [0, 1, 0, 0, 0, 1, 0]
    assert raw.x.toarray()[1].tolist() == [0] * 7


def test_a_folder_without_splits_has_none(folder: Path) -> None:
    for path in folder.glob("*.npz"):
        path.unlink()
    raw = read_geom_gcn(folder)
    assert raw.masks is None
    assert raw.name == folder.name
    assert raw.notes[-1] == "no splits were found"


def test_splits_are_found_where_geom_gcns_repository_has_them(tmp_path: Path) -> None:
    folder, splits = tmp_path / "new_data" / "mine", tmp_path / "splits"
    for made in (folder, splits):
        made.mkdir(parents=True)
    _write(folder)
    for name, train in (("mine", 0), ("other", 1)):
        masks = np.roll(np.eye(3, 4, dtype=int), train, axis=1)
        path = splits / f"{name}_split_0.6_0.2_0.npz"
        np.savez(path, train_mask=masks[0], val_mask=masks[1], test_mask=masks[2])
    raw = read_geom_gcn(folder)
    assert raw.masks is not None
    assert raw.masks[0].tolist() == [[True, False, False, False]]


def test_splits_that_are_not_wanted_may_be_anything(folder: Path) -> None:
    (folder / "small_split_0.6_0.2_0.npz").write_bytes(b"not a zip file")
    raw = read_geom_gcn(folder, with_masks=False)
    assert raw.masks is None
    assert raw.name == "small"
    assert raw.notes[-1] == "2 splits were not read"


@pytest.mark.parametrize("inside", ["raw", "geom_gcn/raw", "."])
def test_the_folders_that_pyg_makes_are_no_names(inside: str, tmp_path: Path) -> None:
    folder = tmp_path / "texas" / inside
    folder.mkdir(parents=True)
    _write(folder)
    assert read_geom_gcn(folder).name == "texas"


@pytest.mark.parametrize(
    ("given", "name"), [("WebKB/raw", "own-wisconsin"), ("WebKB", "WebKB"), ("WebKB/mine", "mine")]
)
def test_a_loaded_graph_has_the_name_of_its_folder_or_else_of_its_splits(
    given: str, name: str, tmp_path: Path
) -> None:
    """Its own: the name of a dataset is for that dataset alone."""
    nodes = "".join(f"{i}\t{i % 3},1\t{i % 2}\n" for i in range(12))
    for folder in (tmp_path / "WebKB" / "raw", tmp_path / "WebKB" / "mine"):
        folder.mkdir(parents=True)
        _write(folder, f"{_HEAD}{nodes}")
        (folder / "wisconsin_split_0.6_0.2_0.npz").touch()
    assert load_graph(tmp_path / given, splits="2x50/25/25").name == name


@pytest.mark.parametrize(
    ("nodes", "edges", "says"),
    [
        ("", None, f"{NODES}: is empty"),
        (_HEAD, None, f"{NODES}: has a header and no rows"),
        (f"{_HEAD}0,1,2\n", None, f"{NODES}, line 2: '0,1,2' is not id, features and label"),
        (f"{_HEAD}0\t1,x\t1\n", None, f"{NODES}, line 2: '0\\t1,x\\t1' is not id, features"),
        (f"{_HEAD}0\t1,0\t1\n1\t1,0\n", None, f"{NODES}, line 3:"),
        (f"{_HEAD}0\t1,0\t1\n2\t1,0\t0\n", None, f"{NODES}, line 3: the id 2 is out of range"),
        (f"{_HEAD}0\t1,0\t1\n0\t1,0\t0\n", None, f"{NODES}, line 3: the id 0 is also in line 2"),
        (f"{_HEAD}0\t\t1\n1\t\t0\n", None, f"{NODES}: there are no features"),
        (
            f"{_HEAD}1\t1\t1\n0\t5000000\t0\n",
            None,
            f"{NODES}, line 3: the feature number 5000000 is absurdly high",
        ),
        (f"{_HEAD}0\t1\t1\n1\t{10**12}\t0\n", None, f"{NODES}: a feature has 13 digits"),
        (f"{_HEAD}{'9' * 5000}\t1,0\t1\n", None, f"{NODES}, line 2: "),
        (f"{_HEAD}0\t1,0\t{'9' * 5000}\n", None, f"{NODES}, line 2: "),
        (
            f"{_HEAD}0\t1,0,1\t1\n2\t1,0,0\t1\n1\t1,0\t0\n",
            None,
            f"{NODES}, line 4: has 2 features where most lines have 3; give each node as many",
        ),
        (None, "", f"{EDGES}: is empty"),
        (None, "node_id\tnode_id\n", f"{EDGES}: has a header and no rows"),
        (None, "node_id\tnode_id\n0 1\n", f"{EDGES}, line 2: '0 1' is not two ids with a tab"),
        (None, "node_id\tnode_id\n0\t1\n0\t4\n", f"{EDGES}, line 3: the id '4' is out of range"),
        (None, f"node_id\tnode_id\n0\t{9**30}\n", f"{EDGES}, line 2: the id '423911582752162035"),
    ],
)
def test_bad_files_are_refused_in_one_line(
    nodes: str | None, edges: str | None, says: str, folder: Path
) -> None:
    if nodes is not None:
        (folder / NODES).write_text(nodes)
    if edges is not None:
        (folder / EDGES).write_text(edges)
    before = sorted(folder.iterdir())
    with pytest.raises(DataError) as error:
        read_geom_gcn(folder)
    assert says in str(error.value)
    assert len(str(error.value).splitlines()) == 1
    assert sorted(folder.iterdir()) == before


def test_bad_splits_are_refused_in_one_line(folder: Path) -> None:
    path = folder / "small_split_0.6_0.2_0.npz"
    good = np.ones(4, dtype=bool)

    def refused(says: str) -> None:
        with pytest.raises(DataError) as error:
            read_geom_gcn(folder)
        assert says in str(error.value)
        assert len(str(error.value).splitlines()) == 1

    np.savez(path, train_mask=good, val_mask=good)
    refused("_0.npz: lacks one of train_mask, val_mask, test_mask")
    np.savez(path, train_mask=good, val_mask=good, test_mask=good[:3])
    refused("_0.npz: a mask has shape [3] and type bool; give one value for each of 4 nodes")
    np.savez_compressed(path, train_mask=good, val_mask=good, test_mask=np.zeros(10**6))
    refused("_0.npz: its masks are not of 4 nodes")
    pickled = np.array([None, 1, 2, 3], dtype=object)
    np.savez(path, train_mask=good, val_mask=good, test_mask=pickled)
    refused("_0.npz: is no npz file of masks")
    path.write_bytes(b"not a zip file")
    refused("_0.npz: is no npz file of masks")
    path.unlink()
    shutil.copy(folder / "small_split_0.6_0.2_1.npz", folder / "other_split_0.6_0.2_0.npz")
    refused("has splits of other and small; keep those of this graph")


def test_a_missing_file_is_named(folder: Path) -> None:
    (folder / EDGES).unlink()
    with pytest.raises(DataError, match=f"{EDGES}: no such file"):
        read_geom_gcn(folder)
