import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_the_spaces_are_found_when_installed_from_a_wheel(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "-w", tmp_path, _ROOT],
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    found = subprocess.run(
        [sys.executable, "-m", "l2p_search", "spaces"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "installed")},
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0, found.stderr
    assert "432 configurations" in found.stdout
    shipped = tmp_path / "installed" / "l2p_search" / "search_spaces"
    assert {path.name for path in shipped.glob("*.yaml")} == {
        path.name for path in (_ROOT / "search_spaces").glob("*.yaml")
    }
