import doctest
from dataclasses import replace

import pytest
import torch

from l2p_search.config import DEFAULTS
from l2p_search.data import kinds
from l2p_search.data.catalogue import DATASETS
from l2p_search.data.graph import Graph, undirected
from l2p_search.data.kinds import default_config, kind_of


def _ring(classes: list[int], train: list[list[int]]) -> Graph:
    """A ring with these classes and one split per list of training nodes."""
    nodes = len(classes)
    ring = torch.stack([torch.arange(nodes), (torch.arange(nodes) + 1) % nodes])
    masks = torch.zeros(3, len(train), nodes, dtype=torch.bool)
    for split, chosen in enumerate(train):
        masks[0, split, chosen] = True
        rest = [node for node in range(nodes) if node not in chosen]
        masks[1, split, rest[::2]] = masks[2, split, rest[1::2]] = True
    edges = undirected(ring, nodes)
    return Graph("mine", torch.eye(nodes), edges, torch.tensor(classes), *masks.unbind())


def test_a_dataset_of_the_paper_has_its_kind_by_name(small_graph: Graph) -> None:
    for name, dataset in DATASETS.items():
        assert kind_of(replace(small_graph, name=name)) == dataset.kind


def test_any_other_graph_has_it_by_the_edges_between_training_nodes() -> None:
    #  0 0 0 0 1 1 1 1, nodes 0 to 5 in training: four of their five edges are within a class.
    alike = _ring([0, 0, 0, 0, 1, 1, 1, 1], [[0, 1, 2, 3, 4, 5]])
    assert kind_of(alike) == "homophily"
    different = _ring([0, 1, 0, 1, 0, 1, 0, 1], [[0, 1, 2, 3, 4, 5]])
    assert kind_of(different) == "heterophily"


def test_half_of_the_edges_is_enough() -> None:
    #  Edges 0-1 (within) and 1-2 (across).
    assert kind_of(_ring([0, 0, 1, 1, 0, 1], [[0, 1, 2]])) == "homophily"
    #  Edges 0-1 (within), 1-2 and 2-3 (across).
    assert kind_of(_ring([0, 0, 1, 0, 0, 1], [[0, 1, 2, 3]])) == "heterophily"


def test_no_label_outside_of_a_training_set_is_read() -> None:
    graph = _ring([0, 0, 1, 1, 0, 1, 0, 1], [[0, 1, 2, 3]])
    before = kind_of(graph)
    y = graph.y.clone()
    outside = ~graph.train[0]
    y[outside] = 1 - y[outside]
    assert kind_of(replace(graph, y=y)) == before


def test_a_pair_of_training_nodes_of_two_splits_is_no_edge() -> None:
    """Nodes 0 and 1 are joined and alike, but never in training together; nor are any others."""
    graph = _ring([0, 0, 1, 1, 0, 0, 1, 1], [[0, 2], [1, 3]])
    assert kind_of(graph) == "heterophily"


def test_a_graph_without_edges_is_heterophilous() -> None:
    graph = _ring([0, 0, 1, 1, 0, 1], [[0, 1, 2]])
    assert kind_of(replace(graph, edges=torch.zeros(2, 0, dtype=torch.long))) == "heterophily"


@pytest.mark.parametrize("kind", ["homophily", "heterophily"])
def test_the_default_configuration_is_that_of_the_kind(
    kind: str, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kinds, "kind_of", lambda graph: kind)
    assert default_config(small_graph) is DEFAULTS[kind]


def test_its_example_runs() -> None:
    assert doctest.testmod(kinds).failed == 0
