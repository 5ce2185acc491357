"""A configuration to take away: complete, with where it came from, as YAML or JSON.

`l2p-search train --config FILE` reads both. What stands under `provenance` changes nothing in the
training but the number of seeds, when none is given.
"""

import json
from typing import Any

from l2p_search.config import PROVENANCE, TrialConfig
from l2p_search.yaml_file import dump_yaml


def as_yaml(config: TrialConfig, provenance: dict[str, Any]) -> str:
    """A YAML file, with a line on top that says how to use it."""
    use = f"# l2p-search train --dataset {provenance['dataset']} --config FILE\n"
    return use + dump_yaml({**config.to_mapping(), PROVENANCE: provenance})


def as_json(config: TrialConfig, provenance: dict[str, Any]) -> str:
    """The same as a JSON object."""
    mapping = {**config.to_mapping(), PROVENANCE: provenance}
    return json.dumps(mapping, indent=2, allow_nan=False) + "\n"
