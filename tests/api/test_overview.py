import re
from dataclasses import replace
from pathlib import Path

import pytest

from l2p_search.api.overview import overview_page, report_all
from l2p_search.data.graph import Graph
from l2p_search.errors import UserError
from l2p_search.results import TrialResult
from l2p_search.searching.records.outcome import read_outcome
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from tests.searching.pretend import begin, drive, searched


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, small_graph: Graph) -> Path:
    """Searches on two graphs, and one that has only begun."""
    folder = tmp_path_factory.mktemp("searches")
    for name, dataset in (("one", "small"), ("two", "small"), ("<b>three", "wisconsin")):
        goal = Goal(trials=3, confirm=2)
        searched(folder / name, small_graph, goal, dataset=dataset).close()
    journal = begin(folder / "begun")
    journal.begin(Goal(trials=3), {})
    journal.close()
    return folder


def test_all_searches_stand_on_one_page_with_their_profiles(folder: Path, tmp_path: Path) -> None:
    path = report_all(folder, tmp_path / "all.html")
    page = path.read_text()
    every = page[page.index('id="all-searches"') :]
    rows = re.findall(r"<tr>(.*?)</tr>", every)[1:]
    assert len(rows) == 3
    assert [re.findall(r">([^<>]+)</td>", row)[0] for row in rows] == ["small"] * 2 + ["wisconsin"]
    assert page.count("<figure>") == 3
    assert "Without a complete trial yet: begun." in page
    assert "<b>" not in page
    assert "&lt;b&gt;three" in page


def test_the_papers_number_stands_beside_ours_where_it_has_one(folder: Path) -> None:
    page = report_all(folder, folder / "report.html").read_text()
    every = page[page.index('id="all-searches"') :]
    (row,) = [each for each in re.findall(r"<tr>(.*?)</tr>", every) if ">wisconsin<" in each]
    assert "84.70" in row


def test_a_report_beside_it_is_linked(folder: Path, small_graph: Graph, tmp_path: Path) -> None:
    journal = searched(tmp_path / "a b", small_graph, Goal(trials=1, confirm=0))
    found = {journal.directory: read_outcome(journal)}
    assert "<a href=" not in overview_page(found, tmp_path).partition("</nav>")[2]
    (journal.directory / "report.html").write_text("x")
    assert '<a href="a%20b/report.html">a b</a>' in overview_page(found, tmp_path)


def test_a_folder_without_a_complete_trial_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no search has a complete trial yet; search first"):
        report_all(tmp_path)


def _first(page: str) -> list[str]:
    """The rows of the first table: the best search of each graph."""
    table = page[page.index("<tbody>") : page.index("</tbody>")]
    return re.findall(r"<tr>(.*?)</tr>", table)


def test_the_best_of_a_graph_is_that_of_every_command_and_scores_of_two_metrics_are_not_compared(
    small_graph: Graph, tmp_path: Path
) -> None:
    whole = searched(tmp_path / "whole", small_graph, Goal(trials=2, confirm=2))
    other = searched(tmp_path / "other", small_graph, Goal(trials=9, confirm=2), metric="roc_auc")
    broken, goal = begin(tmp_path / "broken"), Goal(trials=9, confirm=2)
    broken.begin(goal, {})
    drive(Coordinator(broken, goal), small_graph, stop_after=8)
    found = {each.directory: read_outcome(each) for each in (whole, broken, other)}
    scores = [each.best.objective for each in found.values() if each.best is not None]
    assert scores[1] > scores[0]  # the interrupted one has the better score
    page = overview_page(found, tmp_path)
    (row,) = _first(page)
    assert row.startswith('<td class="text">small</td><td class="text">whole</td>')
    assert ", not finished</td>" in page
    assert page.count(" ROC AUC") == 2  # in the table of all searches, and at its profile


def test_a_sealed_search_that_nothing_confirmed_has_no_score(
    small_graph: Graph, tmp_path: Path
) -> None:
    journal = searched(tmp_path / "s", small_graph, Goal(trials=2, confirm=0))
    outcome = read_outcome(journal)
    sealed = replace(
        outcome,
        records=[
            replace(each, result=each.result and _without_test(each.result))
            for each in outcome.records
        ],
    )
    page = overview_page({journal.directory: sealed}, tmp_path)
    assert "None" not in page
    assert "sealed" in _first(page)[0]


def _without_test(result: TrialResult) -> TrialResult:
    return replace(result, seeds=tuple(replace(seed, test=None) for seed in result.seeds))
