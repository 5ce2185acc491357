import torch

from l2p_search.model.blocks import block_size, fitting, seed_blocks


def test_blocks_hold_every_seed_once_in_order() -> None:
    blocks = seed_blocks(7, 3)
    assert [seed for block in blocks for seed in range(7)[block]] == list(range(7))
    assert max(block.stop - block.start for block in blocks) == 3


def test_a_seed_too_large_for_the_cache_is_a_block_alone() -> None:
    assert block_size(10**12) == fitting(1, 2) == 1
    assert fitting(10, 0) == 10


def test_another_device_takes_more_seeds_at_once() -> None:
    assert block_size(2**18, torch.device("cuda")) > block_size(2**18)
