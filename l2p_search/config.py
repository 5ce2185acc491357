"""TrialConfig: one complete point of a search space, frozen, validated, with a content hash.

What its keys are and mean stands in `hyperparameters`; here is what a configuration does with
them: it refuses what cannot be trained or would be trained without effect, and knows its id.
"""

import dataclasses
import functools
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self, get_type_hints

from l2p_search.errors import ConfigError, did_you_mean
from l2p_search.hyperparameters import Hyperparameters
from l2p_search.hyperparameters import Model as Model
from l2p_search.keys import KINDS, about, checked, usual

PROVENANCE = "provenance"
"""The key under which an exported file says where it comes from."""

# Their values are part of every id. A key that is not listed was added later, and is part of an
# id only where it differs from its default: configurations from before keep their ids.
_ALWAYS_IN_ID = {
    "dropout", "lr", "hidden", "weight_decay", "K", "model", "edge_dropout", "heads",
    "identity", "step_decay", "backbone", "teleport", "encoder", "skip", "self_loop",
    "classifier", "node_dropout", "posterior", "scorer", "prior", "prior_ratio", "kl_weight",
    "temperature", "algorithm", "level", "upper_lr", "decay_on", "consistency", "sharpening",
    "epochs", "patience", "stop_on",
}  # fmt: skip


EXCLUDING = frozenset({"model", "backbone", "encoder", "skip", "classifier", "hidden", "heads"})
"""The keys of which one's value can exclude another's; any other value is possible by itself."""


@dataclass(frozen=True, kw_only=True)
class TrialConfig(Hyperparameters):
    """How one trial learns: the paper's sections 4 and 5 with every choice written down.

    Args:
        **keys: Any of the keys of `Hyperparameters`, by name; those left out keep their defaults.
            The table of keys in docs/hyperparameters.md has their defaults, meanings and readers.

    Raises:
        ConfigError: A value has the wrong type or is out of bounds; two values exclude each
            other; or a value was given for a key that the trained network does not read. A
            default of `DEFAULTS` is never refused for that: it may come from the base.

    Example:
        >>> config = TrialConfig(K=8, dropout=0.4)
        >>> config.method, config.hidden, config.config_id
        ('l2q', 64, '649ba71a4a0f')
        >>> TrialConfig(model="appnp", edge_dropout=0.3)
        Traceback (most recent call last):
        l2p_search.errors.ConfigError: edge_dropout=0.3 is not read by appnp; leave it out
    """

    def __post_init__(self) -> None:
        """Refuse what cannot be trained, and what would have no effect."""
        self._check_values()
        for field in fields(self):
            if getattr(self, field.name) not in usual(field):
                self._refuse_unread(field.name)

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any], base: Self | None = None) -> Self:
        """Build a config from values given by hand, the missing ones taken from a base.

        Args:
            mapping: Plain values by key. One that differs from the base and is not read by the
                network is refused: whoever wrote it expects an effect.
            base: Where keys that are not in the mapping come from, by default `TrialConfig()`.
                Its own values are taken over, whether the network reads them or not.

        Returns:
            The complete config.

        Raises:
            ConfigError: See `TrialConfig`; also an unknown key, with the nearest known one.

        Example:
            >>> TrialConfig.from_mapping({"model": "gcn"}, DEFAULTS["heterophily"]).kl_weight
            0.02
        """
        base = base if base is not None else cls()
        config = cls.recorded({**base.to_mapping(), **mapping})
        for key in mapping:
            if getattr(config, key) != getattr(base, key):
                config._refuse_unread(key)
        return config

    @classmethod
    def from_file(cls, path: Path, base: Self | None = None) -> Self:
        """Read a YAML file of `key: value` lines.

        Args:
            path: The file. One that says where it comes from (`provenance`) was exported: it is
                read as a record, so values that its network does not read are accepted.
            base: Where keys that the file leaves out come from, by default `TrialConfig()`.

        Returns:
            The complete config.

        Raises:
            ConfigError: See `from_mapping`; the message begins with the name of the file.
        """
        from l2p_search.yaml_file import read_yaml_mapping  # a saved model needs no PyYAML

        try:
            mapping = read_yaml_mapping(path)
            if PROVENANCE not in mapping:
                return cls.from_mapping(mapping, base)
            del mapping[PROVENANCE]
            return cls.recorded({**(base.to_mapping() if base is not None else {}), **mapping})
        except ConfigError as error:
            raise ConfigError(f"{path}: {error}") from None

    @classmethod
    def recorded(cls, mapping: Mapping[str, Any]) -> Self:
        """Read a config that was recorded: the inverse of `to_mapping`.

        Args:
            mapping: Plain values by key. Values that the network does not read are accepted: a
                config carries all keys, and no new rule may make an old record unreadable.

        Returns:
            The config; keys that are missing, because they are newer than the record, have their
            defaults.

        Raises:
            ConfigError: A key is unknown, or a value has the wrong type or is out of bounds.

        Example:
            >>> TrialConfig.recorded({"model": "mlp", "K": 3}).K
            3
        """
        known = {field.name: field.default for field in fields(cls)}
        for key in mapping:
            if key not in known:
                raise ConfigError(f"unknown key '{key}'; {did_you_mean(str(key), known)}")
        config = object.__new__(cls)  # without __post_init__, which would refuse unread values
        for key, value in {**known, **mapping}.items():
            object.__setattr__(config, key, value)
        config._check_values()
        return config

    def to_mapping(self) -> dict[str, Any]:
        """The config as plain values, in the order of its fields; `recorded` is the inverse."""
        return dataclasses.asdict(self)

    @property
    def network(self) -> str:
        """What is built: a baseline's model, such as `gcn`, or L2P's backbone, as `l2p-gcn`."""
        return f"l2p-{self.backbone}" if self.model == "l2p" else self.model

    @property
    def method(self) -> str:
        """What is trained, in a word: l2q, l2s, either on another backbone (l2q-gcn), gcn.

        With normalisation, a residual connection or a deeper head it is another method, whose
        numbers are not those of the plain one: gcn-tuned, l2q-gcn-tuned.
        """
        tuned = self.why_unread("norm") is None and (
            self.norm != "none" or self.residual != "none" or self.head_layers > 1
        )
        if self.model != "l2p":
            return self.model + "-tuned" * tuned + "-drop" * (self.edge_dropout > 0.0)
        name = "l2q" if self.posterior == "quit" else "l2s"
        return name if self.backbone == "appnp" else f"{name}-{self.backbone}{'-tuned' * tuned}"

    @property
    def config_id(self) -> str:
        """A content hash: equal for equal configurations, whatever file they came from."""
        hashed = {
            field.name: value
            for field in fields(self)
            if (value := getattr(self, field.name)) != field.default or field.name in _ALWAYS_IN_ID
        }
        canonical = json.dumps(hashed, sort_keys=True)
        return hashlib.sha256(canonical.encode()).hexdigest()[:12]

    def why_unread(self, key: str) -> str | None:
        """Why a key changes nothing in this training, or None if it is read.

        Args:
            key: The name of a hyperparameter.

        Returns:
            The end of the sentence "it is not read ..".

        Example:
            >>> TrialConfig(model="gcn").why_unread("teleport")
            'by gcn'
            >>> TrialConfig().why_unread("sharpening")
            'with consistency=0.0'
            >>> TrialConfig().why_unread("teleport") is None
            True
        """
        known = about(type(self).__dataclass_fields__[key])
        if self.network not in known.read_by:
            return f"by L2P on {self.backbone}" if self.model == "l2p" else f"by {self.model}"
        if known.unless is not None:
            other, value = known.unless
            if getattr(self, other) == value and self.why_unread(other) is None:
                return f"with {other}={value!r}"
        return None

    def _check_values(self) -> None:
        """Convert every value to the type of its field; refuse what no training can have."""
        kind: Any = type(self)  # mypy mistakes the hash of its objects for its own
        wanted = _types(kind)
        for field in fields(self):
            value = checked(field, wanted[field.name], getattr(self, field.name))
            object.__setattr__(self, field.name, value)
        self._check_together()

    def _check_together(self) -> None:
        """Refuse values that exclude each other; it may read no key that is not in `EXCLUDING`."""
        # Two unread values would do harm, also in a record: the linear encoder has no classifier
        # to skip to, and the encoder that baselines share would build one per step.
        if self.encoder == "linear" and self.skip > 0.0:
            self._refuse_unread("skip")
        if self.classifier == "per_step":
            self._refuse_unread("classifier")
        if self.network in ("gat", "l2p-gat") and self.hidden % self.heads:
            raise ConfigError(
                f"hidden={self.hidden} cannot be shared by heads={self.heads}; give a multiple"
            )

    def _refuse_unread(self, key: str) -> None:
        """Raise if the value of the key has no effect."""
        if (reason := self.why_unread(key)) is not None:
            value = getattr(self, key)
            raise ConfigError(f"{key}={value!r} is not read {reason}; leave it out")


@functools.cache
def _types(config: Callable[..., TrialConfig]) -> dict[str, Any]:
    """The type of every key; looked up once, as that takes longer than all checks."""
    return get_type_hints(config)


def _default(kind: int) -> TrialConfig:
    """The configuration of one of the `KINDS`."""
    differing = {field.name: about(field).by_kind for field in fields(TrialConfig)}
    return TrialConfig(**{name: own[kind] for name, own in differing.items() if own})


DEFAULTS: dict[str, TrialConfig] = {kind: _default(place) for place, kind in enumerate(KINDS)}
"""One configuration per kind of graph, found on validation accuracy alone.

Homophily: of some twenty tried on Cora and CiteSeer with 8 seeds, in the group of the best ones.
Heterophily: likewise of fifteen on Wisconsin and Texas with 20 seeds. In both, of configurations
that validation could not tell apart, the one that trains fastest.
"""
