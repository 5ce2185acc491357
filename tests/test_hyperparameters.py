"""That a network reads a key is a promise about training, and is tested by training."""

from dataclasses import asdict, fields, replace
from functools import cache
from typing import Any, get_args, get_type_hints

import pytest

from l2p_search.config import TrialConfig
from l2p_search.data.demo import demo_graph
from l2p_search.errors import ConfigError
from l2p_search.hyperparameters import ALL, L2P, Backbone, Hyperparameters, Model
from l2p_search.keys import about
from l2p_search.training.fit import fit

# Without dropout: L2P on GAT draws the edges that `edge_dropout` would leave out and looks at none
# of them, but what other dropout draws after it would differ.
_BASE = {
    "dropout": 0.0, "hidden": 8, "K": 3, "weight_decay": 0.01, "lr": 0.05, "epochs": 3,
}  # fmt: skip
_OTHER = {
    "dropout": 0.4, "lr": 0.02, "hidden": 16, "weight_decay": 0.3, "K": 4, "edge_dropout": 0.3,
    "heads": 4, "identity": 1.0, "step_decay": 0.3, "backbone": "gcn", "teleport": 0.3,
    "encoder": "linear", "skip": 0.5, "self_loop": 0.0, "classifier": "per_step",
    "node_dropout": 0.4, "posterior": "select", "scorer": "per_step",
    "scorer_bias": "none", "prior": "geometric",
    "prior_ratio": 0.9, "kl_weight": 0.5, "temperature": 2.0, "algorithm": "em",
    "level": "second_order", "upper_lr": 0.1, "decay_on": "theta", "consistency": 2.0,
    "sharpening": 0.1, "epochs": 2, "norm": "layer", "residual": "linear",
    "head_layers": 2, "phi_share": 0.5, "extra_labels": 0.5, "class_weight": "balanced",
}  # fmt: skip
_EXEMPT = {
    "model": "is what is tested: another model is another network",
    "patience": "three epochs do not exhaust it",
    "stop_on": "in three epochs loss and accuracy may agree on the best one",
}
_NETWORKS: list[dict[str, Any]] = [
    *({"model": model} for model in get_args(Model) if model != "l2p"),
    *({"backbone": backbone} for backbone in get_args(Backbone)),
]
# Where a key is read `unless` another has some value, both sides of that condition.
_CONDITIONS: list[dict[str, Any]] = [
    {"encoder": "linear"},
    {"prior": "geometric"},
    {"algorithm": "em"},
    {"level": "joint"},
    {"consistency": 2.0},
    {"model": "gcn", "consistency": 2.0},
    {"model": "appnp", "algorithm": "em", "prior": "geometric", "encoder": "linear"},
]


@cache
def _trained(given: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    """Everything that a training of one seed gives, but the time it took."""
    result = fit(demo_graph(), TrialConfig.recorded(dict(given)), [0])
    # Of the weights and of single nodes, the scores tell enough.
    seeds = tuple(replace(seed, hits=None) for seed in result.seeds)
    bare = replace(result, weights=None, seeds=seeds)
    return {**asdict(bare), "config": None, "seconds": None, "cpu_seconds": None}


def _changes(given: dict[str, Any], key: str) -> bool:
    """Whether a training with the key's other value gives anything else."""
    try:
        trained = _trained(tuple({**given, key: _OTHER[key]}.items()))
    except ConfigError:
        assert key in ("skip", "classifier"), "only these are refused in a record too"
        return False
    return trained != _trained(tuple(given.items()))


@pytest.mark.parametrize(
    "network", _NETWORKS + _CONDITIONS, ids=lambda n: "-".join(map(str, n.values()))
)
def test_a_key_changes_a_training_exactly_if_the_network_reads_it(network: dict[str, Any]) -> None:
    given = {**_BASE, **network}
    config = TrialConfig.recorded(given)
    keys = [key for key, value in _OTHER.items() if getattr(config, key) != value]
    read = {key for key in keys if config.why_unread(key) is None}
    assert {key for key in keys if _changes(given, key)} == read


def test_every_key_is_tested_or_exempt_with_a_reason() -> None:
    assert {*_OTHER, *_EXEMPT} == {field.name for field in fields(Hyperparameters)}


def test_every_condition_is_tested_on_both_sides() -> None:
    conditions = {about(field).unless for field in fields(Hyperparameters)} - {None}
    for condition in conditions:
        assert condition is not None
        key, value = condition
        values = {getattr(TrialConfig.recorded({**_BASE, **n}), key) for n in _CONDITIONS}
        assert value in values
        assert values - {value}


def test_readers_are_networks_that_there_are() -> None:
    assert {TrialConfig.recorded(network).network for network in _NETWORKS} == ALL
    assert L2P < ALL
    for field in fields(Hyperparameters):
        assert about(field).read_by
        assert about(field).read_by <= ALL


def test_a_default_is_within_the_bounds_and_a_bound_has_a_remedy() -> None:
    for field in fields(Hyperparameters):
        if not isinstance(field.default, str):
            assert about(field).low <= field.default <= about(field).high
            assert about(field).remedy


def test_a_meaning_is_one_line_that_names_every_choice() -> None:
    types = get_type_hints(Hyperparameters)
    for field in fields(Hyperparameters):
        meaning = about(field).meaning
        assert meaning
        assert "\n" not in meaning
        assert "|" not in meaning
        for option in get_args(types[field.name]):
            assert f"`{option}`" in meaning, f"{field.name}: '{option}' is not explained"
