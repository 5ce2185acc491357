import re
from pathlib import Path

import pytest

from l2p_search.api.overview import overview_page, report_all
from l2p_search.data.graph import Graph
from l2p_search.errors import UserError
from l2p_search.searching.records.outcome import read_outcome
from l2p_search.searching.records.settings import Goal
from tests.searching.pretend import begin, searched


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
    rows = re.findall(r"<tr>(.*?)</tr>", page)[1:]
    assert len(rows) == 3
    assert [re.findall(r">([^<>]+)</td>", row)[0] for row in rows] == ["small"] * 2 + ["wisconsin"]
    assert page.count("<figure>") == 3
    assert "begun" not in page
    assert "<b>" not in page
    assert "&lt;b&gt;three" in page


def test_the_papers_number_stands_beside_ours_where_it_has_one(folder: Path) -> None:
    page = report_all(folder, folder / "report.html").read_text()
    (row,) = [each for each in re.findall(r"<tr>(.*?)</tr>", page) if ">wisconsin<" in each]
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
