"""Validation nodes that are learned from: the share of each class, drawn in the given order."""

import doctest

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from l2p_search.nn import label_share
from l2p_search.nn.label_share import learned_share


@given(
    labels=st.lists(st.integers(0, 4), min_size=2, max_size=60),
    share=st.floats(0.01, 0.99),
    seed=st.integers(0, 1000),
)
def test_each_class_gives_its_share_and_their_sum_is_the_share_of_all(
    labels: list[int], share: float, seed: int
) -> None:
    y = torch.tensor(labels)
    order = torch.randperm(len(y), generator=torch.Generator().manual_seed(seed))
    mask = learned_share(y, share, order)
    wanted = min(max(1, int(share * len(y) + 0.5)), len(y) - 1)
    assert int(mask.sum()) == wanted
    clipped = wanted != int(share * len(y) + 0.5)
    for label in set(labels):
        own = y == label
        assert abs(int(mask[own].sum()) - share * int(own.sum())) < 1.0 + clipped


def test_another_order_takes_other_nodes_and_the_same_order_the_same() -> None:
    y = torch.arange(40) % 4
    first, again, other = (
        learned_share(y, 0.5, torch.randperm(40, generator=torch.Generator().manual_seed(seed)))
        for seed in (0, 0, 1)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_one_node_cannot_be_shared_out() -> None:
    with pytest.raises(ValueError, match="1 validation node cannot be shared out"):
        learned_share(torch.tensor([0]), 0.5, torch.tensor([0]))


def test_its_example_runs() -> None:
    assert doctest.testmod(label_share).failed == 0
