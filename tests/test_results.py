import json
import statistics
from dataclasses import replace

import pytest

from l2p_search.config import TrialConfig
from l2p_search.intervals import interval_of_test, interval_of_validation
from l2p_search.learned import Curves
from l2p_search.results import SeedResult, TrialResult, mean_over_splits


def _seed(seed: int, val: float, profile: tuple[float, ...] = (0.25, 0.75)) -> SeedResult:
    return SeedResult(
        seed=seed, split=0, epochs=9, best_epoch=5, val_loss=0.5, val=val,
        test=val - 1, expected_step=0.75, profile=profile,
    )  # fmt: skip


def _trial(*seeds: SeedResult) -> TrialResult:
    return TrialResult(
        config=TrialConfig(K=1), dataset="demo", data_digest="d", seeds=seeds, seconds=1.0
    )


_FAILED = SeedResult(seed=7, split=0, epochs=3, reason="diverged at epoch 3")


def test_means_and_deviations_are_over_the_seeds() -> None:
    trial = _trial(_seed(0, 80.0, (0.2, 0.8)), _seed(1, 84.0, (0.4, 0.6)))
    assert trial.val_mean == 82.0
    assert trial.val_std == pytest.approx(8**0.5)
    assert trial.test_mean == 81.0
    assert trial.profile == pytest.approx((0.3, 0.7))
    assert trial.reason is None


def test_every_split_counts_once_in_a_mean_however_many_seeds_are_on_it() -> None:
    assert mean_over_splits([(0, 80.0), (1, 70.0), (0, 90.0)]) == 77.5
    even = [(seed % 3, 0.1 * seed) for seed in range(9)]
    assert mean_over_splits(even) == statistics.fmean(value for _, value in even)
    seeds = tuple(
        SeedResult(seed=seed, split=seed % 2, epochs=1, val=val, test=100.0 - val)
        for seed, val in enumerate([80.0, 70.0, 90.0])
    )
    found = TrialResult(
        config=TrialConfig(), dataset="d", data_digest="0", seeds=seeds, seconds=1.0
    )
    assert (found.val_mean, found.test_mean) == (77.5, 22.5)
    validation, test = interval_of_validation(found), interval_of_test(found)
    assert validation is not None
    assert test is not None
    assert (validation.mean, test.mean) == (found.val_mean, found.test_mean)


def test_a_failed_seed_enters_no_mean_and_fails_the_trial() -> None:
    trial = _trial(_seed(0, 80.0), _FAILED)
    assert trial.val_mean == 80.0
    assert trial.to_mapping()["status"] == "failed"
    assert trial.reason == "1 of 2 seeds failed; seed 7: diverged at epoch 3"


def test_a_trial_without_a_finished_seed_has_no_numbers() -> None:
    trial = _trial(_FAILED)
    assert trial.val_mean is None
    assert trial.profile is None


def test_a_value_that_is_not_finite_is_a_bug_not_a_number() -> None:
    with pytest.raises(ValueError, match="not finite"):
        _ = _trial(_seed(0, float("nan"))).val_mean


@pytest.mark.parametrize("score", [1e200, 101.0, -3.0, float("nan")])
def test_a_recorded_score_that_is_no_percentage_is_refused(score: float) -> None:
    mapping = _trial(_seed(0, 80.0)).to_mapping()
    mapping["seeds"][0]["test_accuracy"] = score
    with pytest.raises(ValueError, match="no percentage"):
        TrialResult.from_mapping(mapping)


def test_json_round_trips() -> None:
    trial = _trial(_seed(0, 80.0), _seed(1, 82.5), _FAILED)
    text = json.dumps(trial.to_mapping(), allow_nan=False)
    assert TrialResult.from_mapping(json.loads(text)) == trial


def test_a_record_says_what_was_measured_and_nothing_that_a_journal_has_elsewhere() -> None:
    trial = _trial(_seed(0, 80.0), _seed(1, 82.5))
    record = json.loads(json.dumps(trial.to_record()))
    assert set(record) == {"seconds", "cpu_seconds", "seeds", "curves", "profiles"}
    assert TrialResult.from_record(record, trial.config, "demo", "d") == trial


def test_cpu_time_adds_up_and_is_unknown_where_a_part_of_it_is() -> None:
    one = replace(_trial(_seed(0, 80.0)), cpu_seconds=1.5)
    assert one.joined(one).cpu_seconds == 3.0
    assert one.joined(replace(one, cpu_seconds=None)).cpu_seconds is None
    before = {key: value for key, value in one.to_mapping().items() if key != "cpu_seconds"}
    assert TrialResult.from_mapping(before).cpu_seconds is None  # as journals had it at first
    assert TrialResult.from_mapping(one.to_mapping()).cpu_seconds == 1.5


def test_json_names_the_metric_of_every_score() -> None:
    curves = Curves((1,), (1.0,), (1.0,), (60.0,))
    trial = replace(_trial(_seed(0, 80.0), _FAILED), metric="roc_auc", curves=curves)
    written = json.loads(json.dumps(trial.to_mapping(), allow_nan=False))
    assert written["metric"] == "roc_auc"
    assert (written["val_roc_auc_mean"], written["test_roc_auc_mean"]) == (80.0, 79.0)
    assert written["val_roc_auc_std"] == written["test_roc_auc_std"] is None
    assert written["seeds"][0]["val_roc_auc"] == 80.0
    assert written["seeds"][1]["test_roc_auc"] is None
    assert written["curves"]["val_roc_auc"] == [60.0]
    assert "accuracy" not in json.dumps({**written, "config": None})
    assert TrialResult.from_mapping(written) == trial
    record = json.loads(json.dumps(trial.to_record()))
    assert TrialResult.from_record(record, trial.config, "demo", "d", "roc_auc") == trial


def test_json_without_a_metric_is_of_accuracy() -> None:
    trial = _trial(_seed(0, 80.0), _seed(1, 82.5))
    written = trial.to_mapping()
    assert written.pop("metric") == "accuracy"
    assert {"val_accuracy_mean", "val_accuracy_std", "test_accuracy_mean"} < set(written)
    assert written["seeds"][0]["val_accuracy"] == 80.0
    assert TrialResult.from_mapping(written) == trial


def test_seeds_of_one_metric_are_not_read_as_another() -> None:
    record = _trial(_seed(0, 80.0)).to_record()
    with pytest.raises(TypeError, match="val_accuracy"):
        TrialResult.from_record(record, TrialConfig(), "demo", "d", "roc_auc")


def test_a_record_is_read_whatever_its_model_reads() -> None:
    config = TrialConfig.recorded({"model": "mlp", "K": 3, "kl_weight": 0.1})
    trial = replace(_trial(_seed(0, 80.0)), config=config)
    assert TrialResult.from_mapping(trial.to_mapping()).config == config
