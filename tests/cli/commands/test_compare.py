import json
import sys
from pathlib import Path

import pytest

from l2p_search.cli.main import main
from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.data.loading import load_graph
from l2p_search.searching.records.settings import Goal
from tests.searching.pretend import searched


@pytest.fixture
def folder(tmp_path: Path, small_graph: Graph) -> Path:
    for name, seed in (("one", 1), ("two", 2)):
        searched(tmp_path / name, small_graph, Goal(trials=9, confirm=10), seed=seed).close()
    searched(tmp_path / "bare", small_graph, Goal(trials=3, confirm=0)).close()
    return tmp_path


def test_two_searches_are_compared_by_their_best_on_fresh_seeds(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", "one", "two", "--dir", str(folder), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["fresh_seeds"] is True
    assert [each["metric"] for each in found["comparisons"]] == ["test_accuracy", "val_accuracy"]
    assert found["comparisons"][0]["seeds"] == 10
    assert found["comparisons"][0]["verdict"] in ("better", "worse", "equivalent", "undecided")


def test_a_narrow_terminal_gets_the_comparison_between_words(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", "one", "two", "--dir", str(folder)]) == 0
    whole = capsys.readouterr().out
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["compare", "one", "two", "--dir", str(folder)]) == 0
    narrow = capsys.readouterr().out
    assert narrow.split() == whole.split()
    assert max(map(len, narrow.splitlines())) <= 60


def test_a_trial_is_equivalent_to_itself_and_it_is_said_in_words(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", "one:0", "one:0", "--dir", str(folder)]) == 0
    said = capsys.readouterr().out
    assert "points: equivalent: one:0 (second) is within 1 point of one:0 (first)" in said


def test_without_a_confirmation_the_searches_own_seeds_are_compared(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", "one", "bare", "--dir", str(folder)]) == 0
    assert "on 20 seeds, the searches' own" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "says"),
    [("oen", "did you mean 'one'?"), ("one:99", "there is no trial 99; give one of 0 to 8")],
)
def test_what_is_not_there_is_named(
    folder: Path, name: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", name, "two", "--dir", str(folder)]) == 2
    assert says in capsys.readouterr().err


def test_searches_are_trained_on_common_seeds_on_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    demo = load_graph("demo")
    base = TrialConfig(epochs=2, hidden=4)
    for name, seeds in (("few", 2), ("many", 3)):
        made = searched(
            tmp_path / name,
            demo,
            Goal(trials=1, confirm=0),
            dataset="demo",
            data_digest=demo.digest,
            base=base,
            seeds=seeds,
        )
        made.close()
    asked = ["compare", "few", "many", "--dir", str(tmp_path), "--train", "2"]
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["fresh_seeds"], found["comparisons"][0]["seeds"]) == (True, 2)
    assert main([*asked, "--dataset", "demo"]) == 0
    assert "on 2 seeds, fresh ones that chose nothing" in capsys.readouterr().out
    with pytest.raises(SystemExit) as refused:
        main([*asked[:-1], "0"])
    assert refused.value.code == 2
    assert "--train" in capsys.readouterr().err
