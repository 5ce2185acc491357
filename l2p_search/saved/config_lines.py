"""A configuration as lines of YAML that are read without a YAML library.

Every line is `key: value` with the value as in JSON, which is YAML too: a person and PyYAML read
the file, `l2p-search train --config` takes it, and a saved model is loaded without PyYAML.
"""

import json
import re
from typing import Any

from l2p_search.config import PROVENANCE, TrialConfig
from l2p_search.errors import ConfigError

_POWER = re.compile(r"^(-?\d+)(e[-+]?\d+)$")
"""A number that YAML 1.1 takes for a word, as it has no point: 1e-05."""


def config_lines(config: TrialConfig, provenance: dict[str, Any]) -> str:
    """Write a complete configuration.

    Args:
        config: The configuration.
        provenance: Where it comes from, as plain values.

    Returns:
        The text.

    Example:
        >>> print(config_lines(TrialConfig(K=8, weight_decay=1e-5), {"dataset": "demo"})[:71])
        # l2p-search train --dataset demo --config FILE
        dropout: 0.5
        lr: 0.01
    """
    dataset = " ".join(str(provenance["dataset"]).split())  # a line of its own is a comment's end
    lines = [f"# l2p-search train --dataset {dataset} --config FILE"]
    for key, value in {**config.to_mapping(), PROVENANCE: provenance}.items():
        written = _POWER.sub(r"\1.0\2", json.dumps(value, allow_nan=False))
        lines.append(f"{key}: {written}")
    return "\n".join(lines) + "\n"


def read_config_lines(text: str) -> TrialConfig:
    """The inverse of `config_lines`; where it comes from is dropped.

    Raises:
        ConfigError: A line is none that `config_lines` writes, or a value cannot be trained.
    """
    values: dict[str, Any] = {}
    for line in text.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        key, _, value = line.partition(": ")
        try:
            values[key] = json.loads(value)
        except (ValueError, RecursionError):
            raise ConfigError(f"cannot read the line '{line[:60]}'") from None
    values.pop(PROVENANCE, None)
    return TrialConfig.recorded(values)
