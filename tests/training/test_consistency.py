import dataclasses

import pytest
import torch

from l2p_search.config import TrialConfig
from l2p_search.data.demo import demo_graph
from l2p_search.data.graph import Graph
from l2p_search.training import consistency as consistency_module
from l2p_search.training.consistency import Consistency
from l2p_search.training.fit import fit
from tests.problems import precise

_CONFIG = TrialConfig(consistency=2.0, sharpening=0.5)


def _predictions(seeds: int, nodes: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(seeds, nodes, 3, generator=generator, dtype=torch.float64).log_softmax(-1)


def test_the_target_is_the_clean_prediction_sharpened(small_graph: Graph) -> None:
    learner = Consistency(precise(small_graph), _CONFIG, [0, 1])
    learner.draw()
    log_p = _predictions(*learner.nodes.shape)
    learner.hold(log_p)
    assert learner.held is not None
    squares = log_p.exp() ** 2
    torch.testing.assert_close(learner.held.target, squares / squares.sum(dim=-1, keepdim=True))


def test_its_weight_grows_to_the_one_that_was_asked_for(small_graph: Graph) -> None:
    learner = Consistency(precise(small_graph), _CONFIG, [0, 1])
    weights = []
    for _ in range(120):
        learner.draw()
        learner.hold(_predictions(*learner.nodes.shape))
        assert learner.held is not None
        weights.append(learner.held.weights.sum(dim=1).tolist())
    assert weights[0] == pytest.approx([0.02, 0.02])
    assert weights[99] == weights[119] == pytest.approx([2.0, 2.0])


def test_it_is_nothing_where_predictions_are_their_own_targets(small_graph: Graph) -> None:
    learner = Consistency(
        precise(small_graph), dataclasses.replace(_CONFIG, sharpening=1.0), [0, 1]
    )
    learner.draw()
    log_p = _predictions(*learner.nodes.shape)
    learner.hold(log_p)
    assert learner.held is not None
    assert learner.held.loss(log_p).tolist() == pytest.approx([0.0, 0.0], abs=1e-12)
    assert (learner.held.loss(log_p.roll(1, dims=-1)) > 0.0).all()


def test_it_reads_every_node_outside_the_training_split_and_no_other(small_graph: Graph) -> None:
    learner = Consistency(precise(small_graph), _CONFIG, [0, 1])
    learner.draw()
    learner.hold(_predictions(*learner.nodes.shape))
    assert learner.held is not None
    for place in (0, 1):
        counted = learner.held.nodes[place][learner.held.weights[place] > 0]
        assert counted.tolist() == (~small_graph.train[place]).nonzero().squeeze(1).tolist()


def test_of_very_many_nodes_every_epoch_reads_others(
    small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consistency_module, "MOST_FREE", 4)
    learner = Consistency(precise(small_graph), _CONFIG, [0, 1])
    seen = [set[int](), set[int]()]
    all_nodes = Consistency(precise(small_graph), _CONFIG, [0, 1])
    for _ in range(60):
        learner.draw()
        learner.hold(_predictions(2, 4))
        assert learner.held is not None
        assert learner.held.nodes.shape == (2, 4)
        all_nodes.hold(_predictions(2, all_nodes.nodes.shape[1]))
        assert all_nodes.held is not None
        torch.testing.assert_close(  # as much as all of them would weigh
            learner.held.weights.sum(dim=1), all_nodes.held.weights.sum(dim=1)
        )
        for place in (0, 1):
            seen[place] |= set(learner.held.nodes[place][learner.held.weights[place] > 0].tolist())
    for place in (0, 1):
        assert seen[place] == set((~small_graph.train[place]).nonzero().squeeze(1).tolist())


def test_all_nodes_are_read_where_they_are_just_as_many_as_are_read_at_most(
    small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner = Consistency(precise(small_graph), _CONFIG, [0, 1])
    all_nodes = learner.nodes
    monkeypatch.setattr(consistency_module, "MOST_FREE", all_nodes.shape[1])
    learner.draw()
    assert torch.equal(learner.nodes, all_nodes)


def test_a_seed_reads_the_same_of_very_many_nodes_when_others_have_left(
    small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consistency_module, "MOST_FREE", 4)
    batch, alone = (Consistency(precise(small_graph), _CONFIG, each) for each in ([0, 1], [1]))
    for epoch in range(3):
        if epoch == 1:
            batch.keep(torch.tensor([1]))
        batch.draw()
        alone.draw()
        assert torch.equal(batch.nodes[-1:], alone.nodes)
        assert len(batch.nodes) == (2 if epoch == 0 else 1)


def test_permuted_test_labels_change_only_the_test_accuracy() -> None:
    """Test nodes are among the free ones: their features count, their labels never."""
    demo = demo_graph()
    config = TrialConfig(K=4, hidden=16, lr=0.05, epochs=40, consistency=1.0)
    y = demo.y.clone()
    y[demo.test[0]] = y[demo.test[0]].roll(1)
    permuted = fit(dataclasses.replace(demo, y=y), config, [0]).seeds[0]
    honest = fit(demo, config, [0]).seeds[0]
    assert permuted.test != honest.test
    assert dataclasses.replace(permuted, test=honest.test) == honest


def test_it_is_for_baselines_too() -> None:
    demo = demo_graph()
    without = TrialConfig(model="appnp", K=4, hidden=16, lr=0.05, epochs=40)
    found = fit(demo, dataclasses.replace(without, consistency=1.0), range(2))
    assert found.val_mean is not None
    assert found.val_mean > 37.5  # chance is 25
    assert found.seeds[0].val_loss != fit(demo, without, range(2)).seeds[0].val_loss
