import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

from l2p_search.data.sources.list_files import list_features, read_json_lists
from tests.data.sources.small_tables import dense, read, refused, write

_BIG = "1" + "0" * 12

_BAD: dict[str, tuple[str, str]] = {
    "empty": ("", "features.json: is empty"),
    "no JSON": ("{'ann': [1]}", "features.json, line 1: is no JSON"),
    "cut short": ('{"ann": [1],\n"bob": [2', "features.json, line 2: is no JSON"),
    "a number": ("7", "features.json: holds no lists"),
    "no entries": ("{}", "features.json: holds no lists"),
    "numbers instead of lists": (
        '{"ann": 1, "bob": 2}',
        "features.json, entry 'ann': '1' is no list; give a list of words or numbers",
    ),
    "objects instead of lists": (
        '[[1], {"a": 2}]',
        "features.json, list 2: \"{'a': 2}\" is no list",
    ),
    "lists in lists": ("[[1], [[2]]]", "features.json, list 2: '[2]' is no word number"),
    "words among numbers": (
        '{"ann": [1], "bob": ["x"]}',
        "features.json, entry 'bob': 'x' is no word",
    ),
    "nothing but empty lists": ("[[], [], [], []]", "features.json: every list is empty"),
    "a negative word number": (
        '{"ann": [1], "bob": [3, -2]}',
        "features.json, entry 'bob': the word number -2 is negative; number the words from 0 on",
    ),
    "an absurd word number": (
        f'{{"ann": [1], "bob": [3, {_BIG}]}}',
        f"features.json, entry 'bob': the word number {_BIG} is absurdly high",
    ),
    "a word number beyond all numbers": (
        f'{{"ann": [1], "bob": [{"9" * 40}]}}',
        "features.json, entry 'bob': the word number .. is absurd",
    ),
    "a number of ten thousand digits": (
        f"[[{'9' * 10_000}]]",
        "features.json: is no JSON of lists",
    ),
    "nested without end": ("[" * 100_000, "features.json: is no JSON of lists"),
    "not a number": ("[[0.5], [NaN], [1.0], [1.0]]", "features.json, list 2: nan is not a finite"),
    "vectors of different lengths": (
        "[[0.5, 1.0], [0.5], [1.0, 2.0], [1.0, 1.0]]",
        "features.json, list 2: has 1 numbers where the first has 2; give vectors of one length",
    ),
    "too few lists": ("[[0], [1, 2]]", "features.json: has 2 lists and there are 4 nodes"),
    "the ids of other nodes": (
        '{"0": [1, 2], "1": [2], "2": [3], "3": [0]}',
        "features.json, entry '0': only 0 of 4 nodes have a list here .. the same ids",
    ),
    "too few vectors": (
        '{"ann": [0.5], "bob": [1.5], "cy": [2.5]}',
        "features.json: 1 nodes have no vector; give one per node",
    ),
}


@pytest.mark.parametrize("kind", _BAD)
def test_a_bad_file_of_lists_is_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    lists, says = _BAD[kind]
    write(tmp_path)
    (tmp_path / "features.json").write_text(lists)
    refused(tmp_path, says, features="features.json")
    refused(tmp_path, says, nodes=tmp_path)


def test_lists_in_json_are_bags_of_words(tmp_path: Path) -> None:
    words = {"cy": [3, 0], "ann": [1], "dee": [], "bob": [1, 1]}
    (tmp_path / "features.json").write_text(json.dumps(words))
    graph = read(tmp_path, features="features.json")
    assert dense(graph).tolist() == [[0, 1, 0, 0], [0, 2, 0, 0], [1, 0, 0, 1], [0, 0, 0, 0]]
    assert graph.feature_names == ("features:0", "features:1", "features:2", "features:3")
    both = read(tmp_path, features="features.json,age")
    assert dense(both)[:, -1].tolist() == [31, 7, 64, 20]


def _written(folder: Path, content: Any) -> Path:
    path = folder / "features.json"
    path.write_text(json.dumps(content))
    return path


def test_a_node_without_a_list_has_zeros_and_a_list_without_a_node_is_left_out(
    tmp_path: Path,
) -> None:
    path = _written(tmp_path, {"a": [1], "c": [0], "z": [2]})
    found = list_features(path, pa.array(["a", "b", "c"]), 3)
    assert isinstance(found.x, csr_array)
    assert found.x.toarray().tolist() == [[0, 1, 0], [0, 0, 0], [1, 0, 0]]
    assert found.notes[1:] == [
        "1 nodes have no list in features.json and so no words",
        "1 lists of features.json belong to no node and were left out",
    ]


def test_keys_of_text_match_ids_that_are_numbers(tmp_path: Path) -> None:
    found = list_features(_written(tmp_path, {"9": [0.5], "7": [1.5]}), pa.array([7, 9]), 2)
    assert isinstance(found.x, np.ndarray)
    assert found.x.tolist() == [[1.5], [0.5]]


def test_a_list_of_lists_is_in_the_order_of_the_nodes_whatever_their_ids(tmp_path: Path) -> None:
    path = _written(tmp_path, [["red"], ["blue", "red"]])
    assert read_json_lists(path)[0] is None
    found = list_features(path, pa.array([7, 9]), 2)
    assert found.names == ["features:blue", "features:red"]
    assert isinstance(found.x, csr_array)
    assert found.x.toarray().tolist() == [[0, 1], [1, 1]]
