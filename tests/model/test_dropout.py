import pytest
import torch

from l2p_search.data.demo import demo_graph
from l2p_search.model.dropout import drop, keep_scale
from l2p_search.model.problem import Problem
from l2p_search.training.seeds import Streams

_DEMO = Problem(demo_graph())


@pytest.mark.parametrize("rate", [0.2, 0.5, 0.6, 0.99])
def test_keeps_the_expectation_and_drops_at_its_rate(rate: float) -> None:
    noise = Streams(_DEMO, [3], "dropout").bytes(400_000)[0]
    dropped = drop(torch.ones(400_000), noise, rate) * keep_scale(rate)
    assert float((dropped == 0).double().mean()) == pytest.approx(rate, abs=0.005)
    assert float(dropped.double().mean()) == pytest.approx(1.0, abs=0.06)


def test_every_byte_is_dropped_or_kept_as_the_rate_says() -> None:
    noise = torch.arange(256, dtype=torch.uint8)
    kept = drop(torch.ones(256), noise, 0.25)
    assert torch.equal(kept, (torch.arange(256) >= 64).float())


def test_writes_into_a_given_tensor() -> None:
    out = torch.empty(256)
    drop(torch.full((256,), 2.0), torch.arange(256, dtype=torch.uint8), 0.5, out=out)
    assert out.sum() == 256.0


def test_at_any_rate_below_one_some_bytes_keep_their_entry() -> None:
    noise = torch.arange(256, dtype=torch.uint8)
    assert drop(torch.ones(256), noise, 0.9999).sum() == 1.0
    assert keep_scale(0.9999) == 256.0
