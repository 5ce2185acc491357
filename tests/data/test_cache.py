from pathlib import Path

import numpy as np
import pytest

from l2p_search.data.about import About
from l2p_search.data.cache import read_cached, write_cached
from l2p_search.data.graph import Graph


def test_a_graph_comes_back_as_it_was(tmp_path: Path, small_graph: Graph) -> None:
    path = tmp_path / "deep" / "small.npz"
    write_cached(small_graph, path)
    found = read_cached("small", path, About(source="here"))
    assert found is not None
    assert found.digest == small_graph.digest
    assert found.about.source == "here"
    assert [child.name for child in path.parent.iterdir()] == ["small.npz"]


def test_no_file_is_no_graph(tmp_path: Path) -> None:
    assert read_cached("small", tmp_path / "none.npz", About()) is None


@pytest.mark.parametrize("damage", ["cut", "garbage", "changed", "directed"])
def test_a_damaged_file_is_no_graph(tmp_path: Path, small_graph: Graph, damage: str) -> None:
    path = tmp_path / "small.npz"
    write_cached(small_graph, path)
    with np.load(path) as file:
        arrays = dict(file)
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:500])
    elif damage == "garbage":
        path.write_bytes(b"garbage")
    elif damage == "changed":
        np.savez(path, **{**arrays, "x_values": arrays["x_values"] * 2})
    else:
        np.savez(path, **{**arrays, "edges": arrays["edges"][:, :5]})
    assert read_cached("small", path, About()) is None


def test_a_place_that_cannot_be_written_costs_nothing(tmp_path: Path, small_graph: Graph) -> None:
    (tmp_path / "file").touch()
    write_cached(small_graph, tmp_path / "file" / "small.npz")
    assert (tmp_path / "file").read_bytes() == b""
