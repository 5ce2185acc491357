import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from l2p_search.data.graph import Graph
from l2p_search.data.ingest import ingest
from l2p_search.data.raw import RawGraph
from l2p_search.errors import DataError

_NODES = 30


def _raw(**changes: Any) -> RawGraph:
    """A ring of thirty nodes with a chord, listed in one direction; two classes by turns."""
    ring = np.stack([np.arange(_NODES), (np.arange(_NODES) + 1) % _NODES])
    raw = RawGraph(
        name="ring",
        source="ring.csv",
        num_nodes=_NODES,
        edges=np.concatenate([ring, [[0], [10]]], axis=1),
        labels=np.array(["red", "blue"] * 15, dtype=object),
        x=np.random.default_rng(0).normal(size=(_NODES, 4)),
        feature_names=("a", "b", "c", "d"),
        node_ids=np.array([f"n{k}" for k in range(_NODES)], dtype=object),
    )
    return dataclasses.replace(raw, **changes)


def _as_read(graph: Graph) -> RawGraph:
    """What a reader would find if the graph had been written to a file."""
    masks = (graph.train.numpy(), graph.val.numpy(), graph.test.numpy())
    return RawGraph(
        name=graph.name,
        source="again",
        num_nodes=graph.num_nodes,
        edges=graph.edges.numpy(),
        labels=graph.y.numpy(),
        x=graph.x.numpy(),
        weights=None if graph.weights is None else graph.weights.numpy(),
        masks=masks,
    )


def test_everything_that_was_understood_is_told() -> None:
    graph = ingest(_raw(notes=("2 text columns were one-hot encoded",)))
    about = graph.about
    assert about.source == "ring.csv"
    assert about.class_names == ("blue", "red")
    assert graph.y[:2].tolist() == [1, 0]
    assert about.node_ids is not None
    assert about.node_ids[3] == "n3"
    assert about.feature_names == ("a", "b", "c", "d")
    assert about.scaling == "standard"
    assert about.split_rule == "10x48/32/20"
    assert about.changes == (
        "2 text columns were one-hot encoded",
        "every edge was listed in one direction and is taken in both",
    )


_pair = st.tuples(st.integers(0, _NODES - 1), st.integers(0, _NODES - 1))


@given(
    st.lists(_pair, min_size=1, max_size=60).filter(lambda p: any(a != b for a, b in p)),
    st.integers(0, 2**31),
    st.booleans(),
    st.booleans(),
)
def test_any_order_of_edges_gives_one_graph_and_reading_it_again_the_same(
    pairs: list[tuple[int, int]], seed: int, weighted: bool, with_features: bool
) -> None:
    rng = np.random.default_rng(seed)
    edges = np.array(pairs).T
    weights = rng.integers(1, 5, len(pairs)) / 4 if weighted else None
    x = rng.normal(size=(_NODES, 3)) if with_features else None
    first = ingest(_raw(edges=edges, weights=weights, x=x, feature_names=None))
    order = rng.permutation(len(pairs))
    shuffled = _raw(
        edges=edges[:, order],
        weights=None if weights is None else weights[order],
        x=x,
        feature_names=None,
    )
    assert ingest(shuffled).digest == first.digest
    assert ingest(_as_read(first)).digest == first.digest


def test_sparse_features_are_dense_ones() -> None:
    x = (np.random.default_rng(0).random((_NODES, 20)) < 0.1).astype(np.float64)
    dense = ingest(_raw(x=x, feature_names=None))
    assert ingest(_raw(x=csr_array(x), feature_names=None)).digest == dense.digest
    assert dense.about.scaling == "row"


def test_without_features_some_are_made_and_told() -> None:
    graph = ingest(_raw(x=None, feature_names=None))
    assert graph.num_features == _NODES
    assert graph.about.scaling == "made"
    assert "no features: each of the 30 nodes got a column" in graph.about.features


def test_isolated_nodes_are_kept_and_told() -> None:
    graph = ingest(_raw(edges=np.array([[0], [1]])))
    assert graph.num_nodes == _NODES
    assert "28 nodes have no edge" in graph.about.changes


def test_unlabelled_nodes_are_taken_out_of_the_masks() -> None:
    labels = _raw().labels
    assert labels is not None
    labels[0] = None
    masks = np.zeros((3, 1, _NODES), dtype=bool)
    masks[0, 0, :10] = masks[1, 0, 10:20] = masks[2, 0, 20:] = True
    graph = ingest(_raw(labels=labels, masks=tuple(masks)))
    assert graph.y[0] == -1
    assert int(graph.train.sum()) == 9
    assert "1 node has no label" in graph.about.changes
    assert "1 unlabelled node was taken out of the splits" in graph.about.changes
    assert graph.about.split_rule == "given"


def test_a_rule_comes_before_the_masks_of_the_source() -> None:
    masks = np.zeros((3, 1, _NODES), dtype=bool)
    masks[0, 0, :10] = masks[1, 0, 10:20] = masks[2, 0, 20:] = True
    graph = ingest(_raw(masks=tuple(masks)), splits="3x60/20/20")
    assert graph.num_splits == 3
    assert graph.about.split_rule == "3x60/20/20"


def test_temporal_splits_read_a_column_of_the_source() -> None:
    graph = ingest(_raw(columns={"year": np.arange(_NODES)}), splits="temporal:year")
    assert graph.train[0].nonzero().squeeze(1).tolist() == list(range(14))


def test_a_name_fits_into_the_name_of_a_folder() -> None:
    assert ingest(_raw(name="../my graph: 2")).name == "my-graph-2"


def _overlapping() -> tuple[np.ndarray, ...]:
    masks = np.zeros((3, 1, _NODES), dtype=bool)
    masks[0, 0, :10] = masks[1, 0, 9:20] = masks[2, 0, 20:] = True
    return tuple(masks)


def _of_one_class() -> tuple[np.ndarray, ...]:
    masks = np.zeros((3, 1, _NODES), dtype=bool)
    masks[0, 0, [0, 2, 4]] = masks[1, 0, 10:20] = masks[2, 0, 20:] = True
    return tuple(masks)


def _with(value: float) -> np.ndarray:
    x = np.ones((_NODES, 4))
    x[3, 1] = value
    return x


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"num_nodes": 0}, "there are no nodes"),
        ({"x": np.ones((5, 4))}, "features have shape [5, 4] for 30 nodes"),
        ({"x": np.full((_NODES, 4), "a")}, "features have the type <U1; give numbers"),
        ({"x": _with(np.nan)}, "feature 'b' of node 'n3' is nan (1 such values in all)"),
        ({"x": _with(np.inf)}, "feature 'b' of node 'n3' is inf"),
        ({"x": csr_array(_with(np.nan))}, "feature 'b' of node 'n3' is nan"),
        ({"feature_names": ("a",)}, "1 names for 4 features"),
        ({"node_ids": np.arange(5)}, "5 ids for 30 nodes"),
        ({"node_ids": np.array([7] * _NODES)}, "id 7 names node 0 and node 1; ids must differ"),
        ({"masks": _overlapping()}, "node 9 is in two parts of split 0"),
        ({"masks": _of_one_class()}, "class 'blue' has no training node in any split"),
        ({"masks": (np.zeros((1, _NODES)),) * 3}, "split 0 has no train node"),
        ({"masks": (np.zeros((1, 5)),) * 3}, "the train masks have shape [1, 5]"),
        ({"labels": None}, "there are no labels"),
        ({"labels": np.ones(_NODES)}, "every labelled node is of class '1'"),
        ({"edges": np.zeros((2, 0), dtype=np.int64)}, "no edge joins two nodes"),
    ],
)
def test_a_bad_graph_is_refused_by_the_name_of_its_source(
    changes: dict[str, Any], says: str
) -> None:
    with pytest.raises(DataError) as error:
        ingest(_raw(**changes))
    assert says in str(error.value)
    assert str(error.value).startswith("ring.csv: ")
    assert "\n" not in str(error.value)


def test_an_unknown_scale_is_refused_also_without_features() -> None:
    with pytest.raises(DataError, match="scale 'rows' is unknown; did you mean 'row'"):
        ingest(_raw(x=None, feature_names=None), scale="rows")


def _path(labels: list[object] | None) -> RawGraph:
    return RawGraph(
        name="path",
        source="path.csv",
        num_nodes=4,
        edges=np.array([[0, 1, 2], [1, 2, 3]]),
        labels=None if labels is None else np.array(labels, dtype=object),
        x=np.array([[1.0, 5.0], [2.0, 1.0], [3.0, -2.0], [4.0, 0.5]]),
    )


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (None, None),
        ([None, None, "", None], None),
        (["a", None, None, None], None),
        (["a", "b", None, None], ("a", "b")),
    ],
    ids=str,
)
def test_a_graph_to_predict_needs_no_labels_and_no_splits(
    labels: list[object] | None, names: tuple[str, ...] | None
) -> None:
    graph = ingest(_path(labels), to_predict=True)
    assert graph.num_labelled == 0
    assert graph.about.class_names == names
    assert graph.about.standard is not None
    with pytest.raises(DataError):
        ingest(_path(labels))
