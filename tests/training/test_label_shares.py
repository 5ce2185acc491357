"""Which labels teach and which judge, and that these are apart."""

import dataclasses

import pytest
import torch

from l2p_search.config import TrialConfig
from l2p_search.data.demo import demo_graph
from l2p_search.data.graph import Graph
from l2p_search.errors import ConfigError
from l2p_search.model.problem import Problem
from l2p_search.results import TrialResult
from l2p_search.training import fit as fit_module
from l2p_search.training import label_shares
from l2p_search.training.fit import fit
from l2p_search.training.label_shares import label_rows, learned_nodes, share_of

_SMALL = {"K": 2, "hidden": 8, "epochs": 6}


def test_by_default_all_validation_nodes_teach_phi_and_judge() -> None:
    rows = label_rows(Problem(demo_graph()), TrialConfig(), [0, 1])
    assert rows.phi is None
    assert rows.judged.nodes.shape[1] == int(demo_graph().val[0].sum())


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_phis_nodes_and_those_that_judge_are_apart_and_make_up_the_split(share: float) -> None:
    graph, seeds = demo_graph(), [3, 17]
    rows = label_rows(Problem(graph), TrialConfig(phi_share=share), seeds)
    assert rows.phi is not None
    for place, seed in enumerate(seeds):
        learned, rest = (
            set(each.nodes[place][each.weights[place] > 0].tolist())
            for each in (rows.phi, rows.judged)
        )
        assert not learned & rest
        assert learned | rest == set(graph.val[seed % 10].nonzero().squeeze(1).tolist())
        assert len(learned) == pytest.approx(share * len(learned | rest), abs=1)
    of_split = int(graph.val[3].sum())  # all splits are alike: no row is filled up
    assert rows.phi.nodes.shape[1] + rows.judged.nodes.shape[1] == of_split
    for each in (rows.train, rows.phi, rows.judged):
        assert torch.equal(each.labels, graph.y[each.nodes])
        torch.testing.assert_close(each.weights.sum(dim=1), torch.ones(2))
    assert torch.equal(
        rows.train.nodes, label_rows(Problem(graph), TrialConfig(), seeds).train.nodes
    )


def test_a_baseline_learns_from_the_very_nodes_that_phi_would() -> None:
    graph = demo_graph()
    config = TrialConfig(model="appnp", extra_labels=0.5)
    rows = label_rows(Problem(graph), config, [4])
    trained = set(rows.train.nodes[0].tolist())
    extra = set(learned_nodes(graph, 4, 0.5).nonzero().squeeze(1).tolist())
    assert trained == extra | set(graph.train[4].nonzero().squeeze(1).tolist())
    assert not trained & set(rows.judged.nodes[0].tolist())


@pytest.mark.parametrize("config", [{"phi_share": 0.5}, {"model": "gcn", "extra_labels": 0.5}])
def test_on_splits_of_unlike_sizes_a_seed_has_as_many_rows_alone_as_in_company(
    config: dict[str, object], small_graph: Graph
) -> None:
    """Its noise has the length of its rows, and may not depend on who trains beside it."""
    turned = {name: getattr(small_graph, name).flip(0) for name in ("train", "val", "test")}
    for graph in (small_graph, dataclasses.replace(small_graph, **turned)):
        assert sorted(graph.val.sum(dim=1).tolist()) == [3, 4]
        problem, made = Problem(graph), TrialConfig.from_mapping(config)
        rows = [label_rows(problem, made, seeds) for seeds in ([0], [1], [0, 1], [3, 0])]
        for part in ("train", "judged"):
            assert len({getattr(each, part).nodes.shape[1] for each in rows}) == 1


def test_seeds_of_one_split_learn_from_different_nodes() -> None:
    first, other = (learned_nodes(demo_graph(), seed, 0.5) for seed in (0, 10))
    assert not torch.equal(first, other)


def test_joint_learning_and_baselines_have_no_share_for_phi() -> None:
    assert share_of(TrialConfig.recorded({"level": "joint", "phi_share": 0.5})) is None
    with pytest.raises(ConfigError, match=r"phi_share=0\.5 is not read by gcn"):
        TrialConfig(model="gcn", phi_share=0.5)
    with pytest.raises(ConfigError, match=r"extra_labels=0\.5 is not read by L2P"):
        TrialConfig(extra_labels=0.5)


def test_labels_of_nodes_that_judge_change_scores_and_nothing_that_is_learned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = demo_graph()
    config = TrialConfig.from_mapping({**_SMALL, "phi_share": 0.5})
    learned = learned_nodes(graph, 0, 0.5)
    # The draw itself is by class: held still, so that it is not what changes.
    for module in (label_shares, fit_module):
        monkeypatch.setattr(module, "learned_nodes", lambda graph, seed, share: learned)
    permuted = graph.y.clone()
    rest = (graph.val[0] & ~learned).nonzero().squeeze(1)
    permuted[rest] = permuted[rest.flip(0)]
    found, other = (fit(dataclasses.replace(graph, y=y), config, [0]) for y in (graph.y, permuted))
    assert found.curves is not None
    assert other.curves is not None
    assert other.curves.train_loss == found.curves.train_loss
    assert other.curves.val_loss != found.curves.val_loss
    assert found.seeds[0].phi_val is not None


@pytest.mark.parametrize("changes", [{"phi_share": 0.5}, {"model": "mlp", "extra_labels": 0.5}])
def test_a_seed_learns_the_same_alone_and_in_a_batch(changes: dict[str, object]) -> None:
    config = TrialConfig.recorded({**_SMALL, **changes})
    alone, together = fit(demo_graph(), config, [1]), fit(demo_graph(), config, [0, 1, 2])
    assert alone.seeds[0].val_loss == pytest.approx(together.seeds[1].val_loss, rel=1e-4)


def test_a_recorded_result_has_phis_score_and_others_have_no_such_key() -> None:
    config = TrialConfig.from_mapping({**_SMALL, "phi_share": 0.5})
    found = fit(demo_graph(), config, [0, 1])
    again = TrialResult.from_record(
        found.to_record(), config, found.dataset, found.data_digest, found.metric
    )
    assert again.seeds == tuple(
        dataclasses.replace(seed, profile=again.seeds[place].profile)
        for place, seed in enumerate(found.seeds)
    )
    plain = fit(demo_graph(), TrialConfig.from_mapping(_SMALL), [0])
    assert "phi_val_accuracy" not in plain.to_record()["seeds"]
