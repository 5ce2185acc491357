from typing import Any

import numpy as np
import pytest
import torch

from l2p_search.data.raw import RawGraph
from l2p_search.data.sources.arrays import from_arrays, masks_of
from l2p_search.errors import DataError


def _read(**changes: Any) -> RawGraph:
    given = {"name": "a", "source": "mine", "edges": [[0, 1], [1, 2]], "y": [0, 1, 0]}
    return from_arrays(**{**given, **changes})


def test_edges_may_lie_the_other_way() -> None:
    raw = _read(edges=[[0, 1], [1, 2], [2, 0]])
    assert raw.edges.tolist() == [[0, 1, 2], [1, 2, 0]]
    assert raw.notes == ("edges were given as [edges, 2]",)


@pytest.mark.parametrize(
    "value",
    [
        torch.tensor([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]], dtype=torch.bfloat16),
        torch.tensor([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]], requires_grad=True),
        torch.tensor([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]).to_sparse(),
        [[1, 0], [0, 2], [0, 0]],
    ],
    ids=["bfloat16", "with gradient", "sparse", "list"],
)
def test_features_of_any_make_are_read(value: Any) -> None:
    x = _read(x=value).x
    assert x is not None
    assert x.tolist() == [[1, 0], [0, 2], [0, 0]]


def test_one_feature_per_node_is_a_column() -> None:
    x = _read(x=[1.0, 2.0, 3.0]).x
    assert x is not None
    assert x.shape == (3, 1)


def test_labels_in_a_list_keep_their_kind() -> None:
    labels = _read(y=["a", None, "b"]).labels
    assert labels is not None
    assert labels.tolist() == ["a", None, "b"]


@pytest.mark.parametrize(
    "train",
    [
        [True, False, False],
        [1, 0, 0],
        [[True, False, False]],
        [[True], [False], [False]],
        np.array([0]),
        torch.tensor([0]),
        torch.tensor([True, False, False]).nonzero(),
    ],
    ids=["mask", "numbers", "[1, N]", "[N, 1]", "positions", "tensor", "positions [K, 1]"],
)
def test_masks_of_any_shape_are_read(train: Any) -> None:
    masks = _read(masks=(train, [1], [2])).masks
    assert masks is not None
    assert [mask.tolist() for mask in masks] == [
        [[True, False, False]],
        [[False, True, False]],
        [[False, False, True]],
    ]


def test_one_test_mask_serves_all_splits() -> None:
    """WikiCS has twenty training masks and one test mask."""
    train = np.array([[1, 0, 0, 0], [0, 1, 0, 0]], dtype=bool)
    masks = masks_of("mine", (train.T, train[::-1].T, np.array([0, 0, 1, 1], dtype=bool)), 4)
    assert masks is not None
    assert masks[2].tolist() == [[False, False, True, True]] * 2


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"edges": [0, 1, 2]}, "edges have shape [3]"),
        ({"edges": [[0, 1, 2]] * 3}, "edges have shape [3, 3]"),
        ({"edges": [[0, 1], [1]]}, "the edges: rows have different lengths"),
        ({"edges": [[0.5, 1], [1, 2]]}, "edge 0 names node 0.5"),
        ({"edges": [[np.nan, 1], [1, 2]]}, "edge 0 names node nan"),
        ({"edges": [["a", "b"], ["b", "c"]]}, "edges have the type <U1"),
        ({"edges": np.array([[0], [2**63]], dtype=np.uint64)}, "names node 9223372036854775808"),
        ({"x": [[1, 2], [3]]}, "the features: rows have different lengths"),
        ({"y": torch.tensor(1)}, "one label for the whole graph"),
        ({"y": None}, "neither features nor labels"),
        ({"masks": ([0], None, [1])}, "no val mask beside the others"),
        ({"masks": ([0], [1], [7])}, "the test nodes name node 7, but nodes are 0 to 2"),
        ({"masks": ([0.5, 0, 0], [1], [2])}, "the train mask has the type float64"),
        ({"masks": ([True, False], [1], [2])}, "the train mask has shape [2]"),
        (
            {"masks": (np.eye(3, dtype=bool), np.eye(3, dtype=bool)[:2], [2])},
            "2 val masks beside 3 others",
        ),
    ],
)
def test_arrays_that_do_not_fit_are_named(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(DataError) as error:
        _read(**changes)
    assert says in str(error.value)
    assert str(error.value).startswith("mine: ")
