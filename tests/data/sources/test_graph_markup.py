from pathlib import Path

import pytest

from l2p_search.data.sources.graph_markup import parse_markup
from l2p_search.data.sources.networkx_graphs import read_graph_file
from l2p_search.errors import DataError, in_shell


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


def test_the_content_decides_between_graphml_and_gml() -> None:
    in_xml = parse_markup(Path("g"), f"\n {_graphml(_TWO + _EDGE)}")
    assert dict(in_xml.nodes(data="y")) == {"a": 1, "b": 2}
    in_gml = parse_markup(Path("g"), "graph [ node [ id 7 ] node [ id 8 ] ]")
    assert list(in_gml.nodes) == [7, 8]


def test_different_labels_of_gml_are_names_of_nodes() -> None:
    nodes = 'node [ id 0 label "x" y 1 ] node [ id 1 label "z" y 2 ]'
    graph = parse_markup(Path("g.gml"), f"graph [ {nodes} edge [ source 0 target 1 ] ]")
    assert list(graph.edges) == [("x", "z")]
    assert graph.nodes["x"] == {"y": 1}


def test_a_directed_graph_stays_directed() -> None:
    text = _graphml(_TWO + _EDGE).replace("undirected", "directed")
    assert parse_markup(Path("g"), text).is_directed()
    assert not parse_markup(Path("g"), _graphml(_TWO + _EDGE)).is_directed()


def test_two_graphs_in_one_file_are_refused() -> None:
    text = _graphml(_TWO).replace("</graphml>", "<graph edgedefault='directed'/></graphml>")
    with pytest.raises(DataError, match=r"^g: holds 2 graphs; give one$"):
        parse_markup(Path("g"), text)


@pytest.mark.parametrize("directed", [0, 1])
def test_gml_that_lists_an_edge_twice_is_read(directed: int) -> None:
    nodes = "".join(f'node [ id {n} label "{n}" ] ' for n in range(3))
    edges = "".join(f"edge [ source {a} target {b} ] " for a, b in ((0, 1), (0, 1), (1, 2)))
    text = f'Creator "someone"\ngraph\n[ directed {directed} {nodes} {edges} ]'
    assert parse_markup(Path("polblogs.gml"), text).number_of_edges() == 3
