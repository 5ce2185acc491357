import dataclasses
import sys
import types
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from scipy.sparse import csr_array
from torch_geometric.data import Data
from torch_geometric.datasets import FakeDataset

from l2p_search.data import loading
from l2p_search.data.graph import Graph
from l2p_search.data.loading import load_graph
from l2p_search.data.raw import RawGraph
from l2p_search.errors import DataError


def _data() -> Data:
    return Data(
        x=torch.randn(30, 4, generator=torch.Generator().manual_seed(0)),
        edge_index=torch.stack([torch.arange(29), torch.arange(1, 30)]),
        y=torch.arange(30) % 3,
    )


def _raw() -> RawGraph:
    data = _data()
    return RawGraph(
        name="read",
        source="somewhere",
        num_nodes=30,
        edges=data.edge_index.numpy(),
        labels=data.y.numpy(),
        x=data.x.numpy(),
    )


@pytest.fixture
def wanted() -> Graph:
    data = _data()
    return Graph.build(x=data.x, edges=data.edge_index, y=data.y)


def test_a_name_a_file_and_an_object_are_loaded_alike(tmp_path: Path, wanted: Graph) -> None:
    torch.save(_data(), tmp_path / "mine.pt")
    np.savez(tmp_path / "mine.npz", **{key: v.numpy() for key, v in _data().to_dict().items()})
    sources = (_data(), _data().to_dict(), tmp_path / "mine.pt", str(tmp_path / "mine.npz"))
    assert {load_graph(source).digest for source in sources} == {wanted.digest}
    assert load_graph(tmp_path / "mine.pt").name == "mine"
    assert load_graph(tmp_path / "mine.pt", name="renamed").name == "renamed"
    assert load_graph("DEMO", name="again").name == "again"


def test_a_graph_is_returned_as_it_is(small_graph: Graph) -> None:
    assert load_graph(small_graph) is small_graph
    assert load_graph(small_graph, splits="2x50/25/25").about.split_rule == "2x50/25/25"
    assert load_graph(small_graph, name="other").name == "other"


def test_rules_and_scales_reach_the_graph() -> None:
    graph = load_graph(_data(), splits="3x60/20/20", scale="none")
    assert graph.num_splits == 3
    assert torch.equal(graph.x, _data().x)


def test_masks_that_are_not_whole_do_not_matter_when_a_rule_is_given() -> None:
    data = _data()
    data.train_mask = torch.ones(30, dtype=torch.bool)
    assert load_graph(data, splits="60/20/20").num_splits == 1
    with pytest.raises(DataError, match=r"no val and no test mask .* have splits made"):
        load_graph(data)


def test_a_dataset_of_pyg_is_its_one_graph() -> None:
    torch.manual_seed(0)
    assert load_graph(FakeDataset(num_graphs=1, task="node")).num_classes == 10
    with pytest.raises(DataError, match="the dataset: 2 graphs; give one of them"):
        load_graph(FakeDataset(num_graphs=2, task="node"))


def test_a_function_may_return_anything_that_is_a_graph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: Graph
) -> None:
    torch.save(_data(), tmp_path / "mine.pt")
    (tmp_path / "my_graph_module.py").write_text("def make():\n    return 'mine.pt'\n")
    monkeypatch.chdir(tmp_path)
    graph = load_graph("my_graph_module:make")
    assert graph.digest == wanted.digest
    assert graph.name == "make"


@pytest.mark.parametrize(
    ("source", "function", "options", "wanted_options"),
    [
        (
            nx.path_graph(3),
            "read_networkx",
            {"label": "club", "split": "part"},
            {"label": "club", "split": "part", "name": None, "with_masks": True},
        ),
        (
            nx.MultiDiGraph(),
            "read_networkx",
            {},
            {"name": None, "with_masks": True},
        ),
        (
            csr_array(np.eye(3)),
            "read_matrix",
            {"label": (0, 1, 0)},
            {"labels": (0, 1, 0), "features": None, "name": "matrix"},
        ),
    ],
)
def test_objects_of_other_libraries_go_to_their_readers(
    monkeypatch: pytest.MonkeyPatch,
    source: Any,
    function: str,
    options: dict[str, Any],
    wanted_options: dict[str, Any],
) -> None:
    calls = []

    def read(*given: Any, **received: Any) -> RawGraph:
        calls.append((*given, received))
        return _raw()

    monkeypatch.setattr(loading, function, read)
    assert load_graph(source, **options).num_nodes == 30
    assert calls == [(source, wanted_options)]


def test_a_bad_split_is_no_error_where_a_rule_replaces_it(tmp_path: Path) -> None:
    rows = "".join(f"{i},{i % 7},{'ab'[i % 2]},{'vla' if i else 'train'}\n" for i in range(40))
    (tmp_path / "nodes.csv").write_text(f"id,age,club,split\n{rows}")
    edges = "".join(f"{i},{(i + 1) % 40}\n" for i in range(40))
    (tmp_path / "edges.csv").write_text(f"source,target\n{edges}")
    with pytest.raises(DataError, match="'vla' is no part of a split"):
        load_graph(tmp_path, label="club")
    graph = load_graph(tmp_path, label="club", splits="3x50/25/25")
    assert (graph.num_splits, graph.num_features) == (3, 1)
    club = nx.cycle_graph(40)
    for node in club:
        club.nodes[node].update(y=node % 2, age=node % 7, split="vla" if node else "train")
    assert load_graph(club, splits="3x50/25/25").num_features == 1


@pytest.mark.parametrize(
    ("source", "options", "says"),
    [
        ("wisconson", {}, "unknown dataset 'wisconson'; did you mean 'wisconsin'?"),
        ("minesweper", {}, "unknown dataset 'minesweper'; did you mean 'minesweeper'?"),
        ("", {}, "unknown dataset ''; choose one of actor, amazon-ratings"),
        ("pgy:Amazon:Photo", {}, "unknown dataset 'pgy:Amazon:Photo'"),
        ("no_such.csv", {}, "no_such.csv: no such file or folder"),
        ("./none", {}, "none: no such file or folder"),
        (7, {}, "a int is no graph; give a dataset's name, a path"),
        (None, {}, "a NoneType is no graph"),
        (np.eye(3), {}, "a ndarray is no graph"),
        ({"x": 1}, {}, "a dict is no graph"),
        ("demo", {"label": "x"}, "demo: 'label' means nothing for such a graph"),
        ("demo", {"scale": "standard"}, "demo: its features have row sums of 1"),
        (_data(), {"id": "x"}, "the Data object: 'id' means nothing for such a graph; it takes"),
        (_data(), {"label": "club"}, "the Data object: no 'club' in it"),
        (_data(), {"scale": "rows"}, "scale 'rows' is unknown"),
        (_data(), {"splits": "half"}, "splits 'half': no such rule"),
        (_data(), {"splits": ""}, "splits '': no such rule"),
        ("math:gamma", {}, "math:gamma: gamma takes arguments"),
        ("time:time", {}, "time:time: a float is no graph"),
        (_data(), {"splits": "temporal:year"}, "need a column 'year'"),
        (nx.path_graph(3), {"edges": "e.csv"}, "the networkx graph: 'edges' means nothing"),
        (csr_array(np.eye(3)), {"weight": "w"}, "the scipy matrix: 'weight' means nothing"),
        ("ogb:ogbn-arxiv", {"label": "x"}, "ogb:ogbn-arxiv: 'label' means nothing"),
        ("pyg:KarateClub", {"split": "x"}, "pyg:KarateClub: 'split' means nothing"),
    ],
)
def test_what_cannot_be_loaded_is_one_line(
    source: Any, options: dict[str, Any], says: str
) -> None:
    with pytest.raises(DataError) as error:
        load_graph(source, **options)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_a_graph_has_its_scaling_already(small_graph: Graph) -> None:
    with pytest.raises(DataError, match="small: a Graph has its scaling already"):
        load_graph(small_graph, scale="row")


def test_the_home_folder_has_a_short_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    torch.save(_data(), tmp_path / "mine.pt")
    assert load_graph("~/mine.pt").num_nodes == 30


def test_networkx_is_not_imported_for_other_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    modules = {name: module for name, module in sys.modules.items() if name != "networkx"}
    monkeypatch.setattr(loading, "sys", types.SimpleNamespace(modules=modules))
    assert load_graph(_data()).num_nodes == 30


def test_files_of_named_datasets_are_looked_for_in_the_folder(
    own_data: Path, small_graph: Graph
) -> None:
    graph = load_graph("minesweeper", str(own_data))
    assert graph.num_nodes == 10_000
    assert dataclasses.replace(graph, name="x").digest == graph.digest
