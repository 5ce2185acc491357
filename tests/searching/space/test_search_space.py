import random
from pathlib import Path

import pytest

from l2p_search.config import TrialConfig
from l2p_search.errors import ConfigError
from l2p_search.searching.space.search_space import Choices, Range, SearchSpace
from l2p_search.searching.space.space_file import parse_space


def test_points_are_counted_in_the_files_order_the_last_key_fastest() -> None:
    space = parse_space("s", {"K": {"choices": [4, 2]}, "dropout": {"choices": [0.1, 0.2]}})
    assert [space.point(index) for index in range(4)] == [
        {"K": 4, "dropout": 0.1},
        {"K": 4, "dropout": 0.2},
        {"K": 2, "dropout": 0.1},
        {"K": 2, "dropout": 0.2},
    ]


def test_a_space_is_made_from_values_from_a_file_or_from_a_shipped_name(tmp_path: Path) -> None:
    mapping = {"K": {"choices": [2, 4]}, "lr": {"low": 0.01, "high": 0.1}, "seeds": 3}
    space = SearchSpace.from_mapping("mine", mapping)
    assert space == SearchSpace(
        "mine", {"K": Choices((2, 4)), "lr": Range(0.01, 0.1)}, {}, seeds=3
    )
    path = tmp_path / "mine.yaml"
    path.write_text("K: {choices: [2, 4]}\nlr: {low: 0.01, high: 0.1}\nseeds: 3\n")
    assert SearchSpace.from_file(path) == SearchSpace.from_file(str(path)) == space
    assert SearchSpace.from_file("paper").name == "paper"
    with pytest.raises(ConfigError, match="nothing varies"):
        SearchSpace.from_mapping("mine", {"K": 2})


def test_a_point_goes_over_the_fixed_values_and_these_over_the_base() -> None:
    space = SearchSpace("mine", {"K": Choices((2, 4))}, {"K": 3, "lr": 0.02})
    config = space.config({"K": 4}, TrialConfig(lr=0.5, hidden=8))
    assert (config.K, config.lr, config.hidden) == (4, 0.02, 8)


def test_an_endless_space_has_no_points_to_count() -> None:
    space = SearchSpace("endless", {"K": Choices((2, 4)), "lr": Range(0.001, 0.1)}, {})
    assert space.size is None
    with pytest.raises(ValueError, match="the values of 'lr' cannot be counted"):
        space.point(0)


@pytest.mark.parametrize(
    ("dimension", "middle"),
    [
        (Choices((1, 2, 3)), 2),
        (Choices(tuple(range(9))), 4),
        (Range(1, 9, step=2, whole=True), 5),
        (Range(0.0, 0.8, step=0.1), 0.4),
    ],
)
def test_the_middle_of_values_that_can_be_counted_is_one_of_them(
    dimension: Choices | Range, middle: float
) -> None:
    assert SearchSpace("one", {"K": dimension}, {}).middle() == {"K": middle}


def test_no_more_trials_than_configurations() -> None:
    countable = SearchSpace("mine", {"K": Choices((2, 4))}, {})
    endless = SearchSpace("mine", {"lr": Range(0.01, 0.1)}, {})
    assert (countable.at_most(9), countable.at_most(1), endless.at_most(9)) == (2, 1, 9)


def test_the_middle_of_a_logarithmic_range_is_the_geometric_mean() -> None:
    dimensions = {
        "lr": Range(0.01, 1.0, log=True),
        "hidden": Range(4, 16, log=True, whole=True),
        "dropout": Range(0.2, 0.4),
        "K": Choices((2, 4, 8)),
    }
    middle = SearchSpace("mine", dict(dimensions), {}).middle()
    assert middle == {"lr": pytest.approx(0.1), "hidden": 8, "dropout": pytest.approx(0.3), "K": 4}


@pytest.mark.parametrize(
    ("dimension", "said"),
    [
        (Range(0.0, 0.8, step=0.2), "numbers from 0 to 0.8 in steps of 0.2"),
        (Range(1, 64, step=1, whole=True), "whole numbers from 1 to 64"),
        (Range(2, 64, step=2, whole=True), "whole numbers from 2 to 64 in steps of 2"),
        (Range(1e-3, 0.1, log=True), "numbers from 0.001 to 0.1, log"),
    ],
)
def test_a_range_is_told_with_which_numbers_it_has(dimension: Range, said: str) -> None:
    assert str(dimension) == said


def test_a_drawn_point_is_one_of_the_space() -> None:
    dimensions = {
        "K": Choices((2, 4)),
        "hidden": Range(4, 64, log=True, whole=True),
        "dropout": Range(0.0, 0.8, step=0.4),
        "lr": Range(0.01, 0.1),
    }
    space, draws = SearchSpace("mine", dict(dimensions), {}), random.Random(0)
    points = [space.drawn(draws) for _ in range(60)]
    assert {point["K"] for point in points} == {2, 4}
    assert {point["dropout"] for point in points} == {0.0, 0.4, 0.8}
    assert all(isinstance(point["hidden"], int) and 4 <= point["hidden"] <= 64 for point in points)
    assert all(0.01 <= point["lr"] <= 0.1 for point in points)
    assert len({point["lr"] for point in points}) == 60


def test_a_space_is_read_as_it_was_written() -> None:
    dimensions = {
        "K": Range(2, 8, step=3, whole=True),
        "dropout": Range(0.0, 0.4, step=0.2),
        "lr": Range(0.01, 1.0, log=True),
        "weight_decay": Range(0.0, 0.1),
    }
    space = SearchSpace("mine", dict(dimensions), {"hidden": 8}, seeds=3, trials=9)
    assert SearchSpace.from_mapping("mine", space.to_mapping()) == space
    assert space.to_mapping()["budget"] == {"trials": 9}
