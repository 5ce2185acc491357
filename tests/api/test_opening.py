"""Recorded searches are found by name, by dataset, or all."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from l2p_search.api.found import Search
from l2p_search.api.opening import (
    best_by_dataset,
    best_of_dataset,
    open_all,
    open_named,
    open_search,
    split_trial,
)
from l2p_search.data.graph import Graph
from l2p_search.errors import UserError
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from tests.searching.pretend import begin, drive, searched

_QUIET: dict[str, Any] = {"display": "off", "tracking": False}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("L2P_SEARCH_DIR", raising=False)


@pytest.fixture(scope="module")
def found(recorded: Journal) -> Search:
    return Search(recorded)


# Finding searches.


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        ("a", ("a", None)),
        ("a:12", ("a", 12)),
        ("a:b", ("a:b", None)),
        ("a:b:0", ("a:b", 0)),
        ("a:", ("a:", None)),
    ],
)
def test_a_trial_is_named_by_its_search_and_number(
    given: str, parts: tuple[str, int | None]
) -> None:
    assert split_trial(given) == parts


def test_a_name_of_no_search_is_told_without_a_wait_for_torch(tmp_path: Path) -> None:
    program = (
        "import sys; import l2p_search as l2p; from l2p_search.errors import SearchError\n"
        f"try: l2p.open_search('none', {str(tmp_path)!r})\n"
        "except SearchError as error: print('torch' in sys.modules, error)"
    )
    told = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout
    assert told.startswith(f"False {tmp_path}: no searches there")


def test_a_number_that_python_cannot_read_is_refused_by_its_digits() -> None:
    with pytest.raises(UserError, match="a: has no trial with a number of 5000 digits"):
        split_trial("a:" + "9" * 5000)


def test_searches_are_opened_by_name_else_the_running_else_the_latest(
    tmp_path: Path, small_graph: Graph
) -> None:
    folder = tmp_path / "searches"
    for name in ("first", "second"):
        searched(folder / name, small_graph, Goal(trials=1, confirm=0)).close()
    assert open_search("first").name == "first"
    assert open_search().name == "second"
    assert open_search("first", str(folder)).directory == folder / "first"
    held = Journal.resume(folder / "first")
    assert open_search().name == "first"
    held.close()
    assert [each.name for each in open_named(None)[0]] == [each.name for each in open_all()[0]]
    assert [each.name for each in open_named("second")[0]] == ["second"]


def test_a_search_that_cannot_be_read_hides_no_other(tmp_path: Path, small_graph: Graph) -> None:
    searched(tmp_path / "good", small_graph, Goal(trials=1, confirm=0)).close()
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "journal.log").write_text("no journal\n")
    searches, errors = open_all(tmp_path)
    assert [each.name for each in searches] == ["good"]
    assert len(errors) == 1
    assert str(tmp_path / "bad") in str(errors[0])


def test_the_best_of_each_dataset_is_the_latest_of_equals_with_a_complete_trial(
    tmp_path: Path, small_graph: Graph
) -> None:
    for name, dataset in (("a", "cora"), ("b", "cora"), ("c", "texas")):
        goal = Goal(trials=1, confirm=0)
        searched(tmp_path / name, small_graph, goal, dataset=dataset).close()
    begin(tmp_path / "d", dataset="cora").close()  # later, but without a trial
    best = best_by_dataset(tmp_path)
    assert {dataset: each.name for dataset, each in best.items()} == {"cora": "b", "texas": "c"}
    assert best_of_dataset("cora", tmp_path).name == "b"
    with pytest.raises(UserError, match=r"has a complete trial \(there are: cora, texas\)"):
        best_of_dataset("pubmed", tmp_path)


def test_a_finished_search_goes_before_an_interrupted_one_whatever_is_later(
    tmp_path: Path, small_graph: Graph
) -> None:
    whole = searched(tmp_path / "whole", small_graph, Goal(trials=2, confirm=2, ties=0))
    whole.close()
    broken = begin(tmp_path / "broken")
    broken.begin(Goal(trials=9, confirm=2), {})
    drive(Coordinator(broken, Goal(trials=9, confirm=2)), small_graph, stop_after=3)
    broken.close()
    assert [each.name for each in open_all(tmp_path)[0]] == ["broken", "whole"]
    assert best_of_dataset("small", tmp_path).name == "whole"
