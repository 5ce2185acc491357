import doctest
from typing import Any

import pytest
import torch

from l2p_search.data.graph import Graph
from l2p_search.nn import two_levels
from tests.nn.side_by_side import (
    APPNP,
    LAYERED,
    LEARNING,
    SEEDS,
    Noise,
    config_of,
    dropping,
    engine_of,
    judged_of,
    learner_of,
)


@pytest.mark.parametrize("variant", [*APPNP, *LAYERED, *LEARNING], ids=str)
def test_the_engine_learns_step_by_step_what_the_module_learns(
    small_graph: Graph, variant: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    config = config_of(variant)
    # How Adam responds is a difference of two numbers that grow where gradients are near zero.
    rtol = 1e-4 if config.level == "unrolled" else 1e-6
    engine = engine_of(small_graph, config)
    noise = Noise(small_graph, config)
    plain = [learner_of(small_graph, config, engine.levels, place) for place in range(len(SEEDS))]
    for _ in range(4):
        train_loss = engine.lower_step()
        read, scores = engine.evaluate()
        engine.upper_step(read)
        bytes_, lower = noise.bytes(), noise.gumbel("lower")
        upper = None if config.level == "joint" else noise.gumbel("upper")
        for place, one in enumerate(plain):
            with dropping(bytes_[place], small_graph, config, monkeypatch):
                loss = one.lower_step(lower[place, : int(one.train.sum())])
                judged = judged_of(small_graph, config, place)
                evaluated = one.evaluate()
                one.upper_step(None if upper is None else upper[place, : int(one.val.sum())])
            val_loss = one.loss_at(judged, evaluated)
            hits = (evaluated[judged].argmax(dim=1) == one.y[judged]).double().mean()
            found = (train_loss[place], scores.loss[place], scores.metric[place] / 100.0)
            assert [float(value) for value in found] == pytest.approx(
                [float(loss), float(val_loss), float(hits)], rel=1e-7
            )
            for level in ("theta", "phi"):
                for name, value in getattr(one.model, level).items():
                    torch.testing.assert_close(
                        getattr(engine.levels, level)[name][place].detach(),
                        value.detach(),
                        rtol=rtol,
                        atol=rtol / 100,
                        msg=lambda text, name=name: f"{name}: {text}",
                    )


def test_its_example_runs() -> None:
    assert doctest.testmod(two_levels).failed == 0
