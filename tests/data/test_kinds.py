import doctest
from dataclasses import replace

import numpy as np
import pytest
import torch

from l2p_search.config import DEFAULTS
from l2p_search.data import kinds
from l2p_search.data.about import About
from l2p_search.data.catalogue import DATASETS
from l2p_search.data.demo import SOURCE
from l2p_search.data.graph import Graph
from l2p_search.data.homophily import kind_of
from l2p_search.data.kinds import default_config, default_kind, default_metric


@pytest.mark.parametrize("name", DATASETS)
def test_a_dataset_of_the_paper_has_its_kind_by_where_it_is_from(
    name: str, small_graph: Graph
) -> None:
    source = SOURCE if name == "demo" else name
    assert default_kind(replace(small_graph, about=About(source=source))) == DATASETS[name].kind
    assert default_kind(replace(small_graph, name=name)) == kind_of(small_graph)


@pytest.mark.parametrize("kind", ["homophily", "heterophily"])
def test_any_other_graph_has_the_kind_that_is_found_and_its_defaults(
    kind: str, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert default_kind(small_graph) == kind_of(small_graph)
    monkeypatch.setattr(kinds, "kind_of", lambda graph: kind)
    assert default_kind(small_graph) == kind
    assert default_config(small_graph) is DEFAULTS[kind]


def test_no_label_outside_of_the_training_sets_is_read(small_graph: Graph) -> None:
    y = small_graph.y.clone()
    outside = ~small_graph.train.any(dim=0)
    assert outside.any()
    y[outside] = (y[outside] + 1) % small_graph.num_classes
    assert default_kind(replace(small_graph, y=y)) == default_kind(small_graph)


def test_its_example_runs() -> None:
    assert doctest.testmod(kinds).failed == 0


def test_the_metric_is_by_the_training_nodes_of_the_first_split_alone() -> None:
    y = np.array([0] * 140 + [1] * 60)
    edges = np.stack([np.arange(199), np.arange(1, 200)])
    graph = Graph.build(edges=edges, y=y)
    assert default_metric(graph) == "accuracy"  # 30 % is not rare
    rarer = torch.from_numpy(y).clone()
    outside = (~graph.train[0] & (rarer == 1)).nonzero().squeeze(1)
    rarer[outside[:20]] = 0
    assert default_metric(replace(graph, y=rarer)) == "accuracy"
    inside = (graph.train[0] & (rarer == 1)).nonzero().squeeze(1)
    rarer[inside[:5]] = 0
    assert default_metric(replace(graph, y=rarer)) == "roc_auc"
