"""Weights are those of the configuration, or are refused by the name of a tensor."""

import dataclasses

import pytest
import torch

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.hyperparameters import ALL
from l2p_search.model.building import build_network
from l2p_search.model.problem import Problem
from l2p_search.saved.expected import Expected
from l2p_search.saved.trained_model import Model
from l2p_search.saved.weight_checks import check_fit, check_weights
from l2p_search.weights import Weights


@pytest.mark.parametrize("name", sorted(ALL))
def test_fresh_weights_of_every_network_are_accepted(name: str, small_graph: Graph) -> None:
    own = {"backbone": name[4:]} if name.startswith("l2p-") else {"model": name}
    config = TrialConfig.recorded({"K": 2, "hidden": 8, **own})
    network = build_network(Problem(small_graph), config)
    fresh = network.initial([torch.Generator().manual_seed(seed) for seed in (0, 1)])
    weights = Weights((0, 1), fresh.theta, fresh.phi)
    check_weights(weights, config, Expected.of(small_graph, config))
    check_fit(network, weights)


def test_weights_of_another_configuration_are_refused(model: Model) -> None:
    wider = dataclasses.replace(model.config, hidden=5)
    with pytest.raises(ValueError, match=r"theta\.W_1 is \[2, 7, 4\] of float32, but"):
        check_weights(model.weights, wider, model.expected)
    with pytest.raises(ValueError, match=r"is no parameter|is missing|but the configuration"):
        check_weights(model.weights, TrialConfig(model="gcn", K=2), model.expected)


def test_what_is_not_finite_is_refused(model: Model) -> None:
    broken = {**model.weights.phi}
    name = next(iter(broken))
    broken[name] = torch.full_like(broken[name], torch.inf)
    weights = dataclasses.replace(model.weights, phi=broken)
    with pytest.raises(ValueError, match=f"phi.{name} has values that are not finite"):
        check_weights(weights, model.config, model.expected)
