"""What an exported program measures is what the engine measures."""

from typing import get_args

import pytest
import torch

from l2p_search.metrics import METRICS, Metric
from l2p_search.report.plain_scores import SCORES
from l2p_search.training.scoring import measured


def test_there_is_a_score_for_every_metric() -> None:
    assert set(SCORES) == set(get_args(Metric))


@pytest.mark.parametrize("classes", [2, 3, 4])
@pytest.mark.parametrize("metric", METRICS)
def test_a_score_is_the_engines(metric: Metric, classes: int) -> None:
    generator = torch.Generator().manual_seed(classes)
    for rows, labels in ((40, classes), (7, 2), (5, 1), (1, classes)):
        # Halves make equal scores frequent; classes that no node has are among the scores.
        scores = torch.randn(rows, classes, generator=generator).mul(2).round().double() / 2
        y = torch.arange(rows) % labels
        log_p = scores.log_softmax(dim=1)[None]
        wanted = measured(metric, log_p, y[None], torch.ones(1, rows))
        assert 100 * SCORES[metric](y, scores) == pytest.approx(float(wanted))
    only_first = torch.zeros(4, dtype=torch.int64)
    log_p = torch.randn(4, classes, generator=generator).double().log_softmax(dim=1)
    wanted = measured(metric, log_p[None], only_first[None], torch.ones(1, 4))
    assert 100 * SCORES[metric](only_first, log_p) == pytest.approx(float(wanted))
