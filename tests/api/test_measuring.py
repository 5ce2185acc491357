"""What a trial costs, by the CPU time of a part of it."""

import time
from typing import Any

import pytest
import torch

from l2p_search.api import measuring
from l2p_search.api.measuring import Cost, measure, usual_epochs
from l2p_search.config import TrialConfig
from l2p_search.data.demo import demo_graph
from l2p_search.data.graph import Graph
from l2p_search.training.fit import Progress


def _pretend(monkeypatch: pytest.MonkeyPatch, **seconds: Any) -> list[int]:
    """Trainings whose clock stands still but for what they say; the seeds of each are told."""
    clock, asked = [0.0], list[int]()
    monkeypatch.setattr(measuring.time, "process_time", lambda: clock[0])

    def train(
        graph: Graph, config: TrialConfig, seeds: Any, *, on_epoch: Any, **further: Any
    ) -> None:
        asked.append(len(seeds))
        clock[0] += seconds["build"]
        alone = len(seeds) == 1
        stops = config.epochs if alone else seconds.get("stops", config.epochs)
        for epoch in range(1, stops + 1):
            clock[0] += seconds["epoch"] * len(seeds)
            training = len(seeds) if epoch < stops or stops == config.epochs else 0
            on_epoch(
                Progress(epoch, config.epochs, training, len(seeds) - training, len(seeds), 0.0)
            )
        clock[0] += seconds["judge"] * len(seeds)

    monkeypatch.setattr(measuring, "train", train)
    return asked


_CONFIG = TrialConfig(epochs=100, patience=25)


def test_a_short_trial_is_trained_to_its_end(
    small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = _pretend(monkeypatch, build=0.5, epoch=0.001, judge=0.1, stops=40)
    found = measure(small_graph, _CONFIG, 4)
    assert asked == [1, 4]
    assert found.whole
    assert found.seconds == found.at_most == pytest.approx(0.5 + 40 * 0.004 + 0.4)


def test_a_long_trial_is_broken_off_and_extrapolated(
    small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock stops it after 40 of 100 epochs; halfway between 25 and 100 is 62.5."""
    asked = _pretend(monkeypatch, build=0.0, epoch=0.0501, judge=0.0)
    found = measure(small_graph, _CONFIG, 4)
    assert asked == [1, 4]
    assert not found.whole
    assert found.at_most == pytest.approx(0.0501 * 4 * 100)
    assert found.at_most / 2 <= found.seconds < found.at_most


def test_where_an_epoch_is_long_one_seed_is_enough(
    small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = _pretend(monkeypatch, build=5.0, epoch=2.0, judge=1.0)
    found = measure(small_graph, _CONFIG, 20)
    assert asked == [1]
    assert found == Cost(
        seconds=5.0 + 20 * (62.5 * 2.0 + 1.0), at_most=5.0 + 20 * (100 * 2.0 + 1.0), whole=False
    )


@pytest.mark.parametrize("epochs", [1, 2, 3])
def test_a_training_of_few_epochs_is_measured_too(small_graph: Graph, epochs: int) -> None:
    config = TrialConfig(epochs=epochs, patience=5, K=2, hidden=8)
    found = measure(small_graph, config, 2)
    assert found.whole
    assert found.seconds > 0


def test_who_else_computes_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others take the CPU for a second in every epoch: a sleep takes none of ours."""
    real = measuring.train

    def slowed(*asked: Any, on_epoch: Any, **further: Any) -> Any:
        def watch(progress: Progress) -> None:
            time.sleep(1.0)
            on_epoch(progress)

        return real(*asked, on_epoch=watch, **further)

    config = TrialConfig(epochs=2, patience=2, K=2, hidden=8)
    monkeypatch.setattr(measuring, "train", slowed)
    assert measure(demo_graph(), config, 1).seconds < 1.0


def test_the_threads_of_the_caller_are_put_back(small_graph: Graph) -> None:
    torch.set_num_threads(2)
    measure(small_graph, TrialConfig(epochs=1, K=1, hidden=8), 1)
    assert torch.get_num_threads() == 2


def test_usual_epochs_lie_between_patience_and_all() -> None:
    assert usual_epochs(TrialConfig(epochs=400, patience=100)) == 250
    assert usual_epochs(TrialConfig(epochs=40, patience=100)) == 40
