import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from l2p_search.data.split_rules import DEFAULT_RULE, MadeSplits, make_splits
from l2p_search.errors import DataError

_Y = np.repeat([0, 1, 2], [100, 50, 50])


def _sizes(made: MadeSplits) -> list[tuple[int, ...]]:
    return [tuple(part[k].sum() for part in made[:3]) for k in range(len(made.train))]


def test_shares_are_those_of_each_class() -> None:
    made = make_splits("10x48/32/20", _Y)
    assert _sizes(made) == [(96, 64, 40)] * 10
    for label, size in ((0, 100), (1, 50), (2, 50)):
        assert (made.train[:, label == _Y].sum(axis=1) == 0.48 * size).all()
        assert (made.val[:, label == _Y].sum(axis=1) == 0.32 * size).all()
    assert len({row.tobytes() for row in made.train}) == 10


@pytest.mark.parametrize(
    ("rule", "sizes"),
    [
        ("10x60/20/20", [(120, 40, 40)] * 10),
        ("60/20/20", [(120, 40, 40)]),
        ("3x2.5/2.5/95", [(5, 5, 190)] * 3),
        ("4x20/60/80-nodes", [(20, 60, 80)] * 4),
        ("40/60/100-nodes", [(40, 60, 100)]),
        ("20-per-class/50/60", [(60, 50, 60)]),
        ("5x20-per-class/10-per-class/rest", [(60, 30, 110)] * 5),
        ("20-per-class/10-per-class/5-per-class", [(60, 30, 15)]),
    ],
)
def test_rules_give_the_sizes_that_they_name(rule: str, sizes: list[tuple[int, ...]]) -> None:
    assert _sizes(make_splits(rule, _Y)) == sizes


@given(
    st.lists(st.integers(-1, 4), min_size=12, max_size=60),
    st.sampled_from(["4x48/32/20", "2x60/20/20", "2x2-per-class/1-per-class/rest"]),
)
def test_splits_are_disjoint_leave_out_unlabelled_nodes_and_train_every_class(
    labels: list[int], rule: str
) -> None:
    y = np.unique(np.array([*labels, -1]), return_inverse=True)[1][:-1].astype(np.int64) - 1
    if (y >= 0).sum() < 8 or y.max() < 1:
        return
    try:
        made = make_splits(rule, y)
    except DataError as error:
        assert "too few" in str(error)  # noqa: PT017 - both ends are right
        return
    total = made.train.astype(int) + made.val + made.test
    assert total.max() == 1
    assert not total[:, y < 0].any()
    for label in range(y.max() + 1):
        assert made.train[:, y == label].any(axis=1).all()


def test_a_rule_gives_the_same_splits_on_every_machine() -> None:
    made = make_splits(DEFAULT_RULE, _Y)
    found = hashlib.sha256(b"".join(part.tobytes() for part in made[:3])).hexdigest()[:16]
    assert found == "396b5896f1a65b71"


def test_a_class_of_one_node_trains_in_every_split_and_is_told() -> None:
    made = make_splits("10x48/32/20", np.array([0] * 20 + [1]))
    assert made.train[:, 20].all()
    assert made.changes == ("1 class has fewer than 3 nodes: training comes first",)


def test_of_a_small_class_half_of_the_nodes_train() -> None:
    made = make_splits("20-per-class/10/10", np.array([0] * 60 + [1] * 10))
    assert int(made.train[0, 60:].sum()) == 5
    assert made.changes == ("1 class has fewer than 40 nodes: half of them train",)


_YEARS = np.repeat([2015, 2016, 2017, 2018, 2019], [40, 50, 50, 30, 30])


@pytest.mark.parametrize(
    "years",
    [
        _YEARS,
        _YEARS.astype(float),
        _YEARS.astype(str),
        _YEARS.astype(object),
        np.array([f"{year}-05-01" for year in _YEARS], dtype="datetime64[D]"),
    ],
    ids=["ints", "floats", "text", "objects", "dates"],
)
def test_temporal_splits_train_on_the_earliest_and_test_on_the_latest(years: np.ndarray) -> None:
    made = make_splits("temporal:year", _Y, {"year": years})
    assert set(_YEARS[made.train[0]]) == {2015, 2016}
    assert set(_YEARS[made.val[0]]) == {2017, 2018}
    assert set(_YEARS[made.test[0]]) == {2019}


def test_temporal_shares_can_be_given_and_nodes_without_a_time_are_in_no_split() -> None:
    years = _YEARS.astype(float)
    years[::10] = np.nan
    made = make_splits("temporal:year:70/20/10", _Y, {"year": years})
    assert set(_YEARS[made.train[0]]) == {2015, 2016, 2017}
    assert not (made.train | made.val | made.test)[0, ::10].any()
    assert made.changes == ("20 labelled nodes have no 'year' and are in no split",)


def test_a_column_with_a_colon_in_its_name_is_found() -> None:
    assert make_splits("temporal::TIME", _Y, {":TIME": _YEARS}).train.any()


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("", "splits '': no such rule"),
        ("10x48/32", "splits '10x48/32': no such rule; give 10x48/32/20"),
        ("random", "splits 'random': no such rule"),
        ("10x48/32/30", "splits '10x48/32/30': the shares add up to 110"),
        ("100/0/0", "splits '100/0/0': the shares add up to 100; give three percentages above 0"),
        ("0x48/32/20", "splits '0x48/32/20': 0 splits"),
        ("1000x48/32/20", "1000 splits; give 1 to 100"),
        ("0-per-class/5/5", "splits '0-per-class/5/5': no training nodes"),
        ("20-per-class/500/1000", "want 500 validation nodes, and 140 labelled nodes are left"),
        ("20-per-class/100/1000", "want 1000 test nodes, and 40 labelled nodes are left"),
        ("20-per-class/0/10", "leave no validation node"),
        ("temporal:yaer", "need a column 'yaer'; did you mean 'year'?"),
        ("temporal:", "no such rule"),
        ("temporal:half", "column 'half' has 2 different values"),
        ("temporal:none", "column 'none' has 0 different values"),
    ],
)
def test_a_rule_that_cannot_be_followed_is_named(rule: str, says: str) -> None:
    columns = {"year": _YEARS, "half": _YEARS > 2016, "none": np.full(200, np.nan)}
    with pytest.raises(DataError) as error:
        make_splits(rule, _Y, columns, source="mine.csv")
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_too_few_nodes_for_a_rule_are_an_error() -> None:
    with pytest.raises(DataError, match="leave no test node: 4 labelled nodes are too few"):
        make_splits("10x48/32/20", np.array([0, 0, 1, 1]))


@pytest.mark.parametrize(
    "days",
    [
        ["2020-01-31", "2020-02-01", "2021-01-01", "2019-12-31"],
        ["2020", "2021", "2022", "2019"],
        ["2020-01-31T10:00:00Z", "2020-02-01T09:00:00Z", "2021-01-01", "2019-12-31 23:59"],
        ["20200131", "20200201", "20210101", "20191231"],
    ],
)
def test_times_in_text_are_in_the_order_of_time(days: list[str]) -> None:
    y = np.array([0, 1, 0, 1] * 3)
    made = make_splits("temporal:day", y, {"day": np.array(days * 3, dtype=object)})
    assert made.test[0].tolist() == [False, False, True, False] * 3


@pytest.mark.parametrize("day", ["31.12.2019", "12/31/2019", "Jan 2020", "2020-1-31", "x10"])
def test_text_whose_order_is_not_that_of_time_is_refused(day: str) -> None:
    days = np.array(["2020-01-01", "2021-01-01", day, "2022-01-01"] * 3, dtype=object)
    with pytest.raises(DataError, match=r"'day' has .*which is no time; write times as"):
        make_splits("temporal:day", np.array([0, 1] * 6), {"day": days}, source="mine.csv")


@pytest.mark.parametrize("rule", ["5x48/32/20", "5x20-per-class/50/60", "5x20/60/80-nodes"])
def test_another_draw_makes_other_splits_of_the_same_sizes(rule: str) -> None:
    first, again, other = (make_splits(rule, _Y, draw=draw) for draw in (0, 0, 1))
    assert np.array_equal(first.test, again.test)
    assert _sizes(first) == _sizes(other)
    drawn = {row.tobytes() for row in first.test} & {row.tobytes() for row in other.test}
    assert not drawn


def test_more_nodes_than_are_labelled_are_refused() -> None:
    with pytest.raises(DataError, match="want 300 nodes, and 200 are labelled"):
        make_splits("100/100/100-nodes", _Y)
