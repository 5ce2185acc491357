import contextlib
import json
from pathlib import Path

import pytest

from l2p_search.api.arguments import check
from l2p_search.config import DEFAULTS, TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.errors import ConfigError, SearchError, UserError, in_shell
from l2p_search.searching.records import settings as settings_module
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal, SearchSettings
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.searching.space.search_space import Choices, Range, SearchSpace
from l2p_search.searching.space.space_file import parse_space
from tests.searching.pretend import SPACE, drive, searched, settings

_RANGES = SearchSpace(
    "ranges",
    {"K": Choices((2, 4)), "lr": Range(1e-3, 0.1, log=True), "dropout": Range(0.0, 0.8)},
    {"hidden": 32},
    seeds=5,
    trials=9,
    time_budget=60.0,
    start=({"K": 4},),
)

_UNREAD = {"model": "appnp", "edge_dropout": {"choices": [0.0, 0.3]}, "K": {"choices": [2, 4]}}
"""A space as old versions accepted it: APPNP has no use for `edge_dropout`."""


@pytest.mark.parametrize("space", [SPACE, _RANGES])
def test_settings_are_read_as_they_were_written(space: SearchSpace) -> None:
    base = TrialConfig.from_mapping({"model": "gcn"}, DEFAULTS["heterophily"])
    graph = {"source": "mine.npz", "split": "random"}
    for changes in ({}, {"graph": graph}, {"sealed": True}):
        written = settings(space, base=base, sampler="gp", race="paired", seed=7, **changes)
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


def test_the_rule_of_a_race_is_named() -> None:
    assert [settings(race=race).racing for race in (None, "halving", "paired")] == [
        "",
        ", racing by halving",
        ", racing by paired tests",
    ]


@pytest.mark.parametrize(("written", "race"), [(True, "paired"), (False, None)])
def test_a_race_of_the_first_journals_is_paired(written: bool, race: str | None) -> None:
    mapping = {**settings().to_mapping(), "race": written, "seeds": 1}
    found = SearchSettings.from_mapping(mapping)
    assert (found.race, found.seeds) == (race, 1)


def test_a_gaussian_process_is_not_to_race() -> None:
    with pytest.raises(SearchError) as raised:
        settings(SPACE, sampler="gp", race="paired").check_new()
    assert in_shell(raised.value.message) == (
        "--sampler gp: learns from trials with all their seeds alone, and --race stops most trials"
        " before; take --sampler tpe, or leave the race out"
    )
    settings(SPACE, sampler="gp", race="paired").check_possible()  # one that is recorded goes on


@pytest.mark.parametrize(
    ("sampler", "race"), [("gp", False), ("tpe", True), ("random", True), ("grid", True)]
)
def test_every_other_pair_may_begin(sampler: str, race: bool) -> None:
    settings(SPACE, sampler=sampler, race=race).check_new()


@pytest.mark.parametrize("sampler", ["tpe", "random", "gp"])
def test_every_other_sampler_takes_ranges_and_a_grid_takes_choices(sampler: str) -> None:
    settings(_RANGES, sampler=sampler).check_possible()
    settings(SPACE, sampler="grid").check_possible()


def test_a_goal_is_read_as_it_was_written() -> None:
    goal = Goal(trials=7, confirm=0, ties=2, time_budget=3.5)
    assert Goal.from_mapping(json.loads(json.dumps(goal.to_mapping()))) == goal


def test_a_goal_asks_for_nothing_that_nobody_asked_for() -> None:
    goal = Goal(trials=7)
    assert (goal.register, goal.champion, goal.controls, goal.fresh_splits) == (
        None, False, False, None,
    )  # fmt: skip


def test_what_is_not_of_its_type_in_a_goal_or_in_settings_is_damage() -> None:
    with pytest.raises(ValueError, match="'confirm' is not what belongs there"):
        Goal.from_mapping({"trials": 7, "confirm": "three"})
    for key, value in (("sampler", "best"), ("sealed", 1), ("race", "fast")):
        with pytest.raises(ValueError, match=f"'{key}' is not what belongs there"):
            SearchSettings.from_mapping({**settings().to_mapping(), key: value})
    with pytest.raises(ValueError, match="'seeds' is below 1"):
        SearchSettings.from_mapping({**settings().to_mapping(), "seeds": 0})
    for graph in ({"source": 3}, {"label": "y"}, {"source": "x.csv", "weight": ["w"]}, {}):
        with pytest.raises(ValueError, match="'graph' "):
            SearchSettings.from_mapping({**settings().to_mapping(), "graph": graph})


@pytest.mark.parametrize("count", [-1, 10**12])
def test_a_count_that_nobody_can_ask_for_is_damage(count: int) -> None:
    for key in ("trials", "confirm", "ties"):
        with pytest.raises(ValueError, match=f"'{key}' is not between"):
            Goal.from_mapping({"trials": 7, key: count})


def test_the_most_that_a_command_takes_is_read_and_one_more_is_damage() -> None:
    """The limits of the commands and of the journal are one."""
    for name, key in (("trials", "trials"), ("confirm", "confirm"), ("confirm_ties", "ties")):
        most = _most_of(name)
        goal = Goal.from_mapping({"trials": 7, key: most})
        assert getattr(goal, key) == most
        with pytest.raises(ValueError, match=f"'{key}' is not between 0 and {most}"):
            Goal.from_mapping({"trials": 7, key: most + 1})
    most = _most_of("seeds")
    read = SearchSettings.from_mapping({**settings().to_mapping(), "seeds": most})
    assert read.seeds == most
    with pytest.raises(ValueError, match=f"'seeds' is above {most}"):
        SearchSettings.from_mapping({**settings().to_mapping(), "seeds": most + 1})


def _most_of(name: str) -> int:
    """The largest power of ten that an argument may be, where the next number may not."""
    taken = []
    for power in range(9):
        with contextlib.suppress(UserError):
            check(**{name: 10**power})
            taken.append(10**power)
    return taken[-1]


def _gat(hidden: list[int], heads: list[int]) -> SearchSettings:
    """Of these, GAT can have those whose units can be shared by the heads."""
    space = {
        "model": "gat",
        "hidden": {"choices": hidden},
        "heads": {"choices": heads},
        "dropout": {"choices": [0.2, 0.4, 0.6]},
    }
    return settings(parse_space("gat", space))


def test_its_size_counts_the_points_whose_values_do_not_exclude_each_other() -> None:
    assert _gat([7, 8], [4, 8]).size == 2 * 3
    assert _gat([7, 8], [1, 8]).size == 3 * 3
    assert _gat([7, 8], [1, 8]).at_most(100) == 9
    assert _gat([7, 8], [1, 8]).at_most(5) == 5
    assert settings(_RANGES).size is None
    assert settings(_RANGES).at_most(100) == 100


def test_only_values_that_can_exclude_each_other_are_gone_through_to_count_points() -> None:
    """Three values of dropout and 30,000 of a step: none of them can be impossible."""
    space = {
        "model": "gat",
        "hidden": {"choices": [7, 8]},
        "heads": 8,
        "weight_decay": {"low": 0.0, "high": 0.3, "step": 1e-5},
    }
    assert settings(parse_space("long", space)).size == 30_001


def test_of_too_many_combinations_all_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings_module, "_MOST_COUNTED", 4)
    assert _gat([7, 8], [4, 8]).size == 2 * 3
    monkeypatch.setattr(settings_module, "_MOST_COUNTED", 3)
    assert _gat([7, 8], [4, 8]).size == 4 * 3


def test_a_typical_config_is_the_middle_or_where_that_is_impossible_a_possible_point() -> None:
    middle = settings(SPACE).typical_config()
    assert middle == settings(SPACE).config(SPACE.middle())
    found = _gat([8, 7, 9], [4, 8, 16])
    with pytest.raises(ConfigError):
        found.config(found.space.middle())
    assert found.typical_config().hidden == 8


def test_a_space_without_a_possible_point_is_refused_with_the_values_in_question() -> None:
    base = TrialConfig.from_mapping({"model": "gat", "hidden": 8, "heads": 4})
    found = settings(parse_space("odd", {"hidden": {"choices": [7, 9]}}), base=base)
    assert found.size == 0
    for ask in (found.check_possible, found.typical_config):
        with pytest.raises(ConfigError, match="cannot be shared by heads=4"):
            ask()


def test_the_metric_is_part_of_the_settings_and_accuracy_where_none_is_written() -> None:
    written = settings(metric="roc_auc").to_mapping()
    assert SearchSettings.from_mapping(written).metric == "roc_auc"
    del written["metric"]
    assert SearchSettings.from_mapping(written) == settings()


def test_an_old_search_goes_on_with_a_key_that_its_model_does_not_read(
    tmp_path: Path, small_graph: Graph
) -> None:
    with pytest.raises(ConfigError, match="edge_dropout is not read by appnp"):
        parse_space("old", _UNREAD)
    space = parse_space("old", _UNREAD, recorded=True)
    base = TrialConfig.recorded({"heads": 4})
    searched(tmp_path / "s", small_graph, Goal(trials=2), space=space, base=base).close()

    journal = Journal.resume(tmp_path / "s")
    assert journal.settings == settings(space=space, base=base)
    drive(Coordinator(journal, Goal(trials=4), concurrency=1), small_graph)
    wanted = [
        TrialConfig.recorded({"model": "appnp", "heads": 4, "edge_dropout": rate, "K": steps})
        for rate in (0.0, 0.3)
        for steps in (2, 4)
    ]
    found = {record.config.config_id for record in journal.records()}
    assert found == {config.config_id for config in wanted}
    journal.close()
