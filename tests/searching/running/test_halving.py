"""Halving: rungs, places, and by simulation what a search that halves costs and finds."""

import numpy as np
import pytest

from l2p_search.searching.running.halving import goes_on, place, rungs


@pytest.mark.parametrize(
    ("seeds", "expected"),
    [(1, []), (2, []), (3, [2]), (5, [2]), (9, [2, 6]), (20, [2, 6]), (27, [2, 6, 18])],
)
def test_rungs_triple_and_leave_a_third_of_the_seeds_to_be_saved(
    seeds: int, expected: list[int]
) -> None:
    assert rungs(seeds) == expected


def test_a_place_counts_those_that_have_the_same_seeds_and_are_better_on_them() -> None:
    candidate = {0: 80.0, 1: 84.0}
    better = {0: 81.0, 1: 84.0, 2: 0.0, 3: 0.0}
    equal = {0: 84.0, 1: 80.0}
    too_few = {0: 99.0}
    assert place(candidate, []) == (1, 1)
    assert place(candidate, [better, equal, too_few]) == (2, 3)


def test_the_best_third_goes_on_and_never_fewer_than_one() -> None:
    for count in range(1, 40):
        going = [goes_on(rank, count) for rank in range(1, count + 1)]
        assert going[0]
        assert going == sorted(going, reverse=True)
        assert count / 3 <= sum(going) < count / 3 + 1


def _halved(scores: np.ndarray) -> tuple[int, int]:
    """Halve configurations [M, S] in their order: the chosen one, and the seeds it took."""
    configs, seeds = scores.shape
    seen: dict[int, dict[int, float]] = {}
    cost = 0
    whole = []
    for number in range(configs):
        others = list(seen.values())
        for end in (*rungs(seeds), seeds):
            seen[number] = dict(enumerate(scores[number, :end]))
            if end == seeds:
                whole.append(number)
            elif not goes_on(*place(seen[number], others)):
                break
        cost += len(seen[number])
    return max(whole, key=lambda number: scores[number].mean()), cost


def _table(generator: np.random.Generator, configs: int) -> tuple[np.ndarray, np.ndarray]:
    """True means [M] and scores [M, S], with the spreads that were measured on Wisconsin.

    A seed is easy or hard for all configurations alike (3 points), and for each in its own way
    (2.3: configuration x split 1.8, rest 1.4); the configurations themselves spread by 3, and
    their best are close together, as accuracy has a ceiling.
    """
    means = 86.0 - generator.gamma(1.5, 3.0 / 1.5**0.5, configs)
    scores = (
        means[:, None] + generator.normal(0, 3.0, 20) + generator.normal(0, 2.3, (configs, 20))
    )
    return means, scores


def test_a_search_that_halves_takes_a_third_of_the_seeds_and_finds_about_as_much() -> None:
    generator = np.random.default_rng(0)
    costs, lost = [], []
    for _ in range(400):
        means, scores = _table(generator, 60)
        chosen, cost = _halved(scores)
        costs.append(cost / scores.size)
        lost.append(means[int(scores.mean(axis=1).argmax())] - means[chosen])
    assert 0.2 < np.mean(costs) < 1 / 3
    # Against the choice of a search that trains all seeds of all; one test node is 2 points there.
    assert np.mean(lost) < 0.5


def test_one_that_is_clearly_the_best_is_hardly_ever_stopped() -> None:
    generator = np.random.default_rng(1)
    found = 0
    for _ in range(200):
        _, scores = _table(generator, 60)
        scores[30] += 8.0 + 86.0 - scores[30].mean()
        found += _halved(scores)[0] == 30
    assert found >= 198
