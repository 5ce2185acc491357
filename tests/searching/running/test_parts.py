"""Fresh seeds in parts: by the graph and the configuration alone, and only where it pays."""

import pytest

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.model.building import build_network
from l2p_search.model.problem import Problem
from l2p_search.searching.running import parts
from l2p_search.searching.running.parts import divided_for, in_parts, parts_at_once, whole

_MB = 2**20


@pytest.mark.parametrize("seeds", [1, 4, 5, 20, 33])
@pytest.mark.parametrize("bytes_per_seed", [1, 3 * _MB, 6 * _MB, 60 * _MB, 500 * _MB])
@pytest.mark.parametrize("at_once", [1, 3, 10, 1000])
def test_every_seed_is_in_one_part_in_order_and_parts_are_alike(
    seeds: int, bytes_per_seed: int, at_once: int
) -> None:
    found = in_parts(range(7, 7 + seeds), bytes_per_seed, at_once)
    assert [seed for part in found for seed in part] == list(range(7, 7 + seeds))
    sizes = [len(part) for part in found]
    assert max(sizes) - min(sizes) <= 1
    assert max(sizes) <= at_once


def test_seeds_of_a_small_graph_stay_together_and_those_of_a_large_one_do_not() -> None:
    sizes = [[len(p) for p in in_parts(range(20), mb * _MB, 1000)] for mb in (3, 6, 28, 370)]
    assert sizes == [[20], [10, 10], [5] * 4, [5] * 4]


def test_parts_are_no_larger_than_the_batches_that_fit_into_memory(small_graph: Graph) -> None:
    config, seeds = TrialConfig(K=2, hidden=8), range(20, 26)
    assert divided_for(small_graph, 4.0, "cpu")(config, seeds) == whole(config, seeds)
    alone = divided_for(small_graph, 1e-9, "cpu")(config, seeds)
    assert alone == tuple((seed,) for seed in seeds)


def test_a_gpu_trains_all_seeds_at_once(small_graph: Graph) -> None:
    config = TrialConfig(K=2, hidden=8)
    assert divided_for(small_graph, 1e-9, "cuda")(config, range(6)) == whole(config, range(6))


def test_what_cannot_be_built_stays_whole_so_that_its_worker_tells_why(
    small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_large(problem: object, config: object) -> None:
        raise MemoryError

    monkeypatch.setattr(parts, "build_network", too_large)
    config = TrialConfig(K=2, hidden=8)
    assert divided_for(small_graph, 1e-9, "cpu")(config, range(6)) == (tuple(range(6)),)


def test_no_more_parts_train_at_once_than_fit_into_memory(small_graph: Graph) -> None:
    config = TrialConfig(K=2, hidden=8)
    seed = build_network(Problem(small_graph), config).bytes_per_seed / 2**30
    divided = ((0, 1), (2, 3, 4))
    assert parts_at_once(small_graph, config, divided, 9.5 * seed) == 3
    assert parts_at_once(small_graph, config, divided, 0.1 * seed) == 1
    assert parts_at_once(small_graph, config, ((0, 1),), 9.5 * seed) == 1
