from l2p_search.config import TrialConfig
from l2p_search.data.demo import demo_graph
from l2p_search.training.memory import bytes_per_seed, keep_freed_memory, seeds_at_once


def test_more_memory_takes_more_seeds_and_one_always_fits() -> None:
    graph, config = demo_graph(), TrialConfig()
    assert seeds_at_once(graph, config, 1e-9) == 1
    assert seeds_at_once(graph, config, 4.0) > seeds_at_once(graph, config, 1.0) > 1


def test_the_estimate_grows_with_what_takes_memory() -> None:
    graph = demo_graph()
    base = bytes_per_seed(graph, TrialConfig(K=8, hidden=64))
    assert bytes_per_seed(graph, TrialConfig(K=16, hidden=64)) > base
    assert bytes_per_seed(graph, TrialConfig(K=8, hidden=128)) > base
    assert bytes_per_seed(graph, TrialConfig(K=8, hidden=64, scorer="per_step")) > base


def test_keeping_freed_memory_can_be_asked_for_twice() -> None:
    assert [keep_freed_memory(), keep_freed_memory()] == [None, None]
