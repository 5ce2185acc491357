"""Every metric agrees with scikit-learn's, and says something where that one has no answer."""

import warnings
from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    balanced_accuracy_score,
    f1_score,
    roc_auc_score,
)
from torch import Tensor

from l2p_search.metrics import METRICS, Metric
from l2p_search.training import scoring
from l2p_search.training.scoring import measured, most_probable

Drawn = tuple[Tensor, Tensor]


@st.composite
def predictions(draw: st.DrawFn, least: int = 2, most: int = 4) -> Drawn:
    """Log-probabilities [L, C], many of them equal, and labels [L] that may miss classes."""
    rows, classes = draw(st.integers(1, 25)), draw(st.integers(least, most))
    # Few different scores, so that ties are common, within a row and between rows.
    drawn = draw(
        st.lists(
            st.lists(st.integers(-3, 3), min_size=classes, max_size=classes),
            min_size=rows,
            max_size=rows,
        )
    )
    labels = draw(st.lists(st.integers(0, classes - 1), min_size=rows, max_size=rows))
    return torch.tensor(drawn, dtype=torch.float64).log_softmax(dim=-1), torch.tensor(labels)


def _measured(metric: Metric, log_p: Tensor, labels: Tensor) -> float:
    weights = torch.full((1, len(labels)), 1.0 / len(labels))
    return float(measured(metric, log_p.unsqueeze(0), labels.unsqueeze(0), weights))


def _ranked(
    score: Callable[[np.ndarray, np.ndarray], float], log_p: Tensor, labels: Tensor
) -> list[float]:
    """A binary score of class 1 of two, or of each class of more that the rows have."""
    if log_p.shape[-1] == 2:
        return [score((labels == 1).numpy(), (log_p[:, 1] - log_p[:, 0]).numpy())]
    there = sorted(set(labels.tolist()))
    return [score((labels == c).numpy(), log_p[:, c].numpy()) for c in there]


@settings(max_examples=50, deadline=None)
@given(predictions())
def test_the_most_probable_class_is_the_first_of_the_highest(drawn: Drawn) -> None:
    log_p, _ = drawn
    found = most_probable(torch.stack([log_p, log_p.flip(-1)]))
    assert found.tolist() == [
        [row.index(max(row)) for row in seed.tolist()] for seed in (log_p, log_p.flip(-1))
    ]


@settings(max_examples=200, deadline=None)
@given(predictions())
def test_metrics_of_the_predicted_class_agree_with_scikit_learn(drawn: Drawn) -> None:
    log_p, labels = drawn
    found, true = most_probable(log_p.unsqueeze(0))[0].numpy(), labels.numpy()
    wanted = {"accuracy": accuracy_score(true, found)}
    wanted["macro_f1"] = f1_score(true, found, average="macro", zero_division=0.0)
    with warnings.catch_warnings():  # classes that are predicted and not there
        warnings.simplefilter("ignore", UserWarning)
        wanted["balanced_accuracy"] = balanced_accuracy_score(true, found)
    for metric in ("accuracy", "macro_f1", "balanced_accuracy"):
        assert _measured(metric, log_p, labels) == pytest.approx(100.0 * wanted[metric])


@settings(max_examples=200, deadline=None)
@given(predictions())
def test_roc_auc_agrees_with_scikit_learn_for_each_class_against_the_rest(drawn: Drawn) -> None:
    log_p, labels = drawn
    if len(set(labels.tolist())) == 1:
        assert _measured("roc_auc", log_p, labels) == 50.0
        return
    wanted = np.mean(_ranked(roc_auc_score, log_p, labels))
    assert _measured("roc_auc", log_p, labels) == pytest.approx(100.0 * wanted)


@settings(max_examples=200, deadline=None)
@given(predictions())
def test_average_precision_agrees_with_scikit_learn_for_each_class(drawn: Drawn) -> None:
    log_p, labels = drawn
    with warnings.catch_warnings():  # no row of class 1: scikit-learn says 0, with a warning
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        warnings.simplefilter("ignore", UserWarning)
        wanted = np.mean(_ranked(average_precision_score, log_p, labels))
    assert _measured("average_precision", log_p, labels) == pytest.approx(100.0 * wanted)


@settings(max_examples=50, deadline=None)
@given(predictions(least=3))
def test_several_classes_agree_with_scikit_learns_own_one_against_the_rest(drawn: Drawn) -> None:
    log_p, labels = drawn
    labels = torch.cat([labels, torch.arange(log_p.shape[1])])  # it wants every class to be there
    log_p = torch.cat([log_p, log_p[:1].expand(log_p.shape[1], -1)])
    p = log_p.exp()  # which ties what differs in log p's last digits
    wanted = roc_auc_score(labels.numpy(), p.numpy(), multi_class="ovr")
    assert _measured("roc_auc", p.log(), labels) == pytest.approx(100.0 * wanted)


@settings(max_examples=100, deadline=None)
@given(predictions(most=2), st.sampled_from(METRICS), st.integers(0, 5))
def test_a_seed_scores_the_same_beside_others_and_with_rows_of_weight_zero(
    drawn: Drawn, metric: Metric, padding: int
) -> None:
    log_p, labels = drawn
    rows = len(labels) + padding
    wide_p = torch.zeros(3, rows, 2, dtype=torch.float64)  # padding is ranked first of all
    wide_p[1, : len(labels)] = log_p
    wide_labels, weights = torch.ones(3, rows, dtype=torch.int64), torch.full((3, rows), 0.5)
    wide_labels[1, : len(labels)] = labels
    weights[1] = 0.0
    weights[1, : len(labels)] = 1.0 / len(labels)
    found = measured(metric, wide_p, wide_labels, weights)
    assert float(found[1]) == pytest.approx(_measured(metric, log_p, labels), rel=1e-12)


@pytest.mark.parametrize("metric", METRICS)
def test_large_predictions_are_measured_seed_by_seed(
    metric: Metric, monkeypatch: pytest.MonkeyPatch
) -> None:
    log_p = torch.randn(3, 9, 4, generator=torch.Generator().manual_seed(0)).log_softmax(dim=-1)
    labels, weights = torch.arange(27).view(3, 9) % 4, torch.full((3, 9), 1 / 9)
    measure, seeds = scoring._MEASURES[metric], []

    def watched(log_p: torch.Tensor, *given: torch.Tensor) -> torch.Tensor:
        seeds.append(len(log_p))
        return measure(log_p, *given)

    monkeypatch.setitem(scoring._MEASURES, metric, watched)
    together = measured(metric, log_p, labels, weights)
    assert seeds == [3]
    monkeypatch.setattr(scoring, "_MOST_AT_ONCE", 35)  # less than one seed has
    torch.testing.assert_close(measured(metric, log_p, labels, weights), together)
    assert seeds == [3, 1, 1, 1]
    assert measured(metric, log_p[:2], labels[:2], weights[:2]).tolist() == together[:2].tolist()
    assert seeds[4:] == [1, 1]


def test_a_seed_whose_rows_cannot_be_ranked_is_at_chance_beside_one_whose_can() -> None:
    log_p = torch.tensor([[0.9, 0.1], [0.2, 0.8]]).log().expand(2, 2, 2)
    labels, weights = torch.tensor([[0, 1], [1, 1]]), torch.full((2, 2), 0.5)
    assert measured("roc_auc", log_p, labels, weights).tolist() == [100.0, 50.0]


def test_apples_gpus_have_no_float64() -> None:
    assert [scoring._has_float64(torch.device(name)) for name in ("cpu", "mps")] == [True, False]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("label", [0, 1])
def test_rows_of_one_class_give_a_number(metric: Metric, classes: int, label: int) -> None:
    log_p = torch.tensor([[0.5, 0.3, 0.1], [0.2, 0.1, 0.6]])[:, :classes].log_softmax(dim=-1)
    found = _measured(metric, log_p, torch.tensor([label, label]))
    assert 0.0 <= found <= 100.0
    if metric == "roc_auc":
        assert found == 50.0
    if metric == "average_precision":
        assert found == (0.0 if (classes, label) == (2, 0) else 100.0)


def test_a_ranking_of_two_classes_is_that_of_class_one() -> None:
    """Average precision differs by which of two classes is looked for; here 1, the rarer one."""
    log_p = torch.tensor([[0.9, 0.1], [0.6, 0.4], [0.7, 0.3], [0.5, 0.5]]).log()
    labels = torch.tensor([0, 1, 0, 0])
    assert _measured("average_precision", log_p, labels) == 50.0  # the second of the ranking
    assert _measured("roc_auc", log_p, labels) == pytest.approx(200 / 3)


def test_predictions_that_are_all_equal_rank_as_chance_does() -> None:
    log_p = torch.full((10, 2), 0.5).log()
    labels = torch.tensor([1, 1, 1, 0, 0, 0, 0, 0, 0, 0])
    assert _measured("roc_auc", log_p, labels) == 50.0
    assert _measured("average_precision", log_p, labels) == pytest.approx(30.0)


def test_certain_predictions_keep_their_order() -> None:
    """Probabilities near 1 are equal in float32, and so are their logarithms."""
    logits = torch.tensor([[0.0, 18.0], [0.0, 20.0], [0.0, -5.0]])
    log_p, labels = logits.log_softmax(dim=-1), torch.tensor([0, 1, 0])
    assert log_p[0, 1] == log_p[1, 1]
    assert _measured("roc_auc", log_p, labels) == 100.0


@pytest.mark.parametrize(("first", "area"), [(0.9, 100.0), (0.2, 0.0)])
def test_one_node_of_either_class_is_enough_to_be_ranked(first: float, area: float) -> None:
    log_p = torch.tensor([[[first, 1.0 - first], [0.5, 0.5]]], dtype=torch.float64).log()
    found = measured("roc_auc", log_p, torch.tensor([[0, 1]]), torch.full((1, 2), 0.5))
    assert found.tolist() == [area]
