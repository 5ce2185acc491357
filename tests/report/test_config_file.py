import json
from pathlib import Path
from typing import Any

import pytest

from l2p_search.config import DEFAULTS, TrialConfig
from l2p_search.report.config_file import as_json, as_yaml
from l2p_search.yaml_file import read_yaml_mapping

_CONFIG = TrialConfig(K=7, weight_decay=1e-6, lr=5e-4, posterior="select")
_PROVENANCE: dict[str, Any] = {
    "dataset": "demo",
    "search": "größe: #1",
    "config_id": "83e920175562",  # a hash that looks like a number
    "seeds": 3,
    "val_accuracy_mean": 81.25,
    "confirmed_test_accuracy": {"mean": 80.0, "low": None, "high": None},
    "versions": {"torch": "2.13.0"},
}


@pytest.mark.parametrize("write", [as_yaml, as_json])
@pytest.mark.parametrize("config", [_CONFIG, *DEFAULTS.values()])
def test_a_file_gives_back_the_configuration_and_where_it_came_from(
    write: Any, config: TrialConfig, tmp_path: Path
) -> None:
    path = tmp_path / "best"
    path.write_text(write(config, _PROVENANCE), encoding="utf-8")
    found = TrialConfig.from_file(path)
    assert found == config
    assert found.config_id == config.config_id
    assert read_yaml_mapping(path)["provenance"] == _PROVENANCE


def test_a_yaml_file_says_first_how_it_is_used_and_then_the_papers_hyperparameters() -> None:
    lines = as_yaml(_CONFIG, _PROVENANCE).splitlines()
    assert lines[0] == "# l2p-search train --dataset demo --config FILE"
    keys = [line.partition(":")[0] for line in lines[1:6]]
    assert keys == ["dropout", "lr", "hidden", "weight_decay", "K"]


def test_every_hyperparameter_is_in_the_file_be_it_the_default() -> None:
    mapping = json.loads(as_json(TrialConfig(), _PROVENANCE))
    assert set(mapping) == {*TrialConfig().to_mapping(), "provenance"}


def test_json_ends_with_a_line_and_holds_nothing_that_json_does_not_know() -> None:
    assert as_json(_CONFIG, _PROVENANCE).endswith("}\n")
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_json(_CONFIG, {**_PROVENANCE, "val_accuracy_mean": float("nan")})
