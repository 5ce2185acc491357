from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.errors import DeviceError, UserError, in_shell
from l2p_search.metrics import Metric
from l2p_search.results import TrialResult
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.cluster import Resources
from l2p_search.searching.running.placement import settled
from l2p_search.searching.running.run import run_search
from tests.searching.pretend import begin, pretend_training


@pytest.fixture(autouse=True)
def _own_ray_and_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    _gpus(monkeypatch, 0)
    monkeypatch.setattr("l2p_search.searching.running.placement.ray_runs", lambda: False)


def _gpus(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)


def _found(**wanted: Any) -> tuple[str, float | None]:
    on = settled(Resources(**wanted))
    assert settled(on) == on
    return on.device, on.gpus_per_trial


def test_without_a_gpu_trials_run_on_the_cpu_and_reserve_none() -> None:
    assert _found() == ("cpu", 0.0)
    assert _found(device="cpu") == ("cpu", 0.0)
    assert _found(gpus_per_trial=0) == ("cpu", 0.0)


def test_with_a_gpu_a_trial_takes_a_whole_one_unless_a_share_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _gpus(monkeypatch, 2)
    assert _found() == ("cuda", 1.0)
    assert _found(device="cuda") == ("cuda", 1.0)
    assert _found(device="cuda", gpus_per_trial=0.25) == ("cuda", 0.25)
    assert _found(device="cpu") == ("cpu", 0.0)
    assert _found(gpus_per_trial=0) == ("cpu", 0.0)


def test_a_share_of_a_gpu_means_cuda_also_where_only_workers_have_one() -> None:
    assert _found(gpus_per_trial=0.25) == ("cuda", 0.25)
    assert _found(device="cuda", address="auto") == ("cuda", 1.0)


def test_of_a_cluster_nothing_is_known_so_auto_is_the_cpu(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _gpus(monkeypatch, 1)
    assert _found(address="auto") == ("cpu", 0.0)


@pytest.mark.parametrize(
    ("wanted", "line"),
    [
        ({"device": "cuda"}, "--device cuda: torch"),
        ({"device": "mps"}, "--device mps: torch"),
        (
            {"device": "tpu"},
            "--device: 'tpu' is no device; it must be auto, cpu, cuda, cuda:1 or mps",
        ),
        ({"device": "tpu", "address": "auto"}, "--device: 'tpu' is no device"),
        (
            {"device": "cuda:1"},
            "--device cuda:1: trials get their GPUs from Ray; give --device cuda, and set"
            " CUDA_VISIBLE_DEVICES=1 to use only that one",
        ),
        (
            {"device": "cpu", "gpus_per_trial": 0.5},
            "--gpus-per-trial 0.5: trials with --device cpu use no GPU of Ray's; give --device"
            " cuda, or leave it out",
        ),
        (
            {"device": "cuda", "gpus_per_trial": 0, "address": "auto"},
            "--gpus-per-trial 0: a trial with --device cuda needs a share of a GPU, such as 0.25",
        ),
    ],
    ids=lambda value: value.get("device") if isinstance(value, dict) else "",
)
def test_what_cannot_be_is_refused_in_one_line(wanted: dict[str, Any], line: str) -> None:
    with pytest.raises(UserError) as caught:
        settled(Resources(**wanted))
    assert in_shell(caught.value.message).startswith(line)
    assert "\n" not in caught.value.message


def test_a_device_that_is_not_here_starts_no_ray(
    tmp_path: Path, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*args: object) -> None:
        raise AssertionError("Ray was started")

    monkeypatch.setattr("l2p_search.searching.running.run.ray_cluster", never)
    journal = begin(tmp_path / "one")
    with pytest.raises(DeviceError, match="device='cuda': torch"):
        run_search(journal, small_graph, Goal(trials=1), Resources(device="cuda"))


def _who_had_the_gpu(folder: Path) -> Callable[..., TrialResult]:
    """A training that notes which GPU Ray gave it, and waits until three others have done so."""

    def train(
        graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric
    ) -> TrialResult:
        import os
        import time

        seen = folder / config.config_id
        seen.write_text(os.environ.get("CUDA_VISIBLE_DEVICES", "none"))
        deadline = time.monotonic() + 600  # for a test that fails; it is not waited for
        while len(list(folder.iterdir())) < 4 and time.monotonic() < deadline:
            time.sleep(0.05)
        together = len(list(folder.iterdir()))
        seen.write_text(f"{seen.read_text()} {together >= 4}")
        return pretend_training(graph, config, seeds)

    return train


def test_four_trials_with_a_quarter_of_a_gpu_share_it(tmp_path: Path, small_graph: Graph) -> None:
    import ray

    noted = tmp_path / "noted"
    noted.mkdir()
    journal = begin(tmp_path / "search", seeds=2)
    # A pretended GPU: Ray counts what it is told, and nothing of it is computed on.
    ray.init(
        address="local",
        num_cpus=4,
        num_gpus=1,
        include_dashboard=False,
        log_to_driver=False,
        _node_ip_address="127.0.0.1",
    )
    try:
        run_search(
            journal,
            small_graph,
            Goal(trials=4, confirm=0),
            Resources(gpus_per_trial=0.25),
            train=_who_had_the_gpu(noted),
        )
        assert ray.is_initialized()
    finally:
        ray.shutdown()
    assert [path.read_text() for path in noted.iterdir()] == ["0 True"] * 4
