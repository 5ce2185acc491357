"""A model takes a graph that has grown, scales it as its own, and refuses others by name."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.data.loading import load_graph
from l2p_search.errors import DataError
from l2p_search.saved.expected import Expected

_CONFIG = TrialConfig(K=2)


def _table(folder: Path, nodes: int, *, columns: str = "age,income", kinds: str = "ab") -> Path:
    """Nodes in a ring, with ids, two numbers on scales of their own, and classes."""
    folder.mkdir()
    values = np.random.default_rng(0).normal((40.0, 3000.0), (10.0, 500.0), (60, 2))
    order = [("age", "income").index(name) for name in columns.split(",") if name != "size"]
    rows = [f"id,{columns},kind"]
    for place in range(nodes):
        own = [repr(float(values[place, column])) for column in order]
        own += ["1.5"] * columns.split(",").count("size")
        rows.append(f"n{place},{','.join(own)},{kinds[place % len(kinds)]}")
    (folder / "nodes.csv").write_text("\n".join(rows) + "\n")
    ring = [f"n{place},n{(place + 1) % nodes}" for place in range(nodes)]
    (folder / "edges.csv").write_text("\n".join(["source,target", *ring]) + "\n")
    return folder


def _graph(folder: Path, nodes: int = 40, **keys: Any) -> Graph:
    scale = keys.pop("scale", "auto")
    return load_graph(_table(folder, nodes, **keys), label="kind", scale=scale)


def test_features_of_a_grown_graph_are_scaled_by_the_training_graphs_statistics(
    tmp_path: Path,
) -> None:
    small, large = _graph(tmp_path / "small"), _graph(tmp_path / "large", 60)
    assert small.about.scaling == large.about.scaling == "standard"
    expected = Expected.of(small, _CONFIG)
    assert not torch.allclose(large.x[:40], small.x, atol=1e-3)
    seen = expected.seen(large)
    torch.testing.assert_close(seen.x[:40], small.x, atol=1e-5, rtol=1e-5)
    raw = np.random.default_rng(0).normal((40.0, 3000.0), (10.0, 500.0), (60, 2))
    wanted = (raw - raw[:40].mean(axis=0)) / raw[:40].std(axis=0)
    torch.testing.assert_close(seen.x.double(), torch.from_numpy(wanted), atol=1e-5, rtol=1e-5)


def test_the_same_graph_is_seen_as_it_is(tmp_path: Path) -> None:
    graph = _graph(tmp_path / "g")
    seen = Expected.of(graph, _CONFIG).seen(graph)
    assert torch.equal(seen.x, graph.x)
    assert torch.equal(seen.edges, graph.edges)
    assert seen.num_classes == 2
    assert seen.num_labelled == 0


def test_what_it_knows_becomes_json_and_comes_back(tmp_path: Path, small_graph: Graph) -> None:
    for graph in (_graph(tmp_path / "g"), small_graph):
        expected = Expected.of(graph, _CONFIG)
        again = Expected.from_mapping(json.loads(json.dumps(expected.to_mapping())))
        assert again == expected


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"columns": "age"}, "no feature 'income', which the model was trained on; add it"),
        ({"columns": "age,size"}, "no feature 'income', which the model was trained on"),
        (
            {"columns": "age,income,size"},
            "feature 'size' is none that the model was trained on; leave it out",
        ),
        (
            {"columns": "income,age"},
            "feature 0 is 'income', but was 'age' when the model was trained",
        ),
        ({"kinds": "ac"}, r"class 'c' is none that the model knows \(a, b\)"),
        ({"kinds": "abc"}, r"class 'c' is none that the model knows \(a, b\)"),
        (
            {"scale": "none"},
            "features are scaled by 'none', but the model was trained on 'standard'; load the"
            " graph with scale='standard'",
        ),
        ({"scale": "row"}, "features are scaled by 'row', but the model was trained on"),
    ],
    ids=str,
)
def test_another_graph_is_refused_by_name(
    changes: dict[str, Any], said: str, tmp_path: Path
) -> None:
    expected = Expected.of(_graph(tmp_path / "own"), _CONFIG)
    other = _graph(tmp_path / "other", **changes)
    with pytest.raises(DataError, match=f"^other: {said}") as raised:
        expected.seen(other)
    assert "\n" not in str(raised.value)


def test_fewer_classes_with_a_label_are_fine(tmp_path: Path) -> None:
    expected = Expected.of(_graph(tmp_path / "own", kinds="abc"), _CONFIG)
    seen = expected.seen(_graph(tmp_path / "other", kinds="ac"))
    assert seen.num_classes == 3
    assert seen.about.class_names == ("a", "b", "c")


def test_another_number_of_features_without_names_is_refused(small_graph: Graph) -> None:
    expected = Expected.of(small_graph, _CONFIG)
    other = Graph.unlabelled(torch.ones(3, 9), torch.tensor([[0], [1]]), name="wide")
    with pytest.raises(DataError, match="wide: 9 features, but the model was trained on 7; give"):
        expected.seen(other)


def test_more_classes_without_names_are_refused(small_graph: Graph) -> None:
    expected = Expected.of(small_graph, _CONFIG)
    y = torch.arange(12) % 4
    train = torch.zeros(1, 12, dtype=torch.bool)
    train[0, :4] = True
    masks = {"train": train, "val": train.roll(4), "test": train.roll(8)}
    other = dataclasses.replace(small_graph, y=y, **masks)
    with pytest.raises(DataError, match=r"4 classes, but the model knows 3 \(0, 1, 2\)"):
        expected.seen(other)


def test_row_sums_are_checked_where_nobody_says_how_features_are_scaled() -> None:
    graph = load_graph("demo")
    expected = Expected.of(graph, _CONFIG)
    assert torch.equal(expected.seen(Graph.unlabelled(graph.x, graph.edges)).x, graph.x)
    with pytest.raises(DataError, match="features of node 0 sum to 3, but the model was trained"):
        expected.seen(Graph.unlabelled(graph.x * 3, graph.edges))


def test_columns_of_single_nodes_do_not_serve_another_number_of_nodes(tmp_path: Path) -> None:
    edges, y = np.stack([np.arange(11), np.arange(1, 12)]), ["a", "b"] * 6
    expected = Expected.of(Graph.build(edges=edges, y=y), _CONFIG)
    grown = Graph.build(edges=np.array([[*edges[0], 11], [*edges[1], 12]]), y=[*y, None])
    with pytest.raises(DataError, match=r"13 features, but .* 12 .each node had a column of its"):
        expected.seen(grown)


def test_linkx_takes_its_own_nodes_with_other_edges(small_graph: Graph, grown: Graph) -> None:
    expected = Expected.of(small_graph, TrialConfig(model="linkx"))
    fewer = Graph.unlabelled(small_graph.x, small_graph.edges[:, :1])
    assert expected.seen(fewer).num_edges == 1
    with pytest.raises(DataError, match="LINKX has weights of every single node"):
        expected.seen(grown)


def test_linkx_refuses_as_many_nodes_of_other_names(small_graph: Graph) -> None:
    def called(names: str) -> Graph:
        about = dataclasses.replace(small_graph.about, node_ids=tuple(names))
        return dataclasses.replace(small_graph, about=about)

    expected = Expected.of(called("abcdefghijkl"), TrialConfig(model="linkx"))
    expected.seen(called("abcdefghijkl"))
    expected.seen(small_graph)
    with pytest.raises(DataError, match="12 nodes, or others than the 12"):
        expected.seen(called("bacdefghijkl"))
