"""TrialConfig: one complete point of a search space, frozen, validated, with a content hash.

The five hyperparameters that the paper searches keep its names: dropout, lr, hidden,
weight_decay, K. Everything else that changes what is learned is here too, so that a
configuration alone (with its seeds) reproduces a trial.
"""

import dataclasses
import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, Self, get_args, get_origin, get_type_hints

from l2p_search.errors import ConfigError, did_you_mean
from l2p_search.yaml_file import read_yaml_mapping

PROVENANCE = "provenance"
"""The key under which an exported file says where it comes from."""
MAX_STEPS = 64
"""The largest K of the paper; the log-space posteriors are tested up to it."""

Model = Literal[
    "l2p",
    "mlp",
    "gcn",
    "gat",
    "appnp",
    "gprgnn",
    "gcnii",
    "dagnn",
    "resgcn",
    "jknet",
    "incepgcn",
    "geomgcn-i",
    "geomgcn-p",
    "geomgcn-s",
]


@dataclass(frozen=True, kw_only=True)
class TrialConfig:
    """How one trial learns: the paper's sections 4 and 5 with every choice written down."""

    # The paper's search space (appendix, "Parameter setting").
    dropout: float = 0.6
    lr: float = 0.01
    hidden: int = 64
    weight_decay: float = 5e-4
    K: int = 16

    # What is trained: L2P, or a baseline to compare it with. Of what follows, a baseline reads
    # the keys that it has a use for.
    model: Model = "l2p"
    edge_dropout: float = 0.0
    heads: int = 8
    identity: float = 0.5
    step_decay: float = 0.0

    # The model (section 4).
    backbone: Literal["appnp", "gcn", "gat", "gcnii"] = "appnp"
    teleport: float = 0.1
    encoder: Literal["mlp", "linear"] = "mlp"
    skip: float = 0.0
    self_loop: float = 1.0
    classifier: Literal["shared", "per_step"] = "shared"
    node_dropout: float = 0.0
    posterior: Literal["select", "quit"] = "quit"
    scorer: Literal["per_step", "shared"] = "shared"
    prior: Literal["uniform", "geometric"] = "uniform"
    prior_ratio: float = 0.5
    kl_weight: float = 0.05
    temperature: float = 1.0

    # The learning (sections 4.4 and 5).
    algorithm: Literal["vi", "em"] = "vi"
    level: Literal["first_order", "second_order", "joint"] = "first_order"
    upper_lr: float = 0.01
    decay_on: Literal["first_layer", "theta"] = "first_layer"
    consistency: float = 0.0
    sharpening: float = 0.5
    epochs: int = 1000
    patience: int = 100
    stop_on: Literal["val_loss", "val_accuracy"] = "val_loss"

    def __post_init__(self) -> None:
        """Refuse what cannot be trained, naming the key, its value and what it may be."""
        for key, wanted in get_type_hints(type(self)).items():
            value = _as_type(key, getattr(self, key), wanted)
            object.__setattr__(self, key, value)
        for key, low, high, says in _BOUNDS:
            value = getattr(self, key)
            if not low <= value <= high:
                raise ConfigError(f"{key}={value!r} is out of range: {says}")
        for key, unused in _OF_L2P_ON_APPNP.items():
            value = getattr(self, key)
            if value != unused and self.method not in ("l2q", "l2s"):
                raise ConfigError(
                    f"{key}={value!r} goes with L2P on APPNP only; leave it out for {self.method}"
                )
        if self.encoder == "linear" and (self.skip > 0.0 or self.classifier == "per_step"):
            raise ConfigError(
                "encoder='linear' has no classifier: leave out skip and classifier with it"
            )
        attends = self.model == "gat" or (self.model == "l2p" and self.backbone == "gat")
        if attends and self.hidden % self.heads:
            raise ConfigError(
                f"hidden={self.hidden} cannot be shared by heads={self.heads}; give a multiple"
            )

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any], base: Self | None = None) -> Self:
        """Build a config from plain values, the missing ones taken from `base`."""
        known = {field.name for field in fields(cls)}
        for key in mapping:
            if key not in known:
                raise ConfigError(f"unknown key '{key}'; {did_you_mean(str(key), known)}")
        return dataclasses.replace(base if base is not None else cls(), **mapping)

    @classmethod
    def from_file(cls, path: Path, base: Self | None = None) -> Self:
        """Read a YAML file of `key: value` lines; every error names the file.

        What an exported file says of its origin is passed over.
        """
        try:
            mapping = read_yaml_mapping(path)
            mapping.pop(PROVENANCE, None)
            return cls.from_mapping(mapping, base)
        except ConfigError as error:
            raise ConfigError(f"{path}: {error}") from None

    def to_mapping(self) -> dict[str, Any]:
        """The config as plain values, in the order of its fields."""
        return dataclasses.asdict(self)

    @property
    def method(self) -> str:
        """What is trained, in a word: l2q, l2s, either on another backbone (l2q-gcn), gcn."""
        if self.model != "l2p":
            return self.model + "-drop" * (self.edge_dropout > 0.0)
        name = "l2q" if self.posterior == "quit" else "l2s"
        return name if self.backbone == "appnp" else f"{name}-{self.backbone}"

    @property
    def config_id(self) -> str:
        """A content hash: equal for equal configurations, whatever file they came from."""
        canonical = json.dumps(self.to_mapping(), sort_keys=True)
        return hashlib.sha256(canonical.encode()).hexdigest()[:12]


_OF_L2P_ON_APPNP = {
    "encoder": "mlp",
    "skip": 0.0,
    "self_loop": 1.0,
    "classifier": "shared",
    "node_dropout": 0.0,
}
_POSITIVE = math.ulp(0.0)
_BELOW_ONE = math.nextafter(1.0, 0.0)
_HUGE = 1e9
_BOUNDS: tuple[tuple[str, float, float, str], ...] = (
    ("dropout", 0.0, 0.99, "give a rate from 0 to 0.99; at 1 nothing would be left to learn from"),
    ("edge_dropout", 0.0, 0.99, "give a rate from 0 to 0.99; 0 keeps every edge"),
    ("node_dropout", 0.0, 0.99, "give a rate from 0 to 0.99; 0 keeps every node"),
    ("lr", _POSITIVE, 10.0, "give a learning rate above 0, such as 0.01"),
    ("upper_lr", _POSITIVE, 10.0, "give a learning rate above 0, such as 0.01"),
    ("hidden", 1, 65536, "give at least 1 hidden unit, such as 64"),
    ("heads", 1, 1024, "give at least 1 attention head, such as 8"),
    ("identity", 0.0, _HUGE, "give 0 or more, such as 0.5"),
    ("weight_decay", 0.0, _HUGE, "give 0 or more, such as 5e-4"),
    ("step_decay", 0.0, _HUGE, "give 0 or more; at 0 steps decay like the rest of theta"),
    ("K", 1, MAX_STEPS, f"give a number of propagation steps from 1 to {MAX_STEPS}"),
    ("teleport", 0.0, _BELOW_ONE, "give a probability from 0 to below 1, such as 0.1"),
    ("skip", 0.0, _HUGE, "give 0 or more; 1 weighs a node's own class scores like the mixed ones"),
    ("self_loop", 0.0, _HUGE, "give 0 or more; 1 is a neighbour's weight, 0 leaves the node out"),
    ("prior_ratio", _POSITIVE, 1.0, "give a ratio above 0 and at most 1, such as 0.5"),
    ("kl_weight", 0.0, _HUGE, "give 0 or more; 1 is the paper's formula, 0.05 lets q move"),
    ("temperature", 1e-3, 1e3, "give a temperature from 0.001 to 1000, such as 1"),
    ("consistency", 0.0, _HUGE, "give 0 or more; 1 weighs free nodes like the training nodes"),
    ("sharpening", 1e-3, 1.0, "give a temperature from 0.001 to 1; 1 sharpens nothing"),
    ("epochs", 1, 10**7, "give at least 1 epoch"),
    ("patience", 1, 10**7, "give at least 1 epoch of patience"),
)


def _as_type(key: str, value: Any, wanted: Any) -> Any:
    """The value as its field's type, or an error that shows both."""
    if get_origin(wanted) is Literal:
        options = get_args(wanted)
        if value not in options:
            raise ConfigError(f"{key}={value!r} is unknown; {did_you_mean(str(value), options)}")
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ConfigError(f"{key}={value!r} must be {_TYPE_NAMES[wanted]}")
    if not abs(value) < math.inf or (isinstance(value, int) and abs(value) > _HUGE):
        raise ConfigError(f"{key}={str(value)[:20]} must be finite and not above {_HUGE:g}")
    if wanted is int and value != int(value):
        raise ConfigError(f"{key}={value!r} must be {_TYPE_NAMES[wanted]}")
    return wanted(value)


_TYPE_NAMES = {int: "a whole number", float: "a number"}


DEFAULTS: dict[str, TrialConfig] = {
    "homophily": TrialConfig(K=10, dropout=0.7, weight_decay=2e-3, kl_weight=0.05),
    "heterophily": TrialConfig(K=8, dropout=0.2, weight_decay=1e-4, kl_weight=0.02),
}
"""One configuration a kind of graph, found on validation accuracy alone.

Homophily: of some twenty tried on Cora and CiteSeer with 8 seeds, in the group of the best ones.
Heterophily: likewise of fifteen on Wisconsin and Texas with 20 seeds. In both, of configurations
that validation could not tell apart, the one that trains fastest.
"""
