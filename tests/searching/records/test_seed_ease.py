"""By how much a seed is easier than all together, from the trials that have all."""

import pytest

from l2p_search.searching.records.seed_ease import ease_of_seeds, mean_ease
from tests.searching.records.made import record


def test_a_seed_is_as_easy_as_complete_trials_are_better_on_it_on_average() -> None:
    complete = [r.result for r in (record(0, [84.0, 76.0]), record(1, [73.0, 71.0])) if r.result]
    assert ease_of_seeds(complete, lambda seed: seed.val) == {0: 2.5, 1: -2.5}
    assert ease_of_seeds(complete, lambda seed: seed.test) == {0: 2.5, 1: -2.5}
    assert ease_of_seeds(complete, lambda seed: None) == {}
    low = ease_of_seeds(complete, lambda seed: seed.val if (seed.val or 0.0) < 75.0 else None)
    assert low == {0: 1.0, 1: -1.0}, "of the second trial; the first one has no such score"


def test_a_trial_with_some_seeds_is_expected_to_be_better_by_their_mean() -> None:
    result = record(0, [80.0, 70.0, 60.0]).result
    assert result is not None
    assert mean_ease(result, {0: 3.0, 1: 1.0, 2: -4.0}) == pytest.approx(0.0)
    assert mean_ease(result, {0: 3.0}) == pytest.approx(1.0)
