"""Pretended searches of several methods on several graphs, to be published."""

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from l2p_search.api.found import Search
from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.metrics import Metric
from l2p_search.node_hits import NodeHits
from l2p_search.results import TrialResult
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.space.space_file import parse_space
from tests.searching.pretend import pretend_training, searched

_SPACES: dict[str, dict[str, Any]] = {
    "l2q": {"K": {"choices": [2, 4, 8]}, "dropout": {"choices": [0.2, 0.4]}, "posterior": "quit"},
    "appnp": {"K": {"choices": [2, 4, 8]}, "dropout": {"choices": [0.2, 0.4]}, "model": "appnp"},
    "mlp": {"dropout": {"choices": [0.2, 0.4, 0.6]}, "model": "mlp"},
}


def made(
    folder: Path,
    graph: Graph,
    method: str,
    dataset: str,
    *,
    name: str | None = None,
    space: str | None = None,
    better: float = 0.0,
    metric: Metric = "accuracy",
    goal: Goal | None = None,
    digest: str | None = None,
    seeds: int = 5,
    nodes: bool = False,
) -> Search:
    """A search that has ended: three trials of five seeds, confirmed on ten fresh ones.

    With `nodes` it is recorded which of 40 test nodes were right.
    """
    digest = digest or f"{random.Random(dataset).getrandbits(64):016x}"

    def train(
        graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric = "accuracy"
    ) -> TrialResult:
        found = pretend_training(graph, config, seeds, metric=metric)
        raised = tuple(
            replace(
                seed,
                val=seed.val + better,  # type: ignore[operator]
                test=seed.test + better,  # type: ignore[operator]
                hits=_hits(config, seed.seed) if nodes else None,
            )
            for seed in found.seeds
        )
        return replace(
            found, seeds=raised, dataset=dataset, data_digest=digest, cpu_seconds=2.0 * len(seeds)
        )

    journal = searched(
        folder / (name or f"{dataset}-{method}"),
        graph,
        goal or Goal(trials=3, confirm=10, ties=0),
        train,
        space=parse_space(space or method, _SPACES[method]),
        dataset=dataset,
        data_digest=digest,
        metric=metric,
        seeds=seeds,
    )
    journal.close()
    return Search(Journal.read(journal.directory))


def _hits(config: TrialConfig, seed: int) -> NodeHits:
    chance = np.random.default_rng([int(config.config_id, 16), seed])
    return NodeHits(np.arange(40), 100.0 * (chance.random(40) < 0.8))
