import pytest

from l2p_search.results import TrialStatus
from l2p_search.searching.records.importance import as_study, importance_of
from l2p_search.searching.records.outcome import Outcome
from tests.searching.pretend import SPACE
from tests.searching.records.made import outcome, record


def _searched(count: int, weight: dict[str, float]) -> Outcome:
    """The first points of the pretended space, scored by a sum of their hyperparameters."""
    records = []
    for number in range(count):
        point = SPACE.point(number * 7 % (SPACE.size or 1))
        score = sum(weight.get(key, 0.0) * value for key, value in point.items())
        records.append(record(number, [70.0 + score, 71.0 + score], **point))
    return outcome(records)


def test_what_alone_decides_has_all_the_importance() -> None:
    found = importance_of(_searched(24, {"K": 1.0}))
    assert found is not None
    assert found["K"] == pytest.approx(1.0, abs=1e-6)
    assert next(iter(found)) == "K"


def test_shares_sum_to_one_and_the_largest_comes_first() -> None:
    found = importance_of(_searched(24, {"K": 1.0, "dropout": 20.0}))
    assert found is not None
    assert set(found) == set(SPACE.dimensions)
    assert sum(found.values()) == pytest.approx(1.0)
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert min(found, key=lambda key: found[key]) == "lr"
    assert found["K"] > 0.1
    assert found["dropout"] > 0.1


def test_the_same_trials_have_the_same_importance() -> None:
    weight = {"K": 1.0, "dropout": 20.0, "lr": 300.0}
    assert importance_of(_searched(12, weight)) == importance_of(_searched(12, weight))


def test_few_trials_or_equal_ones_tell_nothing() -> None:
    assert importance_of(_searched(7, {"K": 1.0})) is None
    assert importance_of(_searched(8, {"K": 1.0})) is not None
    assert importance_of(_searched(24, {})) is None
    assert importance_of(outcome([])) is None


def test_only_complete_trials_are_in_the_study_under_their_own_values() -> None:
    trials = [
        record(0, [80.0, 82.0], K=8, dropout=0.2, lr=0.01),
        record(1, [99.0], TrialStatus.RACED_OUT, K=2, dropout=0.2, lr=0.01),
        record(2, status=TrialStatus.FAILED, K=4, dropout=0.2, lr=0.01),
        record(3, status=TrialStatus.RUNNING, K=16, dropout=0.2, lr=0.01),
    ]
    (trial,) = as_study(outcome(trials)).get_trials()
    assert trial.value == 81.0
    assert trial.params == {"K": 8, "dropout": 0.2, "lr": 0.01}
