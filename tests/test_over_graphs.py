import itertools
import math

import numpy as np
import pytest
from scipy import stats

from l2p_search.over_graphs import (
    average_ranks,
    critical_difference,
    distinct_graphs,
    signed_rank,
    signed_ranks,
)


def _table(scores: "np.typing.NDArray[np.float64]") -> dict[str, dict[str, float]]:
    return {
        f"g{i}": {f"m{j}": float(value) for j, value in enumerate(row)}
        for i, row in enumerate(scores)
    }


def test_graphs_of_one_content_count_once() -> None:
    digests = {"cora": "1", "texas": "2", "mine": "3", "copy-of-texas": "2", "cornell": "4"}
    kept, repeats = distinct_graphs(digests)
    assert kept == ["cora", "texas", "mine", "cornell"]
    assert repeats == {"copy-of-texas": "texas"}


def test_cornell_legacy_is_texas_also_where_no_digest_was_recorded() -> None:
    assert distinct_graphs({"cornell-legacy": None, "texas": None, "wisconsin": None}) == (
        ["cornell-legacy", "wisconsin"],
        {"texas": "cornell-legacy"},
    )
    # what the contents say goes before what the names say
    assert distinct_graphs({"cornell-legacy": "1", "texas": "2"})[1] == {}


def test_signed_ranks_agree_with_scipy() -> None:
    scores = np.random.default_rng(0).normal(80, 3, (9, 2)) + np.array([0.0, 1.5])
    found = signed_rank("m0", "m1", _table(scores))
    wanted = stats.wilcoxon(scores[:, 1], scores[:, 0])
    assert found.p == pytest.approx(wanted.pvalue)
    assert found.wins + found.losses == found.graphs == 9
    assert found.median == pytest.approx(float(np.median(scores[:, 1] - scores[:, 0])))


def test_signs_are_counted_also_where_differences_are_equal_or_zero() -> None:
    """By every way to toss the signs of eight graphs, of which two differ by nothing."""
    found = np.array([0.0, 0.0, 1.0, 1.0, -1.0, 2.0, 2.0, 3.0])
    ranks = stats.rankdata(np.abs(found))[2:]
    tosses = np.array(list(itertools.product([-1.0, 1.0], repeat=6))) @ ranks
    wanted = np.mean(np.abs(tosses) >= abs(ranks @ np.sign(found[2:])))
    told = signed_rank("m0", "m1", _table(np.column_stack([np.zeros(8), found])))
    assert told.p == pytest.approx(wanted)
    noise = 1e-13 * np.arange(8)  # as sums of floats leave it
    again = signed_rank("m0", "m1", _table(np.column_stack([noise, found])))
    assert (again.p, again.wins, again.losses) == (told.p, 5, 1)


def test_all_ahead_by_equal_points_has_the_least_p() -> None:
    scores = np.column_stack([np.zeros(20), np.repeat(np.arange(1.0, 11.0), 2)])
    found = signed_rank("m0", "m1", _table(scores))
    assert found.p == pytest.approx(2.0**-19)
    assert found.p == pytest.approx(found.least_p)


def test_many_graphs_are_taken_for_normal() -> None:
    scores = np.random.default_rng(4).normal(80, 3, (60, 2)) + np.array([0.0, 1.0])
    wanted = stats.wilcoxon(scores[:, 1], scores[:, 0], method="approx")
    assert signed_rank("m0", "m1", _table(scores)).p == pytest.approx(wanted.pvalue)


def test_few_large_wins_outweigh_many_small_losses() -> None:
    """What the test finds is said of the ranks, not of how many graphs are won."""
    gained = np.array([*-np.arange(1.0, 17.0) / 100, *np.arange(1.0, 15.0)])
    found = signed_rank("m0", "m1", _table(np.column_stack([np.zeros(30), gained])))
    assert found.wins < found.losses
    assert (found.verdict, found.p <= 0.05) == ("better", True)


def test_five_graphs_cannot_tell_whatever_the_methods_do() -> None:
    found = signed_rank("m0", "m1", _table(np.arange(10.0).reshape(5, 2) ** 2))
    assert (found.wins, found.verdict) == (5, "undecided")
    assert found.p == found.least_p == 0.0625


def test_graphs_without_both_methods_are_left_out_and_equal_scores_are_no_win() -> None:
    table = {"a": {"x": 1.0, "y": 1.0}, "b": {"x": 1.0}, "c": {"x": 1.0, "y": 2.0}}
    found = signed_rank("x", "y", table)
    assert (found.graphs, found.wins, found.losses) == (2, 1, 0)
    assert signed_rank("x", "y", {"a": {"x": 1.0, "y": 1.0}}).p == 1.0
    assert signed_rank("x", "y", {}).p == 1.0


def test_several_pairs_are_held_to_more() -> None:
    scores = np.random.default_rng(3).normal(0, 1, (8, 4)) + np.array([0.0, 0.8, 1.6, 2.4])
    pairs = [("m0", "m1"), ("m0", "m2"), ("m0", "m3")]
    found = signed_ranks(pairs, _table(scores))
    alone = [signed_rank(*pair, _table(scores)) for pair in pairs]
    assert all(a.p >= b.p for a, b in zip(found, alone, strict=True))
    assert found[2].verdict == "better"
    assert found[0].comparisons == 3


def test_critical_differences_are_those_of_demsars_table() -> None:
    """His table 5 (a): q at 5 % for 2 to 10 classifiers."""
    table = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
    for methods, q in enumerate(table, start=2):
        found = critical_difference(methods, 10) / math.sqrt(methods * (methods + 1) / 60)
        assert found == pytest.approx(q, abs=0.001)


def test_friedman_agrees_with_scipys_chi_squared_as_iman_and_davenport_turn_it() -> None:
    scores = np.random.default_rng(1).normal(0, 1, (7, 4)) + np.array([0.0, 0.5, 1.0, 1.5])
    chi = stats.friedmanchisquare(*scores.T).statistic
    f = 6 * chi / (7 * 3 - chi)
    assert average_ranks(_table(scores)).friedman_p == pytest.approx(stats.f.sf(f, 3, 18))


def test_friedman_claims_no_more_than_few_graphs_allow() -> None:
    agreed = np.tile([3.0, 2.0, 1.0], (3, 1))
    assert average_ranks(_table(agreed)).friedman_p == pytest.approx(1 / 36)
    assert average_ranks(_table(np.ones((3, 3)))).friedman_p == 1.0
    many = average_ranks(_table(np.tile([5.0, 4.0, 3.0, 2.0, 1.0], (12, 1)))).friedman_p
    assert many == pytest.approx(120.0**-11)


def test_friedman_counts_orders_as_a_permutation_of_every_graph_does() -> None:
    scores = np.random.default_rng(4).normal(0, 1, (5, 3)) + np.array([0.0, 0.7, 1.4])
    generator, far = np.random.default_rng(5), 0
    chi = stats.friedmanchisquare(*scores.T).statistic
    for _ in range(2000):
        shuffled = generator.permuted(scores, axis=1)
        far += stats.friedmanchisquare(*shuffled.T).statistic >= chi - 1e-9
    assert average_ranks(_table(scores)).friedman_p == pytest.approx(far / 2000, abs=0.03)


def test_groups_are_the_bars_of_the_figure() -> None:
    scores = np.tile([4.0, 3.0, 2.0, 1.0], (8, 1))  # ranks 1 to 4, critical difference 1.66
    found = average_ranks(_table(scores))
    assert list(found.average.values()) == [1.0, 2.0, 3.0, 4.0]
    assert found.critical_difference == pytest.approx(1.658, abs=0.001)
    assert found.groups == (("m0", "m1"), ("m1", "m2"), ("m2", "m3"))
    assert average_ranks(_table(np.tile([4.0, 1.0], (8, 1)))).groups == ()
    assert average_ranks(_table(np.ones((8, 3)))).groups == (("m0", "m1", "m2"),)


def test_a_graph_without_every_method_is_not_ranked() -> None:
    table = {"a": {"x": 1.0, "y": 2.0}, "b": {"x": 1.0}, "c": {"x": 3.0, "y": 2.0}}
    assert average_ranks(table).graphs == ("a", "c")
    assert average_ranks(table, ["x"]).graphs == ("a", "b", "c")
    assert average_ranks({}).average == {}
    assert average_ranks({"a": {"x": 1.0, "y": 2.0}}).critical_difference is None


def test_methods_that_are_alike_are_told_apart_in_5_of_100() -> None:
    """Nemenyi's test and Holm on signed ranks, on 12 graphs with 5 equal methods."""
    generator, rounds = np.random.default_rng(2), 400
    nemenyi, by_holm = 0, 0
    pairs = [("m0", f"m{j}") for j in range(1, 5)]
    for _ in range(rounds):
        table = _table(generator.normal(80, 5, (12, 1)) + generator.normal(0, 1, (12, 5)))
        ranks = average_ranks(table)
        assert ranks.critical_difference is not None
        nemenyi += max(ranks.average.values()) - 1e-9 > (
            min(ranks.average.values()) + ranks.critical_difference
        )
        by_holm += any(each.verdict != "undecided" for each in signed_ranks(pairs, table))
    assert 0.01 <= nemenyi / rounds <= 0.07
    assert by_holm / rounds <= 0.07


def test_json_has_everything_that_a_figure_needs() -> None:
    found = average_ranks(_table(np.tile([4.0, 3.0, 1.0], (8, 1)))).to_mapping()
    assert set(found) == {
        "average_ranks", "graphs", "critical_difference", "friedman_p", "groups"
    }  # fmt: skip
    assert signed_rank("m0", "m1", _table(np.ones((3, 2)))).to_mapping()["verdict"] == "undecided"


@pytest.mark.parametrize(("graphs", "methods"), [(4, 2), (5, 2), (3, 3), (6, 4)])
def test_on_few_graphs_a_figure_tells_equal_methods_apart_in_at_most_5_of_100(
    graphs: int, methods: int
) -> None:
    """On four graphs two equal methods rank alike everywhere in one table of eight."""
    generator, rounds, alarms = np.random.default_rng(6), 1000, 0
    for _ in range(rounds):
        found = average_ranks(_table(generator.normal(80, 3, (graphs, methods))))
        alarms += found.groups != (tuple(found.average),)
    assert alarms / rounds <= 0.06


def test_what_friedmans_test_does_not_tell_apart_is_one_group() -> None:
    table = {f"graph {i}": {"a": 80.0, "b": 70.0} for i in range(4)}
    found = average_ranks(table)
    assert found.critical_difference is not None
    assert found.average["b"] - found.average["a"] > found.critical_difference
    assert (found.friedman_p, found.groups) == (0.125, (("a", "b"),))
