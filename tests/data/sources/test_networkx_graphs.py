import gzip
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

from l2p_search.data.sources.networkx_graphs import read_graph_file, read_networkx
from l2p_search.errors import DataError, in_shell


def _people(kind: type[nx.Graph] = nx.Graph) -> nx.Graph:
    graph = kind(name="people")
    rows = [
        ("ann", 31, "x", "a"),
        ("bob", 7, "y", "b"),
        ("cy", 64, "x", "a"),
        ("dee", 9, "x", "b"),
    ]
    for node, age, place, club in [*rows, ("ed", 5, "y", "a")]:
        graph.add_node(node, age=age, place=place, club=club, paid=age > 8)
    graph.add_edges_from([("bob", "ann"), ("bob", "cy"), ("cy", "cy"), ("ed", "ann")])
    return graph


def _check_people(raw: Any) -> None:
    assert raw.num_nodes == 5
    assert raw.labels.tolist() == ["a", "b", "a", "b", "a"]
    assert raw.node_ids.tolist() == ["ann", "bob", "cy", "dee", "ed"]
    assert raw.feature_names == ("age", "place=x", "place=y", "paid")
    assert raw.x.tolist() == [
        [31, 1, 0, 1],
        [7, 0, 1, 0],
        [64, 1, 0, 1],
        [9, 1, 0, 1],
        [5, 0, 1, 0],
    ]
    assert {tuple(sorted(edge)) for edge in raw.edges.T.tolist()} == {
        (0, 1),
        (1, 2),
        (2, 2),
        (0, 4),
    }


def test_the_karate_club_has_two_clubs_and_no_features() -> None:
    graph = nx.karate_club_graph()
    raw = read_networkx(graph, label="club")
    assert raw.num_nodes == 34
    assert raw.edges.tolist() == np.array(graph.edges).T.tolist()
    assert raw.labels is not None
    assert raw.labels.tolist() == [club for _, club in graph.nodes(data="club")]
    assert raw.weights is not None
    assert raw.weights.tolist() == [weight for *_, weight in graph.edges(data="weight")]
    assert raw.x is None
    assert raw.node_ids is None
    assert raw.name == "Zachary's Karate Club"
    assert raw.notes == ("edges are weighted by attribute 'weight'", "no features were found")


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_graphs_of_every_kind_are_read(kind: type[nx.Graph]) -> None:
    raw = read_networkx(_people(kind), label="club")
    _check_people(raw)
    assert raw.name == "people"
    assert raw.source == "the networkx graph"


def test_directed_and_double_edges_stay_as_they_are() -> None:
    graph = _people(nx.MultiDiGraph)
    graph.add_edge("bob", "ann")
    raw = read_networkx(graph, label="club")
    assert raw.edges.tolist() == [[1, 1, 1, 2, 4], [0, 0, 2, 2, 0]]


@pytest.mark.parametrize("form", ["graphml", "gml", "graphml.gz", "gml.gz"])
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph])
def test_files_that_networkx_writes_are_read(
    form: str, kind: type[nx.Graph], tmp_path: Path
) -> None:
    path = tmp_path / f"people.{form}"
    write = nx.write_gml if "gml" in form and "graphml" not in form else nx.write_graphml
    write(_people(kind), path)
    raw = read_graph_file(path, label="club")
    _check_people(raw)
    assert raw.name == "people"
    assert raw.source == str(path)


def test_arrays_and_lists_are_vectors_or_bags() -> None:
    graph = nx.path_graph(3)
    for node in graph:
        graph.nodes[node].update(
            y=node % 2, vector=np.array([0.5, node]), words=list(range(node + 1)), pair=(0.0, 1.5)
        )
    raw = read_networkx(graph)
    assert isinstance(raw.x, csr_array)
    assert raw.x.toarray().tolist() == [
        [0.5, 0, 1, 0, 0, 0, 1.5],
        [0.5, 1, 1, 1, 0, 0, 1.5],
        [0.5, 2, 1, 1, 1, 0, 1.5],
    ]
    chosen = read_networkx(graph, features=["vector"])
    assert chosen.feature_names == ("vector:0", "vector:1")


def test_nodes_of_any_kind_keep_their_names() -> None:
    graph = nx.grid_2d_graph(2, 2)
    nx.set_node_attributes(graph, {node: sum(node) % 2 for node in graph}, "y")
    raw = read_networkx(graph, name="grid")
    assert raw.node_ids is not None
    assert raw.node_ids.tolist() == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert raw.name == "grid"


def test_a_split_can_be_an_attribute() -> None:
    graph = nx.path_graph(4)
    parts = ["train", "val", "test", None]
    for node, part in enumerate(parts):
        graph.nodes[node].update(y=node % 2, role=part)
    raw = read_networkx(graph, split="role")
    assert raw.masks is not None
    assert [mask[0].nonzero()[0].tolist() for mask in raw.masks] == [[0], [1], [2]]


def test_a_split_that_is_not_read_is_no_feature_either(tmp_path: Path) -> None:
    graph = nx.cycle_graph(8)
    for node in graph:
        graph.nodes[node].update(y=node % 2, age=node, split=["train", "tset"][node % 2])
    nx.write_graphml(graph, tmp_path / "g.graphml")
    in_file = read_graph_file(tmp_path / "g.graphml", features="age", with_masks=False)
    for raw in (read_networkx(graph, with_masks=False), in_file):
        assert raw.masks is None
        assert "split" not in raw.columns
    assert read_networkx(graph, with_masks=False).x is None  # age counts the nodes through
    with pytest.raises(DataError, match="'tset' is no part of a split"):
        read_graph_file(tmp_path / "g.graphml")


def test_an_edge_without_a_weight_has_the_weight_one() -> None:
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, {0: "a", 1: "b", 2: "a"}, "y")
    graph.edges[0, 1]["weight"] = 2.5
    raw = read_networkx(graph)
    assert raw.weights is not None
    assert raw.weights.tolist() == [2.5, 1.0]
    assert "1 edges have no 'weight' and count as 1" in raw.notes


def test_missing_attributes_are_unlabelled_nodes_and_means() -> None:
    graph = nx.path_graph(4)
    graph.nodes[0].update(y="a", age=2)
    graph.nodes[1].update(y="b", age=4)
    graph.nodes[2].update(age=6)
    raw = read_networkx(graph)
    assert raw.labels is not None
    assert raw.labels.tolist() == ["a", "b", None, None]
    assert isinstance(raw.x, np.ndarray)
    assert raw.x[:, 0].tolist() == [2, 4, 6, 4]


def _with(**attributes: list[Any]) -> nx.Graph:
    graph = nx.path_graph(3)
    for name, values in {"y": ["a", "b", "a"], **attributes}.items():
        nx.set_node_attributes(graph, dict(enumerate(values)), name)
    return graph


def _weighted(*weights: Any) -> nx.Graph:
    graph = _with()
    nx.set_edge_attributes(graph, dict(zip(graph.edges, weights, strict=True)), "weight")
    return graph


@pytest.mark.parametrize(
    ("graph", "options", "says"),
    [
        ([1, 2], {}, "is a list; give a networkx graph"),
        (nx.Graph(), {}, "has 0 nodes and no edges"),
        (nx.empty_graph(3), {}, "has 3 nodes and no edges"),
        (nx.path_graph(3), {}, "has no attributes, so no class"),
        (_with(), {"label": "yy"}, "has no attribute 'yy' (--label); did you mean 'y'?"),
        (_with(), {"features": "ag"}, "has no attribute 'ag' (--features)"),
        (_with(y=["a", "a", "a"]), {}, "attribute 'y': every node is of the class 'a'"),
        (
            _with(age=[1.0, float("inf"), 2.0]),
            {},
            "node '1', attribute 'age': inf is not a finite",
        ),
        (_with(v=[[0.5], [0.5, 1.0], [1.0]]), {}, "node '1', attribute 'v': has 2 numbers where"),
        (_with(words=[[1], [-1], [2]]), {}, "node '1', attribute 'words': the word number -1"),
        (
            _with(split=["train", "vla", "test"]),
            {},
            "node '1', attribute 'split': 'vla' is no part",
        ),
        (_weighted(1.0, -2.0), {}, "edge ('1', '2'), attribute 'weight': the weight is negative"),
        (_weighted(1.0, float("nan")), {}, "edge ('1', '2'), attribute 'weight': the weight is"),
        (_weighted("much", "more"), {}, "attribute 'weight': holds no numbers"),
        (_weighted(1, 2), {"weight": "wait"}, "has no attribute 'wait' (--weight); did you mean"),
    ],
)
def test_a_bad_graph_is_refused_in_one_line(
    graph: Any, options: dict[str, str], says: str
) -> None:
    with pytest.raises(DataError) as error:
        read_networkx(graph, **options)
    message = in_shell(error.value.message)
    assert message.startswith("the networkx graph")
    assert says in message
    assert len(message.splitlines()) == 1


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"g\.gml: no such file"):
        read_graph_file(tmp_path / "g.gml")
    (tmp_path / "h.gml.gz").write_bytes(gzip.compress(b"graph [ ]")[:-4])
    with pytest.raises(DataError, match="cut short"):
        read_graph_file(tmp_path / "h.gml.gz")
