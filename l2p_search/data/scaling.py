"""Scaling of features: --scale auto, row, standard or none.

Row sums suit bags of words: long and short documents get one scale. They ruin signed numbers, and
columns on scales of their own (a node's age beside its income), which want mean 0 and variance 1.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from scipy.sparse import csr_array
from torch import Tensor

from l2p_search.data.graph import row_normalised
from l2p_search.data.limits import check_fits
from l2p_search.data.standardising import Standard
from l2p_search.errors import DataError, did_you_mean

SCALES = ("auto", "row", "standard", "none")

_FEWEST_WORDS = 16
"""Fewer columns than this are no vocabulary."""

_MOST_DENSE = 0.5
"""Bags of words are mostly zeros; those of Amazon Photo have 35 % of other values."""


class Scaled(NamedTuple):
    """Features [N, F] in float32, the scaling that was used, and what was decided and why.

    Where they were standardised, also by which means and spreads.
    """

    x: Tensor
    scaling: str
    told: str
    standard: Standard | None = None


def scale_features(
    source: str,
    x: np.ndarray | csr_array,
    scale: str = "auto",
    names: Sequence[str] | None = None,
) -> Scaled:
    """Bring features to one scale, without reading a label.

    Args:
        source: What error messages call the graph.
        x: Features [N, F], finite numbers.
        scale: "row" divides each node's features by their sum (of magnitudes), "standard" gives
            each column mean 0 and variance 1 over all nodes, "none" leaves them. "auto" decides:
            "row" for many columns that are mostly zeros and never negative (bags of words),
            "none" for one-hot and yes/no columns, "standard" for all others.
        names: Of the features, for messages.

    Returns:
        Scaled features; what is already scaled stays exactly as it is.

    Raises:
        DataError: The scale is unknown, or the features are too large for the memory.

    Example:
        >>> ages = np.array([[20.0, 1000.0], [40.0, 3000.0]])
        >>> scale_features("people", ages).told
        '2 features, standardised, as they are numbers on scales of their own'
        >>> scale_features("people", ages).x.tolist()
        [[-1.0, -1.0], [1.0, 1.0]]
    """
    if scale not in SCALES:
        raise DataError(f"scale '{scale}' is unknown; {did_you_mean(scale, SCALES)}")
    nodes, columns = x.shape
    check_fits(
        f"{source}: {columns:,} features of {nodes:,} nodes",
        4 * nodes * columns,
        "give fewer features, for example the most frequent words",
    )
    reason = ""
    if scale == "auto":
        scale, reason = _choice(x)
    counted = f"{columns:,} feature{'s' * (columns != 1)}"
    if scale == "none":
        return Scaled(_float32(source, x, names), scale, f"{counted}, not scaled{reason}")
    if scale == "row":
        dense = _float32(source, x, names)
        sums = dense.abs().sum(dim=1)
        if not bool(((sums - 1.0).abs().lt(1e-5) | sums.eq(0)).all()):
            dense = row_normalised(dense)
        return Scaled(dense, scale, f"{counted}, each node's divided by their sum{reason}")
    standardised, standard, constant = _standardised(x)
    still = f" ({constant} of them constant, now 0)" if constant else ""
    told = f"{counted}, standardised{reason}{still}"
    return Scaled(_float32(source, standardised, names), scale, told, standard)


def _choice(x: np.ndarray | csr_array) -> tuple[str, str]:
    """The scaling that the values ask for, and the reason in words."""
    nodes, columns = x.shape
    values = x if isinstance(x, np.ndarray) else x.data
    if values.size and values.min() < 0:
        return "standard", ", as some are negative"
    filled = np.count_nonzero(values) / (nodes * columns)
    if not np.logical_or(values == 0, values == 1).all():
        if columns >= _FEWEST_WORDS and filled <= _MOST_DENSE:
            return "row", ", as they are bags of words (many columns, mostly zeros)"
        return "standard", ", as they are numbers on scales of their own"
    if bool((np.asarray(x.sum(axis=1)) == 1).all()):
        return "none", ", as they are one-hot"
    if columns >= _FEWEST_WORDS and filled <= _MOST_DENSE:
        return "row", ", as they are bags of words (many yes/no columns, mostly no)"
    return "none", ", as they are yes/no columns"


def _standardised(x: np.ndarray | csr_array) -> tuple[np.ndarray, Standard, int]:
    """Mean 0 and variance 1 per column over all nodes; by what; how many columns are constant.

    What is so already stays as it is, to the last bit: a graph that is read twice keeps its
    digest.
    """
    dense = np.asarray(_dense(x), dtype=np.float64)
    highest, lowest = dense.max(axis=0), dense.min(axis=0)
    constant = highest == lowest
    # Divided by the largest magnitude first, so that the square of a huge value is finite.
    largest = np.maximum(np.abs(highest), np.abs(lowest))
    unit = dense / np.where(largest > 0, largest, 1.0)
    mean, spread = unit.mean(axis=0), unit.std(axis=0)
    already = (np.abs(mean * largest) < 1e-4) & (np.abs(spread * largest - 1.0) < 1e-4)
    if bool((already | (constant & (largest == 0))).all()):
        still = Standard((0.0,) * x.shape[1], (1.0,) * x.shape[1])
        return dense, still, int(constant.sum())
    scaled = (unit - mean) / np.where(constant | (spread == 0), 1.0, spread)
    scaled[:, constant] = 0.0
    center = np.where(constant, highest, mean * largest)
    spreads = np.where(constant, 0.0, spread * largest)
    by = Standard(tuple(center.tolist()), tuple(spreads.tolist()))
    return scaled, by, int(constant.sum())


def _float32(source: str, x: np.ndarray | csr_array, names: Sequence[str] | None) -> Tensor:
    dense = _dense(x)
    with np.errstate(over="ignore"):
        single = np.ascontiguousarray(dense, dtype=np.float32)
    bad = ~np.isfinite(single)
    if bad.any():
        node, feature = np.argwhere(bad)[0].tolist()
        called = feature if names is None else f"'{names[feature]}'"
        raise DataError(
            f"{source}: feature {called} of node {node} is {dense[node, feature]}, too large for"
            " 32 bits; use scale 'standard', or smaller units"
        )
    return torch.tensor(single)


def _dense(x: np.ndarray | csr_array) -> np.ndarray:
    return x if isinstance(x, np.ndarray) else np.asarray(x.toarray())
