import gc

from l2p_search.searching.running.cluster import (
    Resources,
    _no_garbage_collected,
    one_ray,
    ray_cluster,
    ray_runs,
)


class _Handle:
    """Like one of Ray's: it says when it dies."""

    def __init__(self, name: str, died: list[str]) -> None:
        self.name, self.died, self.itself = name, died, self

    def __del__(self) -> None:
        self.died.append(self.name)


def test_no_handle_dies_while_ray_shuts_down() -> None:
    died: list[str] = []
    _Handle("left behind", died)
    with _no_garbage_collected():
        assert died == ["left behind"]
        _Handle("of the shutdown", died)
        kept = [[number] for number in range(100_000)]  # many times what a collection waits for
        assert died == ["left behind"]
        del kept
    assert gc.isenabled()
    gc.collect()
    assert died == ["left behind", "of the shutdown"]


def test_searches_that_share_one_ray_start_it_once_and_it_ends_with_the_last() -> None:
    """Without the block, each would start and end its own."""
    nodes = []
    with one_ray():
        assert not ray_runs(), "it is started when the first search needs it"
        for _ in range(2):
            with ray_cluster(Resources(concurrency=1, device="cpu"), 0) as cluster:
                import ray

                assert cluster.concurrency == 1
                assert cluster.scratch.is_dir()
                nodes.append(ray.get_runtime_context().get_node_id())
            assert ray_runs()
    assert nodes[0] == nodes[1]
    assert not ray_runs()
