import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from l2p_search.config import DEFAULTS, TrialConfig
from l2p_search.errors import UserError
from l2p_search.report.script import as_script

_PROVENANCE = {
    "dataset": "wisconsin",
    "search": "s",
    "trial": 3,
    "seeds": 2,
    "val_accuracy_mean": 84.0,
    "test_accuracy_mean": 85.0,
}


@pytest.mark.parametrize("posterior", ["select", "quit"])
@pytest.mark.parametrize("scorer", ["shared", "per_step"])
@pytest.mark.parametrize("level", ["first_order", "joint"])
def test_it_is_a_program_for_every_model(posterior: str, scorer: str, level: str) -> None:
    config = TrialConfig.from_mapping({"posterior": posterior, "scorer": scorer, "level": level})
    text = as_script(config, _PROVENANCE)
    compile(text, "exported.py", "exec")
    assert "l2p_search" not in text
    assert max(map(len, text.splitlines())) <= 99


def test_what_has_no_short_program_is_refused_by_name() -> None:
    with pytest.raises(UserError, match="algorithm=em has no short program"):
        as_script(TrialConfig(algorithm="em"), _PROVENANCE)
    with pytest.raises(UserError, match="no dataset demo"):
        as_script(TrialConfig(), {**_PROVENANCE, "dataset": "demo"})


def test_it_learns_what_the_engine_learns(tmp_path: Path, raw_data: Path) -> None:
    """Two seeds of Wisconsin: a majority guess gives 47 %, both programs reach over 75 %."""
    shutil.copytree(raw_data / "WebKB" / "wisconsin", tmp_path / "data" / "WebKB" / "wisconsin")
    config = TrialConfig.from_mapping({"epochs": 150, "K": 4}, DEFAULTS["heterophily"])
    (tmp_path / "exported.py").write_text(as_script(config, _PROVENANCE))
    found = subprocess.run(
        [sys.executable, "exported.py", "data"], cwd=tmp_path, capture_output=True, text=True
    )
    assert found.returncode == 0, found.stderr
    validation = float(found.stdout.split("\nvalidation ")[1].split()[0])
    assert validation > 75.0
