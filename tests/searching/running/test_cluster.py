import gc

from l2p_search.searching.running.cluster import _no_garbage_collected


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
