import random
from dataclasses import replace

import pytest
from optuna.study import StudyDirection

from l2p_search.results import TrialStatus
from l2p_search.searching.records import importance
from l2p_search.searching.records.importance import as_study, importance_of
from l2p_search.searching.records.outcome import Outcome
from l2p_search.searching.space.search_space import Choices, Range, SearchSpace
from l2p_search.trial_record import TrialRecord
from tests.searching.pretend import SPACE, settings
from tests.searching.records.made import outcome, record


def _point(number: int) -> dict[str, float]:
    return SPACE.point(number * 7 % (SPACE.size or 1))


def _searched(count: int, weight: dict[str, float], noise: float = 0.0, seed: int = 0) -> Outcome:
    """Points of the pretended space, scored by a sum of their hyperparameters."""
    draw, records = random.Random(seed), []
    for number in range(count):
        point = _point(number)
        score = sum(weight.get(key, 0.0) * value for key, value in point.items())
        score += draw.gauss(0.0, noise)
        records.append(record(number, [70.0 + score, 71.0 + score], **point))
    return outcome(records)


def test_what_alone_decides_has_all_the_importance() -> None:
    found = importance_of(_searched(48, {"K": 1.0}))
    assert found is not None
    assert found.told
    assert next(iter(found.shares)) == "K"
    assert found.shares["K"].share > 0.95
    assert found.shares["K"].low > 0.9
    assert found.interactions < 0.05
    assert found.r2 > 0.9


def test_shares_and_interactions_sum_to_one_and_the_largest_comes_first() -> None:
    found = importance_of(_searched(48, {"K": 1.0, "dropout": 20.0}))
    assert found is not None
    assert set(found.shares) == set(SPACE.dimensions)
    shares = [each.share for each in found.shares.values()]
    assert sum(shares) + found.interactions == pytest.approx(1.0)
    assert shares == sorted(shares, reverse=True)
    assert min(found.shares, key=lambda key: found.shares[key].share) == "lr"
    for each in found.shares.values():
        assert 0.0 <= each.low <= each.share <= each.high <= 1.0


@pytest.mark.parametrize("count", [8, 40])
def test_a_table_without_any_effect_has_nothing_to_be_told(count: int) -> None:
    told = [importance_of(_searched(count, {}, noise=1.0, seed=seed)) for seed in range(12)]
    assert sum(found is not None and found.told for found in told) <= 2


def test_a_real_effect_is_told_in_spite_of_noise() -> None:
    for seed in range(2):
        found = importance_of(_searched(60, {"dropout": 20.0}, noise=1.0, seed=seed))
        assert found is not None
        assert found.told
        assert found.shares["dropout"].low > 0.5


def test_the_same_trials_have_the_same_importance() -> None:
    weight = {"K": 1.0, "dropout": 20.0, "lr": 300.0}
    first = importance_of(_searched(12, weight))
    importance._split.cache_clear()
    assert importance_of(_searched(12, weight)) == first


def test_it_is_computed_once_for_the_same_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    importance._split.cache_clear()
    calls = []
    split = importance.split_variance
    monkeypatch.setattr(
        importance, "split_variance", lambda *given: calls.append(1) or split(*given)
    )
    for _ in range(3):
        importance_of(_searched(12, {"K": 1.0}))  # another object each time
    assert calls == [1]
    importance_of(_searched(13, {"K": 1.0}))
    assert calls == [1, 1]


def test_few_trials_or_equal_ones_tell_nothing() -> None:
    assert importance_of(_searched(7, {"K": 1.0})) is None
    assert importance_of(_searched(8, {"K": 1.0})) is not None
    assert importance_of(_searched(24, {})) is None
    assert importance_of(outcome([])) is None


def test_a_key_without_any_effect_leaves_the_others_their_interaction() -> None:
    """A key with one value cannot have a share; K and dropout act by their product."""
    space = replace(SPACE, dimensions={**SPACE.dimensions, "hidden": Choices((64,))})
    records = []
    for number in range(48):
        point = _point(number)
        score = 70.0 + (point["K"] - 6.0) * (point["dropout"] - 0.4)
        records.append(record(number, [score, score], hidden=64, **point))
    found = importance_of(replace(outcome(records), settings=settings(space)))
    assert found is not None
    assert found.shares["hidden"].share == 0.0
    assert found.interactions > 0.3


def test_trials_that_differ_in_nothing_have_no_shares_and_no_interactions() -> None:
    """Nine trainings of one configuration: nothing but noise tells them apart."""
    records = [record(number, [70.0 + number], K=8, dropout=0.4, lr=0.01) for number in range(9)]
    found = importance_of(outcome(records))
    assert found is not None
    assert [each.share for each in found.shares.values()] == [0.0, 0.0, 0.0]
    assert found.interactions == 0.0


def _raced(correct: bool) -> Outcome:
    """K decides; all but the best of it are raced out on two seeds that are easy for everyone."""
    records: list[TrialRecord] = []
    for number in range(24):
        point = _point(number)
        score = 70.0 - 2.0 * abs(point["K"] - 8)
        if point["K"] == 8:
            records.append(record(number, [score + 9.0, score + 9.0, *[score] * 8], **point))
        else:
            easy = 9.0 if correct else 0.0
            seeds = [score + easy, score + easy]
            records.append(record(number, seeds, TrialStatus.RACED_OUT, **point))
    return outcome(records)


def test_trials_that_were_raced_out_count_by_what_their_seeds_are_worth() -> None:
    found = importance_of(_raced(correct=True))
    assert found is not None
    assert (found.trials, found.partial) == (24, 18)
    assert found.told
    assert found.shares["K"].share > 0.9
    # The easy seeds were taken off: a trial of K=4 is eight points below one of K=8.
    rows = importance._rows(_raced(correct=True).records, dict(SPACE.dimensions))
    by_k = {place[2]: mean for place, mean, _ in rows}
    best, four = by_k[(2 + 0.5) / 4], by_k[(1 + 0.5) / 4]
    assert best - four == pytest.approx(8.0)
    assert best == pytest.approx(70.0 + 2 * 9.0 / 10)  # a complete trial keeps its mean


def test_seeds_that_no_complete_trial_has_are_taken_as_they_are() -> None:
    alone = record(0, [60.0, 62.0], TrialStatus.RACED_OUT, **_point(0))
    ((_, mean, seeds),) = importance._rows([alone], dict(SPACE.dimensions))
    assert (mean, seeds) == (61.0, 2.0)


def test_survivors_alone_would_have_told_another_story() -> None:
    raced = _raced(correct=True)
    survivors = replace(raced, records=[r for r in raced.records if r.objective is not None])
    assert importance_of(survivors) is None  # they are all equal


def test_failed_trials_do_not_count() -> None:
    whole = _searched(24, {"K": 1.0})
    failed = record(24, [3.0, 4.0], TrialStatus.FAILED, K=2, dropout=0.2, lr=0.01)
    for records in ([*whole.records, failed], [failed, *whole.records]):
        assert importance_of(replace(whole, records=records)) == importance_of(whole)


def test_the_largest_share_comes_first_and_bounds_are_two_deviations_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spread = [0.02, 0.05, 0.3]
    monkeypatch.setattr(importance, "_split", lambda *given: ([0.01, 0.2, 0.5], spread, 0.9))
    found = importance_of(_searched(24, {"K": 1.0}))
    assert found is not None
    assert list(found.shares) == list(reversed(SPACE.dimensions))
    bounds = [(each.low, each.high) for each in found.shares.values()]
    assert bounds == [(0.0, 1.0), pytest.approx((0.1, 0.3)), pytest.approx((0.0, 0.05))]
    assert found.interactions == pytest.approx(0.29)


def test_more_trials_than_can_be_afforded_are_drawn_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importance, "_MOST", 30)
    found = importance_of(_searched(48, {"K": 1.0}))
    assert found is not None
    assert found.trials == 30
    assert next(iter(found.shares)) == "K"
    drawn: list[set[float]] = []
    monkeypatch.setattr(
        importance,
        "_split",
        lambda rows, axes: (
            drawn.append({mean for _, mean, _ in rows}) or ([1.0, 0, 0], [0] * 3, 1)
        ),
    )
    importance_of(_searched(48, {}, noise=1.0))
    assert len(drawn[0]) == 30  # none of them twice


def test_names_ranges_and_steps_have_their_places() -> None:
    space = SearchSpace(
        "mixed",
        {
            "posterior": Choices(("quit", "select")),
            "lr": Range(1e-3, 0.1, log=True),
            "K": Range(1, 64, step=1, whole=True),
            "dropout": Range(0.0, 0.8, step=0.2),
            "hidden": Choices((64, 16)),
        },
        {},
    )
    draw, records = random.Random(0), []
    for number in range(60):
        point = {
            "posterior": draw.choice(["quit", "select"]),
            "lr": 10 ** draw.uniform(-3, -1),
            "K": draw.randint(1, 64),
            "dropout": draw.choice([0.0, 0.2, 0.4, 0.6, 0.8]),
            "hidden": draw.choice([64, 16]),
        }
        score = 60.0 + 10.0 * (point["posterior"] == "quit")
        records.append(record(number, [score, score + 1.0], **point))
    made = Outcome(settings=settings(space), goal=None, records=records, confirmations={})
    found = importance_of(made)
    assert found is not None
    assert found.shares["posterior"].share > 0.95


@pytest.mark.parametrize(
    ("dimension", "places"),
    [
        (Choices(("quit", "select")), {"quit": 0.25, "select": 0.75}),
        (Choices(("select", "quit")), {"quit": 0.75, "select": 0.25}),
        (Choices((64, 16)), {16: 0.25, 64: 0.75}),
        (Range(1e-3, 0.1, log=True), {1e-3: 0.0, 0.01: 0.5, 0.1: 1.0}),
        (Range(0.2, 0.8), {0.2: 0.0, 0.35: 0.25, 0.8: 1.0}),
        (Range(0.5, 0.5), {0.5: 0.5}),
        (Range(1, 101, step=1, whole=True), {1: 0.0, 26: 0.25, 101: 1.0}),
        (Range(0.0, 0.8, step=0.8), {0.0: 0.25, 0.8: 0.75}),
    ],
)
def test_a_value_lies_among_its_axis_from_0_to_1(
    dimension: Choices | Range, places: dict[object, float]
) -> None:
    for value, place in places.items():
        assert importance._place(dimension, value) == pytest.approx(place)


def test_only_complete_trials_are_in_the_study_under_their_own_values() -> None:
    trials = [
        record(0, [80.0, 82.0], K=8, dropout=0.2, lr=0.01),
        record(1, [99.0], TrialStatus.RACED_OUT, K=2, dropout=0.2, lr=0.01),
        record(2, status=TrialStatus.FAILED, K=4, dropout=0.2, lr=0.01),
        record(3, status=TrialStatus.RUNNING, K=16, dropout=0.2, lr=0.01),
    ]
    study = as_study(outcome(trials))
    assert study.direction is StudyDirection.MAXIMIZE
    (trial,) = study.get_trials()
    assert trial.value == 81.0
    assert trial.params == {"K": 8, "dropout": 0.2, "lr": 0.01}
