from typing import Any

import pytest
import torch
from torch import Generator, Tensor

from l2p_search.config import TrialConfig
from l2p_search.data.demo import demo_graph
from l2p_search.data.graph import Graph
from l2p_search.model import l2p_on_appnp, mixing
from l2p_search.model.building import build_network
from l2p_search.model.mixing import StepsOfRows
from l2p_search.model.problem import Problem
from l2p_search.model.propagation import Propagation, normalised_adjacency, propagate_and_read
from l2p_search.training.bilevel import BiLevel
from tests.problems import precise

_NODES = torch.tensor([[5, 0, 5, 1], [1, 2, 3, 0]])
_STEPS = 4


def _normal(*shape: int) -> Tensor:
    drawn = torch.randn(*shape, dtype=torch.float64, generator=Generator().manual_seed(sum(shape)))
    return drawn.requires_grad_()


@pytest.mark.parametrize("together", [1, 2, 24])
def test_mixtures_and_gradients_are_those_of_the_class_scores_of_every_step(
    together: int, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mixing, "_TOGETHER", together)
    propagation = Propagation(normalised_adjacency(precise(small_graph)), _STEPS, 0.15)
    score_columns, class_columns = _normal(2, small_graph.num_nodes, 1), _normal(2, 12, 3)
    columns = (score_columns, class_columns[:, : small_graph.num_nodes])
    more = _normal(2, 4, _STEPS + 1)
    found = StepsOfRows(propagation, *columns, _NODES)
    scores, logits = propagate_and_read(propagation, *columns, _NODES)
    torch.testing.assert_close(found.scores, scores)
    torch.testing.assert_close(found.rows.permute(1, 2, 0, 3), logits)

    def loss(scores: Tensor, by_scores: Tensor, by_more: Tensor) -> Tensor:
        return scores.square().sum() + by_scores.pow(3).sum() + by_more.square().sum()

    wanted = loss(
        scores,
        torch.einsum("slt,sltc->slc", scores.softmax(-1), logits),
        torch.einsum("slt,sltc->slc", more, logits),
    )
    one = loss(found.scores, found.mixed(found.scores.softmax(-1)), found.mixed(more))
    torch.testing.assert_close(one, wanted)
    of = (score_columns, class_columns, more)
    for a, b in zip(torch.autograd.grad(one, of), torch.autograd.grad(wanted, of), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-10)


def test_fixed_weights_leave_the_class_scores_their_gradient_however_often_it_is_asked_for(
    small_graph: Graph,
) -> None:
    propagation = Propagation(normalised_adjacency(precise(small_graph)), _STEPS, 0.15)
    columns = (_normal(2, small_graph.num_nodes, 1), _normal(2, small_graph.num_nodes, 3))
    weights = _normal(2, 4, _STEPS + 1).detach()
    found = StepsOfRows(propagation, *columns, _NODES).mixed(weights)
    _, logits = propagate_and_read(propagation, *columns, _NODES)
    (wanted,) = torch.autograd.grad(
        torch.einsum("slt,sltc->slc", weights, logits).pow(3).sum(), columns[1]
    )
    for _ in range(2):
        (own,) = torch.autograd.grad(found.pow(3).sum(), columns[1], retain_graph=True)
        torch.testing.assert_close(own, wanted)


def test_without_a_mixture_only_the_score_column_has_a_gradient(small_graph: Graph) -> None:
    propagation = Propagation(normalised_adjacency(precise(small_graph)), _STEPS, 0.15)
    columns = (_normal(2, small_graph.num_nodes, 1), _normal(2, small_graph.num_nodes, 3))
    found = StepsOfRows(propagation, *columns, _NODES).scores
    wanted, _ = propagate_and_read(propagation, *columns, _NODES)
    pairs = (torch.autograd.grad(each.pow(3).sum(), columns[:1]) for each in (found, wanted))
    for one, other in zip(*pairs, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"posterior": "select", "kl_weight": 0.5, "temperature": 0.5},
        {"level": "second_order"},
        {"level": "joint"},
        {"node_dropout": 0.3, "prior": "geometric"},
    ],
    ids=str,
)
def test_training_by_mixed_rows_learns_what_training_by_all_class_scores_learns(
    changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In float64, where the two ways differ by rounding only."""
    config = TrialConfig(**{"K": 3, "hidden": 8, "dropout": 0.4, **changes})
    problem = Problem(demo_graph(), dtype=torch.float64)
    learned = []
    for bytes_ in (0, 2**40):
        monkeypatch.setattr(l2p_on_appnp, "MIXED_FROM", bytes_)
        learner = BiLevel(problem, build_network(problem, config), config, range(2))
        for _ in range(4):
            learner.lower_step()
            read, scores = learner.evaluate()
            learner.upper_step(read)
        assert (read.mix is None) == (bytes_ > 0)
        learned.append((learner.levels.theta | learner.levels.phi, scores))
    (by_rows, scores), (by_all, others) = learned
    for name, value in by_rows.items():
        torch.testing.assert_close(value, by_all[name], rtol=1e-9, atol=1e-10)
    torch.testing.assert_close(scores.loss, others.loss)


@pytest.mark.parametrize(
    "changes",
    [{"algorithm": "em"}, {"consistency": 1.0}, {"skip": 0.5}, {"scorer": "per_step"}],
    ids=str,
)
def test_what_reads_each_step_by_itself_keeps_all_class_scores(
    changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(l2p_on_appnp, "MIXED_FROM", 0)
    config, problem = TrialConfig(**{"K": 3, "hidden": 8, **changes}), Problem(demo_graph())
    learner = BiLevel(problem, build_network(problem, config), config, range(2))
    learner.lower_step()
    assert learner.evaluate()[0].mix is None
