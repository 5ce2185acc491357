from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Generator, Tensor

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.model.l2p_on_appnp import L2pOnAppnp
from l2p_search.model.network import Levels
from l2p_search.nn import L2P
from tests.nn.side_by_side import APPNP
from tests.problems import precise

_BASE = {"K": 3, "hidden": 6, "dropout": 0.0}


def _levels(network: L2pOnAppnp) -> Levels:
    return network.initial([Generator().manual_seed(seed) for seed in range(2)])


def _all_nodes(graph: Graph) -> Tensor:
    return torch.arange(graph.num_nodes).expand(2, -1)


def _bytes(graph: Graph, dropped: Tensor) -> Tensor:
    """One byte a node, for two seeds: 0 drops it, 255 keeps it."""
    noise = torch.full((2, graph.num_nodes), 255, dtype=torch.uint8)
    noise[dropped[:, 0], dropped[:, 1]] = 0
    return noise


_DROPPED = torch.tensor([[0, 3], [0, 5], [1, 0]])
"""Pairs of a seed and a node."""


@pytest.mark.parametrize("changes", APPNP, ids=str)
def test_q_and_class_scores_of_all_nodes_agree_with_the_module(
    small_graph: Graph, changes: dict[str, Any]
) -> None:
    config = TrialConfig.recorded({**_BASE, **changes})  # the linear encoder reads no `hidden`
    network = L2pOnAppnp(precise(small_graph), config)
    levels = _levels(network)
    read = network.read(levels, _all_nodes(small_graph), None)
    for seed in range(2):
        model = L2P.from_levels(config, levels.theta, levels.phi, seed)
        wanted = model.read(small_graph.x.double(), small_graph.edges, noisy=False)
        torch.testing.assert_close(read.log_q[seed], wanted.log_q)
        torch.testing.assert_close(read.logits[seed] + read.bias[seed], wanted.scores)


def test_a_dropped_node_is_propagated_as_if_it_had_no_features(small_graph: Graph) -> None:
    """On the linear encoder H_0 = X W_1, where rows of H_0 are rows of X."""
    config = TrialConfig.recorded({**_BASE, "encoder": "linear", "node_dropout": 0.5})
    network = L2pOnAppnp(precise(small_graph), config)
    levels, nodes = _levels(network), _all_nodes(small_graph)
    assert network.noise_size == small_graph.num_nodes
    found = network.read(levels, nodes, _bytes(small_graph, _DROPPED))
    for seed in range(2):
        x = 2.0 * small_graph.x.double()  # what is kept is scaled
        x[_DROPPED[_DROPPED[:, 0] == seed, 1]] = 0.0
        without = L2pOnAppnp(precise(replace(small_graph, x=x)), config)
        wanted = without.read(levels, nodes, None)
        torch.testing.assert_close(found.logits[seed], wanted.logits[seed])
        torch.testing.assert_close(found.log_q[seed], wanted.log_q[seed])


def test_a_dropped_node_keeps_the_classifier_of_its_own(small_graph: Graph) -> None:
    plain = TrialConfig(**_BASE, node_dropout=0.5)
    network = L2pOnAppnp(precise(small_graph), replace(plain, skip=0.7))
    levels, nodes = _levels(network), _all_nodes(small_graph)
    noise = _bytes(small_graph, _DROPPED)
    own = torch.relu(small_graph.x.double() @ levels.theta["W_1"]) @ levels.theta["W_3"]
    without = L2pOnAppnp(precise(small_graph), plain).read(
        Levels({k: v for k, v in levels.theta.items() if k != "W_3"}, levels.phi), nodes, noise
    )
    found = network.read(levels, nodes, noise)
    torch.testing.assert_close(found.logits, without.logits + 0.7 * own[:, :, None])


def test_evaluation_drops_no_node(small_graph: Graph) -> None:
    config = TrialConfig(**_BASE, node_dropout=0.5)
    network = L2pOnAppnp(precise(small_graph), config)
    plain = L2pOnAppnp(precise(small_graph), replace(config, node_dropout=0.0))
    levels, nodes = _levels(network), _all_nodes(small_graph)
    found, wanted = (each.read(levels, nodes, None) for each in (network, plain))
    torch.testing.assert_close(found.logits, wanted.logits, rtol=0, atol=0)


def test_more_classifiers_do_not_change_what_a_seed_draws_first(small_graph: Graph) -> None:
    shared, per_step = (
        _levels(L2pOnAppnp(precise(small_graph), TrialConfig(**_BASE, classifier=kind)))
        for kind in ("shared", "per_step")
    )
    assert torch.equal(shared.theta["W_1"], per_step.theta["W_1"])
    one = small_graph.num_classes
    assert per_step.theta["W_2"].shape[2] == 4 * one
    assert torch.equal(shared.theta["W_2"], per_step.theta["W_2"][:, :, :one])
