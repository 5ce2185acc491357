"""Judging: what a trained seed predicts, and its final numbers. Only here test labels are read."""

from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

from l2p_search.config import TrialConfig
from l2p_search.data.splits import all_rows
from l2p_search.metrics import Metric
from l2p_search.model.network import Levels, Network
from l2p_search.model.problem import HOST, Problem
from l2p_search.training.bilevel import objective_of
from l2p_search.training.scoring import measured

if TYPE_CHECKING:
    from l2p_search.node_hits import NodeHits


class Predicted(NamedTuple):
    """What a trained seed predicts: log p(class) [N, C], and q(t) [N, T] unless a baseline."""

    log_p: Tensor
    q: Tensor | None


def judge(
    problem: Problem,
    network: Network,
    config: TrialConfig,
    levels: Levels,
    split: int,
    metric: Metric = "accuracy",
    *,
    sealed: bool = False,
    learned: Tensor | None = None,
) -> tuple[dict[str, Any], Predicted]:
    """A trained seed's final numbers, from its parameters. Only here test labels are read.

    Args:
        problem: What it learned on, and where.
        network: Built for this problem and configuration.
        config: How it learned.
        levels: Theta and phi of one seed (S = 1).
        split: Whose validation and test nodes it is judged by.
        metric: What `val` and `test` measure.
        learned: Mask [N] of the validation nodes that phi or a baseline has learned from; they
            do not judge. None where all of them judge.
        sealed: Whether the test labels are left alone, so that `test` is None.

    Returns:
        Fields of its SeedResult by name, and what it predicts, on the CPU.
    """
    graph = problem.graph
    predicted = predict(problem, network, config, levels)
    log_p, q = predicted
    val, test = graph.val[split], graph.test[split]
    if learned is not None:
        val = val & ~learned
    verdict: dict[str, Any] = {
        "val_loss": -float(log_p[val, graph.y[val]].double().mean()),
        "val": _score(metric, log_p[val], graph.y[val]),
        "test": None if sealed else _score(metric, log_p[test], graph.y[test]),
        "hits": None if sealed else _hits(metric, log_p, graph.y, test),
    }
    if q is None:
        return verdict, predicted
    if learned is not None:
        verdict["phi_val"] = _score(metric, log_p[learned], graph.y[learned])
    profile = q.double().mean(dim=0)
    steps = torch.arange(network.steps, dtype=torch.float64, device=HOST)
    verdict["expected_step"] = float(profile @ steps)
    verdict["profile"] = tuple(profile.tolist())
    return verdict, predicted


def predict(problem: Problem, network: Network, config: TrialConfig, levels: Levels) -> Predicted:
    """What a trained seed predicts of every node; no label is read.

    Args:
        problem: The graph to predict, and where.
        network: Built for it and for the configuration.
        config: How the seed learned.
        levels: Its theta and phi (S = 1).

    Returns:
        Class and step probabilities of all nodes, on the CPU.
    """
    rows = all_rows(problem.graph, 1, problem.dtype).to(problem.device)
    with torch.no_grad():
        read = network.read(levels, rows.nodes, None)
        log_p = objective_of(config).log_predictions(read)[0].to(HOST)
        return Predicted(log_p, read.log_q[0].exp().to(HOST) if levels.phi else None)


def _hits(metric: Metric, log_p: Tensor, labels: Tensor, test: Tensor) -> "NodeHits":
    """What each test node contributes to the score."""
    from l2p_search.node_hits import NodeHits  # prediction does without numpy
    from l2p_search.training.contributions import contributions

    values = contributions(metric, log_p[test].double().numpy(), labels[test].numpy())
    return NodeHits(test.nonzero().squeeze(1).numpy(), values)


def _score(metric: Metric, log_p: Tensor, labels: Tensor) -> float:
    """The metric of some nodes' predictions [L, C], in percent."""
    everyone = log_p.new_ones(1, len(labels))
    return float(measured(metric, log_p.unsqueeze(0), labels.unsqueeze(0), everyone))
