"""fit: one configuration in, all its seeds trained, one TrialResult out."""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from l2p_search import defaults
from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.data.splits import split_of
from l2p_search.metrics import Metric
from l2p_search.model.building import build_network
from l2p_search.model.devices import chosen_device
from l2p_search.model.network import Network
from l2p_search.model.problem import HOST, Problem
from l2p_search.results import SeedResult, TrialResult
from l2p_search.training.batches import in_batches
from l2p_search.training.bilevel import BiLevel
from l2p_search.training.early_stopping import EarlyStopping
from l2p_search.training.insight import CurveRecorder, ProfileMean
from l2p_search.training.judging import Predicted, judge
from l2p_search.training.label_shares import learned_nodes, share_of
from l2p_search.training.memory import seeds_at_once
from l2p_search.weights import Weights

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Progress:
    """What a progress display needs after each epoch.

    `training` counts the seeds of the present group that still train, `finished` and `total` those
    of all groups; `best_val` is the group's mean of the validation metric at each seed's best
    epoch, in percent.
    """

    epoch: int
    epochs: int
    training: int
    finished: int
    total: int
    best_val: float
    metric: Metric = "accuracy"


def fit(
    graph: Graph,
    config: TrialConfig,
    seeds: Sequence[int],
    *,
    metric: Metric = "accuracy",
    memory_gb: float = defaults.MEMORY_GB,
    device: str = "cpu",
    dtype: torch.dtype = torch.float32,
    sealed: bool = False,
    on_epoch: Callable[[Progress], None] = lambda progress: None,
    on_seed: Callable[[Predicted], None] = lambda predicted: None,
) -> TrialResult:
    """Train every seed to its own early stop and judge it once, at its best epoch.

    Seeds are trained together as far as `memory_gb` reaches; how they are grouped changes
    nothing but the order of floating-point sums.

    Args:
        graph: What to learn on.
        config: How.
        seeds: One replica each; seed i takes split i modulo the number of splits.
        metric: What seeds are judged by on validation and test nodes. With `stop_on:
            val_accuracy` it also says which epoch of a seed is the best.
        memory_gb: Memory for the seeds that train together, by an estimate. Where it runs out all
            the same, fewer seeds train at once, and the log has a warning.
        device: Where to train: a name that `chosen_device` knows.
        dtype: Of all tensors.
        sealed: Whether no test label is read: the seeds have no test score then, and the
            profiles are not told by class.
        on_epoch: Called after each epoch of a group of seeds.
        on_seed: Called with what each seed predicts at its best epoch.

    Returns:
        The numbers of every seed, with the learning curves, profiles and weights of the trial.

    Raises:
        ValueError: There are no seeds.
        DeviceError: There is no such device here.

    Example:
        >>> from l2p_search.data.demo import demo_graph
        >>> result = fit(demo_graph(), TrialConfig(K=2, hidden=8, epochs=3), seeds=range(2))
        >>> [seed.seed for seed in result.seeds], result.seeds[0].epochs
        ([0, 1], 3)
    """
    started, cpu = time.perf_counter(), time.process_time()
    problem = Problem(graph, chosen_device(device), dtype)
    network = build_network(problem, config)
    result: TrialResult | None = None

    def train(batch: Sequence[int]) -> tuple[TrialResult, list[Predicted]]:
        done = 0 if result is None else len(result.seeds)
        run = _Run(problem, network, config, batch, metric, sealed)
        for epoch in range(1, config.epochs + 1):
            run.epoch(epoch)
            training = len(run.alive)
            on_epoch(
                Progress(
                    epoch=epoch,
                    epochs=config.epochs,
                    training=training,
                    finished=done + len(batch) - training,
                    total=len(seeds),
                    best_val=run.best_val,
                    metric=metric,
                )
            )
            if training == 0:
                break
        predicted: list[Predicted] = []
        return run.result(predicted.append), predicted

    at_once = seeds_at_once(network, memory_gb)
    for trained, predicted in in_batches(seeds, at_once, train, _log.warning):
        result = trained if result is None else result.joined(trained)
        for of_seed in predicted:
            on_seed(of_seed)
    if result is None:
        raise ValueError("no seeds to train")
    return replace(
        result,
        seconds=time.perf_counter() - started,
        cpu_seconds=time.process_time() - cpu,
    )


def node_posterior(
    graph: Graph,
    config: TrialConfig,
    seeds: Sequence[int],
    node: int,
    *,
    metric: Metric = "accuracy",
    device: str = "cpu",
) -> Tensor:
    """q(t) of one node, the mean over seeds that are trained for it: [T]."""
    found: list[Tensor] = []

    def keep(predicted: Predicted) -> None:
        if predicted.q is not None:
            found.append(predicted.q[node].double())

    fit(graph, config, seeds, metric=metric, device=device, sealed=True, on_seed=keep)
    return torch.stack(found).mean(dim=0)


class _Run:
    """The training of one group of seeds: those still in it, and the best state of each."""

    def __init__(
        self,
        problem: Problem,
        network: Network,
        config: TrialConfig,
        seeds: Sequence[int],
        metric: Metric,
        sealed: bool,
    ) -> None:
        self._sealed = sealed
        self._problem, self._network, self._config = problem, network, config
        self._seeds, self._metric = seeds, metric
        self._learner = BiLevel(problem, network, config, seeds, metric)
        self._stopping = EarlyStopping(len(seeds), config.patience, config.stop_on)
        self._curves = CurveRecorder(len(seeds), config.epochs)
        self._epochs = [0] * len(seeds)
        self._diverged: dict[int, int] = {}
        self.alive = torch.arange(len(seeds), device=HOST)
        # What is kept is cloned: an alias of the live weights would turn "best" into "last".
        self._best = self._learner.levels.of_seeds(problem.placed(self.alive))

    def epoch(self, epoch: int) -> None:
        """One epoch of every seed still training; those that are done leave the batch."""
        train_loss = self._learner.lower_step()
        read, scores = self._learner.evaluate()
        # What is decided by numbers is decided on the CPU: the one wait for a device per epoch.
        train_loss, scores = train_loss.to(HOST), scores.to(HOST)
        improved, exhausted = self._stopping.update(epoch, self.alive, scores)
        self._best.copy_seeds(self._learner.levels, self.alive[improved], improved)
        self._curves.record(epoch, self.alive, train_loss, scores)
        diverged = ~(train_loss.isfinite() & scores.loss.isfinite())
        self._learner.upper_step(read)

        for place in self.alive.tolist():
            self._epochs[place] = epoch
        for place in self.alive[diverged].tolist():
            self._diverged[place] = epoch
        done = exhausted | diverged
        if done.any():
            staying = (~done).nonzero().squeeze(1)
            self.alive = self.alive[staying]
            if len(staying):
                self._learner.keep(staying)

    @property
    def best_val(self) -> float:
        """Mean over the seeds of the validation metric at each one's best epoch, in percent."""
        return float(self._stopping.best_metric.mean())

    def result(self, on_seed: Callable[[Predicted], None]) -> TrialResult:
        """Judge every seed at its best epoch."""
        graph = self._problem.graph
        mean = ProfileMean(graph, sealed=self._sealed)
        return TrialResult(
            config=self._config,
            dataset=graph.name,
            data_digest=graph.digest,
            seeds=tuple(self._judged(mean, on_seed)),
            seconds=0.0,
            metric=self._metric,
            curves=self._curves.curves(),
            profiles=mean.profiles(),
            weights=self._weights(),
        )

    def _weights(self) -> Weights | None:
        """What the seeds that did not diverge have learned; None when all did."""
        places = [place for place in range(len(self._seeds)) if place not in self._diverged]
        if not places:
            return None
        best = self._best.of_seeds(self._problem.placed(torch.tensor(places, device=HOST)))
        theta, phi = (
            {name: value.to(HOST) for name, value in level.items()}
            for level in (best.theta, best.phi)
        )
        return Weights(tuple(self._seeds[place] for place in places), theta, phi)

    def _judged(
        self, mean: ProfileMean, on_seed: Callable[[Predicted], None]
    ) -> Iterator[SeedResult]:
        """The result of each seed; what it learned of the steps is added to the mean."""
        for place, seed in enumerate(self._seeds):
            split, epochs = split_of(seed, self._problem.graph), self._epochs[place]
            if place in self._diverged:
                reason = f"diverged at epoch {self._diverged[place]}; try a smaller lr"
                yield SeedResult(seed=seed, split=split, epochs=epochs, reason=reason)
                continue
            best = self._best.of_seeds(self._problem.placed(torch.tensor([place], device=HOST)))
            share = share_of(self._config)
            verdict, predicted = judge(
                self._problem,
                self._network,
                self._config,
                best,
                split,
                self._metric,
                sealed=self._sealed,
                learned=None if share is None else learned_nodes(self._problem.graph, seed, share),
            )
            if predicted.q is not None:
                mean.add(predicted.q)
            on_seed(predicted)
            yield SeedResult(
                seed=seed,
                split=split,
                epochs=epochs,
                best_epoch=int(self._stopping.best_epoch[place]),
                **verdict,
            )
