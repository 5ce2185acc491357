import numpy as np
import pytest

from l2p_search.data.labelling import number_classes
from l2p_search.errors import DataError

_NAN = float("nan")


@pytest.mark.parametrize(
    ("labels", "y", "names"),
    [
        (np.array([5, 3, 5, 9]), [1, 0, 1, 2], ("3", "5", "9")),
        (np.array([0, -1, 1, 1]), [0, -1, 1, 1], ("0", "1")),
        (np.array([-1, 1, 1, -1]), [0, 1, 1, 0], ("-1", "1")),
        (np.array([1.0, _NAN, 2.0, 1.0]), [0, -1, 1, 0], ("1", "2")),
        (np.array([True, False, True, True]), [1, 0, 1, 1], ("False", "True")),
        (np.array(["b", "a", "", "b"]), [1, 0, -1, 1], ("a", "b")),
        (np.array(["b", "\u00e4", "", "b"]).astype("U"), [0, 1, -1, 0], ("b", "\u00e4")),
        (np.array([b"b", "\u00e4".encode(), b"", b"b"]), [0, 1, -1, 0], ("b", "\u00e4")),
        (np.array(["b", None, _NAN, "a"], dtype=object), [1, -1, -1, 0], ("a", "b")),
        (np.array([1, None, 2, 1], dtype=object), [0, -1, 1, 0], ("1", "2")),
        (np.array([1.0, None, 2, 1], dtype=object), [0, -1, 1, 0], ("1", "2")),
        (np.array([True, None, False, True], dtype=object), [1, -1, 0, 1], ("False", "True")),
        (np.array([10, 9, "9", 10], dtype=object), [0, 1, 1, 0], ("10", "9")),
        (np.array([2**70, 5, 5, 5], dtype=object), [0, 1, 1, 1], (str(2**70), "5")),
        (np.array([[4], [2], [2], [4]]), [1, 0, 0, 1], ("2", "4")),
        (np.array([[0, 1], [1, 0], [0, 1], [0, 1]]), [1, 0, 1, 1], ("0", "1")),
    ],
)
def test_labels_of_any_kind_become_classes_by_their_sorted_values(
    labels: np.ndarray, y: list[int], names: tuple[str, ...]
) -> None:
    found = number_classes("mine", labels, 4)
    assert found.y.tolist() == y
    assert found.class_names == names


def test_nodes_without_a_label_are_counted() -> None:
    found = number_classes("mine", np.array(["a", "b", "", ""]), 4)
    assert found.changes == ("2 nodes have no label",)


@pytest.mark.parametrize(
    ("labels", "says"),
    [
        (None, "there are no labels"),
        (np.array([0, 1]), "labels have shape [2] for 4 nodes"),
        (np.array([3, 3, 3, 3]), "every labelled node is of class '3'"),
        (np.array(["", "", "", ""]), "no node has a label"),
        (np.array([_NAN] * 4), "no node has a label"),
        (
            np.array(["n1", "n2", "n3", "n4"]),
            "each of the 4 labelled nodes has a class of its own",
        ),
        (np.array([0.0, 1.0, 0.37, 1.0]), "the label of node 2 is 0.37, which is no class"),
        (np.array([0.0, np.inf, 1.0, 1.0]), "the label of node 1 is inf"),
        (np.array([[1, 1], [0, 1], [1, 0], [1, 0]]), "several per node"),
        (np.array([1j, 0, 1, 0]), "labels have the type complex128"),
    ],
)
def test_labels_that_are_no_classes_are_refused(labels: np.ndarray | None, says: str) -> None:
    with pytest.raises(DataError) as error:
        number_classes("mine.csv", labels, 4)
    assert says in str(error.value)
    assert str(error.value).startswith("mine.csv")


def test_the_column_of_a_bad_label_is_named() -> None:
    with pytest.raises(DataError, match=r"mine.csv, column 'kind': every labelled node"):
        number_classes("mine.csv", np.zeros(4, dtype=np.int64), 4, "kind")
