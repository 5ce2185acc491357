from dataclasses import replace
from pathlib import Path

import pytest

import l2p_search as l2p
from l2p_search.api.found import Search
from l2p_search.cli.next_steps import copy_of, next_steps, resume_command
from l2p_search.data.graph import Graph
from l2p_search.searching.records.settings import Goal
from tests.searching.pretend import searched


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("L2P_SEARCH_DIR", raising=False)


def _search(name: str, graph: Graph, trials: int = 3, folder: str = "searches") -> Search:
    goal = Goal(trials=trials, confirm=0)
    searched(Path(folder) / name, graph, goal, graph={"source": "demo"}, dataset="demo").close()
    return l2p.open_search(name, folder)


def test_each_line_is_a_command_about_the_search(small_graph: Graph) -> None:
    found = _search("two words", small_graph)
    steps = {
        "every number": "l2p-search status 'two words' --full",
        "a page with figures": "l2p-search report 'two words'",
        "MLflow": "l2p-search ui",
        "the best trained again": "l2p-search train --dataset demo --config"
        " 'searches/two words/best.yaml'",
        "a longer search": "l2p-search --resume --name 'two words' --trials 6",
    }
    assert next_steps([found], tracked=True) == steps
    (found.directory / "model").mkdir()
    again = next_steps([found], tracked=True)
    assert again["predictions"] == "l2p-search predict 'searches/two words/model' --dataset demo"
    assert len(again) == 5  # with a model at hand it is not trained again


def test_no_line_has_a_comment_which_zsh_would_take_for_arguments(small_graph: Graph) -> None:
    lines = next_steps([_search("s", small_graph)], tracked=True).values()
    assert not any("#" in line for line in lines)


def test_without_mlflow_its_interface_is_not_offered(small_graph: Graph) -> None:
    assert "MLflow" not in next_steps([_search("a", small_graph)], tracked=False)


def test_mlflow_gets_as_much_of_what_follows_as_of_the_search(small_graph: Graph) -> None:
    found, server = _search("a", small_graph), "http://host:5000"
    steps = next_steps([found], tracked=True, uri=server)
    for key in ("a page with figures", "MLflow", "a longer search"):
        assert f" --tracking-uri {server}" in steps[key]
    assert resume_command(found.directory, copy_of(False, server)).endswith("a --no-tracking")
    assert copy_of(True, None) == copy_of(True, "http://me:secret@host") == ""


def test_a_search_elsewhere_is_found_by_its_folder(small_graph: Graph) -> None:
    found = _search("a", small_graph, folder="mine")
    steps = next_steps([found], tracked=False)
    assert steps["a page with figures"] == "l2p-search report a --dir mine --no-tracking"
    assert steps["every number"] == "l2p-search status a --dir mine --full"
    again = "l2p-search --resume --name a --dir mine --no-tracking"
    assert steps["a longer search"] == f"{again} --trials 6"
    assert resume_command(found.directory) == "l2p-search --resume --name a --dir mine"


def test_several_searches_have_one_set_of_steps_for_the_best(small_graph: Graph) -> None:
    several = [_search("few", small_graph, 1), _search("many", small_graph, 12)]
    lines = list(next_steps(several, tracked=False).values())
    best = max(several, key=lambda search: search.best.objective or 0.0)  # type: ignore[union-attr]
    assert lines[1] == f"l2p-search report {best.name} --no-tracking"
    assert not any("--resume" in line for line in lines)


def test_nothing_found_is_nothing_to_go_on_with(small_graph: Graph) -> None:
    found = _search("a", small_graph)
    found.outcome = replace(found.outcome, records=[])
    assert next_steps([found], tracked=True) == {}


def test_a_space_that_was_visited_whole_offers_no_longer_search(small_graph: Graph) -> None:
    found = _search("a", small_graph, trials=99)
    assert len(found.outcome.records) == 24
    assert "a longer search" not in next_steps([found], tracked=True)
