import json

import networkx as nx
import pytest

import l2p_search as l2p
from l2p_search.data.demo import demo_graph


def test_it_tells_degrees_classes_and_a_space() -> None:
    found = l2p.inspect("demo")
    graph = demo_graph()
    assert sum(found.degrees.values()) == sum(found.classes.values()) == graph.num_nodes
    assert list(found.classes.values()) == list(graph.class_counts)
    text = str(found)
    for part in ("demo: 320 nodes, 975 edges", "nodes by degree", "nodes by class", "█"):
        assert part in text
    assert "suggested: space extended-heterophily" in text


def test_its_json_has_no_nan_and_says_what_was_understood() -> None:
    mapping = json.loads(json.dumps(l2p.inspect("demo").to_mapping(), allow_nan=False))
    assert mapping["nodes"] == 320
    assert mapping["digest"] == demo_graph().digest
    assert mapping["doubts"] == []


def test_the_suggestion_does_not_read_validation_or_test_labels() -> None:
    import dataclasses

    import torch

    graph = dataclasses.replace(demo_graph(), name="mine")
    y = graph.y.clone()
    hidden = ~graph.train.any(dim=0)
    y[hidden] = torch.flip(y[hidden], dims=(0,))
    assert l2p.inspect(dataclasses.replace(graph, y=y)).space == l2p.inspect(graph).space


def test_a_networkx_graph_is_inspected_with_the_names_of_its_classes() -> None:
    found = l2p.inspect(nx.karate_club_graph(), label="club", name="karate")
    assert found.classes == {"Mr. Hi": 17, "Officer": 17}
    assert set(found.files()) == {"karate-distributions.png", "karate-distributions.svg"}


def test_a_bad_graph_is_a_user_error() -> None:
    with pytest.raises(l2p.UserError, match="unknown dataset 'demmo'"):
        l2p.inspect("demmo")
