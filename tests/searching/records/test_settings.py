import json

import pytest

from l2p_search.config import TrialConfig
from l2p_search.errors import SearchError, in_shell
from l2p_search.searching.records.settings import Goal, SearchSettings
from l2p_search.searching.space.search_space import Choices, Range, SearchSpace
from tests.searching.pretend import SPACE, settings

_RANGES = SearchSpace(
    "ranges",
    {"K": Choices((2, 4)), "lr": Range(1e-3, 0.1, log=True), "dropout": Range(0.0, 0.8)},
    {"hidden": 32},
    seeds=5,
    trials=9,
    time_budget=60.0,
    start=({"K": 4},),
)


@pytest.mark.parametrize("space", [SPACE, _RANGES])
def test_settings_are_read_as_they_were_written(space: SearchSpace) -> None:
    written = settings(space, base=TrialConfig(teleport=0.2), sampler="gp", race=True, seed=7)
    assert SearchSettings.from_mapping(json.loads(json.dumps(written.to_mapping()))) == written


def test_a_point_overrides_what_is_fixed_and_that_the_base() -> None:
    found = settings(_RANGES, base=TrialConfig(hidden=8, K=16, teleport=0.2))
    config = found.config({"K": 4, "lr": 0.01, "dropout": 0.3})
    assert (config.K, config.hidden, config.teleport) == (4, 32, 0.2)


def test_a_grid_over_endlessly_many_values_is_refused_by_the_first_such_key() -> None:
    with pytest.raises(SearchError) as raised:
        settings(_RANGES, sampler="grid").check_possible()
    assert in_shell(raised.value.message) == (
        "--sampler grid: 'lr' of space 'ranges' has endlessly many values; give it choices or a"
        " step, or take --sampler tpe"
    )


@pytest.mark.parametrize("sampler", ["tpe", "random", "gp"])
def test_every_other_sampler_takes_ranges_and_a_grid_takes_choices(sampler: str) -> None:
    settings(_RANGES, sampler=sampler).check_possible()
    settings(SPACE, sampler="grid").check_possible()


def test_a_goal_is_read_as_it_was_written() -> None:
    goal = Goal(trials=7, confirm=0, ties=2, time_budget=3.5)
    assert Goal(**json.loads(json.dumps(goal.to_mapping()))) == goal
