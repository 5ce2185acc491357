"""Lines of a configuration are YAML, and are read without a YAML library."""

import dataclasses
from pathlib import Path

import pytest
import yaml

from l2p_search.config import DEFAULTS, TrialConfig
from l2p_search.errors import ConfigError
from l2p_search.saved.config_lines import config_lines, read_config_lines

_CONFIGS = [
    *DEFAULTS.values(),
    TrialConfig(weight_decay=1e-5, lr=2.5e-7, K=64),
    TrialConfig.recorded({"model": "mlp", "K": 3, "kl_weight": 0.9}),
]


@pytest.mark.parametrize("config", _CONFIGS, ids=lambda config: config.config_id)
def test_they_come_back_by_the_own_reader_by_pyyaml_and_as_a_file_to_train(
    config: TrialConfig, tmp_path: Path
) -> None:
    text = config_lines(config, {"dataset": "demo", "seeds": 3, "search": None})
    assert read_config_lines(text) == config
    plain = yaml.safe_load(text)
    assert plain.pop("provenance") == {"dataset": "demo", "seeds": 3, "search": None}
    assert plain == config.to_mapping()
    (tmp_path / "config.yaml").write_text(text)
    assert TrialConfig.from_file(tmp_path / "config.yaml") == config


def test_a_name_with_a_line_end_stays_in_its_line() -> None:
    config = TrialConfig(K=4)
    assert read_config_lines(config_lines(config, {"dataset": "a\nK: 64"})) == config


def test_a_line_that_nobody_wrote_is_refused() -> None:
    text = config_lines(TrialConfig(), {"dataset": "demo"}) + "K = 5\n"
    with pytest.raises(ConfigError, match="cannot read the line 'K = 5'"):
        read_config_lines(text)


def test_a_value_that_cannot_be_trained_is_refused() -> None:
    text = config_lines(TrialConfig(K=8), {"dataset": "demo"}).replace("K: 8", "K: 800")
    with pytest.raises(ConfigError, match="K=800 is out of range"):
        read_config_lines(text)


def test_every_key_is_written() -> None:
    text = config_lines(TrialConfig(), {"dataset": "demo"})
    for field in dataclasses.fields(TrialConfig):
        assert f"\n{field.name}: " in text
