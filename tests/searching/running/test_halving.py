"""Halving: rungs, who goes on, and by simulation what a search that halves costs and finds."""

import numpy as np
import pytest

from l2p_search.searching.running.halving import Halving, rungs


@pytest.mark.parametrize(
    ("seeds", "expected"),
    [(1, []), (2, []), (3, [2]), (5, [2]), (9, [2, 6]), (20, [2, 6]), (27, [2, 6, 18])],
)
def test_rungs_triple_and_leave_a_third_of_the_seeds_to_be_saved(
    seeds: int, expected: list[int]
) -> None:
    assert rungs(seeds) == expected


def _two(score: float) -> dict[int, float]:
    return {0: score - 1.0, 1: score + 1.0}


def test_the_best_so_far_goes_on_and_others_while_a_quarter_has_not() -> None:
    race = Halving()
    assert race.why_stop(0, _two(80.0)) is None
    assert race.why_stop(1, _two(79.0)) == (
        "number 2 of 2 trials on its first 2 seeds, the best quarter goes on"
    )
    assert race.why_stop(2, _two(81.0)) is None  # the best so far, although one went on before
    for number in range(3, 8):
        assert race.why_stop(number, _two(70.0 + number)) is not None
    assert race.why_stop(8, _two(80.5)) is None  # two of eight went on, a third one may of nine
    assert race.why_stop(9, _two(80.7)) == (
        "number 2 of 10 trials on its first 2 seeds, and 3 of them went on before"
    )


def test_equals_share_a_place() -> None:
    race = Halving()
    assert [race.why_stop(number, _two(80.0)) for number in range(3)] == [None] * 3


def test_only_trials_that_have_the_same_seeds_are_compared() -> None:
    race = Halving()
    race.end(0, {0: 99.0})
    race.end(1, dict.fromkeys(range(20), 90.0))
    assert race.why_stop(2, {1: 50.0, 2: 50.0}) == (
        "number 2 of 2 trials on its first 2 seeds, the best quarter goes on"
    )


def test_a_trial_that_is_tried_again_races_neither_against_itself_nor_for_its_own_place() -> None:
    race = Halving()
    assert race.why_stop(0, _two(80.0)) is None
    assert race.why_stop(0, _two(79.0)) is None


def test_a_trial_that_fails_after_a_rung_leaves_its_place_to_others() -> None:
    race = Halving()
    assert race.why_stop(0, _two(80.0)) is None
    race.end(0, None)
    assert race.why_stop(1, _two(70.0)) is None


def test_of_many_workers_first_trials_a_quarter_goes_on_beside_those_that_were_best() -> None:
    """None of them has ended when the others come to the rung."""
    race, scores = Halving(), np.random.default_rng(0).normal(80, 3, 64)
    going = [race.why_stop(number, _two(score)) is None for number, score in enumerate(scores)]
    were_best = int((scores == np.maximum.accumulate(scores)).sum())
    assert 64 / 8 < sum(going) <= 64 / 4 + were_best


def _halved(scores: np.ndarray) -> tuple[int, int]:
    """Halve configurations [M, S] in their order: the chosen one, and the seeds it took."""
    configs, seeds = scores.shape
    race, cost, whole = Halving(), 0, []
    for number in range(configs):
        for end in (*rungs(seeds), seeds):
            own = dict(enumerate(scores[number, :end]))
            if end == seeds:
                whole.append(number)
            elif race.why_stop(number, own) is not None:
                break
        race.end(number, own)
        cost += len(own)
    return max(whole, key=lambda number: scores[number].mean()), cost


def _table(generator: np.random.Generator, spreads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """True means [M] and scores [M, S], with the noise that was measured on Wisconsin.

    A seed is easy or hard for all configurations alike (3 points), and for each in its own way
    (2.3: configuration x split 1.8, rest 1.4). The configurations are behind the best possible by
    about their spread; many are near it, as accuracy has a ceiling.
    """
    means = 86.0 - generator.gamma(1.5, 1.5**-0.5, len(spreads)) * spreads
    noise = generator.normal(0, 3.0, 20) + generator.normal(0, 2.3, (len(spreads), 20))
    return means, means[:, None] + noise


_PROPOSED = {
    "at random": np.full(60, 3.0),
    "better and better": np.linspace(4.0, 0.6, 60),
}
"""How far behind the configurations are that a sampler proposes."""


@pytest.mark.parametrize("proposed", _PROPOSED)
def test_a_search_that_halves_takes_a_quarter_of_the_seeds_and_finds_as_much(
    proposed: str,
) -> None:
    generator = np.random.default_rng(0)
    costs, lost = [], []
    for _ in range(300):
        means, scores = _table(generator, _PROPOSED[proposed])
        chosen, cost = _halved(scores)
        costs.append(cost / scores.size)
        lost.append(means[int(scores.mean(axis=1).argmax())] - means[chosen])
    assert 0.15 < np.mean(costs) < 0.25
    # Against what a search that trains all seeds of all chooses; one test node is 2 points there.
    assert np.mean(lost) < 0.2


def test_one_that_is_clearly_the_best_is_hardly_ever_stopped() -> None:
    generator = np.random.default_rng(1)
    found = 0
    for _ in range(200):
        _, scores = _table(generator, _PROPOSED["at random"])
        scores[30] += 92.0 - scores[30].mean()
        found += _halved(scores)[0] == 30
    assert found >= 195


def _two(mean: float) -> dict[int, float]:
    return {0: mean - 1.0, 1: mean + 1.0}


def test_the_best_quarter_goes_on_while_no_more_than_a_quarter_has() -> None:
    race = Halving()
    said = [race.why_stop(number, _two(mean)) for number, mean in enumerate((90, 10, 20, 85))]
    quarter = "trials on its first 2 seeds, the best quarter goes on"
    assert said == [None, f"number 2 of 2 {quarter}", f"number 2 of 3 {quarter}",
                    f"number 2 of 4 {quarter}"]  # fmt: skip
    assert race.why_stop(4, _two(88)) is None  # two of five
    assert race.why_stop(5, _two(89)) == (
        "number 2 of 6 trials on its first 2 seeds, and 2 of them went on before"
    )
    assert race.why_stop(6, _two(91)) is None  # the best so far goes on in any case


def test_a_trial_that_is_asked_about_again_has_not_gone_on_before() -> None:
    race = Halving()
    assert race.why_stop(0, _two(80)) is None
    assert race.why_stop(1, _two(90)) is None
    assert race.why_stop(0, _two(80)) is not None
    for number in (2, 3):
        assert race.why_stop(number, _two(10 + number)) is not None
    assert race.why_stop(4, _two(85)) is None  # second of five, and only trial 1 went on
