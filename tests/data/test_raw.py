import numpy as np

from l2p_search.data.raw import RawGraph


def _raw() -> RawGraph:
    edges = np.zeros((2, 0), dtype=np.int64)
    return RawGraph(name="a", source="a.csv", num_nodes=0, edges=edges, labels=None)


def test_two_graphs_share_no_columns() -> None:
    assert _raw().columns == {}
    assert _raw().columns is not _raw().columns


def test_what_a_source_has_not_is_none() -> None:
    raw = _raw()
    assert raw.x is raw.weights is raw.node_ids is raw.masks is None
    assert raw.notes == ()
