import dataclasses
import time
from typing import Any

import pytest
import torch

from l2p_search.config import TrialConfig
from l2p_search.data.demo import demo_graph, demo_regions
from l2p_search.data.graph import Graph
from l2p_search.errors import DeviceError
from l2p_search.model.building import build_network
from l2p_search.model.network import Levels
from l2p_search.model.problem import Problem
from l2p_search.results import TrialResult
from l2p_search.training import fit as fit_module
from l2p_search.training.fit import Progress, fit
from l2p_search.training.judging import predict

_SHORT: dict[str, Any] = {"K": 6, "hidden": 16, "lr": 0.05, "epochs": 70, "patience": 5}


@pytest.fixture(scope="module")
def demo() -> Graph:
    return demo_graph()


@pytest.fixture(scope="module")
def twenty(demo: Graph) -> TrialResult:
    return fit(demo, TrialConfig(**_SHORT), range(20))


def _numbers(result: TrialResult) -> dict[str, Any]:
    return {**result.to_mapping(), "seconds": None, "cpu_seconds": None}


def test_the_time_of_the_cpu_is_measured_beside_the_clock(twenty: TrialResult) -> None:
    assert twenty.cpu_seconds is not None
    assert twenty.cpu_seconds > 0.0


def test_a_seed_learns_the_same_alone_and_in_a_batch(demo: Graph, twenty: TrialResult) -> None:
    for seed in (0, 7, 19):
        alone = fit(demo, TrialConfig(**_SHORT), [seed]).seeds[0]
        together = twenty.seeds[seed]
        assert alone.best_epoch == together.best_epoch
        assert alone.epochs == together.epochs
        assert alone.val == together.val
        assert alone.test == together.test
        assert alone.val_loss == pytest.approx(together.val_loss, rel=1e-4)
        assert alone.profile == pytest.approx(together.profile, abs=1e-4)


def test_chunks_for_memory_change_nothing_but_float_order(
    demo: Graph, twenty: TrialResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fit_module, "seeds_at_once", lambda network, memory: 6)
    chunked = fit(demo, TrialConfig(**_SHORT), range(20))
    for one, other in zip(chunked.seeds, twenty.seeds, strict=True):
        assert (one.seed, one.best_epoch, one.val) == (
            other.seed, other.best_epoch, other.val,
        )  # fmt: skip
        assert one.val_loss == pytest.approx(other.val_loss, rel=1e-4)


def test_two_runs_are_bit_equal(demo: Graph, twenty: TrialResult) -> None:
    assert _numbers(fit(demo, TrialConfig(**_SHORT), range(20))) == _numbers(twenty)


def test_seeds_stop_alone_and_keep_their_best_epoch(twenty: TrialResult) -> None:
    assert len({seed.epochs for seed in twenty.seeds}) > 1
    for seed in twenty.seeds:
        assert seed.best_epoch is not None
        assert seed.epochs == min(seed.best_epoch + 5, 70)


def test_the_state_that_is_judged_is_that_of_the_best_epoch(demo: Graph) -> None:
    """Cut off right after the best epoch, the training ends in the very same state."""
    long = fit(demo, TrialConfig(**_SHORT), [3]).seeds[0]
    assert long.best_epoch is not None
    assert long.best_epoch < long.epochs
    cut = fit(demo, TrialConfig(**{**_SHORT, "epochs": long.best_epoch}), [3]).seeds[0]
    assert dataclasses.replace(cut, epochs=long.epochs) == long


def test_a_training_that_diverges_is_a_failed_seed_with_its_epoch(
    demo: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Poisoned(fit_module.BiLevel):
        steps = 0

        def lower_step(self) -> torch.Tensor:
            loss = super().lower_step()
            self.steps += 1
            if self.steps == 4:
                with torch.no_grad():
                    self.levels.theta["W_1"][1] = torch.nan
            return loss

    monkeypatch.setattr(fit_module, "BiLevel", Poisoned)
    result = fit(demo, TrialConfig(**_SHORT), range(3))
    assert result.reason is not None
    assert [seed.failed for seed in result.seeds] == [False, True, False]
    assert result.seeds[1].reason == "diverged at epoch 4; try a smaller lr"
    assert result.val_mean is not None
    assert result.to_mapping()["seeds"][1]["val_accuracy"] is None
    assert result.weights is not None
    assert result.weights.seeds == (0, 2)


def test_a_huge_learning_rate_never_gives_a_number_that_is_not_finite(demo: Graph) -> None:
    config = TrialConfig(**{**_SHORT, "lr": 10.0, "upper_lr": 10.0})
    for seed in fit(demo, config, range(3)).seeds:
        assert seed.failed or 0.0 <= (seed.val or 0.0) <= 100.0


@pytest.mark.parametrize(
    "variant",
    [
        {"algorithm": "em"},
        {"level": "second_order"},
        {"level": "joint"},
        {"posterior": "select", "scorer": "per_step"},
        {"stop_on": "val_accuracy", "decay_on": "theta", "prior": "geometric"},
        {"dropout": 0.0, "kl_weight": 0.0},
        {"consistency": 1.0},
        {"consistency": 1.0, "level": "second_order", "sharpening": 1.0},
        {"consistency": 1.0, "backbone": "gcn", "K": 2},
        {"K": 64, "epochs": 3},
    ],
    ids=str,
)
def test_every_variant_learns(demo: Graph, variant: dict[str, Any]) -> None:
    result = fit(demo, TrialConfig(**{**_SHORT, **variant}), range(4))
    assert result.reason is None
    assert result.profile is not None
    assert sum(result.profile) == pytest.approx(1.0, abs=1e-5)
    chance = 100.0 / demo.num_classes
    assert result.val_mean is not None
    if "epochs" not in variant:
        assert result.val_mean > 1.5 * chance


def test_a_training_that_does_not_stop_early_has_the_epochs_that_were_asked_for(
    small_graph: Graph,
) -> None:
    told: list[Progress] = []
    config = TrialConfig(K=2, hidden=4, epochs=3, patience=9)
    result = fit(small_graph, config, range(2), on_epoch=told.append)
    assert [each.epoch for each in told] == [1, 2, 3]
    assert [seed.epochs for seed in result.seeds] == [3, 3]


def test_progress_is_told_after_every_epoch(demo: Graph) -> None:
    told: list[Progress] = []
    result = fit(demo, TrialConfig(**_SHORT), range(3), on_epoch=told.append)
    assert [progress.epoch for progress in told] == list(range(1, len(told) + 1))
    assert told[-1].training == 0 or told[-1].epoch == 70
    assert all(progress.training + progress.finished == 3 for progress in told)
    assert told[-1].best_val == pytest.approx(result.val_mean, abs=1e-3)


def test_the_two_regions_of_demo_learn_profiles_in_the_right_direction(demo: Graph) -> None:
    """Homophilous nodes, whose words say little, must propagate further than the others."""
    config = TrialConfig(K=6, hidden=32, epochs=300, patience=60, kl_weight=0.02)
    regions = demo_regions()
    steps: list[torch.Tensor] = []

    def keep(predicted: fit_module.Predicted) -> None:
        assert predicted.q is not None
        steps.append(predicted.q @ torch.arange(7.0))

    fit(demo, config, range(10), on_seed=keep)
    further = sum(bool(own[regions == 0].mean() > own[regions == 1].mean() + 0.2) for own in steps)
    assert len(steps) == 10
    assert further >= 9


def test_what_a_seed_predicts_is_what_it_is_judged_by(demo: Graph) -> None:
    told: list[fit_module.Predicted] = []
    for config in (TrialConfig(**_SHORT), TrialConfig(**_SHORT, model="appnp")):
        result = fit(demo, config, [3, 4], on_seed=told.append)
        for seed in result.seeds:
            predicted = told.pop(0)
            val = demo.val[seed.split]
            hits = predicted.log_p[val].argmax(dim=1) == demo.y[val]
            assert 100.0 * float(hits.double().mean()) == pytest.approx(seed.val)
            assert (predicted.q is None) == (config.model == "appnp")


def test_the_posterior_of_a_node_is_the_mean_over_seeds(demo: Graph) -> None:
    told: list[fit_module.Predicted] = []
    fit(demo, TrialConfig(**_SHORT), range(3), on_seed=told.append)
    own = [predicted.q[17].tolist() for predicted in told if predicted.q is not None]
    mean = [sum(values) / 3 for values in zip(*own, strict=True)]
    found = fit_module.node_posterior(demo, TrialConfig(**_SHORT), range(3), 17)
    assert found.tolist() == pytest.approx(mean, abs=1e-6)


def test_the_posterior_of_a_node_is_learned_without_reading_a_test_label(
    small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, Any]] = []

    def watched(*given: Any, **options: Any) -> TrialResult:
        asked.append(options)
        return fit(*given, **options)

    monkeypatch.setattr(fit_module, "fit", watched)
    fit_module.node_posterior(small_graph, TrialConfig(K=2, hidden=4, epochs=1), [0], 3)
    assert [options["sealed"] for options in asked] == [True]


@pytest.mark.parametrize(
    "changes",
    [
        {"model": "mlp"},
        {"model": "dagnn"},
        {"model": "gcn", "edge_dropout": 0.3},
        {"model": "jknet"},
        {"model": "gat", "heads": 2},
        {"model": "gcnii"},
        {"backbone": "gcn"},
        {"backbone": "gat", "heads": 2, "level": "second_order"},
        {"backbone": "gcnii", "algorithm": "em"},
    ],
    ids=str,
)
def test_every_model_learns_the_same_alone_and_in_a_batch(
    changes: dict[str, Any], demo: Graph
) -> None:
    base = {"K": 3, "hidden": 8, "epochs": 12, "dropout": 0.3, "lr": 0.05}
    config = TrialConfig.recorded({**base, **changes})
    batch = fit(demo, config, [1, 4, 7], dtype=torch.float64)
    alone = fit(demo, config, [4], dtype=torch.float64)
    assert batch.reason is None
    one, other = batch.seeds[1], alone.seeds[0]
    assert one.val_loss == pytest.approx(other.val_loss, rel=1e-9)
    assert (one.test, one.best_epoch) == (other.test, other.best_epoch)
    assert (batch.profile is None) == (config.model != "l2p")
    assert TrialResult.from_mapping(batch.to_mapping()).to_mapping() == batch.to_mapping()
    assert batch.curves is not None
    assert batch.curves.train_loss[-1] < batch.curves.train_loss[0]


@pytest.mark.parametrize("where", ["lower_step", "evaluate", "judge"])
def test_out_of_memory_means_fewer_seeds_at_once_and_the_same_results(
    demo: Graph,
    where: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    config = TrialConfig(K=2, hidden=8, epochs=4)
    wanted = fit(demo, config, range(5))
    calls, owner = 0, fit_module if where == "judge" else fit_module.BiLevel
    original = getattr(owner, where)

    def sometimes(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        return original(*args, **kwargs)

    monkeypatch.setattr(owner, where, sometimes)
    predicted: list[Any] = []
    found = fit(demo, config, range(5), on_seed=predicted.append)
    assert caplog.messages == ["out of memory with 5 seeds at once; trying again with 2 at once"]
    assert len(predicted) == 5
    for one, other in zip(found.seeds, wanted.seeds, strict=True):
        assert (one.seed, one.best_epoch, one.val, one.test) == (
            other.seed, other.best_epoch, other.val, other.test,
        )  # fmt: skip
        assert one.val_loss == pytest.approx(other.val_loss, rel=1e-4)


def test_a_device_that_is_not_here_is_refused(demo: Graph) -> None:
    with pytest.raises(DeviceError, match="device='cuda:77': torch"):
        fit(demo, TrialConfig(), [0], device="cuda:77")
    with pytest.raises(DeviceError, match="device='cuda:77': torch"):
        fit_module.node_posterior(demo, TrialConfig(), [0], 17, device="cuda:77")


def test_a_training_without_seeds_is_refused(demo: Graph) -> None:
    with pytest.raises(ValueError, match="no seeds to train"):
        fit(demo, TrialConfig(), [])


@pytest.mark.parametrize("changes", [{}, {"model": "gcn", "K": 2}], ids=str)
def test_the_weights_of_a_seed_are_those_that_it_was_judged_by(
    changes: dict[str, Any], demo: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fit_module, "seeds_at_once", lambda network, memory_gb: 2)
    config, told = TrialConfig(**{**_SHORT, **changes}), []
    found = fit(demo, config, [4, 0, 9], on_seed=told.append)
    problem = Problem(demo)
    weights, network = found.weights, build_network(problem, config)
    assert weights is not None
    assert weights.seeds == (4, 0, 9)
    for place, judged in enumerate(told):
        levels = Levels(weights.theta, weights.phi).of_seeds(torch.tensor([place]))
        again = predict(problem, network, config, levels)
        assert torch.equal(again.log_p, judged.log_p)


def test_weights_are_in_no_json(demo: Graph) -> None:
    trained = fit(demo, TrialConfig(**{**_SHORT, "epochs": 3}), [0])
    assert "weights" not in trained.to_mapping()
    assert "weights" not in trained.to_record()
    again = TrialResult.from_mapping(trained.to_mapping())
    assert again.weights is None


def test_a_result_says_how_long_its_training_took(small_graph: Graph) -> None:
    began, worked = time.perf_counter(), time.process_time()
    result = fit(small_graph, TrialConfig(K=2, hidden=4, epochs=3), [0, 1])
    assert 0.0 < result.seconds <= time.perf_counter() - began
    assert result.cpu_seconds is not None
    assert 0.0 < result.cpu_seconds <= time.process_time() - worked
