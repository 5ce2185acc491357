import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from l2p_search.data.raw import RawGraph
from l2p_search.data.sources.tables import read_tables
from tests.data.sources.small_tables import dense, read, refused, write


@pytest.fixture
def own_graphs(raw_data: Path) -> Path:
    """The folder with graphs as users have them; without it, a test of these skips."""
    folder = raw_data / "own"
    if not (folder / "facebook" / "edges.csv").is_file():
        pytest.skip(f"no graphs of users: {folder} is not there")
    return folder


def _frames() -> tuple[pd.DataFrame, pd.DataFrame]:
    """What a person has in pandas: numbers, a boolean, categories, names, gaps, a split."""
    nodes = pd.DataFrame(
        {
            "id": [30, 10, 20, 50, 40, 60],
            "age": [31.0, 7.0, np.nan, 20.0, 8.0, 9.5],
            "paid": [True, False, True, True, False, False],
            "place": pd.Categorical(["x", "y", "x", "x", "y", "y"]),
            "full_name": ["Ann", "Bob", "Cy", "Dee", "Ed", "Flo"],
            "split": ["train", "Train", "val", "TEST", "validation", None],
            "kind": ["a", "b", None, "a", "b", "b"],
        }
    )
    edges = pd.DataFrame({"src_id": [10, 20, 60, 10], "dst_id": [20, 30, 60, 20]})
    return nodes, edges


def _write(folder: Path, form: str) -> tuple[Path, Path]:
    nodes, edges = _frames()
    paths = folder / f"people.{form}", folder / f"knows.{form}"
    for frame, path in zip((nodes, edges), paths, strict=True):
        if form == "parquet":
            frame.to_parquet(path)
        elif form == "tsv":
            frame.to_csv(path, sep="\t", index=False)
        elif form == "semicolon.csv":
            frame.to_csv(path, sep=";", index=False, encoding="utf-8-sig")
        else:
            frame.to_csv(path, index=form == "index.csv")
    return paths


@pytest.mark.parametrize("form", ["csv", "index.csv", "tsv", "semicolon.csv", "csv.gz", "parquet"])
def test_tables_that_pandas_writes_are_read(form: str, tmp_path: Path) -> None:
    nodes, edges = _write(tmp_path, form)
    graph = read_tables(nodes, edges=edges, label="kind")
    assert graph.name == "people"
    assert graph.source == str(nodes)
    assert graph.node_ids is not None
    assert graph.node_ids.tolist() == [30, 10, 20, 50, 40, 60]
    assert graph.edges.tolist() == [[1, 2, 5, 1], [2, 0, 5, 2]]
    assert graph.edges.dtype == np.int64
    assert graph.labels is not None
    assert graph.labels.tolist() == ["a", "b", None, "a", "b", "b"]
    assert graph.label_name == "kind"
    assert graph.feature_names == ("age", "paid", "place=x", "place=y")
    mean = (31 + 7 + 20 + 8 + 9.5) / 5
    assert dense(graph)[:, 0] == pytest.approx([31, 7, mean, 20, 8, 9.5])
    assert dense(graph)[:, 1:].tolist() == [
        [1, 1, 0],
        [0, 0, 1],
        [1, 1, 0],
        [1, 1, 0],
        [0, 0, 1],
        [0, 0, 1],
    ]
    assert graph.masks is not None
    train, val, test = graph.masks
    assert train.tolist() == [[True, True, False, False, False, False]]
    assert val.tolist() == [[False, False, True, False, True, False]]
    assert test.tolist() == [[False, False, False, True, False, False]]
    assert graph.columns["full_name"].tolist() == ["Ann", "Bob", "Cy", "Dee", "Ed", "Flo"]


def test_arrays_can_be_written_to_as_torch_wants_them(tmp_path: Path) -> None:
    nodes, edges = _write(tmp_path, "parquet")
    graph = read_tables(nodes, edges=edges, label="paid")
    parts = [graph.edges, graph.labels, graph.x, graph.node_ids, *graph.columns.values()]
    assert all(part is not None and part.flags.writeable for part in parts)


def test_each_decision_is_told_in_a_sentence(tmp_path: Path) -> None:
    nodes, edges = _write(tmp_path, "csv")
    graph = read_tables(nodes, edges=edges, label="kind")
    assert graph.notes == (
        "nodes from people.csv, where ids are in column 'id'",
        "edges from knows.csv, from column 'src_id' to 'dst_id'",
        "1 of 6 nodes has no 'kind' and counts as unlabelled",
        "1 split taken from column 'split'",
        "1 text column was one-hot encoded: 'place'",
        "missing numbers were filled with the mean: age (1)",
        "1 column was left out (text with many different values): 'full_name'",
    )


def test_any_names_can_be_given(tmp_path: Path) -> None:
    nodes = "id,key,age,club,z\n1,ann,5,a,1\n2,bob,6,b,2\n3,cy,7,a,3\n"
    edges = "w,from,to,a,b\n2,1,1,ann,bob\n3,2,2,bob,cy\n"
    graph = read(
        tmp_path,
        nodes,
        edges,
        id="key",
        source="b",
        target="a",
        features="z,age",
        weight="w",
        label="club",
    )
    assert graph.edges.tolist() == [[1, 2], [0, 1]]
    assert graph.feature_names == ("z", "age")
    assert graph.weights is not None
    assert graph.weights.tolist() == [2.0, 3.0]


def test_the_id_column_is_the_one_that_contains_the_ends_of_the_edges(tmp_path: Path) -> None:
    nodes = "id,club,new_id\n901,a,2\n902,b,0\n903,a,1\n"
    graph = read(tmp_path, nodes, "from,to\n0,1\n1,2\n")
    assert graph.edges.tolist() == [[1, 2], [2, 0]]
    assert graph.x is None
    assert "1 column was left out (looks like an identifier): 'id'" in graph.notes


def test_without_ids_nodes_are_numbered_by_their_rows(tmp_path: Path) -> None:
    graph = read(tmp_path, "age,club\n5,a\n6,b\n7,a\n", "0,1\n2,1\n")
    assert graph.edges.tolist() == [[0, 2], [1, 1]]
    assert graph.node_ids is None
    assert "nodes from nodes.csv, where ids are numbers of rows" in graph.notes


def test_whole_numbers_match_however_they_are_written(tmp_path: Path) -> None:
    graph = read(tmp_path, "id,club\n1,a\n2.0,b\n03,a\n", "source,target\n1.0,2\n 2 ,3.0\n")
    assert graph.edges.tolist() == [[0, 1], [1, 2]]


def test_ids_too_long_for_a_number_match_as_text(tmp_path: Path) -> None:
    first, second = "9" * 30, "8" * 30
    graph = read(
        tmp_path, f"id,club\n{first},a\n{second},b\n", f"source,target\n{second},{first}\n"
    )
    assert graph.edges.tolist() == [[1], [0]]


def test_a_table_of_classes_alone_is_a_graph_without_features(tmp_path: Path) -> None:
    graph = read(tmp_path, "club\na\n\nb\n", "0,2\n")
    assert graph.labels is not None
    assert graph.labels.tolist() == ["a", None, "b"]
    assert graph.x is None
    assert graph.notes[-1] == "no features were found"


@st.composite
def _tables(draw: st.DrawFn) -> tuple[pd.DataFrame, pd.DataFrame]:
    size = draw(st.integers(3, 12))
    ids = draw(st.lists(st.integers(-(10**6), 10**6), min_size=size, max_size=size, unique=True))
    ages = draw(st.lists(st.integers(0, 9), min_size=size, max_size=size))
    places = draw(st.lists(st.sampled_from("xyz"), min_size=size, max_size=size))
    others = draw(st.lists(st.sampled_from("abc"), min_size=size - 2, max_size=size - 2))
    labels = ["a", "b", *others]
    ends = st.lists(st.sampled_from(ids), min_size=4, max_size=9)
    sources = draw(ends)
    targets = draw(st.lists(st.sampled_from(ids), min_size=len(sources), max_size=len(sources)))
    nodes = pd.DataFrame({"id": ids, "age": ages, "place": places, "label": labels})
    return nodes, pd.DataFrame({"source": sources, "target": targets})


def _read_frames(folder: Path, nodes: pd.DataFrame, edges: pd.DataFrame) -> RawGraph:
    nodes.to_csv(folder / "nodes.csv", index=False)
    edges.to_csv(folder / "edges.csv", index=False)
    return read_tables(folder)


@given(tables=_tables(), data=st.data())
def test_the_order_of_rows_changes_nothing_but_the_order_of_nodes(
    tables: tuple[pd.DataFrame, pd.DataFrame],
    data: st.DataObject,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    nodes, edges = tables
    folder = tmp_path_factory.mktemp("rows")
    graph = _read_frames(folder, nodes, edges)
    order = np.array(data.draw(st.permutations(range(len(nodes)))))
    moved = _read_frames(folder, nodes.iloc[order], edges)
    assert graph.labels is not None
    assert moved.labels is not None
    assert moved.labels.tolist() == graph.labels[order].tolist()
    assert order[moved.edges].tolist() == graph.edges.tolist()
    assert moved.feature_names == graph.feature_names
    if graph.x is not None:
        np.testing.assert_allclose(dense(moved), dense(graph)[order])
    other = _read_frames(folder, nodes, edges.iloc[::-1])
    assert other.edges[:, ::-1].tolist() == graph.edges.tolist()


@given(tables=_tables())
def test_ids_of_text_and_of_numbers_give_the_same_graph(
    tables: tuple[pd.DataFrame, pd.DataFrame], tmp_path_factory: pytest.TempPathFactory
) -> None:
    nodes, edges = tables
    folder = tmp_path_factory.mktemp("ids")
    numbers = _read_frames(folder, nodes, edges)
    text = _read_frames(
        folder, nodes.assign(id="n" + nodes["id"].astype(str)), "n" + edges.astype(str)
    )
    assert text.edges.tolist() == numbers.edges.tolist()
    assert text.feature_names == numbers.feature_names
    assert numbers.node_ids is not None
    assert text.node_ids is not None
    assert text.node_ids.tolist() == [f"n{value}" for value in numbers.node_ids]
    if numbers.x is not None:
        assert dense(text).tolist() == dense(numbers).tolist()


def test_facebook_is_read_by_its_folder_and_label_alone(own_graphs: Path) -> None:
    graph = read_tables(own_graphs / "facebook", label="page_type")
    assert graph.name == "facebook"
    assert graph.num_nodes == 22470
    assert graph.edges.shape == (2, 171002)
    assert graph.labels is not None
    assert dict(zip(*np.unique(graph.labels, return_counts=True), strict=True)) == {
        "company": 6495,
        "government": 6880,
        "politician": 5768,
        "tvshow": 3327,
    }
    words = json.loads((own_graphs / "facebook" / "features.json").read_text())
    edges = pd.read_csv(own_graphs / "facebook" / "edges.csv")
    assert graph.node_ids is not None
    assert graph.node_ids[graph.edges].tolist() == [list(edges["id_1"]), list(edges["id_2"])]
    assert isinstance(graph.x, csr_array)
    assert graph.x.shape == (22470, 4714)
    for node in (0, 554, 22469):
        row = graph.x[[node]].toarray()[0]
        assert set(row.nonzero()[0]) == set(words[str(graph.node_ids[node])])


def test_twitch_is_read_by_its_folder_and_label_alone(own_graphs: Path) -> None:
    graph = read_tables(own_graphs / "twitch-ptbr", label="mature")
    assert graph.num_nodes == 1912
    assert graph.edges.shape == (2, 31299)
    assert graph.labels is not None
    assert graph.labels.dtype == bool
    assert "nodes from target.csv, where ids are in column 'new_id'" in graph.notes
    target = pd.read_csv(own_graphs / "twitch-ptbr" / "target.csv")
    words = json.loads((own_graphs / "twitch-ptbr" / "features.json").read_text())
    assert graph.labels.tolist() == target["mature"].tolist()
    assert isinstance(graph.x, csr_array)
    row = graph.x[[5]].toarray()[0]
    assert set(row.nonzero()[0]) == set(words[str(target["new_id"][5])])


def test_nodes_without_edges_are_refused(tmp_path: Path) -> None:
    write(tmp_path)
    refused(
        tmp_path,
        "nodes.csv: is a table of nodes, and the edges are missing; name their table with --edges",
        nodes=tmp_path / "nodes.csv",
    )
