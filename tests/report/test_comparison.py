import numpy as np
import pytest
from scipy import stats

from l2p_search.config import TrialConfig
from l2p_search.errors import UserError
from l2p_search.report.comparison import compare
from l2p_search.results import SeedResult, TrialResult


def _trial(values: dict[int, float], digest: str = "d", splits: int = 10) -> TrialResult:
    seeds = tuple(
        SeedResult(seed=seed, split=seed % splits, epochs=1, val=value, test=value)
        for seed, value in values.items()
    )
    return TrialResult(
        config=TrialConfig(), dataset="demo", data_digest=digest, seeds=seeds, seconds=1.0
    )


def test_it_is_the_paired_t_test_over_splits() -> None:
    generator = np.random.default_rng(0)
    verdicts = set()
    for shift in (-3.0, -0.2, 0.0, 0.5, 3.0):
        a = generator.normal(80, 4, 10)
        b = a + shift + generator.normal(0, 1, 10)
        found = compare(_trial(dict(enumerate(a))), _trial(dict(enumerate(b))), "test")
        p = stats.ttest_rel(b, a).pvalue
        wanted = "a tie" if p > 0.05 else "better" if b.mean() > a.mean() else "worse"
        assert found.verdict == wanted
        assert found.difference.mean == pytest.approx(b.mean() - a.mean())
        verdicts.add(wanted)
    assert verdicts == {"better", "worse", "a tie"}


def test_only_shared_seeds_count() -> None:
    found = compare(_trial({0: 80.0, 1: 82.0, 2: 99.0}), _trial({0: 81.0, 1: 83.0, 7: 1.0}), "val")
    assert found.seeds == 2
    assert found.difference.mean == 1.0


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(UserError, match="not the same data"):
        compare(_trial({0: 80.0}), _trial({0: 80.0}, digest="other"), "test")
    with pytest.raises(UserError, match="share no seeds"):
        compare(_trial({0: 80.0}), _trial({1: 80.0}), "test")


def test_one_seed_decides_nothing() -> None:
    assert compare(_trial({0: 1.0}), _trial({0: 99.0}), "test").verdict == "a tie"
