import os
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.data import Batch, Data, HeteroData, InMemoryDataset
from torch_geometric.transforms import ToUndirected
from torch_geometric.utils import from_networkx

from l2p_search.data import limits
from l2p_search.data.graph import Graph
from l2p_search.data.ingest import ingest
from l2p_search.data.sources.pyg import read_data, read_pt
from l2p_search.errors import DataError


def _data() -> Data:
    generator = torch.Generator().manual_seed(0)
    part = torch.arange(12) // 4
    return Data(
        x=torch.randn(12, 5, generator=generator),
        edge_index=torch.stack([torch.arange(11), torch.arange(1, 12)]),
        y=torch.arange(12) % 3,
        train_mask=part == 0,
        val_mask=part == 1,
        test_mask=part == 2,
    )


@pytest.fixture
def wanted() -> Graph:
    data = _data()
    return Graph.build(
        x=data.x,
        edges=data.edge_index,
        y=data.y,
        train=data.train_mask,
        val=data.val_mask,
        test=data.test_mask,
    )


def _saved_as_dataset(path: Path) -> None:
    InMemoryDataset.save([_data()], path)


def _saved_by_an_older_dataset(path: Path) -> None:
    torch.save((_data(), None), path)


def _saved_in_the_old_format(path: Path) -> None:
    torch.save(_data(), path, _use_new_zipfile_serialization=False)


@pytest.mark.parametrize(
    "save",
    [
        lambda path: torch.save(_data(), path),
        lambda path: torch.save(_data().to_dict(), path),
        lambda path: torch.save([_data()], path),
        _saved_as_dataset,
        _saved_by_an_older_dataset,
        _saved_in_the_old_format,
    ],
    ids=["Data", "to_dict", "a list of one", "InMemoryDataset", "tuple", "old format"],
)
def test_whatever_torch_saved_gives_the_same_graph(
    tmp_path: Path, wanted: Graph, save: Any
) -> None:
    save(tmp_path / "mine.pt")
    raw = read_pt(tmp_path / "mine.pt")
    assert ingest(raw).digest == wanted.digest
    assert raw.name == "mine"
    assert raw.source == str(tmp_path / "mine.pt")


def test_data_in_memory_gives_the_same_graph(wanted: Graph) -> None:
    assert ingest(read_data(_data())).digest == wanted.digest
    assert ingest(read_data(_data().to_dict())).digest == wanted.digest
    assert ingest(read_data(ToUndirected()(_data()))).digest == wanted.digest


@pytest.mark.filterwarnings("ignore:Sparse")
def test_an_adjacency_matrix_stands_for_edges(wanted: Graph) -> None:
    data = _data()
    values = torch.ones(11)
    data.adj_t = torch.sparse_coo_tensor(data.edge_index.flip(0), values, (12, 12))
    del data.edge_index
    assert ingest(read_data(data)).digest == wanted.digest
    data.adj_t = data.adj_t.to_sparse_csr()
    assert ingest(read_data(data)).digest == wanted.digest


def test_many_splits_are_read_by_column() -> None:
    """PyG has them [N, P]; here they are [P, N]."""
    data = _data()
    for part in ("train_mask", "val_mask", "test_mask"):
        data[part] = torch.stack([data[part], data[part].roll(4)], dim=1)
    graph = ingest(read_data(data))
    assert graph.num_splits == 2
    assert graph.train[1].nonzero().squeeze(1).tolist() == [4, 5, 6, 7]


def test_other_attributes_can_be_named() -> None:
    data = _data()
    data.club, data.words, data.strength = data.y, data.x[:, :2], torch.full((11,), 2.0)
    raw = read_data(data, label="club", features="words", weight="strength")
    assert raw.label_name == "club"
    assert raw.x is not None
    assert raw.x.shape == (12, 2)
    assert ingest(raw).weights is not None


def test_edge_weight_is_the_weight_and_edge_attr_is_told() -> None:
    data = _data()
    data.edge_weight = torch.full((11,), 2.0)
    data.edge_attr = torch.rand(11, 3)
    raw = read_data(data)
    assert raw.weights is not None
    assert raw.notes == ("edge_attr was not used (name it as the weight, if it is one)",)


def test_a_year_per_node_serves_for_splits_by_time() -> None:
    data = _data()
    data.node_year = torch.arange(2000, 2012)[:, None]
    graph = ingest(read_data(data, with_masks=False), splits="temporal:node_year")
    assert graph.train[0].nonzero().squeeze(1).tolist() == [0, 1, 2, 3, 4, 5]


def test_what_networkx_gives_pyg_is_read() -> None:
    club = nx.karate_club_graph()
    for node in club:
        club.nodes[node]["y"] = int(club.nodes[node].pop("club") == "Officer")
    raw = read_data(from_networkx(club), weight="weight")
    graph = ingest(raw)
    assert (graph.num_nodes, graph.num_edges) == (34, 78)
    assert graph.weights is not None


class _Bomb:
    """What a pickle can do: run a command when it is opened."""

    def __init__(self, marker: Path) -> None:
        self._marker = marker

    def __reduce__(self) -> Any:
        return os.system, (f"touch {self._marker}",)


@pytest.mark.parametrize("new", [True, False], ids=["zip", "old format"])
def test_a_pickle_with_code_in_it_does_not_run(tmp_path: Path, new: bool) -> None:
    marker = tmp_path / "it-ran"
    data = {**_data().to_dict(), "trap": _Bomb(marker)}
    torch.save(data, tmp_path / "mine.pt", _use_new_zipfile_serialization=new)
    with pytest.raises(DataError) as error:
        read_pt(tmp_path / "mine.pt")
    assert not marker.exists()
    assert "mine.pt: holds posix.system, which is not opened, as that could run code" in str(
        error.value
    )
    assert "\n" not in str(error.value)


class _Own(Data):  # type: ignore[misc]
    """A class of the user's own, which is code too."""


def _hetero() -> HeteroData:
    data = HeteroData()
    data["paper"].x = torch.rand(3, 2)
    data["paper", "cites", "paper"].edge_index = torch.tensor([[0], [1]])
    return data


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (_hetero, "nodes of several kinds (HeteroData)"),
        (lambda: _hetero().to_dict(), "nodes of several kinds (HeteroData)"),
        (lambda: [_data(), _data()], "a list of 2: several graphs"),
        (lambda: Batch.from_data_list([_data(), _data()]), "a batch: several graphs"),
        (lambda: {"w": torch.rand(2)}, "no edge_index in it, so it is no graph; it has w"),
        (lambda: {}, "no edge_index in it, so it is no graph; it has nothing"),
        (lambda: torch.rand(3), "holds a Tensor, which is no graph"),
        (lambda: 7, "holds a int, which is no graph"),
        (lambda: torch.nn.Linear(2, 2), "holds torch.nn.modules.linear.Linear, which is not"),
        (lambda: _Own(x=torch.rand(2, 2)), "_Own, which is not opened"),
        (
            lambda: Data(x=torch.rand(3, 2), edge_index=torch.tensor([[0], [1]])),
            "no 'y' in it; it has edge_index, x: name one of them as label",
        ),
        (
            lambda: Data(edge_index=torch.tensor([[0], [1]]), y=torch.tensor(1), x=torch.eye(2)),
            "one label for the whole graph",
        ),
    ],
)
def test_a_file_that_is_no_single_graph_is_refused(
    tmp_path: Path, content: Any, says: str
) -> None:
    torch.save(content(), tmp_path / "mine.pt")
    with pytest.raises(DataError) as error:
        read_pt(tmp_path / "mine.pt")
    assert says in str(error.value)
    assert str(error.value).startswith(f"{tmp_path / 'mine.pt'}: ")
    assert "\n" not in str(error.value)


def test_a_graph_that_went_through_a_transform_is_read(tmp_path: Path) -> None:
    """PyG then keeps notes in it, in a kind of dictionary that torch's reader does not know."""
    data = ToUndirected()(_data())
    assert data._store._cached_attr
    torch.save(data, tmp_path / "mine.pt")
    read, wanted = read_pt(tmp_path / "mine.pt"), read_data(data)
    np.testing.assert_array_equal(read.edges, wanted.edges)
    np.testing.assert_array_equal(read.x, wanted.x)


class _Allowed:
    """A class that the user's program allows torch to load."""


def test_what_a_program_allows_elsewhere_is_not_loaded_and_stays_allowed(tmp_path: Path) -> None:
    torch.save({**_data().to_dict(), "more": _Allowed()}, tmp_path / "mine.pt")
    with torch.serialization.safe_globals([_Allowed]):
        with pytest.raises(DataError, match=r"_Allowed, which is not opened"):
            read_pt(tmp_path / "mine.pt")
        assert _Allowed in torch.serialization.get_safe_globals()


@pytest.mark.parametrize("layout", ["coo", "csr"])
def test_a_sparse_tensor_that_points_outside_of_itself_is_refused(
    tmp_path: Path, layout: str
) -> None:
    data = _data()
    nodes = data.num_nodes
    ones = torch.ones(1)
    if layout == "coo":
        outside = torch.tensor([[10**6], [0]])
        x = torch.sparse_coo_tensor(outside, ones, (nodes, 2), check_invariants=False)
    else:
        starts, outside = torch.tensor([0] + [1] * nodes), torch.tensor([10**7])
        x = torch.sparse_csr_tensor(starts, outside, ones, (nodes, 2), check_invariants=False)
    torch.save({**data.to_dict(), "x": x}, tmp_path / "mine.pt")
    with pytest.raises(DataError, match=r"mine.pt: not a file of torch.save, or a damaged one"):
        read_pt(tmp_path / "mine.pt")


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize(
    "tensor",
    [
        lambda: torch.empty(3, 2, device="meta"),
        lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
    ],
)
def test_a_tensor_without_plain_numbers_is_refused(tensor: Any) -> None:
    with pytest.raises(DataError, match=r"'x' is a nested, quantized or empty tensor"):
        read_data({**_data().to_dict(), "x": tensor()})


def test_further_attributes_may_be_of_any_type() -> None:
    data = _data()
    data.when = torch.arange(data.num_nodes, dtype=torch.float32).requires_grad_()
    data.small = data.when.detach().bfloat16()
    parts = {**data.to_dict(), 3: data.small}
    columns = read_data(parts).columns
    assert set(columns) >= {"when", "small", "3"}
    assert columns["small"].tolist() == data.small.tolist()


def test_attributes_are_listed_whatever_their_names_are() -> None:
    with pytest.raises(DataError, match=r"no 'y' in it; it has 3, edge_index"):
        read_data({3: 4, "edge_index": _data().edge_index})


def test_a_dataset_of_several_graphs_is_refused(tmp_path: Path) -> None:
    InMemoryDataset.save([_data(), _data()], tmp_path / "mine.pt")
    with pytest.raises(DataError, match=r"mine.pt: several graphs"):
        read_pt(tmp_path / "mine.pt")


def test_several_graphs_in_memory_are_refused() -> None:
    with pytest.raises(DataError, match="2 graphs in one batch"):
        read_data(Batch.from_data_list([_data(), _data()]))
    with pytest.raises(DataError, match="the Data object: nodes of several kinds"):
        read_data(_hetero())


@pytest.mark.parametrize(
    "content", [b"", b"not a pickle", b"\x80\x02garbage", b"PK\x03\x04garbage", bytes(1000)]
)
def test_a_file_that_torch_cannot_read_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "mine.pt").write_bytes(content)
    with pytest.raises(DataError, match=r"mine.pt: (not a file of torch.save|not a readable)"):
        read_pt(tmp_path / "mine.pt")


def test_a_file_cut_short_is_refused(tmp_path: Path) -> None:
    torch.save(_data(), tmp_path / "mine.pt")
    content = (tmp_path / "mine.pt").read_bytes()
    (tmp_path / "mine.pt").write_bytes(content[: len(content) // 2])
    with pytest.raises(DataError, match=r"mine.pt: not a"):
        read_pt(tmp_path / "mine.pt")


def test_a_view_that_claims_to_be_huge_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One number, repeated by a stride of 0: a small file, and terabytes once it is touched."""
    data = _data().to_dict()
    data["x"] = torch.zeros(1, 1).expand(12, 10**9)
    torch.save(data, tmp_path / "mine.pt")
    monkeypatch.setattr(limits, "free_bytes", lambda: 10**9)
    with pytest.raises(DataError, match=r"mine.pt: 'x' would take 45 GB of memory"):
        read_pt(tmp_path / "mine.pt")


def test_a_missing_file_and_a_folder_are_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none.pt: no such file"):
        read_pt(tmp_path / "none.pt")
    with pytest.raises(DataError, match="a folder"):
        read_pt(tmp_path)


def test_numbers_of_nodes_need_not_be_said_when_labels_are_there() -> None:
    data = _data()
    del data.x
    assert read_data(data).num_nodes == 12
    assert np.array_equal(read_data(data).labels, np.arange(12) % 3)


@pytest.mark.parametrize("names", ["{}_idx", "{}_index", "idx_{}"])
@pytest.mark.parametrize("val", ["val", "valid"])
def test_positions_of_nodes_are_splits(wanted: Graph, names: str, val: str) -> None:
    data = _data()
    for part, called in (("train", "train"), ("val", val), ("test", "test")):
        data[names.format(called)] = data[f"{part}_mask"].nonzero().flatten()
        del data[f"{part}_mask"]
    assert ingest(read_data(data)).digest == wanted.digest
