"""What an exported program prints is what the engine measures."""

import statistics
from typing import Any

import pytest
import sklearn.metrics
import torch
from torch.nn import functional

from l2p_search.metrics import Metric
from l2p_search.report.program_metrics import _SCORES
from l2p_search.training.scoring import measured


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("metric", list(_SCORES))
def test_a_programs_score_is_the_engines(metric: Metric, classes: int) -> None:
    generator = torch.Generator().manual_seed(classes)
    logits = torch.randn(40, classes, dtype=torch.float64, generator=generator)
    y = torch.arange(40) % classes
    names: dict[str, Any] = {"F": functional, "statistics": statistics, **vars(sklearn.metrics)}
    exec(_SCORES[metric], names)
    weights = torch.full((1, 40), 1 / 40, dtype=torch.float64)
    ours = measured(metric, functional.log_softmax(logits, dim=1)[None], y[None], weights)
    assert float(ours[0]) in (
        pytest.approx(100 * names["score"](y, logits)),
        pytest.approx(names["score"](y, logits)),
    )
