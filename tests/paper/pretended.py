"""The paper's studies without Ray and without data: small graphs under the paper's names."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from l2p_search.api.conducting import Means
from l2p_search.api.recording import Tracking
from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.learned import Curves, Profiles
from l2p_search.metrics import Metric
from l2p_search.paper import studies
from l2p_search.paper.studies import Request
from l2p_search.results import TrialResult
from l2p_search.searching.running.worker import Train
from tests.api.in_process import without_ray
from tests.searching.pretend import pretend_training


def training(
    graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric = "accuracy"
) -> TrialResult:
    """A pretended training with curves, and profiles that differ between the posteriors."""
    result = pretend_training(graph, config, seeds)
    q = (0.75, 0.25) if config.posterior == "quit" else (0.5, 0.5)
    if config.model != "l2p":
        return replace(result, seeds=tuple(replace(s, profile=None) for s in result.seeds))
    return replace(
        result,
        seeds=tuple(replace(seed, profile=q) for seed in result.seeds),
        curves=Curves((1, 2), (1.0, 0.5), (1.0, 0.75), (40.0, 60.0)),
        profiles=Profiles({"1": q}, {"0": q}, tuple(map(float, range(graph.num_nodes)))),
    )


def failing(
    graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric = "accuracy"
) -> TrialResult:
    """A training that fails whatever the configuration is."""
    raise RuntimeError("boom")


class Asked:
    """Requests whose searches run in this process, and what they told."""

    def __init__(
        self, folder: Path, graph: Graph, monkeypatch: pytest.MonkeyPatch, train: Train = training
    ) -> None:
        """Load `graph` under whatever name is asked for, with features of its own."""
        self._folder = folder
        self.lines: list[str] = []
        self.loaded: list[str] = []

        def load_graph(name: str, data_dir: Path | None = None) -> Graph:
            self.loaded.append(name)
            return replace(graph, name=name, x=graph.x * sum(map(ord, name)))

        monkeypatch.setattr(studies, "load_graph", load_graph)
        self.started = without_ray(monkeypatch, train)

    def request(
        self, datasets: Sequence[str] | None = None, methods: Sequence[str] | None = None
    ) -> Request:
        return Request(
            budget="smoke",
            datasets=datasets,
            methods=methods,
            folder=self._folder,
            means=Means(tracking=Tracking(False)),
            tell=self.lines.append,
        )
