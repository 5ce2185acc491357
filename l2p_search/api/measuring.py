"""Measuring what a trial costs: the CPU time of a few epochs, whoever else computes here."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch

from l2p_search import defaults
from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.metrics import Metric
from l2p_search.training.fit import Progress
from l2p_search.training.fit import fit as train

MEASURED_SECONDS = 8.0
"""CPU time after which a training that is measured is broken off."""
_FEW = 3
"""Epochs of one seed that are trained at least; the first is not counted, it is slower."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one trial costs, in seconds of CPU time.

    Attributes:
        seconds: About what it takes.
        at_most: What it would take if no seed stopped early.
        whole: Whether the trial was trained to its end, so that `seconds` was measured and not
            extrapolated by `usual_epochs`.
    """

    seconds: float
    at_most: float
    whole: bool


def usual_epochs(config: TrialConfig) -> float:
    """About how many epochs a seed trains: halfway between its patience and all.

    A seed that never improves stops after its patience, one that always does takes all epochs.

    Example:
        >>> usual_epochs(TrialConfig(epochs=1000, patience=100))
        550.0
        >>> usual_epochs(TrialConfig(epochs=50, patience=100))
        50.0
    """
    return (config.epochs + min(config.epochs, config.patience)) / 2


def measure(
    graph: Graph,
    config: TrialConfig,
    seeds: int,
    *,
    metric: Metric = "accuracy",
    memory_gb: float = defaults.MEMORY_GB,
    device: str = "cpu",
    limit: float = MEASURED_SECONDS,
) -> Cost:
    """Measure what a trial costs on one thread, without training it longer than that takes.

    A few epochs of one seed are trained first. Where an epoch of all seeds is short, the trial
    itself is then trained, to its end or until the limit: seeds that train together take less
    than one after another. On large graphs they do not, and one is enough.

    Args:
        graph: What is trained on.
        config: The trial's configuration.
        seeds: How many seeds it has.
        metric: What seeds are judged by.
        memory_gb: Memory per trial.
        device: What it computes on; what a GPU takes is no CPU time, and is measured by the clock.
        limit: Seconds of CPU time after which the trial is broken off.

    Returns:
        The cost.

    Raises:
        ConfigError: The configuration cannot be trained.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        trainer = _Trainer(graph, metric, memory_gb, device)
        first = _one_seed(trainer, config)
        if _FEW * seeds * first.epoch > limit:
            return first.extrapolated(config, seeds)
        return _all_seeds(trainer, config, seeds, first, limit)
    finally:
        torch.set_num_threads(threads)


@dataclass(frozen=True, eq=False)
class _Trainer:
    """Trains as the trial does that is measured, and tells the time that counts."""

    graph: Graph
    metric: Metric
    memory_gb: float
    device: str

    def train(
        self, config: TrialConfig, seeds: Sequence[int], on_epoch: Callable[[Progress], None]
    ) -> None:
        """Train to the end, or until `on_epoch` raises."""
        train(
            self.graph,
            config,
            seeds,
            metric=self.metric,
            memory_gb=self.memory_gb,
            device=self.device,
            on_epoch=on_epoch,
        )

    def now(self) -> float:
        """The CPU time of this process; on a GPU the clock."""
        return time.process_time() if self.device == "cpu" else time.perf_counter()


@dataclass(frozen=True)
class _Parts:
    """The CPU seconds of what a training consists of: per trial, per epoch of a seed, per seed."""

    build: float
    epoch: float
    judge: float

    def extrapolated(self, config: TrialConfig, seeds: int) -> Cost:
        """The cost of a trial whose seeds take as long as one after another."""
        fixed = self.build + seeds * self.judge
        return Cost(
            seconds=fixed + seeds * self.epoch * usual_epochs(config),
            at_most=fixed + seeds * self.epoch * config.epochs,
            whole=False,
        )


def _one_seed(trainer: _Trainer, config: TrialConfig) -> _Parts:
    marks = [trainer.now()]
    short = replace(config, epochs=min(_FEW, config.epochs), patience=_FEW)
    trainer.train(short, [0], lambda progress: marks.append(trainer.now()))
    end = trainer.now()
    begin, first, last = marks[0], marks[1], marks[-1]
    epoch = (last - first) / (len(marks) - 2) if len(marks) > 2 else first - begin
    return _Parts(build=max(0.0, first - begin - epoch), epoch=epoch, judge=end - last)


def _all_seeds(
    trainer: _Trainer, config: TrialConfig, seeds: int, first: _Parts, limit: float
) -> Cost:
    started = trainer.now()
    trained = 0
    last: Progress | None = None

    def watch(progress: Progress) -> None:
        nonlocal trained, last
        trained, last = trained + progress.training, progress
        if trainer.now() - started > limit:
            raise _EnoughError

    try:
        trainer.train(config, range(seeds), watch)
    except _EnoughError:
        if last is None:
            raise AssertionError("it was broken off before its first epoch") from None
        spent = trainer.now() - started
        epoch = (spent - first.build) / max(1, trained)
        # Groups of seeds that do not fit into memory together train one after another.
        waiting = seeds - last.finished - last.training
        usual = usual_epochs(config)
        more = min(config.epochs, max(usual, last.epoch + config.patience / 2)) - last.epoch
        most = config.epochs - last.epoch
        return Cost(
            seconds=spent + epoch * (last.training * more + waiting * usual),
            at_most=spent + epoch * (last.training * most + waiting * config.epochs),
            whole=False,
        )
    took = trainer.now() - started
    return Cost(seconds=took, at_most=took, whole=True)


class _EnoughError(Exception):
    """The measurement has lasted long enough."""
