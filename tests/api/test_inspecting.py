import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import l2p_search as l2p
from l2p_search.data.demo import demo_graph
from l2p_search.data.doubts import given_away
from l2p_search.data.kinds import default_config


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


@pytest.mark.parametrize("within", [0.1, 0.9])
@pytest.mark.parametrize("rare", [0.15, 0.5])
def test_nothing_that_is_suggested_reads_validation_or_test_labels(
    within: float, rare: float
) -> None:
    """All labels outside of the training set are drawn anew, and nothing that is chosen changes.

    The suggestions themselves differ between these graphs, so they are not constant either.
    """
    rng = np.random.default_rng(0)
    y = (rng.random(300) < rare).astype(int)
    alike = rng.random(4000) < within
    ends = rng.integers(0, 300, (2, 4000))
    edges = ends[:, (y[ends[0]] == y[ends[1]]) == alike]
    part = rng.permutation(300) % 4
    masks = {"train": part < 2, "val": part == 2, "test": part == 3}
    x = rng.normal(size=(300, 4)) + 0.5 * y[:, None]
    chosen = []
    for others in (y, rng.permutation(y), 1 - y):
        labels = np.where(masks["train"], y, others)
        graph = l2p.Graph.build(x=x, edges=edges, y=labels, name="mine", **masks)
        found = l2p.inspect(graph)
        homophily = graph.describe().partition("Homophily")[2].partition(".")[0]
        chosen.append(
            (
                found.kind,
                found.space,
                found.metric,
                graph.about.scaling,
                homophily,
                default_config(graph),
                given_away(graph),
            )
        )
    assert chosen[0] == chosen[1] == chosen[2]
    assert chosen[0][0] == ("homophily" if within > 0.5 else "heterophily")
    assert chosen[0][2] == ("roc_auc" if rare < 0.3 else "accuracy")


@pytest.mark.parametrize("name", ["cora", "texas", "demo"])
def test_a_file_that_is_called_like_a_dataset_is_a_graph_of_ones_own(
    name: str, tmp_path: Path
) -> None:
    graph = nx.karate_club_graph()
    nx.write_graphml(graph, tmp_path / f"{name}.graphml")
    found = l2p.inspect(tmp_path / f"{name}.graphml", label="club")
    assert found.graph.name == f"own-{name}"
    assert found.kind == l2p.inspect(graph, label="club").kind == "homophily"


def test_a_networkx_graph_is_inspected_with_the_names_of_its_classes() -> None:
    found = l2p.inspect(nx.karate_club_graph(), label="club", name="karate")
    assert found.classes == {"Mr. Hi": 17, "Officer": 17}
    assert set(found.files()) == {"karate-distributions.png", "karate-distributions.svg"}


def test_a_bad_graph_is_a_user_error() -> None:
    with pytest.raises(l2p.UserError, match="unknown dataset 'demmo'"):
        l2p.inspect("demmo")
