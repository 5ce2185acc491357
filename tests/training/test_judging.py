"""A trained seed's final numbers, from its own predictions and its split's nodes."""

import dataclasses

import pytest
import torch

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.metrics import METRICS, Metric
from l2p_search.model.building import build_network
from l2p_search.training.judging import judge
from l2p_search.training.scoring import measured
from l2p_search.training.seeds import generator_of
from tests.problems import precise


def _judged(graph: Graph, config: TrialConfig, split: int, metric: Metric = "accuracy"):  # type: ignore[no-untyped-def]
    problem = precise(graph)
    network = build_network(problem, config)
    levels = network.initial([generator_of(0, "initial")])
    return judge(problem, network, config, levels, split, metric)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("split", [0, 1])
def test_scores_are_of_its_own_splits_nodes(
    metric: Metric, split: int, small_graph: Graph
) -> None:
    verdict, predicted = _judged(small_graph, TrialConfig(K=2, hidden=4), split, metric)
    for part, masks in (("val", small_graph.val), ("test", small_graph.test)):
        chosen = masks[split]
        weights = torch.full((1, int(chosen.sum())), 1 / int(chosen.sum()), dtype=torch.float64)
        labels = small_graph.y[chosen][None]
        wanted = measured(metric, predicted.log_p[chosen][None], labels, weights)
        assert verdict[part] == pytest.approx(float(wanted[0]))


def test_the_profile_is_the_mean_posterior_and_the_expected_step_its_mean(
    small_graph: Graph,
) -> None:
    verdict, predicted = _judged(small_graph, TrialConfig(K=2, hidden=4), 0)
    assert predicted.q is not None
    profile = predicted.q.mean(dim=0).tolist()
    assert verdict["profile"] == pytest.approx(profile)
    assert verdict["expected_step"] == pytest.approx(profile[1] + 2.0 * profile[2])


def test_validation_nodes_that_were_learned_from_do_not_judge(small_graph: Graph) -> None:
    val = small_graph.val[0].nonzero().squeeze(1)
    learned = torch.zeros(small_graph.num_nodes, dtype=torch.bool)
    learned[val[:3]] = True
    for wrong, (score, phi) in {0: (100.0, 200 / 3), 3: (0.0, 100.0)}.items():
        problem = precise(small_graph)
        network = build_network(problem, TrialConfig(K=2, hidden=4))
        levels = network.initial([generator_of(0, "initial")])
        found = judge(problem, network, TrialConfig(K=2, hidden=4), levels, 0)[1].log_p
        y = small_graph.y.clone()
        y[val] = found[val].argmax(dim=1)
        y[val[wrong]] = (y[val[wrong]] + 1) % 3
        problem = precise(dataclasses.replace(small_graph, y=y))
        config = TrialConfig(K=2, hidden=4)
        verdict, _ = judge(problem, network, config, levels, 0, learned=learned)
        assert (verdict["val"], verdict["phi_val"]) == pytest.approx((score, phi))


def test_validation_does_not_depend_on_test_labels(small_graph: Graph) -> None:
    y = small_graph.y.clone()
    hidden = small_graph.test[0]
    y[hidden] = y[hidden].flip(0)
    config = TrialConfig(K=2, hidden=4)
    honest, _ = _judged(small_graph, config, 0)
    permuted, _ = _judged(dataclasses.replace(small_graph, y=y), config, 0)
    assert (honest["val"], honest["val_loss"]) == (permuted["val"], permuted["val_loss"])


def test_the_profile_is_the_mean_of_q_and_a_baseline_has_none(small_graph: Graph) -> None:
    verdict, predicted = _judged(small_graph, TrialConfig(K=3, hidden=4), 0)
    assert predicted.q is not None
    torch.testing.assert_close(
        torch.tensor(verdict["profile"], dtype=torch.float64), predicted.q.mean(dim=0)
    )
    baseline, plain = _judged(small_graph, TrialConfig(model="mlp", hidden=4), 0)
    assert plain.q is None
    assert "profile" not in baseline
