"""Which labels a training reads, and by which metric its seeds are judged."""

import dataclasses
from dataclasses import replace
from typing import Any

import pytest
import torch

from l2p_search.config import TrialConfig
from l2p_search.data.demo import demo_graph
from l2p_search.data.graph import Graph
from l2p_search.metrics import METRICS, Metric
from l2p_search.training import fit as fit_module
from l2p_search.training.fit import Progress, fit
from l2p_search.training.scoring import measured

_SHORT: dict[str, Any] = {"K": 6, "hidden": 16, "lr": 0.05, "epochs": 70, "patience": 5}


@pytest.fixture(scope="module")
def demo() -> Graph:
    return demo_graph()


def test_permuted_test_labels_change_only_the_test_accuracy(
    demo: Graph,
) -> None:
    """A seed's test labels reach nothing but the last of its numbers."""
    test = demo.test[0]
    y = demo.y.clone()
    y[test] = y[test].roll(1)
    permuted = fit(dataclasses.replace(demo, y=y), TrialConfig(**_SHORT), [0]).seeds[0]
    honest = fit(demo, TrialConfig(**_SHORT), [0]).seeds[0]
    assert permuted.test != honest.test
    assert dataclasses.replace(permuted, test=honest.test) == honest


def test_a_test_label_of_one_split_is_mostly_a_validation_label_of_another(demo: Graph) -> None:
    """So it has a say in a choice over all splits, though none in its own split's numbers."""
    test = demo.test[0]
    elsewhere = demo.val[1:].any(dim=0)
    assert (test & elsewhere).sum() / test.sum() > 0.9
    y = demo.y.clone()
    y[test] = y[test].roll(1)
    permuted, honest = (
        fit(graph, TrialConfig(**_SHORT), [1]).seeds[0]
        for graph in (dataclasses.replace(demo, y=y), demo)
    )
    assert permuted.val != honest.val


@pytest.fixture(scope="module")
def two_classes(demo: Graph) -> Graph:
    """A quarter of the nodes is of class 1."""
    return dataclasses.replace(demo, y=(demo.y == 0).long())


@pytest.mark.parametrize("metric", METRICS)
def test_seeds_are_judged_by_the_metric_and_learn_the_same(
    metric: Metric, two_classes: Graph
) -> None:
    config, told = TrialConfig(**{**_SHORT, "epochs": 12}), []
    by_accuracy = fit(two_classes, config, [3, 4])
    found = fit(two_classes, config, [3, 4], metric=metric, on_seed=told.append)
    assert found.metric == metric
    for own, other, predicted in zip(found.seeds, by_accuracy.seeds, told, strict=True):
        assert dataclasses.replace(own, val=other.val, test=other.test) == other
        for score, masks in ((own.val, two_classes.val), (own.test, two_classes.test)):
            nodes = masks[own.split]
            log_p, labels = predicted.log_p[nodes][None], two_classes.y[nodes][None]
            wanted = measured(metric, log_p, labels, torch.ones(1, int(nodes.sum())))
            assert score == float(wanted)


def test_permuted_test_labels_change_no_choice_by_another_metric(two_classes: Graph) -> None:
    test = two_classes.test[0]
    y = two_classes.y.clone()
    y[test] = y[test].roll(1)
    config = TrialConfig(**{**_SHORT, "stop_on": "val_accuracy"})
    permuted, honest = (
        fit(graph, config, [0], metric="roc_auc").seeds[0]
        for graph in (dataclasses.replace(two_classes, y=y), two_classes)
    )
    assert permuted.test != honest.test
    assert dataclasses.replace(permuted, test=honest.test) == honest


@pytest.mark.parametrize("metric", METRICS)
def test_stopping_on_the_metric_keeps_the_epoch_where_it_was_highest(
    metric: Metric, two_classes: Graph
) -> None:
    changes = {"stop_on": "val_accuracy", "epochs": 40, "patience": 40}
    told: list[Progress] = []
    found = fit(
        two_classes, TrialConfig(**_SHORT | changes), [1], metric=metric, on_epoch=told.append
    )
    assert found.curves is not None
    best = found.curves.epochs[found.curves.val.index(max(found.curves.val))]
    assert found.seeds[0].val == pytest.approx(max(found.curves.val))
    assert told[-1].metric == metric
    assert told[-1].best_val == pytest.approx(found.seeds[0].val)
    # Of equal ones, that of the smallest loss.
    assert found.seeds[0].best_epoch is not None
    assert found.seeds[0].best_epoch >= best


@pytest.mark.parametrize("keys", [{"K": 1}, {"model": "mlp"}, {"model": "gcn", "K": 2}], ids=str)
def test_balanced_classes_make_a_rare_one_be_found(keys: dict[str, Any]) -> None:
    """Of 200 nodes 20 are of class 1, and one feature differs by one standard deviation."""
    generator = torch.Generator().manual_seed(0)
    y = (torch.arange(200) % 10 == 0).long()
    graph = Graph.build(
        x=torch.randn(200, 1, generator=generator) + y[:, None],
        edges=torch.stack([torch.arange(190), torch.arange(10, 200)]),  # of the same class
        y=y,
        splits="2x40/30/30",
    )
    found = {
        weight: fit(
            graph,
            TrialConfig(hidden=8, epochs=60, dropout=0.0, class_weight=weight, **keys),
            range(2),
            metric="balanced_accuracy",
        ).val_mean
        for weight in ("none", "balanced")
    }
    assert found["none"] + 10.0 < found["balanced"]
    assert found["balanced"] > 60.0


def test_a_sealed_training_is_the_same_and_reads_no_test_label() -> None:
    graph = demo_graph()
    config = TrialConfig(K=2, hidden=8, epochs=4)
    wrong = graph.y.clone()
    wrong[graph.test[0]] = (wrong[graph.test[0]] + 1) % graph.num_classes
    seen, sealed, other = (
        fit(graph, config, [0]),
        fit(graph, config, [0], sealed=True),
        fit(replace(graph, y=wrong), config, [0], sealed=True),
    )
    assert seen.seeds[0].test is not None
    assert seen.seeds[0].hits is not None
    assert sealed.seeds[0].hits is None
    assert sealed.seeds == (replace(seen.seeds[0], test=None),)
    assert sealed.test_mean is None
    assert sealed.profiles is not None
    assert sealed.profiles.by_class == {}
    # Whatever the test labels are, all that a sealed training tells is the same.
    assert other.seeds == sealed.seeds
    assert other.profiles == sealed.profiles


def test_looking_at_a_node_computes_no_test_score(
    small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: list[tuple[Metric, bool]] = []
    judge = fit_module.judge

    def watched(*given: Any, **named: Any) -> Any:
        *_, metric = given
        judged.append((metric, named["sealed"]))
        return judge(*given, **named)

    monkeypatch.setattr(fit_module, "judge", watched)
    config = TrialConfig(K=2, hidden=4, epochs=3)
    q = fit_module.node_posterior(small_graph, config, [0, 1], 4, metric="macro_f1")
    assert judged == [("macro_f1", True)] * 2
    assert float(q.sum()) == pytest.approx(1.0)
