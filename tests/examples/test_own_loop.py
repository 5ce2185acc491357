"""The example with the module, shortened, as a user runs it."""

import os
import subprocess
import sys
from pathlib import Path

from l2p_search.data.raw_files import DATA_VARIABLE

_PROGRAM = Path(__file__).parents[2] / "examples" / "own_loop.py"


def test_the_plain_loop_learns_wisconsin(raw_data: Path, tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, str(_PROGRAM), "2", "80"],
        cwd=tmp_path,
        env={**os.environ, DATA_VARIABLE: str(raw_data)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert found.returncode == 0, found.stderr
    last = found.stdout.splitlines()[-1]
    assert last.endswith(" % over 2 seeds")
    assert float(last.split()[2]) > 70.0  # a majority guess gives 47 %


def test_the_loop_is_short() -> None:
    code = _PROGRAM.read_text().rpartition('"""\n')[2]
    written = [line for line in code.splitlines() if line.strip()]
    assert len(written) <= 45
