"""What is printed works when it is pasted, however the command was called."""

import stat
import sys
from pathlib import Path

import pytest

from l2p_search.cli.invocation import COMMANDS, as_called, called, in_words
from l2p_search.cli.main import build_parser
from l2p_search.cli.words import subcommands
from l2p_search.errors import argument


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in .venv/bin of the current folder."""
    path = tmp_path / ".venv" / "bin" / "l2p-search"
    path.parent.mkdir(parents=True)
    path.touch()
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(sys, "argv", [".venv/bin/l2p-search", "--dataset", "demo"])
    return path


def test_a_program_that_no_shell_finds_is_named_by_its_path(program: Path) -> None:
    assert called() == ".venv/bin/l2p-search"
    assert as_called("continue: l2p-search --resume --name a") == (
        "continue: .venv/bin/l2p-search --resume --name a"
    )
    assert as_called("see `l2p-search status`") == "see `.venv/bin/l2p-search status`"


def test_a_program_that_the_shell_finds_is_named_by_its_name(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(program.parent))
    monkeypatch.setattr(sys, "argv", [str(program)])
    assert called() == "l2p-search"
    assert as_called("l2p-search ui") == "l2p-search ui"


def test_another_program_of_that_name_is_not_mistaken_for_it(
    program: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = tmp_path / "other" / "l2p-search"
    other.parent.mkdir()
    other.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(other.parent))
    assert called() == ".venv/bin/l2p-search"


def test_a_program_elsewhere_has_its_whole_path_quoted(
    program: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "two words"
    folder.mkdir()
    monkeypatch.setattr(sys, "argv", [str(folder / "l2p-search")])
    monkeypatch.chdir(program.parent)
    assert called() == f"'{folder}/l2p-search'"


def test_a_module_is_called_as_one_again(
    program: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    python = tmp_path / ".venv" / "bin" / "python"
    python.touch(mode=0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setattr(sys, "argv", ["/somewhere/l2p_search/__main__.py"])
    assert called() == ".venv/bin/python -m l2p_search"
    monkeypatch.setenv("PATH", str(python.parent))
    assert called() == "python -m l2p_search"


def test_a_sentence_about_the_program_stays(program: Path) -> None:
    for text in (
        "l2p-search: error: which graph?",
        "hit a bug in l2p-search (KeyError)",
        "the spaces that come with l2p-search, by name",
        "l2p-search is installed",
        "see ./mlflow/l2p-search ui",
    ):
        assert as_called(text) == text


def test_messages_have_flags_and_the_command_as_it_was_called(program: Path) -> None:
    assert in_words(f"{argument('trials')}: see l2p-search spaces") == (
        "--trials: see .venv/bin/l2p-search spaces"
    )


def test_every_command_is_known_to_be_one() -> None:
    assert set(subcommands(build_parser())) == COMMANDS
