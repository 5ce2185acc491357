from pathlib import Path
from typing import Any

import pytest

from l2p_search.config import TrialConfig
from l2p_search.errors import ConfigError
from l2p_search.searching.space import space_file
from l2p_search.searching.space.search_space import Range
from l2p_search.searching.space.space_file import parse_space, read_space
from l2p_search.yaml_file import dump_yaml


def test_ranges_choices_and_fixed_values_keep_their_types() -> None:
    space = parse_space(
        "mine",
        {
            "K": {"low": 2, "high": 9, "step": 3},
            "hidden": {"low": 8, "high": 64, "log": True},
            "lr": {"low": 1e-3, "high": 1, "log": True},
            "dropout": {"low": 0.0, "high": 0.5, "step": 0.2},
            "posterior": "select",
            "seeds": 5,
            "budget": {"trials": 7, "time": "2h"},
        },
    )
    assert space.dimensions["K"] == Range(2, 8, step=3, whole=True)
    assert space.dimensions["K"].enumerated() == (2, 5, 8)
    assert space.dimensions["dropout"].enumerated() == (0.0, 0.2, 0.4)
    assert space.dimensions["lr"] == Range(1e-3, 1.0, log=True)
    assert space.dimensions["hidden"] == Range(8, 64, log=True, whole=True)
    assert space.size is None
    assert (space.seeds, space.trials, space.time_budget) == (5, 7, 7200.0)
    middle = space.config(space.middle(), TrialConfig())
    assert (middle.K, middle.posterior) == (5, "select")


@pytest.mark.parametrize(
    ("mapping", "says"),
    [
        ({"droput": {"choices": [0.1]}}, "unknown key 'droput'; did you mean 'dropout'?"),
        ({"K": {"choices": []}}, "K: choices=[] must be a list such as [1, 2]"),
        ({"K": {"choices": [2, 200]}}, "K=200 is out of range"),
        ({"K": {"choices": [2, 2]}}, "K: 2 is given twice"),
        ({"K": {"choices": [2, 2.5]}}, "K=2.5 must be a whole number"),
        ({"K": [2, 4]}, "K: a bare list; write {choices: [..]}"),
        ({"K": {"choces": [2]}}, "K: 'choces' is not understood; did you mean 'choices'?"),
        ({"K": {"choices": [2], "log": True}}, "'log' is not understood with 'choices'"),
        ({"K": {"low": 2}}, "K: 'high' is missing"),
        ({"K": {"low": 4, "high": 4}}, "low=4 must be below high=4"),
        ({"lr": {"low": 1e-3, "high": 0.1, "log": "yes"}}, "log='yes' must be true or false"),
        ({"dropout": {"low": 0, "high": 0.5, "log": True}}, "has no logarithm"),
        ({"lr": {"low": 0.1, "high": 1, "log": True, "step": 0.1}}, "exclude each other"),
        ({"K": {"low": 2, "high": 8, "step": 0.5}}, "step=0.5 must be a whole number above 0"),
        ({"K": {"low": 2, "high": 8, "step": 9}}, "at most 6"),
        ({"K": {"low": 2, "high": 8, "step": 0}}, "step=0 must be a whole number above 0"),
        ({"dropout": {"low": 0.0, "high": 0.5, "step": 0.0}}, "must be a number above 0"),
        ({"dropout": {"low": 0.0, "high": 0.5, "step": 1e-10}}, "give a larger step, or log"),
        ({"posterior": {"low": "a", "high": "b"}}, "posterior='a' is unknown"),
        ({"posterior": {"low": "quit", "high": "select"}}, "takes names, not numbers"),
        ({"K": 4}, "nothing varies"),
        ({}, "nothing varies"),
        ({"K": {"choices": [2]}, "seeds": 0}, "seeds=0 must be a whole number of at least 1"),
        ({"K": {"choices": [2]}, "seeds": True}, "seeds=True must be a whole number"),
        ({"K": {"choices": [2]}, "budget": 5}, "budget=5 must be such as {trials: 200"),
        ({"K": {"choices": [2]}, "budget": {"trails": 5}}, "did you mean 'trials'?"),
        ({"K": {"choices": [2]}, "budget": {"trials": 0}}, "budget: trials=0 must be"),
        ({"K": {"choices": [2]}, "budget": {"time": "soon"}}, "'soon' is no duration"),
        ({"K": {"choices": [2]}, "start": 2}, "start=2 must be such as {dropout: 0.5, K: 8}"),
        ({"K": {"choices": [2]}, "start": {"k": 2}}, "start: 'k' does not vary here"),
        ({"K": {"choices": [2, 4]}, "start": {"K": 3}}, "K=3 is not in the space; it has 2, 4"),
        (
            {"lr": {"low": 0.01, "high": 0.1}, "start": [{"lr": 0.1}, {"lr": 1}]},
            "start: lr=1 is not in the space; it has numbers from 0.01 to 0.1",
        ),
    ],
)
def test_errors_name_the_key_and_what_to_write(mapping: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError) as raised:
        parse_space("mine", mapping)
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_error_in_a_file_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("droput: {choices: [0.1, 0.2]}\n")
    with pytest.raises(ConfigError) as raised:
        read_space(path)
    assert str(raised.value) == f"{path}: unknown key 'droput'; did you mean 'dropout'?"


@pytest.mark.parametrize(
    ("mapping", "says"),
    [
        (
            {"model": "appnp", "edge_dropout": {"choices": [0.2]}},
            "edge_dropout is not read by appnp",
        ),
        ({"model": "mlp", "K": {"low": 2, "high": 9}}, "K is not read by mlp; leave it out"),
        ({"model": "gcn", "kl_weight": 0.1}, "kl_weight=0.1 is not read by gcn; leave it out"),
        ({"backbone": "gat", "skip": 0.5}, "skip=0.5 is not read by L2P on gat; leave it out"),
        ({"sharpening": {"choices": [0.3]}}, "sharpening is not read with consistency=0.0"),
        ({"encoder": "linear", "hidden": {"choices": [8, 16]}}, "with encoder='linear'; leave it"),
        (
            {"model": {"choices": ["appnp", "dagnn"]}, "heads": {"choices": [2, 4]}},
            "heads is not read by appnp or by dagnn; leave it out",
        ),
        (
            {"encoder": "linear", "skip": {"choices": [0.5, 1.0]}},
            "skip=0.5 is not read with encoder='linear'",
        ),
        (
            {"model": "gat", "hidden": {"choices": [7, 20]}},
            "hidden=7 cannot be shared by heads=8",
        ),
    ],
)
def test_a_space_is_held_against_its_model(
    tmp_path: Path, mapping: dict[str, Any], says: str
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(dump_yaml({"lr": {"choices": [0.01, 0.02]}, **mapping}))
    with pytest.raises(ConfigError) as raised:
        read_space(path)
    assert str(raised.value).startswith(f"{path}: ")
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "mapping",
    [
        {"model": "gcn", "heads": 8},  # a default has no effect, and says nothing else
        {"model": {"choices": ["appnp", "gcn"]}, "edge_dropout": {"choices": [0.2]}},
        {"consistency": {"low": 0.0, "high": 1.0}, "sharpening": {"low": 0.3, "high": 0.7}},
        {"prior": {"choices": ["uniform", "geometric"]}, "prior_ratio": {"choices": [0.3, 0.9]}},
        {"backbone": {"choices": ["appnp", "gat"]}, "heads": {"choices": [4, 8]}},
    ],
)
def test_what_some_configuration_of_a_space_reads_may_vary(mapping: dict[str, Any]) -> None:
    space = parse_space("mine", {"lr": {"choices": [0.01, 0.02]}, **mapping})
    for index in range(space.size or 0):
        space.config(space.point(index), TrialConfig())


def test_a_single_value_is_checked_whatever_the_model() -> None:
    mapping = {"edge_dropout": {"choices": [0.2, 1.5]}, "model": "appnp"}
    with pytest.raises(ConfigError, match=r"edge_dropout=1.5 is out of range"):
        parse_space("mine", mapping)


def test_a_recorded_space_is_read_with_what_its_model_does_not_read() -> None:
    mapping = {"model": "appnp", "edge_dropout": {"choices": [0.2, 0.3]}, "kl_weight": 0.1}
    space = parse_space("old", mapping, recorded=True)
    configs = [space.config(space.point(index), TrialConfig()) for index in range(2)]
    assert [config.config_id for config in configs] == ["1b43ebce30c4", "baf7b0e64646"]


def test_points_between_the_ends_of_a_range_may_be_possible_where_its_ends_are_not() -> None:
    given = {"model": "gat", "heads": 8, "hidden": {"low": 7, "high": 9}}
    assert parse_space("between", given).dimensions["hidden"] == Range(7, 9, step=1, whole=True)


def test_seeds_and_budget_may_stand_before_the_hyperparameters() -> None:
    keys = {"seeds": 1, "budget": {"trials": 1}, "K": {"choices": [2, 4]}, "lr": 0.01}
    space = parse_space("mine", keys)
    assert (list(space.dimensions), space.fixed) == (["K"], {"lr": 0.01})
    assert (space.seeds, space.trials) == (1, 1)


@pytest.mark.parametrize(
    ("bound", "fitting", "mapping", "says"),
    [
        (
            "_MOST_COMBINATIONS",
            4,
            {"model": "gat", "hidden": {"choices": [8, 16]}, "heads": {"choices": [1, 2]}},
            "have more than 3 combinations; give them fewer choices",
        ),
        (
            "_MOST_CHOICES",
            2,
            {"dropout": {"choices": [0.2, 0.4]}},
            "dropout: has 2 choices, more than 1; give low and high",
        ),
        (
            "_MOST_STEPS",
            4,
            {"dropout": {"low": 0.25, "high": 0.75, "step": 0.125}},
            "dropout: has more than 3 values; give a larger step, or log",
        ),
    ],
)
def test_a_space_that_would_stand_still_before_it_begins_is_refused(
    bound: str, fitting: int, mapping: dict[str, Any], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(space_file, bound, fitting)
    parse_space("mine", mapping)
    monkeypatch.setattr(space_file, bound, fitting - 1)
    with pytest.raises(ConfigError) as raised:
        parse_space("mine", mapping)
    assert raised.value.message.endswith(says)


@pytest.mark.parametrize(("key", "most"), [("seeds", 10**4), ("trials", 10**6)])
def test_so_many_seeds_and_trials_are_the_most(key: str, most: int) -> None:
    def parsed(number: int) -> object:
        own = {"seeds": number} if key == "seeds" else {"budget": {"trials": number}}
        space = parse_space("mine", {"K": {"choices": [2, 4]}, **own})
        return space.seeds or space.trials

    assert parsed(most) == most
    with pytest.raises(ConfigError, match=f"{key}: must be at most {most}"):
        parsed(most + 1)


def test_one_step_may_be_as_long_as_the_range_and_a_start_lies_on_a_step() -> None:
    dropout = {"low": 0.0, "high": 0.5, "step": 0.5}
    space = parse_space("mine", {"dropout": dropout, "start": {"dropout": 0.5}})
    assert space.dimensions["dropout"].enumerated() == (0.0, 0.5)
    with pytest.raises(ConfigError, match=r"start: dropout=0.25 is not in the space"):
        parse_space("mine", {"dropout": dropout, "start": {"dropout": 0.25}})


@pytest.mark.parametrize("lr", [0.01, 0.1])
def test_a_start_may_lie_at_an_end_of_a_range(lr: float) -> None:
    space = parse_space("mine", {"lr": {"low": 0.01, "high": 0.1}, "start": {"lr": lr}})
    assert space.start == ({"lr": lr},)


def test_a_part_of_the_budget_that_is_misspelt_is_told() -> None:
    with pytest.raises(ConfigError, match="budget: 'tim' is not understood; did you mean 'time'"):
        parse_space("mine", {"K": {"choices": [2, 4]}, "budget": {"tim": "2h"}})


def test_a_thousand_choices_a_million_steps_and_many_combinations_are_accepted() -> None:
    thousand = [number / 2000 for number in range(1000)]
    parse_space("mine", {"dropout": {"choices": thousand}})
    with pytest.raises(ConfigError, match="has 1001 choices, more than 1000"):
        parse_space("mine", {"dropout": {"choices": [*thousand, 0.75]}})
    million = {"low": 0, "high": 0.5, "step": 5e-7}
    parse_space("mine", {"dropout": million})
    with pytest.raises(ConfigError, match="has more than 1000000 values"):
        parse_space("mine", {"dropout": {**million, "step": 4.9e-7}})
    hidden = {"choices": [8 * number for number in range(1, 101)]}
    parse_space("mine", {"model": "gat", "hidden": hidden, "heads": {"choices": [1, 2]}})


def test_a_hundred_thousand_combinations_that_may_exclude_each_other_are_the_most() -> None:
    """Each is tried when a space is read: more would take minutes, and are refused at once."""
    numbers = list(range(1, 318))  # of which there are 317 * 317 = 100,489 pairs
    mapping = {"model": "gat", "hidden": {"choices": numbers}, "heads": {"choices": numbers}}
    with pytest.raises(ConfigError, match=r"heads.* have more than 100000 combinations"):
        parse_space("mine", mapping)
