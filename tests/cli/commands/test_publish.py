import json
from pathlib import Path

import pytest

from l2p_search.cli.main import main
from l2p_search.data.graph import Graph
from tests.api.publishable import made


@pytest.fixture
def folder(tmp_path: Path, small_graph: Graph) -> Path:
    made(tmp_path, small_graph, "l2q", "a")
    return tmp_path


def test_prints_the_table_and_says_where_it_is(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(folder / "paper")
    assert main(["publish", "a-l2q", "--out", out, "--dir", str(folder)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("| method | a |")
    assert f"files into {out}" in said


def test_json_names_the_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["publish", "--searches", "a-l2q", "--out", str(folder / "paper"), "--json"]
    assert main([*words, "--dir", str(folder)]) == 0
    assert "scores.tex" in json.loads(capsys.readouterr().out)["files"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--searches", "b"], "no search 'b' in"),
        (["--searches", "a-l2q", "a-l2q"], "--searches: 'a-l2q' is named twice"),
        (["a-l2q", "--searches", "a-l2q"], "--searches: 'a-l2q' is named twice"),
        ([], "publish: which searches? Name them, such as"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_two(
    words: list[str], says: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = folder / "paper"
    assert main(["publish", *words, "--out", str(out), "--dir", str(folder)]) == 2
    told = capsys.readouterr()
    assert says in told.err
    assert told.err.count("\n") == 1
    assert told.out == ""
    assert not out.exists()
