from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from l2p_search.data import homophily
from l2p_search.data.catalogue import DATASETS
from l2p_search.data.graph import Graph
from l2p_search.data.homophily import kind_of, training_homophily
from l2p_search.data.loading import load_graph


def test_it_is_the_share_of_edges_between_training_nodes(small_graph: Graph) -> None:
    y = small_graph.y
    seen = [
        bool(y[a] == y[b])
        for train in small_graph.train
        for a, b in small_graph.edges.t()
        if train[a] and train[b]
    ]
    found = training_homophily(small_graph)
    assert found.share == sum(seen) / len(seen)
    assert found.edges == len(seen) / 4


def test_labels_of_other_nodes_change_nothing(small_graph: Graph) -> None:
    """A graph of one split: with several, each node trains somewhere."""
    one = replace(
        small_graph, **{part: getattr(small_graph, part)[:1] for part in ("train", "val", "test")}
    )
    y = torch.where(one.train[0], one.y, (one.y + 1) % 3)
    assert training_homophily(replace(one, y=y)) == training_homophily(one)


def test_beyond_chance_is_one_within_classes_and_about_zero_at_random() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [400, 100])
    edges = rng.integers(0, 500, (2, 6000))
    mixed = training_homophily(Graph.build(edges=edges, y=y))
    assert mixed.share > 0.6  # by chance, as one class is large
    assert abs(mixed.adjusted) < 0.1
    within = edges[:, y[edges[0]] == y[edges[1]]]
    assert training_homophily(Graph.build(edges=within, y=y)).adjusted == pytest.approx(1.0)


@pytest.mark.parametrize("name", DATASETS)
def test_the_kind_of_the_papers_graphs_is_found_without_their_names(
    name: str, real_data: Path
) -> None:
    assert kind_of(load_graph(name, real_data)) == DATASETS[name].kind


def test_made_features_say_nothing_and_most_graphs_are_homophilous() -> None:
    graph = Graph.build(edges=[[0, 1, 2, 3, 4], [1, 2, 3, 4, 5]], y=[0, 1] * 20)
    assert kind_of(graph) == "homophily"


def test_edges_within_one_class_only_say_nothing_beyond_chance() -> None:
    y = np.array([0] * 200 + [1] * 200)
    ring = np.stack([np.arange(200), (np.arange(200) + 1) % 200])
    graph = Graph.build(edges=ring, y=y, x=np.where(y[:, None] == 0, [1.0, -1.0], [-1.0, 1.0]))
    found = training_homophily(graph)
    assert (found.share, np.isnan(found.adjusted)) == (1.0, True)
    assert kind_of(graph) == "homophily"
    assert "beyond chance" not in graph.describe()


def test_the_kind_is_by_the_training_nodes_of_the_first_split_alone() -> None:
    """With ten splits, each node trains somewhere, those of the first test set too."""
    rng = np.random.default_rng(0)
    y = np.arange(300) % 3
    edges = rng.integers(0, 300, (2, 6000))
    graph = Graph.build(edges=edges, y=y, x=rng.normal(size=(300, 4)))
    first = graph.train[0].numpy()
    within = first[edges[0]] & first[edges[1]]
    kept = ~within | (y[edges[0]] == y[edges[1]])
    graph = Graph.build(edges=edges[:, kept], y=y, x=graph.x)
    assert training_homophily(graph, splits=1).share == 1.0
    assert training_homophily(graph).adjusted < 0.4
    assert kind_of(graph) == "homophily"


def test_wide_features_are_compared_a_few_edges_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    edges = rng.integers(0, 30, (2, 60))
    graph = Graph.build(edges=edges, y=[0, 1] * 15, x=rng.normal(size=(30, 50)))
    whole = homophily._feature_likeness(graph)
    sizes: list[int] = []
    cosine = torch.cosine_similarity

    def watched(a: torch.Tensor, b: torch.Tensor, dim: int) -> torch.Tensor:
        sizes.append(a.numel())
        return cosine(a, b, dim=dim)

    monkeypatch.setattr(homophily, "_MOST_VALUES", 200)
    monkeypatch.setattr(torch, "cosine_similarity", watched)
    assert homophily._feature_likeness(graph) == pytest.approx(whole)
    assert max(sizes) <= 200
