import dataclasses
import re
from itertools import product
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
import yaml

from l2p_search.config import DEFAULTS, EXCLUDING, TrialConfig
from l2p_search.errors import ConfigError
from l2p_search.hyperparameters import ALL
from l2p_search.keys import about, key
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
        "step_decay": 0.02, "norm": "batch", "residual": "linear", "head_layers": 3,
        "scorer_bias": "none", "class_weight": "balanced", "phi_share": 0.5, "extra_labels": 0.5,
    }  # fmt: skip
    assert set(changes) == {field.name for field in dataclasses.fields(base)}
    ids = {TrialConfig.recorded({key: value}).config_id for key, value in changes.items()}
    assert len(ids | {base.config_id}) == len(changes) + 1
    assert TrialConfig(K=16.0).config_id == TrialConfig(K=16).config_id  # type: ignore[arg-type]


_RECORDED_IDS: list[tuple[str, dict[str, Any]]] = [
    ("bc1e2e34ee03", {"K": 8, "dropout": 0.4}),
    ("787079e8ee97", {"model": "appnp", "K": 8, "dropout": 0.4}),
    ("83dc333f3503", {"model": "gcnii", "K": 4, "dropout": 0.4, "step_decay": 1e-3}),
    ("a5e3ce3c133d", {"K": 4, "dropout": 0.2, "level": "second_order"}),
    ("86be3ecdc3ac", {"K": 4, "dropout": 0.2, "level": "joint"}),
    ("ac7cd9721a41", {"K": 4, "posterior": "select", "algorithm": "em"}),
    ("4d76f8493e1f", {"K": 2, "backbone": "gcn", "dropout": 0.3}),
    ("a00f746dc648", {"K": 2, "backbone": "gat", "dropout": 0.3, "hidden": 16}),
    ("c1e3477da64f", {"model": "gat", "K": 2, "hidden": 16, "dropout": 0.5}),
    ("b86554b09ead", {"model": "jknet", "K": 3, "edge_dropout": 0.3}),
    ("b79a931b60e6", {"model": "incepgcn", "K": 3, "edge_dropout": 0.3}),
    ("0b6553e66e38", {"model": "resgcn", "K": 3}),
    ("69472e9872b1", {"model": "dagnn", "K": 4}),
    ("d84454fb2ed9", {"model": "gprgnn", "K": 4}),
    ("945729b4472a", {"model": "mlp"}),
    ("216ecf0b054f", {"model": "geomgcn-i"}),
    (
        "ead20b295eb9",
        {"K": 3, "skip": 0.5, "self_loop": 0.0, "classifier": "per_step", "node_dropout": 0.3},
    ),
    ("9aa63e1250c4", {"K": 3, "encoder": "linear"}),
    ("19e7179a9a0f", {"K": 3, "scorer": "per_step"}),
    ("571e2649a3bf", {"K": 3, "consistency": 1.0}),
]


@pytest.mark.parametrize(("recorded", "keys"), _RECORDED_IDS)
def test_configurations_keep_the_ids_they_were_recorded_with(
    recorded: str, keys: dict[str, Any]
) -> None:
    assert TrialConfig(**keys, epochs=15, patience=15).config_id == recorded


def test_the_defaults_keep_their_ids() -> None:
    assert TrialConfig().config_id == "3fb5b16d3b1b"
    ids = {kind: config.config_id for kind, config in DEFAULTS.items()}
    assert ids == {"homophily": "1b4e174bf231", "heterophily": "c85e153598a3"}


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Later(TrialConfig):
    """As TrialConfig might be when one more key has been added."""

    an_addition: float = key(1.5, "something new", ALL)


def test_a_key_that_is_added_later_changes_an_id_only_where_it_is_used() -> None:
    for keys in ({}, {"model": "gcn", "K": 3}):
        before, after = TrialConfig.recorded(keys), _Later.recorded(keys)
        assert after.config_id == before.config_id
        assert _Later.recorded(before.to_mapping()) == after
    ids = {_Later(an_addition=value).config_id for value in (1.5, 0.5, 2.5)}
    assert len(ids) == 3


def test_a_round_trip_through_plain_values_keeps_everything() -> None:
    config = TrialConfig(K=7, posterior="select", lr=0.003)
    assert TrialConfig.recorded(config.to_mapping()) == config
    assert TrialConfig.from_mapping(config.to_mapping()) == config


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"K": 0}, "K=0 is out of range: give a number of propagation steps from 1 to 64"),
        ({"K": -3}, "K=-3 is out of range"),
        ({"lr": 1000.0}, "lr=1000.0 is out of range: give a learning rate above 0 and at most 10"),
        ({"hidden": 65537}, "hidden=65537 is out of range: give 1 to 65,536 hidden units"),
        ({"heads": 1025, "model": "gat"}, "heads=1025 is out of range: give 1 to 1,024 attention"),
        ({"epochs": 10**8}, "epochs=100000000 is out of range: give 1 to 10 million epochs"),
        ({"patience": 10**8}, "patience=100000000 is out of range: give 1 to 10 million epochs"),
        ({"kl_weight": 2e9}, "kl_weight=2000000000.0 must be finite and not above 1e+09"),
        ({"step_decay": -1}, "step_decay=-1.0 is out of range: give 0 or more"),
        ({"consistency": -1}, "consistency=-1.0 is out of range: give 0 or more"),
        ({"sharpening": 0}, "sharpening=0.0 is out of range: give a temperature from 0.001 to 1"),
        ({"encoder": "linear", "model": "gcn"}, "encoder='linear' is not read by gcn"),
        ({"encoder": "linear", "skip": 1.0}, "skip=1.0 is not read with encoder='linear'; leave"),
        (
            {"encoder": "linear", "classifier": "per_step"},
            "classifier='per_step' is not read with encoder='linear'; leave it out",
        ),
        (
            {"classifier": "per_step", "backbone": "gat"},
            "classifier='per_step' is not read by L2P",
        ),
        ({"skip": 1.0, "backbone": "gcn"}, "skip=1.0 is not read by L2P on gcn; leave it out"),
        ({"self_loop": 0.0, "model": "appnp"}, "self_loop=0.0 is not read by appnp"),
        ({"node_dropout": 0.5, "model": "gcn"}, "node_dropout=0.5 is not read by gcn"),
        ({"edge_dropout": 0.3, "model": "appnp"}, "edge_dropout=0.3 is not read by appnp; leave"),
        ({"edge_dropout": 0.3}, "edge_dropout=0.3 is not read by L2P on appnp; leave it out"),
        ({"edge_dropout": 0.3, "backbone": "gat"}, "edge_dropout=0.3 is not read by L2P on gat"),
        ({"K": 3, "model": "mlp"}, "K=3 is not read by mlp; leave it out"),
        ({"kl_weight": 0.1, "model": "gcn"}, "kl_weight=0.1 is not read by gcn; leave it out"),
        ({"backbone": "gcn", "model": "gat"}, "backbone='gcn' is not read by gat; leave it out"),
        ({"hidden": 8, "encoder": "linear"}, "hidden=8 is not read with encoder='linear'"),
        ({"sharpening": 0.3}, "sharpening=0.3 is not read with consistency=0.0; leave it out"),
        ({"prior_ratio": 0.9}, "prior_ratio=0.9 is not read with prior='uniform'; leave it out"),
        ({"temperature": 2.0, "algorithm": "em"}, "temperature=2.0 is not read with algorithm="),
        ({"model": "gat", "hidden": 20}, "hidden=20 cannot be shared by heads=8; give a"),
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
    if set(values) <= {field.name for field in dataclasses.fields(TrialConfig)}:
        with pytest.raises(ConfigError, match=re.escape(str(error.value))):
            TrialConfig(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", DEFAULTS)
def test_what_a_baseline_carries_from_its_base_is_accepted(kind: str) -> None:
    base = DEFAULTS[kind]
    config = TrialConfig.from_mapping({"model": "mlp", "hidden": 32}, base)
    assert (config.K, config.kl_weight) == (base.K, base.kl_weight)
    again = TrialConfig.from_mapping({"K": base.K, "lr": 0.1}, config)
    assert again == dataclasses.replace(config, lr=0.1)


def test_a_value_by_hand_is_refused_even_if_it_is_the_default_of_another_kind() -> None:
    with pytest.raises(ConfigError, match="K=8 is not read by mlp"):
        TrialConfig.from_mapping({"model": "mlp", "K": 8}, DEFAULTS["homophily"])


def test_a_base_may_carry_what_the_network_does_not_read() -> None:
    base = TrialConfig.recorded({"model": "appnp", "edge_dropout": 0.3})
    assert TrialConfig.from_mapping({"lr": 0.1, "edge_dropout": 0.3}, base).edge_dropout == 0.3


def test_a_record_is_read_whatever_its_network_reads() -> None:
    keys = {"model": "mlp", "K": 3, "kl_weight": 0.1, "edge_dropout": 0.3, "skip": 0.5}
    config = TrialConfig.recorded(keys)
    assert {key: value for key, value in config.to_mapping().items() if key in keys} == keys
    assert config.lr == TrialConfig().lr
    assert TrialConfig.recorded({"K": 3.0}) == TrialConfig(K=3)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"droput": 0.1}, "unknown key 'droput'; did you mean 'dropout'?"),
        ({"K": "many"}, "K='many' must be a whole number"),
        ({"model": "mlp", "K": 65}, "K=65 is out of range"),
        ({"model": "gat", "hidden": 20}, "hidden=20 cannot be shared by heads=8"),
        ({"model": "appnp", "classifier": "per_step"}, "classifier='per_step' is not read by"),
        ({"encoder": "linear", "skip": 0.5}, "skip=0.5 is not read with encoder='linear'"),
    ],
)
def test_a_record_that_cannot_be_trained_is_refused(values: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError) as error:
        TrialConfig.recorded(values)
    assert says in str(error.value)


def test_a_file_that_says_where_it_comes_from_is_a_record(tmp_path: Path) -> None:
    path = tmp_path / "best.yaml"
    path.write_text("model: mlp\nK: 3\n")
    with pytest.raises(ConfigError, match=r"best.yaml: K=3 is not read by mlp"):
        TrialConfig.from_file(path)
    path.write_text("model: mlp\nK: 3\nprovenance: {dataset: demo, seeds: 4}\n")
    assert TrialConfig.from_file(path) == TrialConfig.recorded({"model": "mlp", "K": 3})
    assert TrialConfig.from_file(path, DEFAULTS["homophily"]).dropout == 0.7
    path.write_text("droput: 0.3\nprovenance: {dataset: demo}\n")
    with pytest.raises(ConfigError, match=r"best.yaml: unknown key 'droput'"):
        TrialConfig.from_file(path)


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
    assert {
        "homophily": TrialConfig(K=10, dropout=0.7, weight_decay=2e-3, kl_weight=0.05),
        "heterophily": TrialConfig(K=8, dropout=0.2, weight_decay=1e-4, kl_weight=0.02),
    } == DEFAULTS


def test_the_loader_leaves_yaml_itself_alone() -> None:
    assert yaml.safe_load("a: 5e-4") == {"a": "5e-4"}


@pytest.mark.parametrize(
    ("method", "keys"),
    [
        ("l2q", {}),
        ("l2s-sage", {"backbone": "sage", "posterior": "select"}),
        ("gcn-drop", {"model": "gcn", "edge_dropout": 0.3}),
        ("gcn-tuned", {"model": "gcn", "norm": "layer"}),
        ("sage-tuned-drop", {"model": "sage", "residual": "linear", "edge_dropout": 0.3}),
        ("l2q-gat-tuned", {"backbone": "gat", "head_layers": 2}),
        ("gcnii", {"model": "gcnii", "norm": "layer"}),
        ("linkx", {"model": "linkx", "head_layers": 2}),
        ("l2q", {"norm": "layer", "residual": "linear", "head_layers": 2}),
    ],
)
def test_a_method_is_tuned_by_keys_that_its_network_reads(
    method: str, keys: dict[str, Any]
) -> None:
    assert TrialConfig.recorded(keys).method == method


def test_only_keys_that_are_said_to_exclude_others_do() -> None:
    """Each other key is tried at its ends beside every pair of values that may exclude others."""
    hints = get_type_hints(TrialConfig)

    def ends(field: "dataclasses.Field[Any]") -> tuple[Any, ...]:
        known = about(field)
        return get_args(hints[field.name]) or (hints[field.name](known.low), field.default)

    values = {field.name: ends(field) for field in dataclasses.fields(TrialConfig)}
    values |= {"hidden": (7, 8), "heads": (1, 8)}

    def possible(**given: Any) -> bool:
        try:
            TrialConfig.recorded(given)
        except ConfigError:
            return False
        return True

    networks = product(values["model"], values["backbone"], values["encoder"])
    for model, backbone, encoder in networks:
        chosen = {"model": model, "backbone": backbone, "encoder": encoder}
        without = possible(**chosen)
        for name in values.keys() - EXCLUDING:
            for value in values[name]:
                assert possible(**chosen, **{name: value}) == without, (chosen, name, value)
