"""Trials without training: numbers that depend on the config and the seed alone."""

import contextlib
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.metrics import Metric
from l2p_search.results import SeedResult, TrialResult
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal, SearchSettings
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.searching.running.worker import Train, run_task
from l2p_search.searching.space.search_space import SearchSpace
from l2p_search.searching.space.space_file import parse_space
from l2p_search.weights import Weights

_SPLITS = 10

SPACE = parse_space(
    "pretend",
    {
        "dropout": {"choices": [0.2, 0.4, 0.6]},
        "lr": {"choices": [0.001, 0.01]},
        "K": {"choices": [2, 4, 8, 16]},
    },
)


def settings(space: SearchSpace = SPACE, **changes: object) -> SearchSettings:
    values: dict[str, object] = {
        "dataset": "small",
        "data_digest": "0",
        "space": space,
        "base": TrialConfig(),
        "seeds": 20,
        "sampler": "tpe",
        "seed": 0,
        "race": None,
    }
    return SearchSettings(**{**values, **changes})  # type: ignore[arg-type]


def pretend_training(
    graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric = "accuracy"
) -> TrialResult:
    """Better with more dropout, a larger lr and K=8, with a noise of one point a seed.

    An lr beyond 0.02 helps no further, as a score is at most 100.
    """
    level = 70 + 10 * config.dropout + 500 * min(config.lr, 0.02) - abs(config.K - 8) / 2
    results = []
    for seed in seeds:
        noise = random.Random(f"{config.config_id}/{seed}").gauss(0, 1)
        split = random.Random(f"{seed % _SPLITS}").gauss(0, 3)
        results.append(
            SeedResult(
                seed=seed,
                split=seed % _SPLITS,
                epochs=10,
                best_epoch=5,
                val_loss=1.0,
                val=level + split + noise,
                test=level + split - noise,
                expected_step=1.0,
                profile=(0.5, 0.5),
            )
        )
    return TrialResult(
        config=config,
        dataset="small",
        data_digest="0",
        seeds=tuple(results),
        seconds=1.0,
        metric=metric,
        weights=Weights(tuple(seeds), {"W": torch.zeros(len(seeds), 2)}, {}),
    )


def drive(
    coordinator: Coordinator,
    graph: Graph,
    train: Train = pretend_training,
    stop_after: int | None = None,
) -> None:
    """Run tasks one after another in this process, as Tune would."""

    class Stopped(BaseException):
        pass

    ran = 0
    while (task := coordinator.next_task()) is not None:
        if ran == stop_after:
            return  # as if killed: the task just handed out is left running

        def report(message: dict[str, Any], task=task) -> None:  # type: ignore[no-untyped-def]
            if "bug" in message:
                coordinator.bug(task, message["bug"], message["traceback"])
            elif "error" in message:
                coordinator.fail(task, message["error"])
            elif not coordinator.report(
                task, json.loads(message["measured"]), message.get("weights")
            ):
                raise Stopped

        with contextlib.suppress(Stopped):
            run_task(task.to_mapping(), graph, train, report)
        coordinator.release(task)
        ran += 1


def begin(directory: Path, **changes: object) -> Journal:
    return Journal.create(directory, settings(**changes))  # type: ignore[arg-type]


def searched(
    directory: Path,
    graph: Graph,
    /,
    goal: Goal,
    train: Train = pretend_training,
    on_coordinator: Callable[[Coordinator], None] = lambda coordinator: None,
    **changes: object,
) -> Journal:
    """A whole pretended search."""
    journal = begin(directory, **changes)
    journal.begin(goal, {})
    coordinator = Coordinator(journal, goal, concurrency=1)
    on_coordinator(coordinator)
    drive(coordinator, graph, train)
    return journal


def outcomes(journal: Journal) -> list[tuple[int, str, str, float | None]]:
    """What can be compared between searches: number, config, status, objective."""
    return [(r.number, r.config.config_id, r.status.value, r.objective) for r in journal.records()]
