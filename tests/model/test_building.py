"""What every network must do, whichever the configuration names."""

from typing import Any, get_args

import pytest
import torch

from l2p_search.config import Model, TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.data.splits import all_rows
from l2p_search.model.building import build_network
from l2p_search.model.network import Baseline, Parameters
from l2p_search.training.seeds import Streams, generator_of
from tests.model.agreement import BASE, SEEDS, config_of, started
from tests.problems import precise

_MODELS: list[dict[str, Any]] = [
    *({"model": name} for name in get_args(Model) if name != "l2p"),
    {"model": "gcn", "K": 1},
    {"model": "gat", "K": 1},
    {"backbone": "appnp"},
    {"backbone": "gcn"},
    {"backbone": "gat"},
    {"backbone": "gcnii"},
    {"backbone": "sage"},
    {"backbone": "gcn", "scorer": "per_step"},
    {"model": "gcn", "norm": "layer", "residual": "linear"},
    {"model": "gcn", "K": 1, "norm": "layer", "residual": "linear"},
    {"model": "sage", "norm": "batch", "residual": "linear"},
    {"model": "gat", "norm": "batch", "residual": "linear"},
    {"model": "gcn", "head_layers": 2},
    {"model": "gat", "head_layers": 3, "K": 1},
    {"backbone": "gcn", "head_layers": 3},
    {"model": "linkx", "head_layers": 2},
    {"backbone": "gcn", "norm": "batch", "residual": "linear"},
    {"backbone": "sage", "norm": "layer", "residual": "linear"},
    {"backbone": "gat", "norm": "layer", "residual": "linear"},
    {"encoder": "linear", "node_dropout": 0.3},
    {"skip": 0.5, "classifier": "per_step", "scorer": "per_step"},
]
models = pytest.mark.parametrize(
    "changes", _MODELS, ids=lambda changes: "-".join(map(str, changes.values()))
)


@models
def test_a_network_says_the_truth_about_its_parameters(
    changes: dict[str, Any], small_graph: Graph
) -> None:
    config = config_of(**changes)
    network = build_network(precise(small_graph), config)
    levels = network.initial([generator_of(seed, "initial") for seed in SEEDS])
    assert network.first_layer <= levels.theta.keys()
    assert network.step_weights <= levels.theta.keys()
    assert network.streamed <= levels.theta.keys()
    for value in (levels.theta | levels.phi).values():
        assert (len(value), value.dtype) == (len(SEEDS), torch.float64)
    is_l2p = config.model == "l2p"
    assert isinstance(network, Baseline) is not is_l2p
    assert (bool(levels.phi), network.steps) == (is_l2p, config.K + 1 if is_l2p else 1)
    assert network.bytes_per_seed > 4 * sum(value[0].numel() for value in levels.theta.values())


@models
def test_a_network_reads_every_step_at_the_nodes_it_is_asked_for(
    changes: dict[str, Any], small_graph: Graph
) -> None:
    network = build_network(precise(small_graph), config_of(**changes))
    levels = started(network)
    everywhere = all_rows(small_graph, len(SEEDS), torch.float64).nodes
    nodes = torch.tensor([[3, 3], [11, 0], [5, 7]])
    whole, some = network.read(levels, everywhere, None), network.read(levels, nodes, None)
    assert some.log_q.shape == (3, 2, network.steps)
    assert some.logits.shape == (3, 2, network.steps, small_graph.num_classes)
    torch.testing.assert_close(some.log_q.exp().sum(dim=2), torch.ones(3, 2).double())
    for place, own in enumerate(nodes):
        torch.testing.assert_close(some.logits[place], whole.logits[place, own])
        torch.testing.assert_close(some.log_q[place], whole.log_q[place, own])


@models
def test_streamed_gradients_are_those_that_autograd_would_give(
    changes: dict[str, Any], small_graph: Graph
) -> None:
    network = build_network(precise(small_graph), config_of(**changes, dropout=0.5))
    levels = started(network)
    nodes = all_rows(small_graph, len(SEEDS), torch.float64).nodes
    noise = Streams(precise(small_graph), SEEDS, "dropout").bytes(network.noise_size)
    found = {name: torch.zeros_like(levels.theta[name]) for name in network.streamed}

    def sink(name: str, gradient: torch.Tensor, seeds: slice) -> None:
        found[name][seeds] = gradient

    plain = network.read(levels, nodes, noise).logits.square().sum()
    streamed = network.read(levels, nodes, noise, sink).logits.square().sum()
    wanted = dict(zip(levels.theta, _gradients(plain, levels.theta), strict=True))
    others = {name: value for name, value in levels.theta.items() if name not in found}
    found |= dict(zip(others, _gradients(streamed, others), strict=True))
    for name, gradient in found.items():
        torch.testing.assert_close(gradient, wanted[name])


def _gradients(loss: torch.Tensor, parameters: Parameters) -> tuple[torch.Tensor, ...]:
    """Zero for parameters that the class scores do not depend on."""
    return torch.autograd.grad(loss, list(parameters.values()), materialize_grads=True)


@models
def test_a_seed_is_dropped_out_the_same_alone_and_in_a_batch(
    changes: dict[str, Any], small_graph: Graph
) -> None:
    config = TrialConfig.recorded({**BASE, "dropout": 0.5, "edge_dropout": 0.4, **changes})
    network = build_network(precise(small_graph), config)
    levels = started(network)
    rows = all_rows(small_graph, len(SEEDS), torch.float64)
    noise = Streams(precise(small_graph), SEEDS, "dropout").bytes(network.noise_size)
    together = network.read(levels, rows.nodes, noise)
    clean = network.read(levels, rows.nodes, None)
    assert not torch.allclose(together.logits, clean.logits)
    for place in range(len(SEEDS)):
        one = torch.tensor([place])
        alone = network.read(levels.of_seeds(one), rows.nodes[one], noise[one])
        torch.testing.assert_close(alone.logits, together.logits[one])
        torch.testing.assert_close(alone.log_q, together.log_q[one])
    other = network.read(levels, rows.nodes, noise.flip(0))
    assert not torch.allclose(together.logits[0], other.logits[0])
