import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from l2p_search.data.graph import Graph
from l2p_search.data.loading import load_graph
from l2p_search.data.plain_graphs import (
    PUBLISHED,
    PlainGraph,
    as_arrays,
    load_arrays,
    load_published,
)


@pytest.mark.parametrize("dataset", ["wisconsin", "cornell-legacy", "cora"])
def test_torch_geometric_alone_gives_what_we_load(
    dataset: str, raw_data: Path, real_data: Path, tmp_path: Path
) -> None:
    inside = PUBLISHED[dataset][1]
    kept = Path(inside) / PUBLISHED[dataset][2]
    shutil.copytree(raw_data / kept / "raw", tmp_path / kept / "raw")
    found = load_published(str(tmp_path), *PUBLISHED[dataset])
    wanted = load_graph(dataset, data_dir=raw_data)
    assert found.digest() == wanted.digest
    assert found.train.shape == wanted.train.shape


@pytest.mark.parametrize("weighted", [False, True])
def test_a_graph_goes_through_a_file_without_a_change(
    small_graph: Graph, weighted: bool, tmp_path: Path
) -> None:
    graph = small_graph
    if weighted:
        low, high = graph.edges.sort(dim=0).values
        graph = replace(graph, weights=1.0 + (low * high).float())
    (tmp_path / "g.npz").write_bytes(as_arrays(graph))
    found = load_arrays(tmp_path / "g.npz")
    assert isinstance(found, PlainGraph)
    assert found.digest() == graph.digest
    assert (found.weights is None) is not weighted
