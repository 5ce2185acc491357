from pathlib import Path

import pytest

from l2p_search.data.sources.table_names import (
    ENDS,
    IDS,
    LABELS,
    WEIGHTS,
    is_usual_id,
    looks_like_an_id,
    plain,
    usual,
)
from tests.data.sources.small_tables import EDGES, NODES, read


@pytest.mark.parametrize(
    ("node_id", "source", "target"),
    [
        ("node_id", "src_id", "dst_id"),
        (":ID", ":START_ID", ":END_ID"),
        ("userId:ID(User)", ":START_ID(User)", ":END_ID(User)"),
        ("~id", "~from", "~to"),
        ("Id", "Source", "Target"),
        ("id", "u", "v"),
        ("id", "id_1", "id_2"),
        ("new_id", "from", "to"),
        ("page", "anything", "else"),
    ],
)
def test_usual_names_are_found(node_id: str, source: str, target: str, tmp_path: Path) -> None:
    nodes = NODES.replace("id,", f"{node_id},", 1)
    edges = EDGES.replace("source,target", f"{source},{target}")
    graph = read(tmp_path, nodes, edges)
    assert graph.edges.tolist() == [[0, 1, 2], [1, 2, 3]]
    assert graph.feature_names == ("age",)


def test_typed_columns_may_be_named_without_their_types(tmp_path: Path) -> None:
    nodes = NODES.replace("id,age,club", ":ID,age:int,club:string")
    edges = ":START_ID,:END_ID,:TYPE,cost:float\nann,bob,KNOWS,1\nbob,cy,KNOWS,2\n"
    graph = read(tmp_path, nodes, edges, label="club", features="age", weight="cost")
    assert graph.label_name == "club:string"
    assert graph.feature_names == ("age:int",)
    assert graph.weights is not None
    assert graph.weights.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("name", "form"),
    [
        (" Node ID ", "node_id"),
        ("node-id", "node_id"),
        (":START_ID(Person)", ":start_id"),
        ("f(x)(y)", "f"),
        ("(x) age", "(x)_age"),
        ("weight:Double", "weight"),
        ("vector:float[]", "vector"),
        (":LABEL", ":label"),
    ],
)
def test_names_are_compared_in_a_plain_form(name: str, form: str) -> None:
    assert plain(name) == form


@pytest.mark.parametrize("name", ["id", "ID", "~id", "_id", "Node ID", "userId:ID(User)", "nid"])
def test_usual_ids(name: str) -> None:
    assert is_usual_id(name)
    assert looks_like_an_id(name)


@pytest.mark.parametrize(
    "name", ["facebook_id", "paperId", "userID", "row.index", "Unnamed: 0", "column 3", "uuid"]
)
def test_names_that_may_be_ids_are_no_usual_ones(name: str) -> None:
    assert not is_usual_id(name)
    assert looks_like_an_id(name)


@pytest.mark.parametrize("name", ["age", "paid", "idea", "identity", "grid", "MONKEY", "valid"])
def test_words_that_contain_an_id_are_none(name: str) -> None:
    assert not looks_like_an_id(name)


def test_every_known_name_is_plain_already() -> None:
    known = [*LABELS, *IDS, *WEIGHTS, *(name for pair in ENDS for name in pair)]
    assert [plain(name) for name in known] == known


def test_names_of_the_table_are_found_in_its_order_and_spelling() -> None:
    assert usual(["Y", "age", "LABEL"], LABELS) == ["Y", "LABEL"]
