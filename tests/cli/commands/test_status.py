import json
import os
import shlex
from pathlib import Path

import pytest

from l2p_search import defaults
from l2p_search.api.opening import open_search
from l2p_search.cli.main import main
from l2p_search.data.graph import Graph
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from tests.searching.pretend import begin, drive, searched, settings


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("L2P_SEARCH_DIR", raising=False)


def _said(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert main(["status", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def _killed(directory: Path, graph: Graph, trials: int = 3) -> Journal:
    """A search of which two trials ended; the third one is open."""
    goal = Goal(trials=trials, confirm=0)
    journal = begin(directory)
    journal.begin(goal, {})
    drive(Coordinator(journal, goal), graph, stop_after=2)
    return journal


def test_a_search_that_reached_its_goal_is_finished(
    small_graph: Graph, capsys: pytest.CaptureFixture[str]
) -> None:
    searched(Path("searches/s"), small_graph, Goal(trials=3, confirm=2)).close()
    found = open_search("s")
    assert found.best is not None
    said = _said(capsys, "s")
    assert said[:3] == [
        "s: finished, 3 of 3 trials",
        "  small, space pretend, 20 seeds, tpe with seed 0",
        "  trials: 3 complete",
    ]
    assert said[3].startswith(f"  best: trial {found.best.number}, validation ")
    assert said[4:] == [
        f"  confirmed test accuracy: {found.confirmed} %",
        "  everything: l2p-search status s --full",
    ]
    assert said[:5] == _said(capsys)  # a list of searches is short


def test_full_prints_everything_that_is_known(
    small_graph: Graph, capsys: pytest.CaptureFixture[str]
) -> None:
    searched(Path("searches/s"), small_graph, Goal(trials=12, confirm=2)).close()
    said = _said(capsys, "s", "--full")
    assert said[0] == "search s: 12 trials on small, 12 with all 20 seeds"
    assert "\n".join(said) + "\n" == open_search("s").text(full=True)
    assert any(line.startswith("trial  validation %") for line in said)
    assert len(said) > len(open_search("s").text().splitlines())


def test_full_says_first_how_a_search_stands_that_has_not_ended(
    small_graph: Graph, capsys: pytest.CaptureFixture[str]
) -> None:
    searched(Path("searches/a"), small_graph, Goal(trials=2, confirm=0)).close()
    _killed(Path("searches/b"), small_graph).close()
    said = _said(capsys, "--full")
    assert said[0] == "b: stopped, 2 of 3 trials"
    assert said.index("") < said.index("search b: 3 trials on small, 2 with all 20 seeds")
    assert "search a: 2 trials on small, 2 with all 20 seeds" in said
    assert not any(line.startswith("a: finished") for line in said)


def test_a_space_that_is_visited_whole_is_finished_before_the_goal(
    small_graph: Graph, capsys: pytest.CaptureFixture[str]
) -> None:
    goal = Goal(trials=99, confirm=0)
    searched(Path("searches/s"), small_graph, goal, race="paired").close()
    said = _said(capsys)
    assert said[0] == "s: finished, 24 of 99 trials"
    assert said[1].endswith("tpe with seed 0, racing by paired tests")
    assert "raced out" in said[2]


def test_one_that_was_killed_says_how_it_is_continued(
    small_graph: Graph, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    _killed(Path("searches/two words"), small_graph).close()
    said = _said(capsys)
    assert said[0] == "two words: stopped, 2 of 3 trials"
    assert said[2] == "  trials: 2 complete, 1 interrupted"
    assert said[-1] == "  continue: l2p-search --resume --name 'two words'"
    _killed(tmp_path / "else where" / "s", small_graph).close()
    folder = str(tmp_path / "else where")
    last = _said(capsys, "--dir", folder)[-1].removeprefix("  continue: ")
    assert shlex.split(last) == ["l2p-search", "--resume", "--name", "s", "--dir", folder]


def test_one_that_runs_names_its_process(
    small_graph: Graph, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = _killed(Path("searches/s"), small_graph)  # it still has the lock
    said = _said(capsys)
    assert said[0] == f"s: running (process {os.getpid()}), 2 of 3 trials"
    assert said[2] == "  trials: 2 complete, 1 running"
    assert "continue" not in said[-1]
    journal.close()


def test_one_that_was_killed_before_its_first_trial_is_not_finished(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Journal.create(Path("searches/s"), settings()).close()
    said = _said(capsys)
    assert said[0] == f"s: stopped, 0 of {defaults.TRIALS} trials"
    assert said[2] == "  trials: none yet"
    assert said[-1] == "  continue: l2p-search --resume --name s"


def test_json_is_a_list_of_all(small_graph: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a", "b"):
        searched(Path("searches") / name, small_graph, Goal(trials=1, confirm=0)).close()
    rows = json.loads("\n".join(_said(capsys, "--json")))
    assert [row["name"] for row in rows] == ["b", "a"]  # the latest first
    assert rows[0]["running"] is False
    assert rows[0]["trials"] == {"complete": 1}
    assert [row["name"] for row in json.loads("\n".join(_said(capsys, "a", "--json")))] == ["a"]


def test_a_search_that_cannot_be_read_hides_no_other(
    small_graph: Graph, capsys: pytest.CaptureFixture[str]
) -> None:
    searched(Path("searches/good"), small_graph, Goal(trials=1, confirm=0)).close()
    Path("searches/bad").mkdir()
    Path("searches/bad/journal.log").write_text("no journal\n")
    assert main(["status"]) == 0
    captured = capsys.readouterr()
    assert "good: finished" in captured.out
    assert "bad: cannot be read\n  searches/bad/journal.log: is damaged (line 1: " in captured.out
    assert captured.err == ""


def test_without_a_search_it_says_how_to_start_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status"]) == 2
    assert "searches: no searches there; start one, such as l2p-search --dataset demo" in (
        capsys.readouterr().err
    )
