"""The means and spreads of one graph scale the features of another."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from l2p_search.data.scaling import scale_features
from l2p_search.data.standardising import Standard

_NUMBERS = st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: round(value, 3))


@given(arrays(np.float64, (9, 2), elements=_NUMBERS))
def test_a_graph_is_scaled_by_its_own_statistics_as_it_was(x: np.ndarray) -> None:
    scaled = scale_features("mine", x, "standard")
    assert scaled.standard is not None
    again = scaled.standard.scaled(torch.from_numpy(x))
    torch.testing.assert_close(again, scaled.x, atol=1e-4, rtol=1e-4)
    back = scaled.standard.raw(scaled.x)
    torch.testing.assert_close(back, torch.from_numpy(x), atol=0.5, rtol=1e-5)


def test_a_constant_feature_stays_zero_whatever_its_value_becomes() -> None:
    standard = scale_features("mine", np.array([[5.0, 1.0], [5.0, 3.0]]), "standard").standard
    assert standard == Standard(center=(5.0, 2.0), spread=(0.0, 1.0))
    assert standard.scaled(torch.tensor([[9.0, 4.0]])).tolist() == [[0.0, 2.0]]


def test_what_was_standardised_already_keeps_its_units() -> None:
    x = np.array([[-1.0], [1.0]])
    assert scale_features("mine", x, "standard").standard == Standard((0.0,), (1.0,))


def test_other_scalings_have_no_statistics() -> None:
    x = np.array([[1.0, 3.0], [2.0, 2.0]])
    assert scale_features("mine", x, "row").standard is None
    assert scale_features("mine", x, "none").standard is None
