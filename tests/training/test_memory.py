from typing import Any

import numpy as np
import torch

from l2p_search.config import TrialConfig
from l2p_search.data.demo import demo_graph
from l2p_search.model.building import build_network
from l2p_search.model.problem import Problem
from l2p_search.training.memory import (
    graph_bytes,
    keep_freed_memory,
    seeds_at_once,
    shared_bytes,
    training_bytes,
)


def test_more_memory_takes_more_seeds_and_one_always_fits() -> None:
    network = build_network(Problem(demo_graph()), TrialConfig())
    assert seeds_at_once(network, 1e-9) == 1
    assert seeds_at_once(network, 4.0) > seeds_at_once(network, 1.0) > 1


def test_seeds_of_a_large_graph_train_one_after_another() -> None:
    """Their columns would leave the cache, however much memory there is."""
    network = build_network(Problem(demo_graph()), TrialConfig())
    network.bytes_of_step = 2**26
    assert seeds_at_once(network, 1000.0) == 1
    network.bytes_of_step = 0
    assert seeds_at_once(network, 1000.0) > 20


def test_the_estimate_grows_with_what_takes_memory() -> None:
    problem = Problem(demo_graph())

    def size(**changes: Any) -> int:
        return build_network(
            problem, TrialConfig(**{"K": 8, "hidden": 64, **changes})
        ).bytes_per_seed

    assert size(K=16) > size()
    assert size(hidden=128) > size()
    assert size(scorer="per_step") > size()
    assert size(consistency=1.0) > size()
    assert size(backbone="gcn", consistency=1.0) > size(backbone="gcn")


def test_keeping_freed_memory_can_be_asked_for_twice() -> None:
    assert [keep_freed_memory(), keep_freed_memory()] == [None, None]


def test_tensors_are_counted_once_wherever_they_hang() -> None:
    one, two = torch.zeros(10), torch.zeros(7, dtype=torch.int64)

    class Holder:
        def __init__(self) -> None:
            self.all = {"one": one, "view": one[3:], "deep": [(two,), {"again": two}]}
            self.itself = self

    assert shared_bytes(Holder()) == one.nbytes + two.nbytes
    assert shared_bytes(np.zeros(5)) == 40


def test_training_takes_the_matrices_once_and_every_seed_that_trains_at_a_time() -> None:
    network = build_network(Problem(demo_graph()), TrialConfig())
    three, four = (training_bytes(network, seeds, 4.0) for seeds in (3, 4))
    assert four - three == network.bytes_per_seed
    assert training_bytes(network, 10**6, 1e-9) == shared_bytes(network) + network.bytes_per_seed


def test_a_graph_takes_what_its_tensors_take() -> None:
    graph = demo_graph()
    assert graph_bytes(graph) > graph.x.nbytes + graph.edges.nbytes
