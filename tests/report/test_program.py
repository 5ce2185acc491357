"""The functions of the exported program, one by one and without torch-geometric.

That the whole of it learns what the engine learns is in test_script.py.
"""

import ast
import string
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.model.posterior import kl_divergence, log_prior, log_probs
from l2p_search.report import program
from l2p_search.report.script import as_script
from l2p_search.training.em import exact_log_posterior
from l2p_search.training.optimizer import Adam

_PROVENANCE = {
    "dataset": "wisconsin",
    "search": "s",
    "trial": 3,
    "seeds": 2,
    "val_accuracy_mean": 84.0,
    "test_accuracy_mean": 85.0,
}


def _exported(**config: Any) -> Any:
    """What the program of a configuration defines; what loads data with PyG is left out."""
    made = TrialConfig.from_mapping({"K": 3, **config})
    tree = ast.parse(as_script(made, _PROVENANCE))
    kept = [
        node
        for node in tree.body
        if not (isinstance(node, ast.ImportFrom) and "geometric" in (node.module or ""))
        and not isinstance(node, ast.If)
    ]
    names: dict[str, Any] = {}
    exec(compile(ast.Module(kept, []), "exported.py", "exec"), names)
    return SimpleNamespace(**{key: value for key, value in names.items() if key[0] != "_"})


def _adjacency(graph: Graph) -> torch.Tensor:
    adjacency = torch.zeros(graph.num_nodes, graph.num_nodes)
    adjacency[graph.edges[0], graph.edges[1]] = 0.3
    return adjacency


@pytest.mark.parametrize("posterior", ["select", "quit"])
def test_its_posterior_is_the_engines(posterior: str) -> None:
    scores = torch.randn(6, 4, generator=torch.Generator().manual_seed(0)) * 5
    found = _exported(posterior=posterior).log_posterior(scores)
    torch.testing.assert_close(found, log_probs(posterior, scores))
    torch.testing.assert_close(found.exp().sum(dim=-1), torch.ones(6))


@pytest.mark.parametrize("prior", [{}, {"prior": "geometric", "prior_ratio": 0.25}])
def test_its_prior_and_divergence_are_the_engines(prior: dict[str, Any]) -> None:
    exported, config = _exported(**prior), TrialConfig.from_mapping({"K": 3, **prior})
    torch.testing.assert_close(exported.log_prior(), log_prior(config))
    log_q = torch.log_softmax(torch.tensor([[1.0, 2.0, 0.0, -1.0], [0.0, 0.0, 0.0, 3.0]]), dim=1)
    wanted = kl_divergence(log_q, log_prior(config)).mean()
    torch.testing.assert_close(exported.divergence(log_q), wanted)
    assert exported.divergence(exported.log_prior()[None]).item() == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("part", [{}, {"encoder": "linear"}, {"classifier": "per_step"}])
@pytest.mark.parametrize("scorer", ["shared", "per_step"])
def test_its_model_scores_every_step_of_the_recurrence(
    part: dict[str, Any], scorer: str, small_graph: Graph
) -> None:
    torch.manual_seed(0)
    exported = _exported(teleport=0.2, scorer=scorer, **part)
    adjacency = _adjacency(small_graph)
    model = exported.L2P(small_graph.x.shape[1], 3, adjacency).eval()
    logits, log_q = model(small_graph.x)
    assert logits.shape == (small_graph.num_nodes, 4, 3)
    torch.testing.assert_close(log_q.exp().sum(dim=1), torch.ones(small_graph.num_nodes))
    h = h0 = model.first(small_graph.x)
    if "encoder" not in part:
        h = h0 = h0.relu()
    for step in range(4):
        if "classifier" in part:
            wanted = h @ model.last[step] + model.bias
        else:
            wanted = h + model.bias if "encoder" in part else model.last(h)
        torch.testing.assert_close(logits[:, step], wanted)
        h = 0.8 * (adjacency @ h) + 0.2 * h0
    assert len(model.w) == (4 if scorer == "per_step" else 1)


def test_predictions_have_no_noise_and_no_gradient(small_graph: Graph) -> None:
    for algorithm in ("vi", "em"):
        torch.manual_seed(0)
        exported = _exported(algorithm=algorithm, dropout=0.9)
        model = exported.L2P(small_graph.x.shape[1], 3, _adjacency(small_graph)).train()
        first, second = model.predict(small_graph.x), model.predict(small_graph.x)
        assert torch.equal(first, second)
        assert not first.requires_grad
        if algorithm == "em":  # they are log p(y), which sum to one
            torch.testing.assert_close(first.exp().sum(dim=1), torch.ones(small_graph.num_nodes))


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
def test_the_e_step_pulls_q_to_the_exact_posterior(small_graph: Graph, weight: float) -> None:
    torch.manual_seed(0)
    exported = _exported(algorithm="em", dropout=0.0, kl_weight=weight)
    model = exported.L2P(small_graph.x.shape[1], 3, _adjacency(small_graph))
    nodes = small_graph.train[0]
    log_likelihood, _ = model.labelled(small_graph.x, small_graph.y, nodes)
    log_exact = exact_log_posterior(log_likelihood, exported.log_prior(), weight)
    log_exact = log_exact.clamp_min(-1e3)  # zeros at a weight of 0, which q never has
    entropy = -(log_exact.exp() * log_exact).sum(dim=-1).mean()  # reached, and never passed
    assert model.projection(small_graph.x, small_graph.y, nodes) >= entropy
    model.labelled = lambda *arguments: (log_likelihood, log_exact)
    found = model.projection(small_graph.x, small_graph.y, nodes)
    torch.testing.assert_close(found, entropy)


def test_consistency_is_a_squared_distance_that_counts_in_full_from_epoch_100() -> None:
    held = _exported(consistency=2.0).held
    scores = torch.tensor([[0.0, 0.0], [5.0, -5.0], [0.0, 0.0]])
    model = SimpleNamespace(scores=lambda x: scores)
    free = torch.tensor([True, False, True])
    target = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    wanted = 2.0 * (0.25 + 0.25 + 0.0) / 2  # the mean over the free nodes
    for epoch, share in ((0, 0.0), (50, 0.5), (100, 1.0), (500, 1.0)):
        found = held(model, None, target, free, epoch)
        assert found.item() == pytest.approx(share * wanted)


def test_move_writes_values_into_parameters_without_a_gradient() -> None:
    move = _exported(level="second_order").move
    parameter = torch.nn.Parameter(torch.zeros(3))
    move([parameter], [torch.arange(3.0)])
    assert parameter.tolist() == [0.0, 1.0, 2.0]
    assert parameter.requires_grad
    assert parameter.grad_fn is None


def test_its_response_to_the_gradient_is_the_engines() -> None:
    first, last = (torch.nn.Parameter(torch.randn(2, 3)) for _ in range(2))
    groups = [{"params": [first], "weight_decay": 0.3}, {"params": [last]}]
    theirs = torch.optim.Adam(groups, lr=0.05)
    mine = {"first": first.detach()[None].clone(), "last": last.detach()[None].clone()}
    ours = Adam(mine, 0.05, {"first": 0.3}, remember=True)
    for _ in range(3):
        before = [first.detach().clone(), last.detach().clone()]
        first.grad, last.grad = torch.randn(2, 3), torch.randn(2, 3)
        last.grad[0] = 0.0  # never any gradient: no response
        ours.step({"first": first.grad[None], "last": last.grad[None]})
        theirs.step()
    found = _exported(level="unrolled", lr=0.05).response(theirs, before)
    for one, other in zip(found, ours.response().values(), strict=True):
        torch.testing.assert_close(one, other[0])


def test_every_part_names_only_what_the_template_and_the_script_fill() -> None:
    frame = {name for _, name, _, _ in string.Formatter().parse(program.PROGRAM) if name}
    for parts in program.ENCODERS.values():
        assert set(parts) <= frame
        assert set(parts) == set(program.ENCODERS["mlp"])  # each fills the same places
    levels = "".join(program.LEVELS.values())
    losses = {name for _, name, _, _ in string.Formatter().parse(levels) if name}
    assert losses == {"lower_loss", "upper_loss"}
    methods = {
        algorithm: {
            node.name
            for node in ast.parse("class A:\n" + text).body[0].body  # type: ignore[attr-defined]
        }
        for algorithm, text in program.OBJECTIVES.items()
    }
    for algorithm, defined in methods.items():
        assert {program.UPPER_LOSS[algorithm], program.LOWER_LOSS[algorithm]} <= defined
        assert "scores" in defined
