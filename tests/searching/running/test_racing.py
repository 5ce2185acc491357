import numpy as np
import pytest
from scipy import stats

from l2p_search.searching.running.racing import RISK, groups, is_losing, probability_of_winning


def test_without_a_race_all_seeds_are_one_group() -> None:
    assert groups(range(5), race=False) == ((0, 1, 2, 3, 4),)


def test_groups_grow_and_hold_every_seed_once_in_order() -> None:
    found = groups(range(20), race=True)
    assert [len(group) for group in found] == [3, 3, 4, 4, 6]
    assert [seed for group in found for seed in group] == list(range(20))


@pytest.mark.parametrize("count", range(1, 40))
def test_any_number_of_seeds_can_be_raced(count: int) -> None:
    found = groups(range(count), race=True)
    assert [seed for group in found for seed in group] == list(range(count))
    assert count < 3 or len(found[0]) >= 3


def test_with_all_the_seeds_to_come_it_is_the_paired_t_test() -> None:
    """Among endless seeds nothing is corrected, and without other trials nothing is pooled."""
    generator = np.random.default_rng(0)
    many = dict(enumerate(generator.normal(80, 3, 1_000_000)))
    few = {seed: many[seed] - 1 + generator.normal(0, 1) for seed in range(6)}
    wanted = stats.ttest_rel(
        list(few.values()), [many[seed] for seed in few], alternative="less"
    ).pvalue
    assert probability_of_winning(few, many, []) == pytest.approx(wanted, rel=1e-3)


def test_once_all_seeds_are_trained_the_means_decide() -> None:
    incumbent = {0: 80.0, 1: 82.0, 2: 84.0}
    assert probability_of_winning({0: 79.0, 1: 85.0, 2: 84.0}, incumbent, []) == 1.0
    assert probability_of_winning({0: 79.0, 1: 82.0, 2: 84.0}, incumbent, []) == 0.0
    assert probability_of_winning(incumbent, incumbent, []) == 0.5


def test_the_spread_of_other_trials_is_pooled_with_ones_own() -> None:
    incumbent = dict.fromkeys(range(20), 80.0)
    candidate = {0: 79.0, 1: 78.9, 2: 79.1}
    wide = {seed: 80.0 + (-1) ** seed * 5 for seed in range(20)}
    narrow = {seed: 80.0 + (-1) ** seed * 0.1 for seed in range(20)}
    assert not is_losing(candidate, incumbent, [wide])
    assert is_losing(candidate, incumbent, [narrow])


def _race(generator: np.random.Generator, shift: float) -> tuple[bool, bool]:
    """Whether a config that is better by `shift` is stopped, and whether it would have won."""
    incumbent = dict(enumerate(generator.normal(80, 1, 20)))
    others = [dict(enumerate(generator.normal(80, 1, 20))) for _ in range(5)]
    candidate = dict(enumerate(generator.normal(80 + shift, 1, 20)))
    won = sum(candidate.values()) > sum(incumbent.values())
    trained = 0
    for group in groups(range(20), race=True)[:-1]:
        trained += len(group)
        if is_losing({seed: candidate[seed] for seed in range(trained)}, incumbent, others):
            return True, won
    return False, won


@pytest.mark.parametrize("shift", [0.0, 0.3])
def test_all_looks_together_rarely_stop_what_would_have_won(shift: float) -> None:
    generator = np.random.default_rng(1)
    races = [_race(generator, shift) for _ in range(1500)]
    wrong = sum(stopped and won for stopped, won in races) / len(races)
    assert wrong < RISK


def test_what_is_much_worse_is_nearly_always_stopped() -> None:
    generator = np.random.default_rng(2)
    assert sum(_race(generator, -2.0)[0] for _ in range(100)) > 97
