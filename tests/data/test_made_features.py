import numpy as np
import torch

from l2p_search.data import made_features
from l2p_search.data.made_features import make_features


def test_small_graphs_get_a_column_per_node() -> None:
    assert torch.equal(make_features(np.array([[0, 1], [1, 0]]), 3).x, torch.eye(3))


def test_large_graphs_get_degrees_in_buckets_that_double() -> None:
    nodes = made_features.MOST_IDENTITIES + 1
    degrees = [0, 1, 2, 3, 4, 7, 8]
    source = np.repeat(np.arange(7), degrees)
    made = make_features(np.stack([source, source]), nodes)
    assert made.x.shape == (nodes, 5)
    assert made.x[:7].argmax(dim=1).tolist() == [0, 1, 2, 2, 3, 3, 4]
    assert made.x.sum(dim=1).eq(1).all()
    assert made.names == ("degree 0", "degree 1", "degree 2-3", "degree 4-7", "degree 8-15")
    assert "5 buckets" in made.told
