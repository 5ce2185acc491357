"""What a careful reader is told of a graph."""

import dataclasses

import pytest
import torch

from l2p_search.data.about import About
from l2p_search.data.demo import demo_graph
from l2p_search.data.doubts import (
    doubts,
    duplicates_across,
    given_away,
    imbalance,
    lonely_nodes,
    tiny_classes,
    untrained_classes,
)
from l2p_search.data.graph import Graph


def _with(**changes: object) -> Graph:
    return dataclasses.replace(demo_graph(), **changes)  # type: ignore[arg-type]


def test_an_ordinary_graph_raises_no_doubt() -> None:
    assert doubts(demo_graph()) == []


def test_a_feature_that_is_the_class_in_other_words_is_named() -> None:
    graph = demo_graph()
    leak = torch.cat([graph.x, graph.y[:, None].float() * 3.5], dim=1)
    names = (*(f"word {n}" for n in range(graph.num_features)), "page kind")
    said = given_away(_with(x=leak, about=About(feature_names=names)))
    assert said is not None
    assert said.startswith("feature 'page kind' alone tells the class of 100 %")


def test_a_number_that_falls_into_ranges_by_class_is_named_too() -> None:
    graph = demo_graph()
    draws = torch.rand(graph.num_nodes, generator=torch.Generator().manual_seed(0))
    leak = torch.cat([graph.x, (graph.y + 0.9 * draws)[:, None]], dim=1)
    assert given_away(_with(x=leak)) is not None


def test_only_training_labels_are_held_against_features() -> None:
    graph = demo_graph()
    leak = torch.cat([graph.x, graph.y[:, None].float()], dim=1)
    leak[graph.train[0], -1] = 0.0  # it tells the class of all nodes but the training nodes
    assert given_away(_with(x=leak)) is None


def test_test_nodes_that_repeat_training_nodes_are_counted() -> None:
    graph = demo_graph()
    x = graph.x.clone()
    train, test = graph.train[0].nonzero()[:7, 0], graph.test[0].nonzero()[:7, 0]
    x[test] = x[train]
    said = duplicates_across(_with(x=x))
    assert said is not None
    assert said.startswith(f"7 of {int(graph.test[0].sum())} test nodes")


def test_rare_and_tiny_classes_are_told() -> None:
    graph = demo_graph()
    y = torch.where(graph.y == 3, 0, graph.y)
    y[graph.train[0].nonzero()[:2, 0]] = 3
    rare = _with(y=y)
    assert "the smallest 2" in (imbalance(rare) or "")
    assert tiny_classes(rare) == "class with fewer than 10 nodes: 3 (2)"
    assert "no training node of 3" in (untrained_classes(rare) or "")


def test_nodes_without_neighbours_are_told() -> None:
    graph = demo_graph()
    kept = (graph.edges < 300).all(dim=0)
    assert "have no neighbour" in (lonely_nodes(_with(edges=graph.edges[:, kept])) or "")


@pytest.mark.parametrize("nodes", [20, 60, 300])
@pytest.mark.parametrize("features", [3, 500])
def test_chance_gives_nothing_away(nodes: int, features: int) -> None:
    generator = torch.Generator().manual_seed(nodes + features)
    y = torch.arange(nodes) * 2 // nodes  # a file that is sorted by class
    numbers = torch.randn(nodes, features, generator=generator)
    words = numbers * (numbers > 1.0)  # mostly zeros, and many different values beside
    coins = (numbers > 0.0).float()
    for x in (numbers, words, coins, numbers + 0.8 * y[:, None]):
        graph = Graph.build(x=x, edges=torch.tensor([[0], [1]]), y=y, splits="3x50/25/25")
        assert given_away(graph) is None


@pytest.mark.parametrize("nodes", [40, 300])
def test_a_class_in_other_words_is_found_on_small_graphs_too(nodes: int) -> None:
    generator = torch.Generator().manual_seed(0)
    y = torch.arange(nodes) % 2
    x = torch.randn(nodes, 6, generator=generator)
    x[:, 3] = 7.0 - 3.0 * y
    graph = Graph.build(x=x, edges=torch.tensor([[0], [1]]), y=y, splits="3x50/25/25")
    assert (given_away(graph) or "").startswith("feature 3 alone")


def test_words_that_no_training_node_has_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred thousand rare words would take minutes one by one."""
    looked: list[int] = []
    unique = torch.Tensor.unique

    def counted(column: torch.Tensor, **options: bool) -> object:
        looked.append(1)
        return unique(column, **options)

    monkeypatch.setattr(torch.Tensor, "unique", counted)
    y = torch.arange(300) % 2
    x = torch.zeros(300, 3000)
    x[:, 7] = y.float()
    graph = Graph.build(x=x, edges=torch.tensor([[0], [1]]), y=y, splits="50/25/25")
    assert (given_away(graph) or "").startswith("feature 7 alone")
    assert len(looked) == 1
