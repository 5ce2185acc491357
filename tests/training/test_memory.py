from typing import Any

from l2p_search.config import TrialConfig
from l2p_search.data.demo import demo_graph
from l2p_search.model.building import build_network
from l2p_search.model.problem import Problem
from l2p_search.training.memory import keep_freed_memory, seeds_at_once


def test_more_memory_takes_more_seeds_and_one_always_fits() -> None:
    network = build_network(Problem(demo_graph()), TrialConfig())
    assert seeds_at_once(network, 1e-9) == 1
    assert seeds_at_once(network, 4.0) > seeds_at_once(network, 1.0) > 1


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
