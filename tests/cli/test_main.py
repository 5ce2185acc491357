import io
import subprocess
import sys
from pathlib import Path

import pytest

from l2p_search.cli.main import build_parser, main
from l2p_search.cli.options import search_name

_PAGES = sorted((Path(__file__).parents[2] / "docs").glob("*.md"))
_HEAVY = ("torch", "numpy", "torch_geometric", "rich", "yaml", "ray", "optuna", "scipy")


def _commands() -> list[str]:
    (subparsers,) = [
        action for action in build_parser()._actions if hasattr(action, "_name_parser_map")
    ]
    return list(subparsers._name_parser_map)


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys; from l2p_search.cli.main import build_parser; build_parser().format_help();"
        f"print([name for name in {_HEAVY!r} if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.stdout.strip() == "[]", found.stderr


@pytest.mark.parametrize("command", _commands())
def test_every_command_has_an_example_and_is_in_the_pages(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert f"example: l2p-search {command}" in capsys.readouterr().out
    assert any(f"l2p-search {command}" in page.read_text() for page in _PAGES)


def test_every_command_about_one_search_takes_its_name_alike() -> None:
    for command in ("status", "trials", "ui", "export", "report", "reproduce", "node", "sync"):
        of_it = ["--node", "1"] if command == "node" else []
        for words in ([command, "mine", *of_it], [command, "--search", "mine", *of_it]):
            assert search_name(vars(build_parser().parse_args(words))) == "mine"


def test_runs_as_a_module() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "l2p_search", "--version"], capture_output=True, text=True
    )
    assert found.stdout.startswith("l2p-search ")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_without_utf_8_is_spoken_to_with_what_it_has(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = io.BytesIO()
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(said, encoding=encoding))
    assert main(["status", "图±", "--dir", "none"]) == 2
    sys.stderr.flush()
    assert said.getvalue().startswith(b"l2p-search: error: ")


def test_the_name_of_a_file_that_is_no_text_is_printed_as_its_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(said, encoding="utf-8"))
    assert main(["spaces", "list"]) == 0
    sys.stdout.write("\udcff")
    sys.stdout.flush()
    assert said.getvalue().endswith(b"\xff")


def test_figures_are_drawn_whatever_the_environment_would_show_them_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MPLBACKEND", "nosuch")
    program = (
        "from l2p_search.cli.main import main; main(['status', '--dir', 'none']);"
        "import l2p_search.report.drawing; print('drawn')"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.stdout.strip() == "drawn", found.stderr
