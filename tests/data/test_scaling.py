from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from l2p_search.data import limits
from l2p_search.data.graph import row_normalised
from l2p_search.data.scaling import scale_features
from l2p_search.errors import DataError


def _bags(seed: int = 0) -> np.ndarray:
    return (np.random.default_rng(seed).random((30, 40)) < 0.1).astype(np.float32)


@pytest.mark.parametrize(
    ("x", "scaling"),
    [
        (_bags(), "row"),
        (_bags() * 3, "row"),
        (_bags() * np.linspace(0.1, 2, 40), "row"),
        (_bags() - 0.5, "standard"),
        (np.random.default_rng(0).random((30, 40)), "standard"),
        (np.random.default_rng(0).random((30, 4)), "standard"),
        (np.arange(60).reshape(30, 2) % 7, "standard"),
        (np.eye(30), "none"),
        (np.eye(5)[np.arange(30) % 5], "none"),
        (np.array([[1, 0, 1], [0, 0, 1], [1, 1, 1]], dtype=bool), "none"),
        (1.0 - np.eye(30), "none"),
    ],
    ids=[
        "words",
        "counts of words",
        "weighted words",
        "signed",
        "dense",
        "few dense",
        "few whole numbers",
        "one-hot ids",
        "one-hot",
        "yes/no",
        "mostly yes",
    ],
)
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_auto_decides_by_the_kind_of_values(x: np.ndarray, scaling: str, form: type) -> None:
    found = scale_features("mine", form(x))
    assert found.scaling == scaling
    assert f"{x.shape[1]} features" in found.told


@pytest.mark.parametrize(
    ("file", "member", "scaling"),
    [
        ("tolokers.npz", "node_features", "standard"),
        ("minesweeper.npz", "node_features", "none"),
        ("chameleon_filtered.npz", "node_features", "row"),
        ("cora_ml.npz", "attr_matrix", "row"),
        ("amazon_photo.npz", "attr", "row"),
    ],
)
def test_real_graphs_get_the_scaling_that_suits_them(
    own_data: Path, file: str, member: str, scaling: str
) -> None:
    with np.load(own_data / file, allow_pickle=False) as arrays_:
        if member == "node_features":
            x = arrays_[member]
        else:
            dot = "." if member == "attr_matrix" else "_"
            parts = [
                arrays_[f"{member}{dot}{part}"] for part in ("data", "indices", "indptr", "shape")
            ]
            x = csr_array(tuple(parts[:3]), shape=tuple(parts[3].tolist()))
        assert scale_features(file, x).scaling == scaling


def test_row_is_what_the_published_graphs_get() -> None:
    found = scale_features("mine", _bags(), "row")
    assert torch.equal(found.x, row_normalised(torch.from_numpy(_bags())))


def test_standard_columns_have_mean_zero_and_variance_one() -> None:
    x = np.random.default_rng(0).gamma(2.0, 1e6, (200, 3))
    found = scale_features("mine", x, "standard").x.double()
    torch.testing.assert_close(found.mean(dim=0), torch.zeros(3).double(), atol=1e-6, rtol=0)
    torch.testing.assert_close(found.std(dim=0, correction=0), torch.ones(3).double())


def test_a_constant_column_becomes_zero_and_is_told() -> None:
    x = np.column_stack([np.full(6, 7.1), np.arange(6.0)])
    found = scale_features("mine", x, "standard")
    assert found.x[:, 0].tolist() == [0.0] * 6
    assert "(1 of them constant, now 0)" in found.told


def test_huge_values_are_standardised_too() -> None:
    found = scale_features("mine", np.array([[1e300], [-1e300]]), "standard")
    assert found.x.tolist() == [[1.0], [-1.0]]


@given(
    arrays(np.float32, (7, 3), elements=st.floats(-100, 100, width=32, allow_subnormal=False)),
    st.sampled_from(["auto", "row", "standard", "none"]),
)
def test_what_is_scaled_stays_as_it_is(x: np.ndarray, scale: str) -> None:
    once = scale_features("mine", x, scale)
    assert torch.equal(scale_features("mine", once.x.numpy(), once.scaling).x, once.x)


def test_an_unknown_scale_is_refused_with_the_nearest() -> None:
    with pytest.raises(DataError, match="scale 'standart' is unknown; did you mean 'standard'"):
        scale_features("mine", _bags(), "standart")


def test_values_beyond_32_bits_are_named() -> None:
    with pytest.raises(DataError, match=r"feature 0 of node 1 is 1e\+300, too large for 32 bits"):
        scale_features("mine", np.array([[1.0], [1e300]]), "none")
    with pytest.raises(DataError, match=r"feature 'income' of node 1 is 1e\+300"):
        scale_features("mine", np.array([[1.0], [1e300]]), "none", ["income"])


def test_features_that_do_not_fit_are_refused_before_they_are_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "free_bytes", lambda: 1000)
    with pytest.raises(DataError, match="40 features of 30 nodes would take"):
        scale_features("mine", _bags())
