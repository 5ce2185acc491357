import numpy as np
import pytest
from scipy import stats

from l2p_search.config import TrialConfig
from l2p_search.errors import UserError
from l2p_search.report.comparison import compare, judged_together
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
        wanted = "better" if b.mean() > a.mean() else "worse"
        assert (found.verdict == wanted) == (p <= 0.05)
        assert found.difference.mean == pytest.approx(b.mean() - a.mean())
        verdicts.add(found.verdict)
    assert {"better", "worse"} < verdicts


def test_a_tie_is_no_verdict_it_is_equivalent_or_undecided() -> None:
    """A difference of 1.35 ± 4.67 points is undecided, and a margin of 10 makes it equivalent."""
    spread = 4.67 / stats.t.ppf(0.975, 9) * 10**0.5
    noise = np.random.default_rng(1).normal(0, 1, 10)
    noise = (noise - noise.mean()) / noise.std(ddof=1)
    a = np.full(10, 80.0)
    trials = _trial(dict(enumerate(a))), _trial(dict(enumerate(a + 1.35 + spread * noise)))
    found = compare(*trials, "test")
    assert (str(found.difference), found.verdict) == ("1.35 ± 4.67", "undecided")
    assert compare(*trials, "test", margin=10.0).verdict == "equivalent"
    assert compare(trials[0], trials[0], "test").verdict == "equivalent"


def test_a_table_is_judged_together_and_what_is_compared_with_itself_is_not_counted() -> None:
    generator = np.random.default_rng(3)
    first = _trial(dict(enumerate(generator.normal(80, 1, 10))))
    others = [_trial(dict(enumerate(generator.normal(80.7, 1, 10)))) for _ in range(8)]
    alone = [compare(first, each, "test") for each in (first, *others)]
    together = judged_together(alone)
    assert [each.judged.comparisons for each in together] == [0, *[8] * 8]
    assert together[0].verdict == "equivalent"
    for one, other in zip(alone[1:], together[1:], strict=True):
        assert (other.judged.p_difference or 0) >= (one.judged.p_difference or 0)


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
    assert compare(_trial({0: 1.0}), _trial({0: 99.0}), "test").verdict == "undecided"
