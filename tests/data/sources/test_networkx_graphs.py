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


def test_a_gml_label_that_nodes_share_is_a_class(tmp_path: Path) -> None:
    nodes = "".join(f'node [ id {i} label "{"ab"[i % 2]}" ]\n' for i in range(4))
    path = tmp_path / "g.gml"
    path.write_text(f"graph [\n{nodes} edge [ source 0 target 3 ]\n]\n")
    raw = read_graph_file(path)
    assert raw.label_name == "label"
    assert raw.edges.tolist() == [[0], [3]]


def test_defaults_of_graphml_are_values(tmp_path: Path) -> None:
    path = tmp_path / "g.graphml"
    path.write_text(
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        '<key id="k" for="node" attr.name="y" attr.type="int"><default>7</default></key>'
        '<key id="w" for="edge" attr.name="weight" attr.type="double"><default>2</default></key>'
        '<graph edgedefault="undirected"><node id="a"><data key="k">3</data></node><node id="b"/>'
        '<node id="c"/><edge source="a" target="b"/>'
        '<edge source="b" target="c"><data key="w">0.5</data></edge></graph></graphml>'
    )
    raw = read_graph_file(path)
    assert raw.labels is not None
    assert raw.labels.tolist() == [3, 7, 7]
    assert raw.weights is not None
    assert raw.weights.tolist() == [2.0, 0.5]


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


_HEAD = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
_KEY = '<key id="k" for="node" attr.name="y" attr.type="{}"/>'
_NODE = '<node id="{}"><data key="k">{}</data></node>'


def _graphml(body: str, kind: str = "int") -> str:
    return f"{_HEAD}{_KEY.format(kind)}<graph edgedefault='undirected'>{body}</graph></graphml>"


_TWO = _NODE.format("a", 1) + _NODE.format("b", 2)
_EDGE = '<edge source="a" target="b"/>'
_BOMB = '<!DOCTYPE l [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        ("hello", "is no GraphML or GML"),
        ("{}", "is no GraphML or GML"),
        ("u,v\n1,2\n", "is no GraphML or GML"),
        ("\x00\x01", "zero byte"),
        ("<html></html>", "its root is <html>; give GraphML or GML"),
        ("<graphml></graphml>", "its root is <graphml>, and needs xmlns="),
        (f"{_HEAD}</graphml>", "holds 0 graphs; give one"),
        (_BOMB + _graphml(_TWO + _EDGE), "declares a document type or entities"),
        (_graphml(_TWO + _EDGE)[:-30], "line 1: is no XML (unclosed token)"),
        (_graphml(_TWO + _NODE.format("a", 1) + _EDGE), "node 3 'a' is there twice"),
        (_graphml(_TWO + "<node/>" + _EDGE), "node 3 has no id"),
        (
            _graphml(_TWO + '<edge source="a" target="z"/>'),
            "the target of edge 1, 'z', is no node",
        ),
        (_graphml(_TWO + '<edge source="a"/>'), "the target of edge 1, 'None', is no node"),
        (
            _graphml(_NODE.format("a", "x") + _NODE.format("b", 1) + _EDGE),
            "is no GraphML (invalid",
        ),
        (_graphml(_TWO + _EDGE, "colour"), "is no GraphML ('colour')"),
        (_graphml(_TWO), "has 2 nodes and no edges"),
        ("graph [ node [ id 0 y 1 ] node [ id 1", "is no GraphML or GML (expected ']'"),
        ("graph [ node [ id 0 y 1 ] edge [ source 0 target 5 ] ]", "undefined target 5"),
        ("graph [ node [ id 0 y 1 ] node [ id 0 y 2 ] ]", "node id 0 is duplicated"),
        ("graph [ node 5 edge 3 ]", "is no GraphML or GML"),
        ("graph [ " * 5000, "is no GraphML or GML"),
        ("node [ id 0 ]", "is no GraphML or GML"),
    ],
)
def test_a_bad_file_is_refused_in_one_line(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.graphml"
    path.write_text(text)
    with pytest.raises(DataError) as error:
        read_graph_file(path, label="y")
    message = in_shell(error.value.message)
    assert message.startswith(str(path))
    assert says in message
    assert len(message.splitlines()) == 1
    assert list(tmp_path.iterdir()) == [path]


def test_entities_cannot_hide_behind_an_encoding(tmp_path: Path) -> None:
    hidden = f'<?xml version="1.0" encoding="UTF-16"?>{_BOMB}{_graphml(_TWO + _EDGE)}'
    path = tmp_path / "bomb.graphml"
    for encoding, says in (("utf-8", "document type"), ("utf-16", "UTF-16"), ("cp037", "UTF-8")):
        path.write_bytes(hidden.encode(encoding))
        with pytest.raises(DataError, match=says):
            read_graph_file(path, label="y")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"g\.gml: no such file"):
        read_graph_file(tmp_path / "g.gml")
    (tmp_path / "h.gml.gz").write_bytes(gzip.compress(b"graph [ ]")[:-4])
    with pytest.raises(DataError, match="cut short"):
        read_graph_file(tmp_path / "h.gml.gz")
