import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from l2p_search import defaults
from l2p_search.api import looking
from l2p_search.api.looking import look_at_node, profile_drawings
from l2p_search.api.recording import Tracking
from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.data.kinds import default_config
from l2p_search.errors import UserError, in_shell
from l2p_search.metrics import Metric
from l2p_search.results import TrialResult
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import read_outcome
from l2p_search.searching.records.settings import Goal
from tests.searching.pretend import pretend_training, searched

_OFF = Tracking(on=False)


def _search(folder: Path, name: str, graph: Graph, **changes: Any) -> Journal:
    journal = searched(folder / name, graph, Goal(trials=3, confirm=0), **changes)
    journal.close()
    return journal


def _latest(journal: Journal) -> None:
    os.utime(journal.directory / "journal.log", (4e9, 4e9))


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[tuple[TrialConfig, list[int], int]]:
    """What would have been trained to look at a node; q(t) is the same for all."""
    asked: list[tuple[TrialConfig, list[int], int]] = []

    def node_posterior(
        graph: Graph,
        config: TrialConfig,
        seeds: Sequence[int],
        node: int,
        *,
        metric: Metric,
        device: str,
    ) -> torch.Tensor:
        asked.append((config, list(seeds), node))
        return torch.tensor([0.5, 0.25, 0.25])

    monkeypatch.setattr(looking, "node_posterior", node_posterior)
    return asked


def test_without_a_search_a_graph_is_looked_at_with_its_default(
    tmp_path: Path, small_graph: Graph, trained: list[Any]
) -> None:
    found = look_at_node(small_graph, 3, folder=tmp_path / "none", tracking=_OFF)
    assert trained == [(default_config(small_graph), list(range(defaults.NODE_SEEDS)), 3)]
    assert (found.node, found.origin) == (3, "default configuration")
    assert found.expected_step == pytest.approx(0.75)
    assert set(found.files) == {"small-node-3.png", "small-node-3.svg"}


def test_the_best_of_the_latest_search_is_taken(
    tmp_path: Path, small_graph: Graph, trained: list[Any]
) -> None:
    _search(tmp_path, "early", small_graph)
    late = _search(tmp_path, "late", small_graph, seed=5)
    _search(tmp_path, "another", small_graph, dataset="another")
    _latest(late)
    found = look_at_node(small_graph, 0, seeds=2, folder=tmp_path, tracking=_OFF)
    best = read_outcome(late).best
    assert best is not None
    assert trained == [(best.config, [0, 1], 0)]
    assert found.origin == "best of late"


def test_a_baseline_has_no_steps_to_look_at_and_is_passed_over(
    tmp_path: Path, small_graph: Graph, trained: list[Any]
) -> None:
    ours = _search(tmp_path, "ours", small_graph)
    _latest(_search(tmp_path, "baseline", small_graph, base=TrialConfig(model="appnp")))
    found = look_at_node(small_graph, 0, folder=tmp_path, tracking=_OFF)
    assert found.origin == f"best of {ours.directory.name}"
    assert trained[0][0].model == "l2p"


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"node": 12}, "node=12: small has 12 nodes; give one of 0 to 11"),
        ({"node": -1}, "node=-1: must be a whole number of at least 0"),
        ({"node": "3"}, "node='3': must be a whole number of at least 0"),
        ({"node": 0, "seeds": 0}, "seeds=0: must be a whole number of at least 1"),
    ],
)
def test_a_node_that_is_not_there_is_refused(
    asked: dict[str, Any], says: str, small_graph: Graph, trained: list[Any]
) -> None:
    with pytest.raises(UserError) as error:
        look_at_node(small_graph, **asked)
    assert str(error.value) == says
    assert in_shell(error.value.message).startswith("--")
    assert trained == []


def test_an_own_id_comes_before_the_number_of_a_row(
    small_graph: Graph, tmp_path: Path, trained: list[Any]
) -> None:
    ids = tuple(range(11, -1, -1))
    named = replace(small_graph, about=replace(small_graph.about, node_ids=ids))
    found = look_at_node(named, 3, folder=tmp_path, tracking=_OFF)
    assert (found.node, found.called) == (8, "3")
    texts = tuple(f"n{place}" for place in ids)
    named = replace(small_graph, about=replace(small_graph.about, node_ids=texts))
    assert look_at_node(named, "n3", folder=tmp_path, tracking=_OFF).node == 8
    assert look_at_node(named, 3, folder=tmp_path, tracking=_OFF).node == 3
    assert [node for *_, node in trained] == [8, 8, 3]


def test_one_node_of_a_small_graph_is_trained_and_drawn(small_graph: Graph) -> None:
    found = look_at_node(small_graph, 1, seeds=1, tracking=_OFF)
    assert len(found.q) == default_config(small_graph).K + 1
    assert float(found.q.sum()) == pytest.approx(1.0)
    assert 0.0 <= found.expected_step <= len(found.q) - 1


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What is handed to the two figures."""
    seen: dict[str, Any] = {}
    for name in ("datasets_figure", "correlation_figure"):
        monkeypatch.setattr(looking, name, lambda given, name=name: seen.update({name: given}))
    monkeypatch.setattr(looking, "figure_files", lambda stem, figure: {stem: b""})
    return seen


def test_the_best_profile_of_each_dataset_and_posterior_is_drawn_in_the_papers_order(
    tmp_path: Path, small_graph: Graph, drawn: dict[str, Any]
) -> None:
    def training(
        graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric
    ) -> TrialResult:
        result = pretend_training(graph, config, seeds)
        profile = (1 - config.dropout, config.dropout)
        return replace(result, seeds=tuple(replace(s, profile=profile) for s in result.seeds))

    for dataset in ("wisconsin", "mine", "cora"):
        for seed in (1, 2):
            name = f"{dataset}-{seed}"
            _search(tmp_path, name, small_graph, dataset=dataset, seed=seed, train=training)
    select = TrialConfig(posterior="select")
    _search(tmp_path, "select", small_graph, dataset="cora", base=select)
    assert set(profile_drawings(folder=tmp_path, tracking=_OFF)) == {"profiles", "correlation"}
    panels = drawn["datasets_figure"]
    assert list(panels["quit"]) == ["cora", "wisconsin", "mine"]
    assert list(panels["select"]) == ["cora"]
    both = [read_outcome(Journal.read(tmp_path / f"cora-{seed}")).best for seed in (1, 2)]
    best = max((record for record in both if record is not None), key=lambda r: r.objective or 0)
    assert panels["quit"]["cora"] == pytest.approx((1 - best.config.dropout, best.config.dropout))
    assert next(iter(drawn["correlation_figure"])) == "cora (quit)"


def test_some_datasets_can_be_asked_for_and_a_missing_one_is_named(
    tmp_path: Path, small_graph: Graph, drawn: dict[str, Any]
) -> None:
    for dataset in ("cora", "mine"):
        _search(tmp_path, dataset, small_graph, dataset=dataset)
    profile_drawings(["mine"], folder=tmp_path, tracking=_OFF)
    assert list(drawn["datasets_figure"]["quit"]) == ["mine"]
    with pytest.raises(UserError) as error:
        profile_drawings(["texas"], folder=tmp_path, tracking=_OFF)
    why = f"no search of it in {tmp_path} (there are: cora, mine)"
    assert str(error.value) == f"datasets texas: {why}"
    assert in_shell(error.value.message) == f"--datasets texas: {why}"


def test_without_a_profile_there_is_nothing_to_draw(tmp_path: Path, begun: Journal) -> None:
    with pytest.raises(UserError, match="no search has a complete trial yet; wait for one"):
        profile_drawings(folder=tmp_path, tracking=_OFF)
