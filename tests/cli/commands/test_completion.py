"""The scripts, in the shells that they are for; those that are not installed are left out."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from l2p_search.cli.main import main


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """`l2p-search` in a folder of its own, with two searches in the current one."""
    for name in ("demo-paper", "two words"):
        (tmp_path / "searches" / name).mkdir(parents=True)
        (tmp_path / "searches" / name / "journal.log").touch()
    path = tmp_path / "bin" / "l2p-search"
    path.parent.mkdir()
    path.write_text(
        f"#!{sys.executable}\nimport sys\nfrom l2p_search.cli.main import main\nsys.exit(main())\n"
    )
    path.chmod(0o755)
    return path


def _shell(name: str, program: Path, text: str) -> str:
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    options = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[name]
    found = subprocess.run(
        [name, *options, "-c", text],
        cwd=program.parent.parent,
        env={**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_printed_and_its_shell_takes_it(
    shell: str, program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", shell]) == 0
    script = program.parent / f"script.{shell}"
    script.write_text(capsys.readouterr().out)
    assert _shell(shell, program, f"source {script}; echo taken").endswith("taken\n")


def test_bash_completes_names_and_flags(program: Path) -> None:
    text = (
        "source <(l2p-search completion bash);"
        'try() { COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _l2p_search;'
        " printf '%s|' \"${COMPREPLY[@]}\"; echo; };"
        "try l2p-search repo; try l2p-search report two; try l2p-search --dataset = wis;"
        "try l2p-search --trial"
    )
    assert _shell("bash", program, text).splitlines() == [
        "report|",
        "two\\ words|",
        "wisconsin|",
        "--trials|",
    ]


def test_fish_completes_names_and_flags(program: Path) -> None:
    text = (
        "l2p-search completion fish | source; complete -C 'l2p-search repo';"
        " complete -C 'l2p-search report demo'; complete -C 'l2p-search --dataset wis'"
    )
    assert _shell("fish", program, text).splitlines() == ["report", "demo-paper", "wisconsin"]


def test_the_words_that_a_shell_asks_for_are_printed_one_per_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["completion", "words", "--", "--dataset", "=", "wis"]) == 0
    assert capsys.readouterr().out == "--dataset=wisconsin\n"


def test_another_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["completion", "bsh"])
    assert ended.value.code == 2
    assert "did you mean bash?" in capsys.readouterr().err
