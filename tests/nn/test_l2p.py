import copy
import doctest
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch_geometric.nn.conv.gcn_conv import gcn_norm
from torch_geometric.utils import k_hop_subgraph

from l2p_search.config import TrialConfig
from l2p_search.data.demo import demo_graph
from l2p_search.data.graph import Graph
from l2p_search.data.splits import all_rows
from l2p_search.errors import ConfigError
from l2p_search.model.building import build_network
from l2p_search.model.problem import Problem
from l2p_search.nn import L2P
from l2p_search.nn import l2p as module
from l2p_search.nn.choices import Choices
from l2p_search.training.bilevel import objective_of
from l2p_search.training.fit import fit
from tests.nn.side_by_side import (
    APPNP,
    LAYERED,
    LEARNING,
    SEEDS,
    Noise,
    config_of,
    dropping,
    engine_of,
    module_of,
)
from tests.problems import precise

_ALL = [*APPNP, *LAYERED, {"algorithm": "em"}, {"algorithm": "em", "backbone": "gcn"}]


def _weighted(graph: Graph) -> Graph:
    """The same graph with weights, equal in both directions of an edge."""
    low, high = graph.edges.sort(dim=0).values
    return replace(graph, weights=1.0 + 0.1 * (3 * low + high).float())


def _named(model: L2P, names: Iterable[str]) -> list[Tensor]:
    """The parameters of both levels by the engine's names."""
    both = {**model.theta, **model.phi}
    return [both[name] for name in names]


# The engine is held to the module.


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("variant", _ALL, ids=str)
def test_the_engines_q_and_class_scores_and_their_gradients_are_the_modules(
    small_graph: Graph,
    variant: dict[str, Any],
    weighted: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = _weighted(small_graph) if weighted else small_graph
    config = config_of(variant)
    network, levels = build_network(precise(graph), config), engine_of(graph, config).levels
    parameters = levels.theta | levels.phi
    for value in parameters.values():
        value.requires_grad_(True)
    rows, bytes_ = all_rows(graph, len(SEEDS), torch.float64), Noise(graph, config).bytes()
    for noise in (None, bytes_):
        read = network.read(levels, rows.nodes, noise)
        scores = read.logits + read.bias[:, None, None]
        predicted = objective_of(config).log_predictions(read)
        found = (read.log_q, scores, predicted)
        mixed = [torch.randn_like(each) for each in found]
        summed = sum((a * b).sum() for a, b in zip(found, mixed, strict=True))
        gradients = torch.autograd.grad(summed, list(parameters.values()))
        for place in range(len(SEEDS)):
            model = module_of(config, levels, place)
            with dropping(bytes_[place], graph, config, monkeypatch):
                own = model.read(
                    graph.x.double(), graph.edges, graph.weights, noisy=noise is not None
                )
            each = (own.log_q, own.scores, model.predictions(own).log_softmax(dim=-1))
            for mine, theirs in zip(each, found, strict=True):
                torch.testing.assert_close(theirs[place], mine)
            total = sum((a * b[place]).sum() for a, b in zip(each, mixed, strict=True))
            ours = torch.autograd.grad(total, _named(model, parameters))
            for name, one, other in zip(parameters, gradients, ours, strict=True):
                torch.testing.assert_close(
                    one[place], other, msg=lambda text, name=name: f"{name}: {text}"
                )


@pytest.mark.parametrize("variant", LEARNING, ids=str)
@pytest.mark.parametrize("level", ["lower", "upper"])
def test_the_engines_losses_and_their_gradients_are_the_modules(
    small_graph: Graph, variant: dict[str, Any], level: str
) -> None:
    config = config_of({**variant, "dropout": 0.0})
    network, levels = (
        build_network(precise(small_graph), config),
        engine_of(small_graph, config).levels,
    )
    parameters = levels.theta | levels.phi
    for value in parameters.values():
        value.requires_grad_(True)
    rows = all_rows(small_graph, len(SEEDS), torch.float64)
    generator = torch.Generator().manual_seed(1)
    gumbel = torch.randn(*rows.nodes.shape, config.K + 1, dtype=torch.float64, generator=generator)
    objective = objective_of(config)
    losses = getattr(objective, level)(network.read(levels, rows.nodes, None), rows, gumbel)
    gradients = torch.autograd.grad(
        losses.sum(), list(parameters.values()), materialize_grads=True
    )
    everywhere = torch.ones(small_graph.num_nodes, dtype=torch.bool)
    for place in range(len(SEEDS)):
        model = module_of(config, levels, place)
        loss = getattr(model, f"{level}_loss")(
            small_graph.x.double(),
            small_graph.edges,
            small_graph.y,
            everywhere,
            gumbel=gumbel[place],
        )
        torch.testing.assert_close(losses[place], loss)
        own = _named(model, parameters)
        ours = torch.autograd.grad(loss, own, materialize_grads=True)
        for one, other in zip(gradients, ours, strict=True):
            torch.testing.assert_close(one[place], other)


@pytest.mark.parametrize("variant", _ALL, ids=str)
def test_the_engines_weights_predict_the_same_in_the_module(
    small_graph: Graph, variant: dict[str, Any]
) -> None:
    config = config_of(variant)
    network = build_network(Problem(small_graph), config)
    levels = network.initial([torch.Generator().manual_seed(seed) for seed in range(2)])
    read = network.read(levels, all_rows(small_graph, 2, torch.float32).nodes, None)
    log_p = objective_of(config).log_predictions(read)
    for place in range(2):
        model = L2P.from_levels(config, levels.theta, levels.phi, place)
        assert not model.training
        with torch.no_grad():
            found = model(small_graph.x, small_graph.edges).log_softmax(dim=1)
            q = model.propagation(small_graph.x, small_graph.edges)
        torch.testing.assert_close(found, log_p[place], rtol=1e-5, atol=1e-5)
        torch.testing.assert_close(q, read.log_q[place].exp(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("variant", [{}, {"backbone": "gcn", "algorithm": "em"}], ids=str)
def test_a_seed_that_fit_trained_predicts_the_same_in_the_module(variant: dict[str, Any]) -> None:
    graph, predicted = demo_graph(), []
    config = TrialConfig.from_mapping({"K": 3, "hidden": 16, "epochs": 15, **variant})
    result = fit(graph, config, [0, 3], on_seed=predicted.append)
    assert result.weights is not None
    for place, wanted in enumerate(predicted):
        model = L2P.from_levels(config, result.weights.theta, result.weights.phi, place)
        with torch.no_grad():
            found = model(graph.x, graph.edges).log_softmax(dim=1)
            q = model.propagation(graph.x, graph.edges)
        torch.testing.assert_close(found, wanted.log_p, rtol=1e-5, atol=1e-5)
        torch.testing.assert_close(q, wanted.q, rtol=1e-5, atol=1e-5)


# An ordinary module.


def test_a_class_score_is_the_mean_over_q_and_in_training_over_a_sample(
    small_graph: Graph,
) -> None:
    torch.manual_seed(0)
    model = L2P(small_graph.num_features, 6, 3, K=3, dropout=0.0).double()
    x, edges = small_graph.x.double(), small_graph.edges
    read, q = model.read(x, edges, noisy=False), model.propagation(x, edges)
    wanted = (q.unsqueeze(-1) * read.scores).sum(dim=1)
    torch.testing.assert_close(model.eval()(x, edges), wanted)
    model.train()
    samples = torch.stack([model(x, edges) for _ in range(3000)])
    assert not torch.equal(samples[0], samples[1])
    weights = torch.stack([model.sample(read.log_q) for _ in range(3000)])
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones_like(weights[..., 0]))
    torch.testing.assert_close(
        samples.mean(dim=0), read.mixed(weights.mean(dim=0)), atol=0.05, rtol=0.2
    )


def test_q_and_the_upper_loss_see_no_dropout_while_the_model_trains(small_graph: Graph) -> None:
    torch.manual_seed(0)
    model = L2P(small_graph.num_features, 6, 3, dropout=0.5, node_dropout=0.5).train()
    x, edges, y = small_graph.x, small_graph.edges, small_graph.y
    assert torch.equal(model.propagation(x, edges), model.propagation(x, edges))
    gumbel, val = torch.zeros(4, 9), small_graph.val[0]
    upper = [model.upper_loss(x, edges, y, val, gumbel=gumbel) for _ in range(2)]
    assert torch.equal(*upper)
    lower = [model.lower_loss(x, edges, y, val, gumbel=gumbel) for _ in range(2)]
    assert not torch.equal(*lower)


def test_the_two_levels_are_all_parameters_and_share_none(small_graph: Graph) -> None:
    for backbone in ("appnp", "gat"):
        model = L2P(7, 6, 3, backbone=backbone, heads=2)
        theta, phi = model.lower_parameters(), model.upper_parameters()
        assert {id(one) for one in theta} & {id(one) for one in phi} == set()
        assert [id(one) for one in (*theta, *phi)] == [id(one) for one in model.parameters()]
        model(small_graph.x, small_graph.edges).sum().backward()
        assert all(value.grad is not None for value in model.parameters())


def test_a_plain_loop_with_two_optimizers_learns_and_a_copy_predicts_the_same(
    small_graph: Graph, tmp_path: Path
) -> None:
    torch.manual_seed(0)
    model = L2P(small_graph.num_features, 16, 3, K=2, dropout=0.0)
    x, edges, y = small_graph.x, small_graph.edges, small_graph.y
    lower = torch.optim.Adam(model.lower_groups(weight_decay=1e-4), lr=0.05)
    upper = torch.optim.Adam(model.upper_parameters(), lr=0.05)
    train = small_graph.train[0]
    for _ in range(60):
        for optimizer, loss in ((lower, model.lower_loss), (upper, model.upper_loss)):
            optimizer.zero_grad()
            loss(x, edges, y, train).backward()
            optimizer.step()
    scores = model.eval()(x, edges)
    assert (scores[train].argmax(dim=1) == y[train]).all()
    torch.save(model.state_dict(), tmp_path / "model.pt")
    again = L2P(small_graph.num_features, 16, 3, K=2).eval()
    again.load_state_dict(torch.load(tmp_path / "model.pt", weights_only=True))
    assert torch.equal(again(x, edges), scores)
    assert torch.equal(copy.deepcopy(model)(x, edges), scores)
    model.reset_parameters()
    assert not torch.equal(model(x, edges), scores)


# Other forms of a graph, and batches.


@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize("backbone", ["appnp", "gcn", "sage", "gat", "gcnii"])
def test_sparse_matrices_are_read_as_the_transposed_adjacency(
    small_graph: Graph, backbone: str
) -> None:
    torch.manual_seed(0)
    graph = _weighted(small_graph)
    assert graph.weights is not None
    directed = graph.edges[:, graph.edges[0] < graph.edges[1]]
    weight = graph.weights[graph.edges[0] < graph.edges[1]]
    model = L2P(7, 6, 3, backbone=backbone, heads=2, norm="layer").eval()
    wanted = model(graph.x, directed, weight)
    size = (graph.num_nodes, graph.num_nodes)
    adj_t = torch.sparse_coo_tensor(directed.flip(0), weight, size)
    for form in (adj_t, adj_t.to_sparse_csr()):
        torch.testing.assert_close(model(graph.x, form), wanted)
    assert not torch.allclose(model(graph.x, directed.flip(0), weight), wanted)


@pytest.mark.parametrize("backbone", ["appnp", "gcn", "sage", "gat", "gcnii"])
def test_a_batch_with_all_neighbours_predicts_as_the_whole_graph(
    small_graph: Graph, backbone: str
) -> None:
    torch.manual_seed(0)
    normalised = backbone in ("appnp", "gcn", "gcnii")
    model = L2P(7, 6, 3, K=2, backbone=backbone, heads=2, normalize=not normalised).eval()
    plain = L2P(7, 6, 3, K=2, backbone=backbone, heads=2).eval()
    plain.load_state_dict(model.state_dict())
    x, edges = small_graph.x, small_graph.edges
    wanted, q = plain(x, edges), plain.propagation(x, edges)
    weight: Tensor | None = None
    if normalised:
        edges, weight = gcn_norm(edges, num_nodes=len(x))
    for node in range(small_graph.num_nodes):
        kept, own, (place,), mask = k_hop_subgraph(node, 2, edges, True, len(x))
        batch = (x[kept], own, None if weight is None else weight[mask])
        torch.testing.assert_close(model(*batch)[place], wanted[node])
        torch.testing.assert_close(model.propagation(*batch)[place], q[node])


# From a configuration.


def test_a_model_is_made_from_a_file_a_mapping_or_a_config(tmp_path: Path) -> None:
    config = TrialConfig(K=3, hidden=12, backbone="gcn", norm="layer", posterior="select", lr=0.1)
    file = tmp_path / "best.yaml"
    file.write_text("K: 3\nhidden: 12\nbackbone: gcn\nnorm: layer\nposterior: select\nlr: 0.1\n")
    wanted = Choices(
        in_channels=7, hidden_channels=12, out_channels=2, K=3, dropout=0.6, backbone="gcn",
        norm="layer", posterior="select",
    )  # fmt: skip
    mapping = {key: value for key, value in config.to_mapping().items() if key != "model"}
    for given_ in (config, mapping, file, str(file)):
        assert L2P.from_config(given_, 7, 2).choices == wanted


def test_a_configuration_of_another_model_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^model='gcn' is not L2P"):
        L2P.from_config(TrialConfig(model="gcn"), 7, 2)
    file = tmp_path / "best.yaml"
    file.write_text("model: gcn\n")
    with pytest.raises(ConfigError, match=r"best\.yaml: model='gcn' is not L2P"):
        L2P.from_config(file, 7, 2)
    file.write_text("dropuot: 0.3\n")
    with pytest.raises(ConfigError, match=r"best\.yaml: unknown key 'dropuot'; did you mean"):
        L2P.from_config(file, 7, 2)
    with pytest.raises(TypeError, match="droput"):
        L2P(7, 6, 2, droput=0.3)


def test_importing_it_needs_torch_and_nothing_else_that_is_heavy() -> None:
    program = (
        "import sys, l2p_search.nn;"
        "print([name for name in ('ray', 'optuna', 'mlflow', 'torch_geometric', 'pandas',"
        " 'scipy', 'matplotlib', 'yaml') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.stdout.strip() == "[]", found.stderr


def test_its_examples_run() -> None:
    assert doctest.testmod(module).failed == 0
