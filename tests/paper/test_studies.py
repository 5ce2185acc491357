from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from l2p_search.data.graph import Graph
from l2p_search.errors import SearchError, in_shell
from l2p_search.paper import studies
from l2p_search.paper.budgets import Study, grid_study, method_study
from l2p_search.paper.studies import InterruptedStudyError, Lines, no_results, outcomes_of
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal
from tests.paper.pretended import Asked


def _two() -> list[Study]:
    return [method_study("l2q", "texas", "smoke"), method_study("gcn", "cora", "smoke")]


def test_each_study_is_searched_once_and_read_afterwards(asked: Asked) -> None:
    request = asked.request()
    graphs = request.graphs(["texas", "cora", "texas"])
    assert asked.loaded == ["texas", "cora"]  # each once
    first = outcomes_of(request, _two(), graphs)
    assert asked.started == [2]  # on the same workers
    assert [found.settings.dataset for found in first] == ["texas", "cora"]  # in their order
    begun, *ended = asked.lines
    assert begun == "2 searches to run; Ray starts .."
    assert [line.split("]")[0] for line in ended] == ["[1/2", "[2/2"]
    again = outcomes_of(request, _two(), graphs)
    assert asked.started == [2]
    assert [found.to_mapping() for found in again] == [found.to_mapping() for found in first]
    assert len(asked.lines) == 3  # nothing is to run


def test_the_largest_graph_is_searched_first(
    asked: Asked, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = asked.request()
    graphs = request.graphs(["texas", "cora"])
    monkeypatch.setattr(Graph, "num_nodes", property(lambda graph: 12 + len(graph.name)))
    outcomes_of(request, _two()[::-1], graphs)  # cora, then texas, whose name is longer
    names = [line.split()[1] for line in asked.lines[1:]]
    assert names == ["paper-smoke-texas-l2q:", "paper-smoke-cora-gcn:"]


def test_what_is_missing_of_a_study_is_continued(asked: Asked, tmp_path: Path) -> None:
    request = asked.request()
    (study,) = _two()[:1]
    graphs = request.graphs([study.dataset])
    (short,) = outcomes_of(request, [study], graphs)
    longer = replace(study, goal=Goal(trials=3, confirm=2, ties=0))
    (long,) = outcomes_of(request, [longer], graphs)
    assert len(short.records) == 1
    assert len(long.records) == 3
    assert long.records[0] == short.records[0]
    confirmed = replace(study, goal=Goal(trials=3, confirm=4, ties=0))
    (more,) = outcomes_of(request, [confirmed], graphs)
    assert more.best is not None
    assert len(more.confirmations[more.best.number].seeds) == 4
    assert asked.started == [1, 1, 1]


def test_a_study_of_the_whole_space_asks_for_no_more_than_there_is(asked: Asked) -> None:
    request = asked.request()
    study = grid_study("both", "texas", "smoke", {"posterior": ["quit", "select"]}, {"K": 4})
    beyond = replace(study, goal=Goal(trials=99, confirm=0, ties=0))
    graphs = request.graphs(["texas"])
    outcomes_of(request, [beyond], graphs)
    outcomes_of(request, [beyond], graphs)
    assert asked.started == [1]


def test_a_grid_is_listed_in_the_order_of_its_space(asked: Asked) -> None:
    request, values = asked.request(), [4, 1, 3, 2, 6, 5, 7]
    study = grid_study("steps", "texas", "smoke", {"K": values}, {})
    (outcome,) = outcomes_of(request, [study], request.graphs(["texas"]))
    assert [record.config.K for record in outcome.records] == values
    numbers = [record.number for record in outcome.records]
    assert numbers != sorted(numbers)


def test_a_search_of_that_name_with_other_settings_is_never_taken_for_it(
    asked: Asked, tmp_path: Path
) -> None:
    request = asked.request()
    (study,) = _two()[:1]
    graphs = request.graphs([study.dataset])
    outcomes_of(request, [study], graphs)
    with pytest.raises(SearchError) as raised:
        outcomes_of(request, [replace(study, seeds=3)], graphs)
    assert in_shell(raised.value.message) == (
        f"search 'paper-smoke-texas-l2q' was made with other settings; move it out of {tmp_path},"
        " or name another folder with --dir"
    )


def test_being_stopped_is_told_and_keeps_what_is_recorded(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = asked.request()
    graphs = request.graphs(["texas", "cora"])
    outcomes_of(request, _two()[:1], graphs)
    monkeypatch.setattr(studies, "conduct_together", lambda *arguments, **options: True)
    with pytest.raises(InterruptedStudyError):
        outcomes_of(request, _two(), graphs)
    assert Journal.exists(tmp_path / "paper-smoke-texas-l2q")


def test_the_time_left_counts_half_of_what_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texas has ended after 100 s, PubMed runs: without it, days would seem to be left."""
    times = iter([0.0, 100.0])
    monkeypatch.setattr(studies.time, "monotonic", lambda: next(times))
    told: list[str] = []
    lines = Lines([19_717, 183], told.append)
    lines.began(19_717)
    lines.began(183)
    nothing = SimpleNamespace(best=None, confirmed=None)
    lines.ended("paper-quick-texas-l2q", 183, nothing)  # type: ignore[arg-type]
    assert told == [
        "[1/2] paper-quick-texas-l2q: no trial has all its seeds;"
        " 1 min 40 s, about 1 min 38 s left"
    ]


def test_a_line_says_what_was_found_and_what_fresh_seeds_say(asked: Asked) -> None:
    request = asked.request()
    (found,) = outcomes_of(request, _two()[:1], request.graphs(["texas"]))
    begun, line = asked.lines
    assert begun == "1 search to run; Ray starts .."
    assert found.best is not None
    assert f"validation {found.best.objective:.2f} %" in line
    assert f"test {found.confirmed} % on fresh seeds" in line


def test_a_figure_without_results_says_where_the_reasons_are() -> None:
    error = no_results("figure 3", _two())
    assert in_shell(error.message) == (
        "figure 3: no trial of its searches has a result; see why with l2p-search trials"
        " paper-smoke-texas-l2q"
    )
