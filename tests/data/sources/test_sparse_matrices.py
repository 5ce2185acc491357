from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from l2p_search.data.loading import load_graph
from l2p_search.data.sources.sparse_matrices import read_matrix
from l2p_search.errors import DataError

_DENSE = np.array([[0, 2, 0, 0], [2, 0, 1, 0], [0, 0, 3, 0], [0, 0, 0, 0]])
_LABELS = ["a", "b", "a", "b"]
_FORMATS = ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")


@pytest.mark.parametrize("form", _FORMATS)
@pytest.mark.parametrize("make", [sp.csr_array, sp.csr_matrix])
def test_a_matrix_in_any_format_is_read(form: str, make: Any) -> None:
    graph = read_matrix(make(_DENSE).asformat(form), labels=_LABELS)
    assert graph.num_nodes == 4
    assert graph.edges.tolist() == [[0, 1, 1, 2], [1, 0, 2, 2]]
    assert graph.edges.dtype == np.int64
    assert graph.weights is not None
    assert graph.weights.tolist() == [2, 2, 1, 3]
    assert graph.labels is not None
    assert graph.labels.tolist() == _LABELS
    assert graph.x is None


def test_a_dense_matrix_is_read() -> None:
    assert read_matrix(_DENSE, labels=_LABELS).edges.shape == (2, 4)


@pytest.mark.parametrize("kind", [bool, np.int8, np.float32])
def test_equal_weights_are_left_out(kind: type) -> None:
    assert read_matrix(sp.csr_array((_DENSE > 0).astype(kind)), labels=_LABELS).weights is None


def test_stored_zeros_are_no_edges_and_doubles_are_summed() -> None:
    entries = ([1.0, 0.0, 2.0, 3.0], ([0, 1, 2, 2], [1, 2, 3, 3]))
    graph = read_matrix(sp.coo_array(entries, shape=(4, 4)), labels=_LABELS)
    assert graph.edges.tolist() == [[0, 2], [1, 3]]
    assert graph.weights is not None
    assert graph.weights.tolist() == [1, 5]


def test_the_callers_matrix_stays_as_it_is() -> None:
    matrix = sp.csr_array(([1.0, 0.0], [1, 2], [0, 1, 2, 2]), shape=(3, 3))
    features = np.ones((3, 2))
    graph = read_matrix(matrix, labels=[0, 1, 0], features=features)
    assert matrix.nnz == 2
    assert isinstance(graph.x, np.ndarray)
    graph.x[0, 0] = 7
    assert features[0, 0] == 1


@pytest.mark.parametrize("sparse", [True, False])
def test_features_stay_sparse_or_dense(sparse: bool) -> None:
    features = np.array([[0, 1.5], [2, 0], [0, 0], [1, 1]])
    graph = read_matrix(
        _DENSE, labels=_LABELS, features=sp.csc_matrix(features) if sparse else features
    )
    assert isinstance(graph.x, sp.csr_array) == sparse
    dense = graph.x.toarray() if isinstance(graph.x, sp.csr_array) else graph.x
    assert dense is not None
    assert dense.tolist() == features.tolist()


def test_labels_may_be_missing() -> None:
    graph = read_matrix(_DENSE, labels=np.array([0.0, np.nan, 1.0, 1.0]))
    assert graph.labels is not None
    np.testing.assert_array_equal(graph.labels, [0, np.nan, 1, 1])
    text = read_matrix(_DENSE, labels=["a", None, "b", ""])
    assert text.labels is not None
    assert text.labels.tolist() == ["a", None, "b", ""]


def _changed(value: float) -> sp.csr_array:
    dense = _DENSE.astype(float)
    dense[1, 2] = value
    return sp.csr_array(dense)


@pytest.mark.parametrize(
    ("matrix", "options", "says"),
    [
        ([[0, 1], [1, 0]], {}, "the matrix: is a list; give a scipy or numpy matrix"),
        (sp.csr_array((3, 4)), {}, "has shape [3, 4]; an adjacency matrix is square"),
        (np.zeros(4), {}, "has shape [4]; an adjacency matrix is square"),
        (sp.csr_array((4, 4)), {}, "has no entries, so no edges"),
        (np.array([["a"]]), {}, "has entries of type <U1; give numbers"),
        (_changed(-1), {}, "row 1, column 2: -1 is no weight; weights are finite"),
        (_changed(np.nan), {}, "row 1, column 2: nan is no weight"),
        (_changed(np.inf), {}, "row 1, column 2: inf is no weight"),
        (_DENSE, {"labels": None}, "has no labels; give the class of each of its 4 nodes"),
        (_DENSE, {"labels": [0, 1]}, "labels have shape [2] and there are 4 nodes"),
        (_DENSE, {"labels": 3}, "labels are no list; give one class per node"),
        (_DENSE, {"labels": [[1], [1, 2], [], []]}, "labels are no list"),
        (_DENSE, {"features": [[1], [1, 2], [], []]}, "rows of features differ in length"),
        (_DENSE, {"labels": np.eye(4)}, "labels have shape [4, 4] and there are 4 nodes"),
        (_DENSE, {"labels": [1, 1, 1, 1]}, "its labels are of 1 class; two are needed"),
        (_DENSE, {"labels": [None] * 4}, "its labels are of 0 classes"),
        (_DENSE, {"features": np.ones((3, 2))}, "features have shape [3, 2]; give [4, features]"),
        (_DENSE, {"features": np.ones((4, 0))}, "features have shape [4, 0]"),
        (_DENSE, {"features": [["a"]] * 4}, "features are of type <U1; give numbers"),
        (_DENSE, {"features": _changed(np.nan)}, "row 1: feature 2 is not a finite number"),
        (_DENSE, {"features": _changed(np.inf).toarray()}, "row 1: feature 2 is not a finite"),
    ],
)
def test_a_bad_matrix_is_refused_in_one_line(
    matrix: Any, options: dict[str, Any], says: str
) -> None:
    with pytest.raises(DataError) as error:
        read_matrix(matrix, **{"labels": _LABELS, **options})
    assert says in str(error.value)
    assert len(str(error.value).splitlines()) == 1


def test_labels_may_be_one_hot_or_a_column() -> None:
    y = np.arange(40) % 3
    ring = sp.csr_array((np.ones(40), (np.arange(40), (np.arange(40) + 1) % 40)), shape=(40, 40))
    for labels in (np.eye(3)[y], y[:, None]):
        assert load_graph(ring, label=labels).y.tolist() == y.tolist()
        assert load_graph(ring.toarray(), label=labels).y.tolist() == y.tolist()
