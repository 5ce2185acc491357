"""Shares of variance against functions whose shares are known, and against plain averages."""

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import r2_score

from l2p_search.searching.records import forest as forest_module
from l2p_search.searching.records.forest import Floats, main_effects, split_variance

_AXES = [np.array([0.25, 0.75]), np.array([1 / 6, 0.5, 5 / 6]), np.linspace(0.125, 0.875, 4)]


def _grid() -> Floats:
    return np.stack([axis.ravel() for axis in np.meshgrid(*_AXES, indexing="ij")], axis=1)


def _rows(count: int, seed: int = 0) -> Floats:
    generator = np.random.default_rng(seed)
    return np.stack([generator.choice(places, count) for places in _AXES], axis=1)


@pytest.mark.parametrize("missing", [(), (0.375,), (0.625,), (0.375, 0.625)])
def test_main_effects_are_the_predictions_averaged_over_all_other_axes(
    missing: tuple[float, ...],
) -> None:
    """Also where a value was never tried, and trees part the others right at it."""
    x = _rows(60)
    x = x[~np.isin(x[:, 2], missing)]
    y = x[:, 0] * x[:, 1] + np.sin(7 * x[:, 2])
    forest = RandomForestRegressor(n_estimators=5, random_state=0).fit(x, y)
    grid = _grid()
    predicted = forest.predict(grid)
    for axis, (places, found) in enumerate(zip(_AXES, main_effects(forest, _AXES), strict=True)):
        plain = [predicted[grid[:, axis] == place].mean() for place in places]
        np.testing.assert_allclose(found, plain)


@pytest.mark.parametrize(
    ("weights", "product", "shares"),
    [
        # Var of two equal halves: (0.5 a)^2 / 4; a sum of axes has shares in proportion.
        ((4.0, 0.0), 0.0, (1.0, 0.0)),
        ((4.0, 2.0), 0.0, (16 / 20, 4 / 20)),
        ((0.0, 0.0), 1.0, (0.0, 0.0)),  # the product of centred axes is interaction alone
        ((1.0, 0.0), 1.0, (0.5, 0.0)),
    ],
)
def test_shares_are_those_of_a_known_function(
    weights: tuple[float, float], product: float, shares: tuple[float, float]
) -> None:
    """Two axes of two values each, and a third that does nothing; a little noise."""
    axes = [np.array([0.25, 0.75])] * 3
    generator = np.random.default_rng(1)
    x = np.stack([generator.choice(places, 400) for places in axes], axis=1)
    signs = np.sign(x - 0.5)
    y = weights[0] * signs[:, 0] + weights[1] * signs[:, 1] + product * signs[:, 0] * signs[:, 1]
    found = split_variance(x, y + generator.normal(0, 0.05, 400), np.ones(400), axes)
    np.testing.assert_allclose(found.shares, [*shares, 0.0], atol=0.05)
    assert found.r2 > 0.9


def test_noise_has_an_r2_of_zero_or_less() -> None:
    generator = np.random.default_rng(2)
    found = split_variance(_rows(300), generator.normal(0, 1, 300), np.ones(300), _AXES)
    assert found.r2 < 0.05


def test_rows_count_by_their_weights() -> None:
    """Rows of a contrary effect that weigh next to nothing change nothing."""
    x = _rows(300)
    y = 5.0 * x[:, 0]
    wrong = np.arange(300) % 3 == 0
    y[wrong] = 20.0 * x[wrong, 2]
    found = split_variance(x, y, np.where(wrong, 1e-6, 1.0), _AXES)
    assert found.shares[0] > 0.95
    assert found.r2 > 0.95


def test_r2_is_that_of_rows_that_trees_have_not_seen() -> None:
    """As scikit-learn has it, where every row was left out by some tree."""
    x, generator = _rows(200), np.random.default_rng(5)
    y = 5.0 * x[:, 0] + generator.normal(0.0, 1.0, 200)
    found = split_variance(x, y, np.ones(200), _AXES)
    forest = RandomForestRegressor(
        n_estimators=48, min_samples_leaf=2, random_state=0, oob_score=True
    ).fit(x, y, sample_weight=np.ones(200))
    assert found.r2 == pytest.approx(forest.oob_score_)


def test_a_row_that_a_single_tree_has_not_seen_tells_too() -> None:
    x, generator = _rows(40), np.random.default_rng(9)
    y = 5.0 * x[:, 0] + generator.normal(0.0, 1.0, 40)
    tree = RandomForestRegressor(n_estimators=1, min_samples_leaf=2, random_state=0).fit(x, y)
    unseen = np.setdiff1d(np.arange(40), tree.estimators_samples_[0])
    found = forest_module._r2_out_of_bag(tree, x, y, np.ones(40))
    assert found == pytest.approx(r2_score(y[unseen], tree.predict(x[unseen])))


@pytest.mark.parametrize("unit", [2.0**-10, 2.0**10])
def test_shares_and_r2_do_not_depend_on_the_unit_of_the_values(unit: float) -> None:
    """An accuracy may be in percent or a fraction."""
    x = _rows(100)
    y = x[:, 0] + x[:, 0] * x[:, 2]
    plain, other = (split_variance(x, values, np.ones(100), _AXES) for values in (y, unit * y))
    assert plain.r2 > 0.9
    np.testing.assert_allclose(other.shares, plain.shares)
    np.testing.assert_allclose(other.r2, plain.r2)


def test_where_every_tree_has_seen_every_row_nothing_is_known() -> None:
    assert split_variance(_rows(1), np.array([3.0]), np.ones(1), _AXES).r2 == 0.0


def test_a_small_space_is_gone_through_and_points_are_drawn_of_a_large_one() -> None:
    points, generator = forest_module._points, np.random.default_rng(0)
    assert sorted(points(_AXES, generator).tolist()) == sorted(_grid().tolist())
    just = [np.linspace(0.0, 1.0, 16)] * 3
    assert len(set(map(tuple, points(just, generator).tolist()))) == 16**3
    large = [np.linspace(0.0, 1.0, 17)] * 3
    drawn = points(large, generator)
    assert drawn.shape == (4096, 3)
    assert {value for column in drawn.T for value in column} == set(large[0].tolist())


def test_r2_is_of_the_spread_of_rows_by_their_weights() -> None:
    """Two rows in three are noise; the others are foretold, lie far off and weigh nothing."""
    x, generator = _rows(300), np.random.default_rng(7)
    light = np.arange(300) % 3 == 0
    y = np.where(light, 1000.0 * x[:, 0], generator.normal(0.0, 1.0, 300))
    assert split_variance(x, y, np.where(light, 1e-9, 1.0), _AXES).r2 < 0.05


@pytest.mark.parametrize(("rows", "least"), [(40, 2), (900, 6)])
def test_leaves_hold_two_rows_or_a_150th_of_all(rows: int, least: int) -> None:
    """One row is no mean; and the cost of a split grows with the leaves."""
    x = np.random.default_rng(8).random((rows, 3))
    fitted = forest_module._fitted(x, x[:, 0], np.ones(rows), trees=4, seed=0)
    assert len(fitted) == 4
    sizes = [tree.tree_.n_node_samples[tree.tree_.children_left < 0] for tree in fitted]
    assert min(int(size.min()) for size in sizes) == least


def test_rows_that_every_tree_has_seen_say_nothing_of_what_the_forest_predicts() -> None:
    """Five complete trials among sixty: a missing prediction is no prediction of 0."""
    x, generator = _rows(60), np.random.default_rng(6)
    y = 80.0 + 10.0 * x[:, 0] + generator.normal(0.0, 0.5, 60)
    weights = np.where(np.arange(60) < 5, 200.0, 2.0)
    assert split_variance(x, y, weights, _AXES).r2 > 0.8


def test_intervals_are_wider_for_fewer_rows() -> None:
    generator = np.random.default_rng(3)
    spreads = []
    for count in (20, 400):
        x = _rows(count)
        y = x[:, 0] + x[:, 2] + generator.normal(0, 0.3, count)
        spreads.append(split_variance(x, y, np.ones(count), _AXES).spread[0])
    assert spreads[0] > 2.0 * spreads[1]


def test_the_spread_is_that_of_shares_over_rows_drawn_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[Floats] = []
    shares: list[Floats] = []
    fitted, shares_of = forest_module._fitted, forest_module._shares

    def watch_rows(x: Floats, y: Floats, *given: Any) -> RandomForestRegressor:
        drawn.append(y)
        return fitted(x, y, *given)

    def watch_shares(*given: Any) -> Floats:
        shares.append(shares_of(*given))
        return shares[-1]

    monkeypatch.setattr(forest_module, "_fitted", watch_rows)
    monkeypatch.setattr(forest_module, "_shares", watch_shares)
    x = _rows(30)
    y = x[:, 0] + np.arange(30) / 100.0  # all different
    found = split_variance(x, y, np.ones(30), _AXES)
    *again, whole = shares
    assert found.shares.tolist() == whole.tolist()
    np.testing.assert_allclose(found.spread, np.std(again, axis=0, ddof=1))
    first, *others = drawn
    assert first.tolist() == y.tolist()
    assert {len(rows) for rows in others} == {30}
    assert set(np.concatenate(others).tolist()) == set(y.tolist())


def test_what_is_the_same_everywhere_has_no_shares() -> None:
    found = split_variance(_rows(20), np.full(20, 3.0), np.ones(20), _AXES)
    assert found.shares.tolist() == [0.0, 0.0, 0.0]
    assert found.r2 == 0.0
