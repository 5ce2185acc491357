import math
from types import SimpleNamespace

import pytest
import torch

from l2p_search.data.demo import demo_graph
from l2p_search.model.problem import Problem
from l2p_search.training import seeds
from l2p_search.training.seeds import Streams

_DEMO = Problem(demo_graph())


def test_a_seeds_noise_does_not_depend_on_its_company() -> None:
    alone = Streams(_DEMO, [5], "lower")
    batch = Streams(_DEMO, [1, 5, 9], "lower")
    for _ in range(2):
        assert torch.equal(alone.gumbel(7, 3)[0], batch.gumbel(7, 3)[1])
    assert torch.equal(alone.bytes(13)[0], batch.bytes(13)[1])


def test_seeds_that_leave_do_not_disturb_the_others() -> None:
    streams, undisturbed = (Streams(_DEMO, [1, 5, 9], "dropout") for _ in range(2))
    streams.bytes(8), undisturbed.bytes(8)
    streams.keep(torch.tensor([0, 2]))
    assert torch.equal(streams.bytes(8), undisturbed.bytes(8)[[0, 2]])


def test_purposes_and_seeds_have_streams_of_their_own() -> None:
    drawn = {
        tuple(Streams(_DEMO, [seed], purpose).bytes(16)[0].tolist())
        for seed in range(20)
        for purpose in ("initial", "dropout", "lower", "upper", "free")
    }
    assert len(drawn) == 100


@pytest.mark.parametrize(
    ("device", "drawn_on"), [("cpu", "cpu"), ("cuda:1", "cuda:1"), ("mps", "cpu")]
)
def test_noise_is_drawn_on_a_cuda_device_and_elsewhere_on_the_cpu(
    device: str, drawn_on: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[torch.device] = []
    monkeypatch.setattr(seeds, "generator_of", lambda seed, purpose, on: asked.append(on))
    problem = SimpleNamespace(device=torch.device(device))
    Streams(problem, [1, 5], "lower")  # type: ignore[arg-type]
    assert asked == [torch.device(drawn_on)] * 2


def test_places_are_within_bounds_and_a_seeds_own() -> None:
    batch = Streams(_DEMO, [1, 5], "free").places(1000, 7)
    assert set(batch.view(-1).tolist()) == set(range(7))
    assert torch.equal(Streams(_DEMO, [5], "free").places(1000, 7)[0], batch[1])


def test_bytes_are_uniform() -> None:
    drawn = Streams(_DEMO, [0], "dropout").bytes(256_000)[0]
    counts = drawn.long().bincount(minlength=256).double()
    chi_square = float(((counts - 1000) ** 2 / 1000).sum())
    assert 255 - 5 * math.sqrt(510) < chi_square < 255 + 5 * math.sqrt(510)


def test_bytes_that_are_drawn_in_two_halves_are_those_of_the_whole() -> None:
    """Eight at a time, and none that is thrown away."""
    halves, whole = (Streams(_DEMO, [1, 5], "dropout") for _ in range(2))
    drawn = torch.cat([halves.bytes(16), halves.bytes(8)], dim=1)
    assert torch.equal(drawn, whole.bytes(24))


@pytest.mark.parametrize("drawn", [0.0, 1.0])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_gumbel_noise_is_finite_where_0_or_1_is_drawn(
    drawn: float, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The CPU draws from [0, 1), CUDA from (0, 1]."""
    monkeypatch.setattr(torch.Tensor, "uniform_", lambda self, generator: self.fill_(drawn))
    noise = Streams(Problem(demo_graph(), dtype=dtype), [0], "lower").gumbel(2, 3)
    assert noise.dtype == dtype
    assert torch.isfinite(noise).all()


def test_gumbel_noise_has_the_mean_and_deviation_of_its_distribution() -> None:
    noise = Streams(_DEMO, [0], "lower").gumbel(1000, 100)
    assert noise.shape == (1, 1000, 100)
    assert torch.isfinite(noise).all()
    assert float(noise.mean()) == pytest.approx(0.5772, abs=0.02)
    assert float(noise.std()) == pytest.approx(math.pi / math.sqrt(6), abs=0.02)
