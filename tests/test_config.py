import dataclasses
from pathlib import Path

import pytest
import yaml

from l2p_search.config import DEFAULTS, TrialConfig
from l2p_search.errors import ConfigError
from l2p_search.yaml_file import parse_value


def test_is_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        TrialConfig().K = 3  # type: ignore[misc]


def test_the_id_depends_on_every_value_and_on_nothing_else() -> None:
    base = TrialConfig()
    changes = {
        "dropout": 0.1, "lr": 0.5, "hidden": 3, "weight_decay": 0.7, "K": 5, "teleport": 0.3,
        "posterior": "select", "scorer": "per_step", "prior": "geometric", "prior_ratio": 0.9,
        "kl_weight": 0.77, "temperature": 2.5, "algorithm": "em", "level": "joint",
        "upper_lr": 0.3, "decay_on": "theta", "epochs": 7, "patience": 8,
        "stop_on": "val_accuracy", "model": "mlp", "edge_dropout": 0.4,
        "heads": 4, "identity": 1.0, "backbone": "gcn", "skip": 0.5,
        "encoder": "linear", "self_loop": 0.0, "node_dropout": 0.3,
        "classifier": "per_step", "consistency": 0.5, "sharpening": 0.3,
        "step_decay": 0.02,
    }  # fmt: skip
    assert set(changes) == {field.name for field in dataclasses.fields(base)}
    ids = {
        TrialConfig.from_mapping({key: value}, base).config_id for key, value in changes.items()
    }
    assert len(ids | {base.config_id}) == len(changes) + 1
    assert TrialConfig(K=16.0).config_id == TrialConfig(K=16).config_id  # type: ignore[arg-type]


def test_a_round_trip_through_plain_values_keeps_everything() -> None:
    config = TrialConfig(K=7, posterior="select", lr=0.003)
    assert TrialConfig.from_mapping(config.to_mapping()) == config


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"K": 0}, "K=0 is out of range: give a number of propagation steps from 1 to 64"),
        ({"K": -3}, "K=-3 is out of range"),
        ({"step_decay": -1}, "step_decay=-1.0 is out of range: give 0 or more"),
        ({"consistency": -1}, "consistency=-1.0 is out of range: give 0 or more"),
        ({"sharpening": 0}, "sharpening=0.0 is out of range: give a temperature from 0.001 to 1"),
        ({"encoder": "linear", "model": "gcn"}, "encoder='linear' goes with L2P on APPNP only"),
        ({"encoder": "linear", "skip": 1.0}, "encoder='linear' has no classifier: leave out skip"),
        (
            {"encoder": "linear", "classifier": "per_step"},
            "encoder='linear' has no classifier: leave out skip and classifier",
        ),
        ({"classifier": "per_step", "backbone": "gat"}, "classifier='per_step' goes with L2P on"),
        ({"skip": 1.0, "backbone": "gcn"}, "skip=1.0 goes with L2P on APPNP only; leave it out"),
        ({"self_loop": 0.0, "model": "appnp"}, "self_loop=0.0 goes with L2P on APPNP only"),
        ({"node_dropout": 0.5, "model": "gcn"}, "node_dropout=0.5 goes with L2P on APPNP only"),
        ({"self_loop": -1.0}, "self_loop=-1.0 is out of range: give 0 or more"),
        ({"node_dropout": 1.0}, "node_dropout=1.0 is out of range: give a rate from 0 to 0.99"),
        ({"K": 65}, "from 1 to 64"),
        ({"K": 2.5}, "K=2.5 must be a whole number"),
        ({"K": True}, "K=True must be a whole number"),
        ({"dropout": 1}, "dropout=1.0 is out of range"),
        ({"dropout": -0.1}, "dropout=-0.1 is out of range"),
        ({"lr": 0}, "lr=0.0 is out of range"),
        ({"lr": "fast"}, "lr='fast' must be a number"),
        ({"lr": float("nan")}, "lr=nan must be finite"),
        ({"lr": None}, "lr=None must be a number"),
        ({"K": float("inf")}, "K=inf must be finite"),
        ({"K": float("nan")}, "K=nan must be finite"),
        ({"lr": 10**400}, "must be finite"),
        ({"weight_decay": -1}, "weight_decay=-1.0 is out of range"),
        ({"posterior": "quitt"}, "posterior='quitt' is unknown; did you mean 'quit'?"),
        ({"droput": 0.1}, "unknown key 'droput'; did you mean 'dropout'?"),
    ],
)
def test_what_cannot_be_trained_is_refused_with_its_remedy(
    values: dict[str, object], says: str
) -> None:
    with pytest.raises(ConfigError) as error:
        TrialConfig.from_mapping(values)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_numbers_in_yaml_are_read_as_people_mean_them(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("weight_decay: 5e-4\nlr: 1E-2\nK: 8\n")
    config = TrialConfig.from_file(path)
    assert (config.weight_decay, config.lr, config.K) == (5e-4, 0.01, 8)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("droput: 0.2", "unknown key 'droput'; did you mean 'dropout'?"),
        ("K: four", "K='four' must be a whole number"),
        ("K: [1, 2]", "K=[1, 2] must be a whole number"),
        ("K: 4\nK: 8", "key 'K' is given twice"),
        ("- K", "holds no 'key: value' lines"),
        ("K: {", "line 1"),
        ("? [1, 2]\n: 3", "unhashable key"),
        ("posterior: [quit]", "posterior=['quit'] is unknown"),
    ],
)
def test_a_wrong_file_is_named_with_what_is_wrong_in_it(
    tmp_path: Path, text: str, says: str
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as error:
        TrialConfig.from_file(path)
    assert str(error.value).startswith(f"{path}: ")
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_or_binary_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        TrialConfig.from_file(tmp_path / "none.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="cannot be read"):
        TrialConfig.from_file(tmp_path / "binary.yaml")


def test_an_empty_file_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty.yaml").write_text("# nothing\n")
    assert TrialConfig.from_file(tmp_path / "empty.yaml", TrialConfig(K=3)) == TrialConfig(K=3)


@pytest.mark.parametrize(
    ("text", "value"), [("16", 16), ("1e-3", 1e-3), ("quit", "quit"), ("[", "[")]
)
def test_values_by_hand_are_read_as_in_a_file(text: str, value: object) -> None:
    assert parse_value(text) == value


def test_the_defaults_are_configurations_of_both_kinds() -> None:
    assert set(DEFAULTS) == {"homophily", "heterophily"}


def test_the_loader_leaves_yaml_itself_alone() -> None:
    assert yaml.safe_load("a: 5e-4") == {"a": "5e-4"}
