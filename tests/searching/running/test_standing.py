import random

from l2p_search.config import TrialConfig
from l2p_search.progress import Running
from l2p_search.results import TrialStatus
from l2p_search.searching.records.outcome import best_of
from l2p_search.searching.running.standing import Standing
from tests.searching.records.made import record


def _trials(count: int) -> list:  # type: ignore[type-arg]
    draws = random.Random(0)
    statuses = [TrialStatus.COMPLETE, TrialStatus.COMPLETE, TrialStatus.RACED_OUT]
    made = []
    for number in range(count):
        scores = [float(draws.randrange(70, 74)) for _ in range(4)]
        status = statuses[number % 3]
        made.append(record(number, scores, status, lr=0.001 * (number + 1)))
    return [*made, record(count, status=TrialStatus.FAILED, lr=5.0)]


def test_the_best_is_that_of_all_records_in_whatever_order_they_end() -> None:
    trials = _trials(12)
    for seed in range(20):
        random.Random(seed).shuffle(trials)
        assert Standing(trials, race=False).best == best_of(trials)


def test_a_trial_is_open_until_it_ends_and_is_counted_once() -> None:
    standing = Standing([], race=False)
    for trial in _trials(3):
        running = record(trial.number, status=TrialStatus.RUNNING, lr=trial.config.lr)
        standing.keep(running)
        assert standing.open == {trial.number: running}
        assert standing.known[trial.config.config_id].objective is None
        standing.keep(trial)
        assert standing.known[trial.config.config_id].objective == trial.objective
        assert not standing.open
    assert len(standing) == standing.ended == 4
    running = [
        Running(stage=stage, number=9, title="trial 9", config=TrialConfig(), seeds=2)
        for stage in ("trials", "trials", "confirmation")
    ]
    shown = standing.snapshot(
        goal=9,
        total=9,
        running=tuple(running),
        seconds=1.0,
        seconds_left=(None, False),
        training_seconds=None,
        confirming=0,
        confirmed=0,
    )
    assert shown.counts == {
        TrialStatus.COMPLETE: 2,
        TrialStatus.RACED_OUT: 1,
        TrialStatus.FAILED: 1,
        TrialStatus.RUNNING: 2,
    }


def test_without_a_best_trial_nobody_is_beaten_and_a_clear_loser_is_beaten_by_the_best() -> None:
    scores = {seed: 50.0 + seed % 2 for seed in range(4)}
    assert Standing([], race=True).beaten_by(scores) is None
    standing = Standing(
        [record(0, [80.0, 81.0] * 10), record(1, [79.0, 82.0] * 10, lr=0.5)], race=True
    )
    assert standing.best is not None
    assert standing.beaten_by(scores) == standing.best.number
    assert standing.beaten_by({seed: 90.0 + seed % 2 for seed in range(4)}) is None


def test_what_this_invocation_trained_is_told_and_earlier_trials_are_not() -> None:
    standing = Standing(_trials(6), race=False)
    assert (standing.seeds_trained, standing.seconds_per_trial()) == (0, None)
    standing.trained(20, 3.0)
    standing.trained(20, 5.0)
    standing.trained(5, 9.0, fresh=True)  # a confirmation
    assert (standing.seeds_trained, standing.seconds_per_trial()) == (45, 4.0)
