"""New splits by a graph's own rule: the sizes stay, the nodes are others."""

from dataclasses import replace

import pytest
import torch

from l2p_search.data.demo import demo_graph
from l2p_search.data.fresh_splits import fresh_rule, with_fresh_splits
from l2p_search.data.graph import Graph
from l2p_search.errors import DataError


def _sizes(graph: Graph) -> set[tuple[int, int, int]]:
    parts = (graph.train, graph.val, graph.test)
    return set(zip(*(masks.sum(dim=1).tolist() for masks in parts), strict=True))


def _came_from(graph: Graph, source: str, split_rule: str = "given") -> Graph:
    return replace(graph, about=replace(graph.about, source=source, split_rule=split_rule))


def _masked(graph: Graph, train: int, val: int, test: int, *, per_class: bool) -> Graph:
    """The graph with one split of its own: the first nodes, or the first of each class."""
    order = torch.arange(graph.num_nodes)
    if per_class:
        each = train // graph.num_classes
        first = [(graph.y == c).nonzero().squeeze(1)[:each] for c in range(graph.num_classes)]
        chosen = torch.cat(first)
        order = torch.cat([chosen, order[~torch.isin(order, chosen)]])
    masks = torch.zeros(3, 1, graph.num_nodes, dtype=torch.bool)
    masks[0, 0, order[:train]] = masks[1, 0, order[train : train + val]] = True
    masks[2, 0, order[train + val : train + val + test]] = True
    return _came_from(
        replace(graph, **dict(zip(("train", "val", "test"), masks, strict=True))), "own.npz"
    )


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ("cora", "20x20-per-class/500/1000"),
        ("pubmed", "20x20-per-class/500/1000"),
        ("texas", "20x48/32/20"),
        ("actor", "20x48/32/20"),
    ],
)
def test_the_papers_graphs_have_the_rules_of_their_benchmarks(source: str, rule: str) -> None:
    assert fresh_rule(_came_from(demo_graph(), source), 20) == rule


@pytest.mark.parametrize(
    ("own", "fresh"),
    [
        ("10x60/20/20", "7x60/20/20"),
        ("60/20/20", "7x60/20/20"),
        ("5x4-per-class/30/rest", "7x4-per-class/30/rest"),
    ],
)
def test_a_users_rule_is_kept_with_a_split_for_every_seed(own: str, fresh: str) -> None:
    graph = demo_graph().with_splits(own)
    assert fresh_rule(graph, 7) == fresh
    redrawn = with_fresh_splits(graph, fresh)
    assert redrawn.num_splits == 7
    assert _sizes(redrawn) == _sizes(graph)
    before = {mask.numpy().tobytes() for mask in graph.test}
    assert not before & {mask.numpy().tobytes() for mask in redrawn.test}


def test_splits_that_came_with_the_graph_keep_their_sizes_and_each_class_its_share() -> None:
    graph = _masked(demo_graph(), 60, 100, 80, per_class=False)
    rule = fresh_rule(graph, 5)
    assert rule == "5x60/100/80-nodes"
    redrawn = with_fresh_splits(graph, rule)
    for masks, wanted in ((redrawn.train, 60), (redrawn.val, 100), (redrawn.test, 80)):
        assert all(abs(size - wanted) <= 2 for size in masks.sum(dim=1).tolist())
        share = wanted / graph.num_nodes
        for mask in masks:
            for label, size in enumerate(graph.class_counts):
                assert abs(int((graph.y[mask] == label).sum()) - share * size) <= 1


def test_splits_with_equally_many_training_nodes_per_class_keep_that_number() -> None:
    graph = _masked(demo_graph(), 40, 100, 80, per_class=True)
    rule = fresh_rule(graph, 3)
    assert rule == "3x10-per-class/100/80"
    redrawn = with_fresh_splits(graph, rule)
    assert _sizes(redrawn) == {(40, 100, 80)}


@pytest.mark.parametrize(
    ("source", "rule"), [("own.csv", "temporal:year"), ("ogb:ogbn-arxiv", "given")]
)
def test_splits_by_time_cannot_be_drawn_anew(source: str, rule: str) -> None:
    with pytest.raises(DataError, match="cannot be drawn anew"):
        fresh_rule(_came_from(demo_graph(), source, rule), 20)


def test_no_more_splits_are_made_than_a_rule_can() -> None:
    graph = demo_graph()
    assert with_fresh_splits(graph, fresh_rule(graph, 1000)).num_splits == 100


def test_fresh_splits_are_the_same_on_every_call_and_disjoint_within_a_split() -> None:
    graph = demo_graph()
    first, again = (with_fresh_splits(graph, "4x48/32/20") for _ in range(2))
    assert first.digest == again.digest != graph.digest
    assert not (first.train & first.val).any()
    assert not (first.test & (first.train | first.val)).any()
