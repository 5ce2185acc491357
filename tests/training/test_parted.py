import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.results import TrialResult
from l2p_search.training import parted
from l2p_search.training.fit import Progress, fit
from l2p_search.training.parted import fit_parts

_CONFIG = TrialConfig(K=2, hidden=6, epochs=6)
_PARTS = [(0, 1), (2, 3), (4,)]


@pytest.mark.parametrize("at_once", [1, 2, 8])
def test_the_result_is_that_of_the_parts_one_after_another(
    at_once: int, small_graph: Graph
) -> None:
    first, second, third = (fit(small_graph, _CONFIG, part) for part in _PARTS)
    wanted = first.joined(second).joined(third)
    found = fit_parts(small_graph, _CONFIG, _PARTS, at_once)
    assert found.seeds == wanted.seeds
    assert found.curves == wanted.curves
    assert found.weights is not None
    assert found.weights.seeds == (0, 1, 2, 3, 4)
    assert found.seconds > 0.0


def test_progress_is_of_all_parts_and_told_in_the_callers_thread(small_graph: Graph) -> None:
    seen: list[tuple[Progress, threading.Thread]] = []
    fit_parts(
        small_graph,
        _CONFIG,
        _PARTS,
        2,
        on_epoch=lambda progress: seen.append((progress, threading.current_thread())),
    )
    assert len(seen) == 3 * 6
    assert {thread for _, thread in seen} == {threading.current_thread()}
    assert {progress.total for progress, _ in seen} == {5}
    assert all(progress.training + progress.finished <= 5 for progress, _ in seen)


def _told(epoch: int, training: int, finished: int, best_val: float) -> Progress:
    return Progress(
        epoch=epoch,
        epochs=9,
        training=training,
        finished=finished,
        total=training + finished,
        best_val=best_val,
        metric="accuracy",
    )


def test_parts_are_told_as_one_training() -> None:
    """Four parts; the first has ended, the last has not begun. The slowest ongoing one leads."""
    latest = {0: _told(2, 0, 2, 80.0), 1: _told(6, 1, 0, 50.0), 2: _told(4, 2, 1, 70.0)}
    found = parted._together(latest, [2, 1, 3, 4])
    assert (found.epoch, found.epochs, found.training, found.finished, found.total) == (
        4, 9, 3, 3, 10,
    )  # fmt: skip
    assert found.best_val == pytest.approx((2 * 80.0 + 1 * 50.0 + 3 * 70.0) / 6)
    ended = {0: _told(5, 0, 2, 80.0), 1: _told(3, 0, 1, 50.0)}
    assert parted._together(ended, [2, 1]).epoch == 3


def test_its_time_is_that_of_the_whole_and_a_part_computes_on_one_core(
    small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    cores: list[int] = []

    def slow(*given: Any, **options: Any) -> TrialResult:
        cores.append(torch.get_num_threads())
        return replace(fit(*given, **options), seconds=1e9, cpu_seconds=1e9)

    monkeypatch.setattr(parted, "fit", slow)
    began, worked = time.perf_counter(), time.process_time()
    found = fit_parts(small_graph, _CONFIG, _PARTS, 2)
    assert 0.0 < found.seconds <= time.perf_counter() - began
    assert found.cpu_seconds is not None
    assert 0.0 < found.cpu_seconds <= time.process_time() - worked
    assert cores == [1, 1, 1]


def test_parts_that_wait_are_not_begun_once_the_caller_has_raised(
    small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Sequence[int]] = []

    def watched(
        graph: Graph, config: TrialConfig, seeds: Sequence[int], **options: Any
    ) -> TrialResult:
        begun.append(seeds)
        return fit(graph, config, seeds, **options)

    def interrupt(progress: Progress) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(parted, "fit", watched)
    endless = TrialConfig(K=2, hidden=6, epochs=100_000, patience=100_000)
    with pytest.raises(KeyboardInterrupt):
        fit_parts(small_graph, endless, _PARTS, 1, on_epoch=interrupt)
    assert begun == [(0, 1)]


def test_what_the_caller_raises_ends_all_parts(small_graph: Graph) -> None:
    def interrupt(progress: Progress) -> None:
        raise KeyboardInterrupt

    before = threading.active_count()
    endless = TrialConfig(K=2, hidden=6, epochs=100_000, patience=100_000)
    with pytest.raises(KeyboardInterrupt):
        fit_parts(small_graph, endless, _PARTS, 2, on_epoch=interrupt)
    assert threading.active_count() == before


def test_the_error_of_a_part_ends_the_others_and_is_raised(
    small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    endless = TrialConfig(K=2, hidden=6, epochs=100_000, patience=100_000)

    def failing(
        graph: Graph, config: TrialConfig, seeds: Sequence[int], **options: object
    ) -> TrialResult:
        if 4 in seeds:
            raise RuntimeError("the third part fails")
        return fit(graph, config, seeds, **options)

    monkeypatch.setattr(parted, "fit", failing)
    with pytest.raises(RuntimeError, match="the third part fails"):
        fit_parts(small_graph, endless, _PARTS, 3)
