import numpy as np
import pytest
from scipy import stats

from l2p_search.intervals import Interval, mean_interval
from l2p_search.verdicts import (
    Judged,
    Verdict,
    holm,
    no_surer,
    p_values,
    verdict_on,
    verdicts_on,
)


def _difference(values: "np.typing.NDArray[np.float64] | list[float]") -> Interval:
    return mean_interval(
        {i: float(value) for i, value in enumerate(values)}, {i: i for i in range(len(values))}
    )


def test_both_p_values_agree_with_scipys_t_tests() -> None:
    generator = np.random.default_rng(0)
    for shift in (-2.0, -0.3, 0.0, 0.2, 1.5):
        values = generator.normal(shift, 0.8, 10)
        found = p_values(_difference(values), margin=1.0)
        above = stats.ttest_1samp(values, -1.0, alternative="greater").pvalue
        below = stats.ttest_1samp(values, 1.0, alternative="less").pvalue
        assert found is not None
        assert found[0] == pytest.approx(stats.ttest_1samp(values, 0.0).pvalue)
        assert found[1] == pytest.approx(max(above, below))


@pytest.mark.parametrize(
    ("interval", "word", "said"),
    [
        (Interval(1.35, -3.32, 6.02, 10), "undecided", "undecided"),
        (Interval(0.02, -0.30, 0.34, 20), "equivalent", "equivalent within 1 point"),
        (Interval(2.0, 1.0, 3.0, 10), "better", "better"),
        (Interval(-2.0, -3.0, -1.0, 10), "worse", "worse"),
        (Interval(0.4, 0.2, 0.6, 10), "better", "better, by less than 1 point"),
        (Interval(3.0, None, None, 1), "undecided", "undecided"),
    ],
)
def test_a_difference_is_better_worse_equivalent_or_undecided(
    interval: Interval, word: str, said: str
) -> None:
    found = verdict_on(interval)
    assert (found.word, found.in_words) == (word, said)


def test_the_margin_decides_what_is_equivalent() -> None:
    difference = Interval(0.1, -0.5, 0.7, 10)
    words = [verdict_on(difference, margin).word for margin in (0.25, 0.5, 2.0)]
    assert words == ["undecided", "undecided", "equivalent"]
    assert verdict_on(difference, 2.0).in_words == "equivalent within 2 points"


def test_differences_that_are_all_alike_need_six_values() -> None:
    """Two seeds with one more right node each are no proof."""
    assert verdict_on(_difference([2.7] * 2)).word == "undecided"
    assert verdict_on(_difference([2.7] * 5)).word == "undecided"
    assert verdict_on(_difference([2.7] * 6)).word == "better"
    assert verdict_on(_difference([0.0] * 3)).word == "undecided"
    assert verdict_on(_difference([0.0] * 6)).word == "equivalent"
    assert p_values(_difference([0.0] * 3)) == (1.0, 0.25)
    assert p_values(_difference([2.7] * 4)) == (0.125, 1.0)
    assert p_values(_difference([1.0] * 6), margin=1.0) == (2.0**-5, 1.0)  # not within it


def test_what_is_undecided_for_these_nodes_is_not_known_for_others() -> None:
    here = verdict_on(Interval(10.0, 10.0, 10.0, 5))  # five values that are all alike
    there = verdict_on(Interval(10.0, 8.1, 11.9, 5))
    assert (here.word, there.word) == ("undecided", "better")
    assert no_surer(there, here).word == "undecided"
    assert no_surer(there, here).p_difference == here.p_difference
    surely = verdict_on(Interval(10.0, 9.0, 11.0, 10))
    assert no_surer(there, surely).word == "better"
    unknown = verdict_on(None)
    assert no_surer(there, unknown) == there


@pytest.mark.parametrize(
    ("there", "here", "claimed"),
    [
        (("better", 0.0, 1.0), ("better", 0.01, 1.0), ("better", 0.01, 1.0)),
        (("better", 0.01, 1.0), ("better", 0.0, 1.0), ("better", 0.01, 1.0)),
        (("better", 0.01, 0.01), ("equivalent", 0.2, 0.03), ("equivalent", 0.2, 0.03)),
        (("equivalent", 0.8, 0.0), ("equivalent", 0.7, 0.02), ("equivalent", 0.8, 0.02)),
        (("equivalent", 0.8, 0.02), ("equivalent", 0.7, 0.0), ("equivalent", 0.8, 0.02)),
        (("equivalent", 0.8, 0.01), ("undecided", 0.7, 0.25), ("undecided", 0.8, 0.25)),
        (("better", 0.0, 0.0), ("better", 0.0, 0.0), ("better", 0.0, 0.0)),
    ],
)
def test_of_two_verdicts_the_larger_p_values_count(
    there: tuple[Verdict, float, float],
    here: tuple[Verdict, float, float],
    claimed: tuple[Verdict, float, float],
) -> None:
    """A p-value of a great difference may be so small that it is 0."""
    one, other = (Judged(word, 1.0, p, q) for word, p, q in (there, here))
    found = no_surer(one, other)
    assert (found.word, found.p_difference, found.p_equivalence) == claimed


def test_holm_agrees_with_its_definition() -> None:
    generator = np.random.default_rng(1)
    for size in (0, 1, 2, *[7] * 40):
        given = (generator.uniform(size=size) ** 4).tolist()  # several of them can be rejected
        adjusted = holm(given)
        assert all(p <= q <= 1.0 for p, q in zip(given, adjusted, strict=True))
        for risk in (0.05, 0.3, 0.9):
            rejected: set[int] = set()
            for place, index in enumerate(np.argsort(given)):  # step down until one fails
                if given[index] > risk / (size - place):
                    break
                rejected.add(int(index))
            assert {i for i, p in enumerate(adjusted) if p <= risk} == rejected


def test_a_table_is_held_to_more_than_a_single_comparison() -> None:
    edge = Interval(2.0, 0.1, 3.9, 10)
    assert verdict_on(edge).word == "better"
    table = verdicts_on([edge, Interval(0.0, -3.0, 3.0, 10), None, Interval(1.0, None, None, 1)])
    assert [each.word for each in table] == ["undecided"] * 4
    assert [each.comparisons for each in table] == [2] * 4


def test_json_names_the_margin_and_the_family() -> None:
    assert Judged("equivalent", 0.5, 0.8, 0.01, 3).to_mapping() == {
        "verdict": "equivalent",
        "margin": 0.5,
        "within_margin": True,
        "p_difference": 0.8,
        "p_equivalence": 0.01,
        "holm_comparisons": 3,
    }
    assert Judged("undecided").to_mapping()["holm_comparisons"] == 1


def _tables(
    truth: "np.typing.NDArray[np.float64]", rounds: int, splits: int = 10
) -> list[list[Judged]]:
    """Verdicts on tables of paired differences around the truth, with common splits."""
    generator = np.random.default_rng(2)
    judged = []
    for _ in range(rounds):
        common = generator.normal(0, 1.0, (1, splits))
        values = truth[:, None] + common + generator.normal(0, 1.0, (len(truth), splits))
        judged.append(verdicts_on([_difference(row) for row in values]))
    return judged


def test_tables_without_a_difference_raise_a_false_alarm_in_5_of_100() -> None:
    tables = _tables(np.zeros(8), rounds=1000)
    alarms = np.mean([any(each.word in ("better", "worse") for each in table) for table in tables])
    assert 0.01 <= alarms <= 0.055


def test_tables_call_too_large_a_difference_equivalent_in_at_most_5_of_100() -> None:
    """At the margin itself, where two one-sided tests err most."""
    generator, wrong, rounds = np.random.default_rng(3), 0, 1000
    for _ in range(rounds):
        values = 1.0 + generator.normal(0, 0.3, (8, 10))
        words = [each.word for each in verdicts_on([_difference(row) for row in values])]
        wrong += "equivalent" in words
    assert wrong / rounds <= 0.055


def test_tables_with_both_kinds_of_rows_err_in_at_most_5_of_100() -> None:
    """Equal rows and rows at the margin: either kind has its own false verdict."""
    truth = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 1.0, -1.0, -1.0])
    wrong = 0
    for table in _tables(truth, rounds=1000):
        words = [each.word for each in table]
        wrong += any(word in ("better", "worse") for word in words[:4])
        wrong += "equivalent" in words[4:]
        wrong += "worse" in words[4:6] or "better" in words[6:]
    assert wrong / 1000 <= 0.06
