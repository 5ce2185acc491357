"""A configuration as a YAML or JSON file, complete, with where it came from.

`l2p-search train --config FILE` reads both. Of what stands under `provenance`, training uses only
the number of seeds, and only when the user gives none.
"""

import json
from typing import Any

from l2p_search.config import PROVENANCE, TrialConfig
from l2p_search.data.reading_again import train_command
from l2p_search.yaml_file import dump_yaml


def as_yaml(config: TrialConfig, provenance: dict[str, Any]) -> str:
    """Write a configuration as YAML, with a line on top that says how to use it.

    Args:
        config: The configuration.
        provenance: Where it came from, as plain values; `dataset` is required, `graph` says how
            a graph of one's own was read.

    Returns:
        The text, which `TrialConfig.from_file` reads.

    Example:
        >>> text = as_yaml(TrialConfig(K=8), {"dataset": "demo", "trial": 3})
        >>> text.splitlines()[0]
        '# l2p-search train --dataset demo --config FILE'
    """
    use = train_command(provenance.get("graph"), provenance["dataset"], "FILE")
    return f"# {use}\n" + dump_yaml({**config.to_mapping(), PROVENANCE: provenance})


def as_json(config: TrialConfig, provenance: dict[str, Any]) -> str:
    """Write a configuration as a JSON object.

    Args:
        config: The configuration.
        provenance: Where it came from, as plain values.

    Returns:
        The text, which `TrialConfig.from_file` reads.

    Raises:
        ValueError: A value of the provenance is not finite, which JSON cannot hold.

    Example:
        >>> json.loads(as_json(TrialConfig(K=8), {"trial": 3}))["K"]
        8
    """
    mapping = {**config.to_mapping(), PROVENANCE: provenance}
    return json.dumps(mapping, indent=2, allow_nan=False) + "\n"
