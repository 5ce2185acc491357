from pathlib import Path
from typing import Any

import pytest

from l2p_search.cli.first_line import first_line, first_line_of_answer
from l2p_search.cli.main import build_parser


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("L2P_SEARCH_DIR", raising=False)


def _options(*words: str) -> dict[str, Any]:
    return vars(build_parser().parse_args(words))


def _recorded(name: str) -> None:
    folder = Path("searches") / name
    folder.mkdir(parents=True)
    (folder / "journal.log").touch()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--dataset demo", "searching demo: the space paper; torch and Ray start .."),
        ("--dataset demo --trials 1", "searching demo: the space paper, 1 trial;"),
        ("--dataset Cora --model gcn --trials 9", "searching Cora: model gcn, 9 trials;"),
        ("--dataset demo --models gcn,mlp", "searching demo: models gcn,mlp;"),
        ("--dataset pyg:Planetoid:Cora --space smoke", "the space smoke;"),
    ],
)
def test_it_says_what_is_searched(words: str, says: str) -> None:
    assert says in (first_line(_options(*words.split())) or "")


@pytest.mark.parametrize(
    "words",
    [
        "--dataset no-such-graph",
        "--dataset demo --space no-such-space",
        "--dataset demo --model l2x",
        "--dataset demo --models l2q,l2x",
        "--resume",
        "--resume --name nothing",
        "--name nothing",
        "--dataset demo --name a/b",
        "--dataset demo --name .hidden",
    ],
)
def test_what_will_be_refused_is_not_announced(words: str) -> None:
    assert first_line(_options(*words.split())) is None


def test_a_recorded_search_is_announced_only_when_it_is_resumed() -> None:
    _recorded("demo-paper")
    assert first_line(_options("--dataset", "demo")) is None
    assert first_line(_options("--dataset", "demo", "--name", "other")) is not None
    assert first_line(_options("--dataset", "demo", "--name", "demo-paper")) is None
    assert first_line(_options("--dataset", "demo", "--resume")) is not None
    line = first_line(_options("--resume", "--name", "demo-paper"))
    assert line == "resuming demo-paper; torch and Ray start .."
    assert first_line(_options("--resume")) == "resuming the latest search; torch and Ray start .."


def test_a_graph_and_a_space_of_ones_own_are_files(tmp_path: Path) -> None:
    Path("nodes.csv").touch()
    Path("mine.yaml").touch()
    line = first_line(_options("--dataset", "nodes.csv", "--space", "mine.yaml"))
    assert line == "searching nodes.csv: the space mine.yaml; torch and Ray start .."


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--dataset demo", "answering for demo: L2Q on APPNP, APPNP, MLP and GCN, about 12 min"),
        ("--dataset demo --trials 3", "L2Q on APPNP, APPNP, MLP and GCN, 3 trials each; torch"),
        ("--dataset demo --backbone gcn --trials 1", "L2Q on GCN, GCN and MLP, 1 trial each;"),
    ],
)
def test_an_answer_says_what_it_trains(words: str, says: str) -> None:
    assert says in (first_line_of_answer(_options("answer", *words.split())) or "")


def test_an_answer_that_will_be_refused_says_nothing_first() -> None:
    assert first_line_of_answer(_options("answer", "--dataset", "no-such-graph")) is None


def test_a_name_of_a_file_commands_no_terminal() -> None:
    Path("no\x1b[31m\nde.csv").touch()
    said = first_line(_options("--dataset", "no\x1b[31m\nde.csv"))
    assert said == "searching no\\x1b[31m\\nde.csv: the space paper; torch and Ray start .."
