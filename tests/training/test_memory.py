from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from l2p_search.config import TrialConfig
from l2p_search.data.demo import demo_graph
from l2p_search.model.building import build_network
from l2p_search.model.problem import Problem
from l2p_search.training import memory
from l2p_search.training.memory import (
    graph_bytes,
    keep_freed_memory,
    release_cached,
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


def test_as_many_seeds_train_at_once_as_the_memory_holds() -> None:
    network = build_network(Problem(demo_graph()), TrialConfig())
    network.bytes_of_step = 0
    for seeds in (1, 2, 7):
        assert seeds_at_once(network, (seeds + 0.5) * network.bytes_per_seed / 2**30) == seeds


def test_keeping_freed_memory_can_be_asked_for_twice() -> None:
    assert [keep_freed_memory(), keep_freed_memory()] == [None, None]


@pytest.mark.parametrize(
    ("platform", "options"), [("linux", [(-4, 0), (-1, -1)]), ("darwin", []), ("win32", [])]
)
def test_glibc_alone_is_asked_to_use_the_heap_for_all_blocks_and_never_to_shrink_it(
    platform: str, options: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, int]] = []
    library = SimpleNamespace(mallopt=lambda option, value: asked.append((option, value)))
    monkeypatch.setattr(memory.sys, "platform", platform)
    monkeypatch.setattr(memory.ctypes, "CDLL", lambda name: library)
    keep_freed_memory()
    assert asked == options  # M_MMAP_MAX is -4 and M_TRIM_THRESHOLD is -1 in glibc's <malloc.h>


@pytest.mark.parametrize("used", [True, False])
def test_cached_memory_is_given_back_where_cuda_is_used(
    used: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[bool] = []
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: used)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: given.append(True))
    release_cached()
    assert given == [True] * used


def test_tensors_are_counted_once_wherever_they_hang() -> None:
    one, two = torch.zeros(10), torch.zeros(7, dtype=torch.int64)

    class Holder:
        def __init__(self) -> None:
            self.all = {"one": one, "view": one[3:], "deep": [(two,), {"again": two}]}
            self.itself = self

    class Slotted:
        __slots__ = ("never", "one")

        def __init__(self) -> None:
            self.one = one

    assert shared_bytes(Holder()) == one.nbytes + two.nbytes
    assert shared_bytes([Slotted(), Slotted]) == one.nbytes
    assert shared_bytes({"function": sum, "class": Holder, "text": "many"}) == 0
    assert shared_bytes(np.zeros(5)) == 40


def test_training_takes_the_matrices_once_and_every_seed_that_trains_at_a_time() -> None:
    network = build_network(Problem(demo_graph()), TrialConfig())
    three, four = (training_bytes(network, seeds, 4.0) for seeds in (3, 4))
    assert four - three == network.bytes_per_seed
    assert training_bytes(network, 10**6, 1e-9) == shared_bytes(network) + network.bytes_per_seed


def test_a_graph_takes_what_its_tensors_take() -> None:
    graph = demo_graph()
    assert graph_bytes(graph) > graph.x.nbytes + graph.edges.nbytes
