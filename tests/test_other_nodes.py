from dataclasses import replace

import numpy as np
import pytest

from l2p_search.config import TrialConfig
from l2p_search.intervals import Interval, interval_of_test, mean_interval
from l2p_search.node_hits import NodeHits
from l2p_search.other_nodes import (
    Estimate,
    NodeTerm,
    crossed_interval,
    difference_over_nodes,
    estimate_of_test,
    interval_over_nodes,
    node_term,
    sampling_of_nodes,
    with_nodes,
)
from l2p_search.results import SeedResult, TrialResult

_Array = "np.typing.NDArray[np.float64]"


def _chance(logit: _Array) -> _Array:
    return 1.0 / (1.0 + np.exp(-logit))


class _Drawn:
    """Seeds on splits of a graph whose nodes differ in how hard they are."""

    def __init__(
        self, generator: np.random.Generator, nodes: int, tested: int, splits: int, seeds: int
    ) -> None:
        hard = 1.5 + 2.0 * generator.normal(0, 1, nodes)
        tests = [np.sort(generator.permutation(nodes)[:tested]) for _ in range(splits)]
        training = generator.normal(0, 0.2, splits) * (splits > 1)
        self.hits, self.splits = {}, {}
        for seed in range(seeds):
            split = seed % splits
            self.splits[seed] = split
            of_seed = training[split] + generator.normal(0, 0.2 if splits == 1 else 0.1)
            right = generator.random(tested) < _chance(hard[tests[split]] + of_seed)
            self.hits[seed] = NodeHits(tests[split], 100.0 * right)
        noise = 0.2 if splits == 1 else np.hypot(0.2, 0.1)
        judged = hard if splits > 1 else hard[tests[0]]
        self.of_graph = 100 * float(_chance(judged[:, None] + noise * _GRID).mean())

    @property
    def scores(self) -> dict[int, float]:
        return {seed: float(each.values.mean()) for seed, each in self.hits.items()}


_GRID = np.random.default_rng(9).normal(0, 1, 300)
_EASIER = 100 * float(_chance(1.5 + 2.0 * np.random.default_rng(8).normal(0, 1, 500_000)).mean())
_POPULATION = 100 * float(
    _chance(1.5 + np.hypot(2.0, 0.21) * np.random.default_rng(8).normal(0, 1, 500_000)).mean()
)


@pytest.mark.parametrize(
    ("nodes", "tested", "splits", "seeds"),
    [(400, 300, 1, 10), (183, 37, 10, 20), (251, 50, 20, 20)],
    ids=["one split", "ten splits that overlap", "twenty fresh splits"],
)
def test_both_intervals_cover_what_they_name_in_95_of_100(
    nodes: int, tested: int, splits: int, seeds: int
) -> None:
    generator, rounds = np.random.default_rng(0), 2500
    here, elsewhere = 0, 0
    for _ in range(rounds):
        drawn = _Drawn(generator, nodes, tested, splits, seeds)
        this = mean_interval(drawn.scores, drawn.splits)
        other = crossed_interval(drawn.hits, drawn.splits)
        assert this.low is not None
        assert this.high is not None
        assert other.low is not None
        assert other.high is not None
        here += this.low <= drawn.of_graph <= this.high
        elsewhere += other.low <= _POPULATION <= other.high
    assert 0.94 <= here / rounds <= 0.96
    assert 0.94 <= elsewhere / rounds <= 0.96


@pytest.mark.parametrize(
    ("nodes", "tested", "splits", "seeds"),
    [(400, 300, 1, 10), (183, 37, 10, 20)],
    ids=["one split", "ten splits that overlap"],
)
def test_a_mean_without_nodes_of_its_own_is_covered_by_the_node_term_of_other_seeds(
    nodes: int, tested: int, splits: int, seeds: int
) -> None:
    """The paper's protocol: the winner on the search's seeds, its nodes kept on fresh ones."""
    generator, rounds, covered = np.random.default_rng(5), 2500, 0
    for _ in range(rounds):
        drawn = _Drawn(generator, nodes, tested, splits, 2 * seeds)
        fresh = replace(whole := _result(drawn), seeds=whole.seeds[seeds:])
        of_search = interval_of_test(replace(whole, seeds=whole.seeds[:seeds]))
        assert of_search is not None
        found = with_nodes(of_search, node_term(fresh)).other_nodes
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= _POPULATION <= found.high
    assert 0.94 <= covered / rounds <= 0.96


def test_a_mean_of_several_configurations_is_covered_by_the_node_term_of_one() -> None:
    """Nested selection: half of the splits have another configuration, hard on other nodes.

    The configurations agree on 0.7 of what makes a node hard; the term is that of the first.
    """
    generator, rounds, covered = np.random.default_rng(6), 2500, 0
    for _ in range(rounds):
        common, *apart = generator.normal(0, 1, (3, 183))
        hard = [1.5 + 2.0 * (0.7**0.5 * common + 0.3**0.5 * own) for own in apart]
        tests = [np.sort(generator.permutation(183)[:37]) for _ in range(10)]
        splits = {split: split for split in range(10)}
        fresh, nested = (
            {
                split: NodeHits(
                    tests[split],
                    100.0 * (generator.random(37) < _chance(hard[choice(split)][tests[split]])),
                )
                for split in splits
            }
            for choice in (lambda split: 0, lambda split: split % 2)
        )
        term = node_term(_of_hits(fresh, splits))
        scores = {split: float(each.values.mean()) for split, each in nested.items()}
        found = with_nodes(mean_interval(scores, splits), term).other_nodes
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= _EASIER <= found.high
    assert 0.94 <= covered / rounds <= 0.97


def test_no_node_term_no_second_interval() -> None:
    result = _result(_Drawn(np.random.default_rng(7), 183, 37, 10, 10))
    old = replace(result, seeds=(replace(result.seeds[0], hits=None), *result.seeds[1:]))
    assert node_term(old) is None
    assert node_term(replace(result, seeds=result.seeds[:1])) is None
    assert node_term(replace(result, seeds=result.seeds[:2])) is not None
    interval = Interval(80.0, 78.0, 82.0, 10)
    assert with_nodes(interval, None) == Estimate(interval, None)
    alone = Interval(80.0, None, None, 1)
    assert with_nodes(alone, NodeTerm(1.0, 0.1)) == Estimate(alone, None)


def test_its_own_node_term_gives_a_result_its_own_interval() -> None:
    result = _result(_Drawn(np.random.default_rng(8), 183, 37, 10, 20))
    own, interval = interval_over_nodes(result), interval_of_test(result)
    assert own is not None
    assert interval is not None
    found = with_nodes(interval, node_term(result)).other_nodes
    assert found is not None
    assert (found.low, found.high, found.freedom) == pytest.approx(
        (own.low, own.high, own.freedom)
    )


def test_it_is_what_a_crossed_bootstrap_converges_to() -> None:
    """Seeds and nodes drawn with replacement, independently; 20 seeds agree on most nodes."""
    generator = np.random.default_rng(1)
    drawn = _Drawn(generator, 400, 400, 1, 20)
    table = np.stack([each.values for each in drawn.hits.values()])
    resampled = [
        table[generator.integers(0, 20, 20)][:, generator.integers(0, 400, 400)].mean()
        for _ in range(3000)
    ]
    found = crossed_interval(drawn.hits, drawn.splits)
    # A bootstrap counts the interaction of seed and node three times: a little wider.
    assert found.error is not None
    assert np.std(resampled) * 0.93 <= found.error <= np.std(resampled) * 1.03


def _result(drawn: _Drawn) -> TrialResult:
    return _of_hits(drawn.hits, drawn.splits)


def _of_hits(hits: dict[int, NodeHits], splits: dict[int, int]) -> TrialResult:
    seeds = tuple(
        SeedResult(
            seed=seed,
            split=splits[seed],
            epochs=1,
            val=50.0,
            test=float(each.values.mean()),
            hits=each,
        )
        for seed, each in hits.items()
    )
    return TrialResult(config=TrialConfig(), dataset="d", data_digest="0", seeds=seeds, seconds=1)


def test_both_intervals_have_one_centre_and_the_nodes_widen_it() -> None:
    result = _result(_Drawn(np.random.default_rng(2), 183, 37, 10, 20))
    this, other = interval_of_test(result), interval_over_nodes(result)
    assert this is not None
    assert other is not None
    assert other.mean == pytest.approx(this.mean)
    assert (other.half_width or 0) > (this.half_width or 0)


def test_nodes_that_were_not_recorded_give_no_interval() -> None:
    result = _result(_Drawn(np.random.default_rng(3), 183, 37, 10, 20))
    old = replace(result, seeds=(replace(result.seeds[0], hits=None), *result.seeds[1:]))
    assert interval_over_nodes(old) is None
    assert difference_over_nodes(old, result) is None
    assert interval_over_nodes(replace(result, seeds=())) is None


def test_a_difference_is_paired_by_node() -> None:
    """Two that are right on nearly the same nodes differ by much less than either is off."""
    first = _result(_Drawn(np.random.default_rng(4), 500, 500, 1, 20))
    change = np.random.default_rng(5)
    seeds = []
    for seed in first.seeds:
        assert seed.hits is not None
        values = seed.hits.values.copy()
        values[change.choice(500, 5, replace=False)] = 100.0
        seeds.append(
            replace(seed, test=float(values.mean()), hits=NodeHits(seed.hits.nodes, values))
        )
    second = replace(first, seeds=tuple(seeds))
    found, alone = difference_over_nodes(first, second), interval_over_nodes(first)
    assert found is not None
    assert alone is not None
    assert found.mean == pytest.approx((second.test_mean or 0) - (first.test_mean or 0))
    assert (found.half_width or 0) < (alone.half_width or 0) / 5


def test_one_seed_tells_nothing_and_equal_seeds_leave_the_nodes() -> None:
    nodes, values = np.arange(4), np.array([0.0, 100.0, 100.0, 100.0])
    one = crossed_interval({0: NodeHits(nodes, values)}, {0: 0})
    assert (one.mean, one.low) == (75.0, None)
    same = crossed_interval(
        {s: NodeHits(nodes, values) for s in range(3)}, dict.fromkeys(range(3), 0)
    )
    assert same.error == pytest.approx(values.std(ddof=1) / 2)
    perfect = crossed_interval(
        {s: NodeHits(nodes, values * 0 + 100) for s in range(3)}, {0: 0, 1: 0, 2: 0}
    )
    assert (perfect.low, perfect.high) == (100.0, 100.0)


@pytest.mark.parametrize("nodes", [2, 4, 10, 38, 260])
@pytest.mark.parametrize("seeds", [2, 3, 5])
def test_alike_seeds_that_have_half_of_the_nodes_right_have_an_interval(
    nodes: int, seeds: int
) -> None:
    """Every node's contribution is equally far from the mean: nothing tells of its error."""
    hits = NodeHits(np.arange(nodes), 100.0 * (np.arange(nodes) % 2))
    found = crossed_interval(dict.fromkeys(range(seeds), hits), dict.fromkeys(range(seeds), 0))
    assert found.mean == 50.0
    assert found.error == pytest.approx(hits.values.std(ddof=1) / nodes**0.5)
    assert found.freedom == seeds - 1


def test_splits_that_share_no_node_and_score_alike_tell_nothing_of_other_nodes() -> None:
    values = np.array([0.0, 100.0])
    hits = {split: NodeHits(np.arange(2) + 2 * split, values) for split in range(4)}
    found = crossed_interval(hits, {split: split for split in range(4)})
    assert (found.mean, found.low, found.high) == (50.0, None, None)


@pytest.mark.parametrize("seeds", [2, 3, 4])
@pytest.mark.parametrize("splits", [1, 2])
def test_other_nodes_are_never_known_better_than_these(seeds: int, splits: int) -> None:
    generator = np.random.default_rng(seeds)
    for _ in range(50):
        drawn = _Drawn(generator, 60, 40, splits, max(seeds, splits))
        this = mean_interval(drawn.scores, drawn.splits)
        other = crossed_interval(drawn.hits, drawn.splits)
        assert this.half_width is not None
        assert other.half_width is not None
        assert other.half_width >= this.half_width - 1e-9


def _by_definition(table: _Array) -> tuple[float, float]:
    """Variance of the mean and its degrees of freedom for one split, node by node and by pairs."""
    units, nodes = table.shape
    means = table.mean(axis=1)
    own = means.var(ddof=1) / units
    pairs = [(u, v) for u in range(units) for v in range(units) if u != v]
    left = 1.0 - 1.0 / nodes  # of a covariance whose two means were estimated from its own nodes
    by_node = [
        sum((table[u, i] - means[u]) * (table[v, i] - means[v]) for u, v in pairs)
        / (len(pairs) * nodes**2)
        for i in range(nodes)
    ]
    shared = sum(by_node) / left
    noise = nodes * np.var(by_node, ddof=1) / left**2
    variance = own + shared
    return variance, variance**2 / (own**2 / (units - 1) + noise / 2.0)


@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_error_and_freedom_agree_with_their_definition_by_pairs_of_units(scale: float) -> None:
    table = scale * np.stack(
        [each.values for each in _Drawn(np.random.default_rng(6), 30, 30, 1, 5).hits.values()]
    )
    found = crossed_interval(
        {unit: NodeHits(np.arange(30), row) for unit, row in enumerate(table)},
        dict.fromkeys(range(5), 0),
    )
    variance, freedom = _by_definition(table)
    assert found.error == pytest.approx(variance**0.5)
    assert found.freedom == pytest.approx(freedom)


def test_splits_without_a_common_node_have_one_interval_for_both() -> None:
    generator = np.random.default_rng(7)
    hits = {
        split: NodeHits(np.arange(10 * split, 10 * split + 10), 100.0 * (generator.random(10) < p))
        for split, p in enumerate((0.9, 0.6, 0.7, 0.8))
    }
    splits = {split: split for split in hits}
    scores = {split: float(each.values.mean()) for split, each in hits.items()}
    this = mean_interval(scores, splits)
    other = crossed_interval(hits, splits)
    assert (other.low, other.high) == (pytest.approx(this.low), pytest.approx(this.high))
    assert other.freedom == pytest.approx(3.0)


def test_a_difference_is_of_the_seeds_that_both_have() -> None:
    whole = _result(_Drawn(np.random.default_rng(8), 60, 40, 2, 6))
    first, second = replace(whole, seeds=whole.seeds[:4]), replace(whole, seeds=whole.seeds[2:])
    found = difference_over_nodes(first, second)
    assert found is not None
    assert (found.mean, found.units) == (0.0, 2)
    assert difference_over_nodes(first, replace(whole, seeds=whole.seeds[4:])) is None


def test_drawing_nodes_anew_is_the_mean_over_splits_of_the_variance_between_nodes() -> None:
    result = _result(_Drawn(np.random.default_rng(9), 60, 40, 2, 6))
    by_split: dict[int, list[_Array]] = {}
    for seed in result.seeds:
        assert seed.hits is not None
        by_split.setdefault(seed.split, []).append(seed.hits.values)
    wanted = [np.mean(values, axis=0).var(ddof=1) / 40 for values in by_split.values()]
    assert sampling_of_nodes(result) == pytest.approx(np.mean(wanted))
    old = replace(result, seeds=(*result.seeds[1:], replace(result.seeds[0], hits=None)))
    assert sampling_of_nodes(old) is None
    single = tuple(
        replace(seed, hits=NodeHits(np.arange(1), np.array([100.0]))) for seed in result.seeds
    )
    assert sampling_of_nodes(replace(result, seeds=single)) is None
    pair = NodeHits(np.arange(2), np.array([0.0, 100.0]))
    two = tuple(replace(seed, hits=pair) for seed in result.seeds)
    assert sampling_of_nodes(replace(result, seeds=two)) == pytest.approx(2500.0)


def test_what_is_not_known_of_other_nodes_is_named_so() -> None:
    here, there = Interval(85.6, 82.7, 88.5, 10), Interval(85.6, 80.8, 90.4, 10)
    both, alone = Estimate(here, there), Estimate(here, None)
    assert str(both) == "85.60 ± 2.90 (other nodes: 80.80 to 90.40)"
    assert str(alone) == "85.60 ± 2.90"
    assert (alone.elsewhere, alone.beside) == ("not recorded", "")
    assert both.lines == [
        "82.70 to 88.50   this graph, other seeds and splits",
        "80.80 to 90.40   other nodes of this kind",
    ]
    one = Interval(85.6, None, None, 1)
    assert Estimate(one, one).elsewhere == "unknown"
    assert Estimate(one, None).lines[0].startswith("unknown ")
    assert both.to_mapping()["other_nodes_of_this_kind"] == {"low": 80.8, "high": 90.4}
    assert alone.to_mapping()["other_nodes_of_this_kind"] is None


def test_without_a_finished_seed_there_is_no_estimate() -> None:
    result = _result(_Drawn(np.random.default_rng(3), 60, 40, 2, 4))
    assert estimate_of_test(replace(result, seeds=())) is None
    found = estimate_of_test(result)
    assert found is not None
    assert found.other_nodes is not None


def test_both_intervals_stand_under_their_names_in_two_columns_and_in_json() -> None:
    here, there = Interval(85.6, 82.7, 88.5, 10), Interval(85.6, 80.8, 104.4, 10)
    assert Estimate(here, there).lines == [
        "82.70 to 88.50    this graph, other seeds and splits",
        "80.80 to 104.40   other nodes of this kind",
    ]
    assert Estimate(here, there).to_mapping() == {
        "mean": 85.6,
        "low": 82.7,
        "high": 88.5,
        "this_graph_other_seeds_and_splits": {"low": 82.7, "high": 88.5},
        "other_nodes_of_this_kind": {"low": 80.8, "high": 104.4},
    }


def test_a_single_test_node_tells_nothing_of_other_nodes() -> None:
    """Its own spread cannot be known: the interval is that of the seeds."""
    hits = {seed: NodeHits(np.array([7]), np.array([100.0 * (seed % 2)])) for seed in range(4)}
    found = crossed_interval(hits, dict.fromkeys(hits, 0))
    alone = mean_interval(
        {seed: float(each.values[0]) for seed, each in hits.items()}, dict.fromkeys(hits, 0)
    )
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high))


def test_nodes_never_take_away_from_the_variance_of_a_mean() -> None:
    """Nodes on which some splits agree and others differ: their covariances nearly cancel."""
    tested = ([0, 2, 3, 4, 6], [1, 2, 3, 5, 6], [1, 3, 5, 6])
    right = ({0, 2}, {1, 2, 3, 6}, {6})
    hits = {
        seed: NodeHits(
            np.array(nodes), np.array([100.0 * (node in right[seed]) for node in nodes])
        )
        for seed, nodes in enumerate(tested)
    }
    splits = {seed: seed for seed in hits}
    assert node_term(_of_hits(hits, splits)) == NodeTerm(0.0, 0.0)
    alone = mean_interval({seed: float(each.values.mean()) for seed, each in hits.items()}, splits)
    found = crossed_interval(hits, splits)
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high))
