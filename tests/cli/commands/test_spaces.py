import json
import sys
from pathlib import Path

import pytest

from l2p_search.cli.main import main
from l2p_search.searching.space.shipped import load_space, shipped_spaces


def test_every_shipped_space_is_listed_with_its_size(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["spaces"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in listed] == list(shipped_spaces())
    paper = next(line for line in listed if line.startswith("paper "))
    assert "5 hyperparameters, 432 configurations" in paper
    assert paper.endswith("dropout, lr, hidden, weight_decay, K")
    assert any("not countable" in line for line in listed)
    assert main(["spaces", "list"]) == 0
    assert capsys.readouterr().out.splitlines() == listed


def test_a_narrow_terminal_gets_the_list_between_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["spaces"]) == 0
    whole = capsys.readouterr().out
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["spaces"]) == 0
    narrow = capsys.readouterr().out
    assert narrow.split() == whole.split()
    assert max(map(len, narrow.splitlines())) <= 60


@pytest.mark.parametrize("words", [["paper"], ["show", "paper"]])
def test_one_is_shown_as_its_file_has_it(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["spaces", *words]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(shipped_spaces()["paper"].read_text().rstrip())
    assert shown.endswith("\n# 5 hyperparameters, 432 configurations\n")


def test_a_file_of_ones_own_is_shown_by_its_path(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("# mine\nK: {choices: [1, 2]}\n")
    assert main(["spaces", "show", str(file)]) == 0
    assert capsys.readouterr().out == (
        "# mine\nK: {choices: [1, 2]}\n\n# 1 hyperparameter, 2 configurations\n"
    )


def test_json_is_what_a_file_would_hold(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["spaces", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert set(rows) == set(shipped_spaces())
    assert rows["paper"]["size"] == 432
    assert rows["extended"]["size"] is None
    assert main(["spaces", "show", "smoke", "--json"]) == 0
    one = json.loads(capsys.readouterr().out)
    assert one == rows["smoke"]
    assert one["space"] == load_space("smoke").to_mapping()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("show",), "spaces show: name one of appnp, dagnn"),
        (("show", "papr"), "unknown space 'papr'; did you mean 'paper'?"),
        (("show", "no/such.yaml"), "no/such.yaml: no such file"),
        (("papr",), "unknown space 'papr'; did you mean 'paper'?"),
        (("list", "paper"), "spaces list paper: did you mean `"),
        (("paper", "smoke"), "spaces paper smoke: name one space"),
    ],
)
def test_what_is_not_there_is_said_in_one_line(
    arguments: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["spaces", *arguments]) == 2
    captured = capsys.readouterr()
    assert says in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""
