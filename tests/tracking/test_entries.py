import math

import pytest

from l2p_search.config import TrialConfig
from l2p_search.learned import Curves
from l2p_search.results import SeedResult, TrialResult, TrialStatus
from l2p_search.tracking.entries import TrialEntry, profile_entropy, profile_stability


def _result(*profiles: tuple[float, ...]) -> TrialResult:
    seeds = tuple(
        SeedResult(
            seed=seed,
            split=0,
            epochs=5,
            val=80.123456,
            test=70.0,
            expected_step=0.5,
            profile=profile,
        )
        for seed, profile in enumerate(profiles)
    )
    return TrialResult(
        config=TrialConfig(K=1),
        dataset="demo",
        data_digest="d",
        seeds=seeds,
        seconds=1.23456,
        curves=Curves((1, 2), (1.0, 0.5), (1.0, 0.75), (40.0, 60.0)),
    )


def _entry(**changes: object) -> TrialEntry:
    values: dict[str, object] = {
        "uid": "u/3",
        "number": 3,
        "status": TrialStatus.COMPLETE,
        "config": TrialConfig(K=1),
        "result": _result((0.2, 0.8), (0.4, 0.6)),
    }
    return TrialEntry(**{**values, **changes})  # type: ignore[arg-type]


def test_the_entropy_of_one_step_is_zero_and_of_all_alike_the_largest() -> None:
    assert str(profile_entropy((1.0, 0.0))) == "0.0"  # not -0.0
    assert profile_entropy((0.25,) * 4) == pytest.approx(math.log(4))


def test_stability_is_one_for_equal_profiles_and_minus_one_for_opposite_ones() -> None:
    assert profile_stability(_result((0.2, 0.8), (0.2, 0.8))) == pytest.approx(1.0)
    assert profile_stability(_result((0.2, 0.8), (0.8, 0.2))) == pytest.approx(-1.0)
    assert profile_stability(_result((0.2, 0.8))) is None
    assert profile_stability(_result((0.5, 0.5), (0.2, 0.8))) is None


def test_metrics_are_numbers_seeds_curves_and_the_profile() -> None:
    metrics = {(name, step): value for name, value, step in _entry().metrics()}
    assert metrics["val_accuracy_mean", 0] == 80.12
    assert metrics["seeds", 0] == 2.0
    assert metrics["seed/test_accuracy", 1] == 70.0
    assert metrics["curve/val_loss", 2] == 0.75
    assert metrics["profile/q", 1] == 0.7


def test_parameters_have_the_papers_names() -> None:
    assert _entry().params()["weight_decay"] == "0.0005"
    assert _entry().name == "trial 003"


def test_a_trial_that_did_not_complete_can_be_found_by_why() -> None:
    entry = _entry(status=TrialStatus.RACED_OUT, reason="worse than trial 1")
    assert entry.tags()["status"] == "raced_out"
    assert entry.tags()["reason"] == "worse than trial 1"
    failed = _entry(status=TrialStatus.FAILED, result=None, reason="boom")
    assert failed.metrics() == [("trial", 3.0, 0)]
