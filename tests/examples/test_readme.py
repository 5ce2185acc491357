"""The code blocks of README.md, executed as they stand."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
_BLOCKS = re.findall(r"```(\w+)\n(.*?)```", (_ROOT / "README.md").read_text(), flags=re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the examples, as the project's own is not written to."""
    (tmp_path / "examples").symlink_to(_ROOT / "examples")
    return tmp_path


def _run(command: list[str], folder: Path) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_block_is_of_a_kind_that_is_executed_here() -> None:
    assert [kind for kind, _ in _BLOCKS] == ["sh", "sh", "text", "python", "text"]


def test_the_two_commands_are_targets_of_make() -> None:
    for line in _BLOCKS[0][1].strip().splitlines():
        target = line.split("#")[0].split()[1]
        assert re.search(rf"(?m)^{target}:", (_ROOT / "Makefile").read_text())


@pytest.mark.slow
def test_the_shell_lines_search_a_graph_of_ones_own(folder: Path) -> None:
    printed = _run(["sh", "-euc", _BLOCKS[1][1]], folder)
    # Numbers, verdicts and so the best trial may differ by the machine; a line without a number
    # goes on with the verdicts of the one before.
    lines = [line for line in _BLOCKS[2][1].splitlines() if line[:1].isalpha()]
    promised = [line for line in lines if re.search(r"\d|\s{2,}", line)]
    assert len(promised) >= 5
    for line in promised:
        words = re.split(r"\s{2,}|[\d.+±-]+", line.strip())[0].strip()
        assert words in printed
    assert (folder / "searches" / "town" / "report.html").is_file()


def test_the_python_lines_print_what_is_printed_below_them(folder: Path) -> None:
    printed = _run([sys.executable, "-c", _BLOCKS[3][1]], folder).strip().splitlines()
    promised = _BLOCKS[4][1].strip().splitlines()
    assert len(printed) == len(promised)
    for ours, theirs in zip(printed, promised, strict=True):
        one, two = (re.findall(r"[\d.]+ %", line) for line in (ours, theirs))
        assert ours.split("}")[0] == theirs.split("}")[0]
        for a, b in zip(one, two, strict=True):
            assert abs(float(a[:-2]) - float(b[:-2])) < 3.0  # another CPU rounds otherwise


def test_every_script_that_a_page_starts_is_there() -> None:
    pages = [_ROOT / "README.md", _ROOT / "mlflow" / "README.md", *(_ROOT / "docs").glob("*.md")]
    named = {
        script
        for page in pages
        for script in re.findall(r"\bsh ([\w./-]+\.sh)\b", page.read_text(encoding="utf-8"))
    }
    assert "mlflow/team.sh" in named
    assert [each for each in named if not (_ROOT / each).is_file()] == []
