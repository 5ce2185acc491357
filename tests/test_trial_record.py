import json
from dataclasses import replace

import pytest

from l2p_search.config import TrialConfig
from l2p_search.results import SeedResult, TrialResult, TrialStatus
from l2p_search.trial_record import TrialRecord, best_first
from tests.searching.records.made import record, result


@pytest.mark.parametrize("status", TrialStatus)
def test_only_a_trial_with_all_its_seeds_has_an_objective(status: TrialStatus) -> None:
    found = record(0, [80.0, 83.0], status).objective
    assert found == (81.5 if status is TrialStatus.COMPLETE else None)
    assert record(0, status=status).objective is None


def test_complete_trials_come_best_first_and_the_earlier_one_of_equals() -> None:
    records = [
        record(5, status=TrialStatus.RUNNING),
        record(4, [90.0, 80.0]),  # the same mean as trial 1
        record(3, [99.0], TrialStatus.RACED_OUT),
        record(2, [10.0, 20.0]),
        record(1, [85.0, 85.0]),
        record(0, status=TrialStatus.FAILED),
    ]
    assert [each.number for each in best_first(records)] == [1, 4, 2, 0, 3, 5]
    assert records[0].number == 5  # the list that was given stays as it is


def test_a_trial_at_zero_percent_is_complete_all_the_same() -> None:
    zero = record(3, [0.0, 0.0])
    assert zero.objective == 0.0
    assert [each.number for each in best_first([record(0), zero])] == [3, 0]


def test_its_mapping_is_json_and_has_no_test_score() -> None:
    found = replace(record(7, [80.0, 84.0], K=4), reason="why").to_mapping()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["val_accuracy_mean"] == 82.0
    assert found["val_accuracy_std"] == pytest.approx(8**0.5)
    assert (found["number"], found["seeds"], found["seconds"]) == (7, 2, 2.0)
    assert (found["status"], found["reason"]) == ("complete", "why")
    assert TrialConfig.recorded(found["config"]).config_id == found["config_id"]
    assert not any("test" in key for key in found)


def test_scores_are_named_after_the_metric_of_the_search() -> None:
    found = replace(record(0, [80.0, 84.0]), metric="roc_auc").to_mapping()
    assert found["val_roc_auc_mean"] == 82.0
    assert "val_accuracy_mean" not in found


def test_without_a_result_there_are_no_numbers_and_failed_seeds_are_not_counted() -> None:
    empty = record(0, status=TrialStatus.RUNNING).to_mapping()
    assert (empty["val_accuracy_mean"], empty["seeds"], empty["seconds"]) == (None, 0, None)
    whole = result([80.0, 84.0])
    lost = SeedResult(seed=2, split=0, epochs=3, reason="diverged at epoch 3")
    partly: TrialResult = replace(whole, seeds=(*whole.seeds, lost))
    failed = TrialRecord(
        number=0, status=TrialStatus.FAILED, config=whole.config, result=partly
    ).to_mapping()
    assert failed["seeds"] == 2
