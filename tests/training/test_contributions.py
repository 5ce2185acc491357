import numpy as np
import pytest
import torch
from sklearn import metrics as sk

from l2p_search.metrics import METRICS, Metric
from l2p_search.training.contributions import contributions
from l2p_search.training.scoring import measured


def _predicted(
    classes: int, nodes: int = 60, seed: int = 0, digits: int = 8
) -> tuple["np.typing.NDArray[np.float64]", "np.typing.NDArray[np.int64]"]:
    generator = np.random.default_rng(seed)
    labels = generator.choice(
        classes, nodes, p=np.arange(1, classes + 1) / (classes**2 + classes) * 2
    )
    scores = generator.normal(0, 1, (nodes, classes)) + 1.2 * np.eye(classes)[labels]
    log_p = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return np.round(log_p, digits), labels


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("classes", "digits"), [(2, 8), (2, 1), (4, 8), (4, 1)])
def test_their_mean_is_the_score(metric: Metric, classes: int, digits: int) -> None:
    log_p, labels = _predicted(classes, digits=digits)
    score = measured(
        metric, torch.tensor(log_p)[None], torch.tensor(labels)[None], torch.ones(1, len(labels))
    )
    assert contributions(metric, log_p, labels).mean() == pytest.approx(float(score), abs=1e-9)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("counts", [(5, 0, 9, 7), (0, 6, 8, 4), (1, 9, 1, 8), (6, 8, 4, 0)])
@pytest.mark.parametrize("predicted", [True, False])
def test_classes_with_one_node_or_none_change_nothing_of_that(
    metric: Metric, counts: tuple[int, ...], predicted: bool
) -> None:
    labels = np.repeat(np.arange(len(counts)), counts)
    log_p = np.random.default_rng(3).normal(0, 1, (len(labels), 4)) + np.eye(4)[labels]
    if not predicted:  # a class without a node is predicted for none, either
        log_p[:, np.array(counts) == 0] -= 100.0
    weights = torch.ones(1, len(labels))
    score = measured(metric, torch.tensor(log_p)[None], torch.tensor(labels)[None], weights)
    assert contributions(metric, log_p, labels).mean() == pytest.approx(float(score), abs=1e-9)


@pytest.mark.parametrize("metric", METRICS)
def test_nodes_may_be_fewer_than_classes(metric: Metric) -> None:
    log_p, labels = np.log(0.6 * np.eye(4)[[3, 1]] + 0.1), np.array([0, 1])
    score = measured(
        metric, torch.tensor(log_p)[None], torch.tensor(labels)[None], torch.ones(1, 2)
    )
    assert contributions(metric, log_p, labels).mean() == pytest.approx(float(score), abs=1e-9)


@pytest.mark.parametrize("metric", METRICS)
def test_where_every_node_is_right_each_contributes_all(metric: Metric) -> None:
    labels = np.array([0, 0, 0, 1, 2, 2])
    log_p = np.log(0.8 * np.eye(3)[labels] + 0.1)
    assert contributions(metric, log_p, labels) == pytest.approx(np.full(6, 100.0))


def _weighted(
    metric: Metric,
    log_p: "np.typing.NDArray[np.float64]",
    labels: "np.typing.NDArray[np.int64]",
    weights: "np.typing.NDArray[np.float64]",
) -> float:
    """The metric by scikit-learn, with weights of the nodes."""
    found, classes = log_p.argmax(axis=1), log_p.shape[1]
    if metric == "accuracy":
        return float(sk.accuracy_score(labels, found, sample_weight=weights))
    if metric == "balanced_accuracy":
        return float(sk.balanced_accuracy_score(labels, found, sample_weight=weights))
    if metric == "macro_f1":
        return float(sk.f1_score(labels, found, average="macro", sample_weight=weights))
    score = sk.roc_auc_score if metric == "roc_auc" else sk.average_precision_score
    if classes == 2:
        return float(score(labels, log_p[:, 1] - log_p[:, 0], sample_weight=weights))
    return float(
        np.mean([score(labels == c, log_p[:, c], sample_weight=weights) for c in range(classes)])
    )


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("classes", "digits"), [(2, 8), (2, 1), (4, 8)])
def test_they_are_the_change_of_the_score_with_the_weight_of_a_node(
    metric: Metric, classes: int, digits: int
) -> None:
    log_p, labels = _predicted(classes, seed=1, digits=digits)
    nodes, step = len(labels), 1e-5
    found = contributions(metric, log_p, labels) / 100
    for node in range(0, nodes, 7):
        shift = step * np.eye(nodes)[node]
        up, down = (_weighted(metric, log_p, labels, 1.0 + sign * shift) for sign in (1, -1))
        slope = nodes * (up - down) / (2 * step)
        assert found[node] - found.mean() == pytest.approx(slope, abs=1e-5)


@pytest.mark.parametrize("metric", ["roc_auc", "average_precision", "macro_f1"])
def test_their_spread_is_that_of_a_bootstrap_over_nodes(metric: Metric) -> None:
    log_p, labels = _predicted(2, nodes=300, seed=2)
    generator = np.random.default_rng(0)
    drawn = [
        _weighted(metric, log_p, labels, generator.multinomial(300, np.full(300, 1 / 300)))
        for _ in range(300)
    ]
    spread = (contributions(metric, log_p, labels) / 100).std() / np.sqrt(300)
    assert spread == pytest.approx(np.std(drawn), rel=0.15)


def test_nodes_of_one_class_cannot_be_ranked_and_contribute_alike() -> None:
    log_p, _ = _predicted(2, nodes=5)
    zeros = np.zeros(5, dtype=np.int64)
    assert contributions("roc_auc", log_p, zeros).tolist() == [50.0] * 5
    assert contributions("average_precision", log_p, zeros).tolist() == [0.0] * 5
    assert contributions("average_precision", log_p, zeros + 1).tolist() == [100.0] * 5
