from dataclasses import replace

import pytest

from l2p_search.results import TrialStatus
from l2p_search.searching.records.preference import Facts, facts, preferred
from l2p_search.searching.records.settings import Goal
from l2p_search.trial_record import TrialRecord
from tests.searching.records.made import record

_USUAL = Facts(finished=True, seeds=20, metric="accuracy", score=80.0)


@pytest.mark.parametrize(
    ("latest", "earlier", "chosen"),
    [
        (replace(_USUAL, finished=False, score=99.0), _USUAL, 1),  # finished goes first
        (replace(_USUAL, seeds=2, score=99.0), _USUAL, 1),  # few seeds are noisy
        (_USUAL, replace(_USUAL, score=81.0), 1),
        (replace(_USUAL, score=81.0), _USUAL, 0),
        (_USUAL, _USUAL, 0),  # of equals the latest
        (_USUAL, replace(_USUAL, metric="roc_auc", score=99.0), 0),  # not to be compared
    ],
)
def test_the_rule(latest: Facts, earlier: Facts, chosen: int) -> None:
    both = [latest, earlier]
    assert preferred(both, lambda each: each) is both[chosen]


def test_one_interrupted_search_is_better_than_none() -> None:
    broken = replace(_USUAL, finished=False)
    assert preferred([broken], lambda each: each) is broken


@pytest.mark.parametrize(
    ("records", "goal", "confirmed", "finished"),
    [
        ([record(0, [80.0])], Goal(trials=1, confirm=2), True, True),
        ([record(0, [80.0])], Goal(trials=1, confirm=2), False, False),
        ([record(0, [80.0])], Goal(trials=1, confirm=0), False, True),
        ([record(0, [80.0])], None, False, False),
        (
            [record(0, [80.0]), record(1, status=TrialStatus.RUNNING, lr=0.5)],
            Goal(trials=2, confirm=0),
            True,
            False,
        ),
    ],
)
def test_a_search_is_finished_when_nothing_of_it_is_missing(
    records: list[TrialRecord], goal: Goal | None, confirmed: bool, finished: bool
) -> None:
    found = facts(records, goal, confirmed, seeds=1, metric="accuracy", score=80.0)
    assert found.finished is finished
