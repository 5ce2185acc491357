import gc
import os
import signal

import pytest

from l2p_search.errors import SearchError
from l2p_search.searching.running import cluster
from l2p_search.searching.running.cluster import (
    Resources,
    _concurrency,
    _environment,
    _local_concurrency,
    _no_garbage_collected,
    _own_signals,
    one_ray,
    own_cpus,
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
            with ray_cluster(Resources(concurrency=1, device="cpu"), 0) as joined:
                import ray

                assert joined.concurrency == 1
                assert joined.scratch.is_dir()
                nodes.append(ray.get_runtime_context().get_node_id())
            assert ray_runs()
    assert nodes[0] == nodes[1]
    assert not ray_runs()


@pytest.mark.parametrize(
    ("wanted", "there", "trials"),
    [
        (Resources(), {"CPU": 8.0}, 8),
        (Resources(cpus_per_trial=3), {"CPU": 8.0}, 2),
        (Resources(concurrency=5), {"CPU": 8.0}, 5),
        (Resources(concurrency=9), {"CPU": 8.0}, 8),
        (Resources(gpus_per_trial=0.5), {"CPU": 8.0, "GPU": 2.0}, 4),
        (Resources(gpus_per_trial=1.0), {"CPU": 8.0, "GPU": 1.0}, 1),
        (Resources(gpus_per_trial=0.1), {"CPU": 8.0, "GPU": 1.0}, 8),
    ],
)
def test_as_many_trials_run_at_once_as_cpus_and_gpus_allow_and_the_user_wants(
    wanted: Resources, there: dict[str, float], trials: int
) -> None:
    assert _concurrency(wanted, there) == trials


@pytest.mark.parametrize(
    ("wanted", "trials"),
    [
        (Resources(), 8),
        (Resources(cpus_per_trial=3), 2),
        (Resources(cpus_per_trial=8), 1),
        (Resources(concurrency=1), 1),
        (Resources(concurrency=64), 64),
    ],
)
def test_this_machine_trains_as_many_trials_as_it_has_room_for_or_as_the_user_wants(
    wanted: Resources, trials: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "own_cpus", lambda: 8)
    assert _local_concurrency(wanted) == trials


def test_more_workers_than_any_machine_has_memory_for_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cluster, "own_cpus", lambda: 8)
    with pytest.raises(SearchError, match=r"with 8 CPUs it must be at most 64"):
        _local_concurrency(Resources(concurrency=65))


def test_a_cluster_without_room_for_one_trial_is_refused_with_what_it_has() -> None:
    with pytest.raises(SearchError, match=r"Ray has 0 GPUs; give .*cpu.* alone to train on CPUs"):
        _concurrency(Resources(gpus_per_trial=1.0), {"CPU": 8.0})
    with pytest.raises(SearchError, match=r"the cluster has 2 CPUs; give a smaller number"):
        _concurrency(Resources(cpus_per_trial=4), {"CPU": 2.0})


def test_the_callers_own_handler_of_sigterm_is_there_again_after_ray_has_started() -> None:
    def own(*_: object) -> None: ...

    before = signal.signal(signal.SIGTERM, own)
    try:
        with _own_signals():
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        assert signal.getsignal(signal.SIGTERM) is own
    finally:
        signal.signal(signal.SIGTERM, before)


def test_variables_that_ray_is_started_with_are_put_back_and_no_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "10.0.0.1:6379")
    monkeypatch.setenv("KNOWN", "before")
    monkeypatch.delenv("NEW", raising=False)
    monkeypatch.delenv("OF_THE_BLOCK", raising=False)
    with _environment({"KNOWN": "within", "NEW": "1"}, without="RAY_ADDRESS"):
        assert "RAY_ADDRESS" not in os.environ
        assert (os.environ["KNOWN"], os.environ["NEW"]) == ("within", "1")
        os.environ["OF_THE_BLOCK"] = "kept"
    assert (os.environ["RAY_ADDRESS"], os.environ["KNOWN"]) == ("10.0.0.1:6379", "before")
    assert "NEW" not in os.environ
    assert os.environ.pop("OF_THE_BLOCK") == "kept"
    with _environment({}, without=None):
        assert os.environ["RAY_ADDRESS"] == "10.0.0.1:6379"


def test_the_cpus_of_this_machine_do_not_bound_what_a_cluster_is_asked_for() -> None:
    wanted = Resources(address="127.0.0.1:1", cpus_per_trial=own_cpus() + 1)
    with pytest.raises(SearchError, match="no Ray cluster answers there"), ray_cluster(wanted, 0):
        pass
    here = Resources(cpus_per_trial=own_cpus() + 1)
    with pytest.raises(SearchError, match=r"this machine has \d+ CPUs"), ray_cluster(here, 0):
        pass
    assert not ray_runs()


def test_a_ray_that_cannot_start_is_one_line_with_its_reason_and_the_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(**options: object) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr("ray.init", refuse)
    line = r"Ray cannot be started here \(.*Too many open files.*\); .*ulimit -n"
    with (
        pytest.raises(SearchError, match=line),
        ray_cluster(Resources(concurrency=1, device="cpu"), 0),
    ):
        pass


def test_where_no_ray_runs_none_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray itself would look for one for more than a minute."""
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr("psutil.process_iter", lambda wanted: iter(()))
    with (
        pytest.raises(SearchError, match=r"no Ray cluster answers there \(no Ray runs"),
        ray_cluster(Resources(address="auto"), 0),
    ):
        pass
