"""Searches that an earlier version called after nodes.csv are found and continued."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import l2p_search as l2p
from l2p_search.api.planning import Wanted, make_plan
from l2p_search.api.recorded_names import as_recorded
from l2p_search.data.graph import Graph
from l2p_search.errors import SearchExistsError
from l2p_search.searching.records.journal import Journal
from tests.data.test_own_names import _tables


@pytest.fixture(autouse=True)
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two tables, which is the current one's only content."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("L2P_SEARCH_DIR", raising=False)
    return _tables(Path("town"))


def _reading(town: Path) -> dict[str, Any]:
    return {"edges": town / "edges.csv", "label": "club"}


def _record(graph: Graph, name: str) -> None:
    """A search as an earlier version has begun it, under that name of its graph."""
    plan = make_plan(replace(graph, name=name), Wanted(name=f"{name}-paper", trials=3))
    assert plan.settings.dataset == name
    Journal.create(plan.directory, plan.settings).close()


def test_a_search_under_the_earlier_name_is_the_one_that_is_meant(town: Path) -> None:
    graph = l2p.load_graph(town / "nodes.csv", **_reading(town))
    _record(graph, "nodes")
    wanted = Wanted(trials=3, reading=_reading(town))
    with pytest.raises(SearchExistsError, match="search 'nodes-paper' exists"):
        make_plan(str(town / "nodes.csv"), wanted)
    plan = make_plan(str(town / "nodes.csv"), wanted, resume=True)
    assert plan.directory.name == "nodes-paper"
    assert (plan.settings.dataset, plan.graph.name) == ("nodes", "nodes")
    for by_name in (
        make_plan(None, Wanted(name="nodes-paper"), resume=True),
        make_plan(graph, Wanted(name="nodes-paper"), resume=True),
        make_plan(town / "nodes.csv", replace(wanted, name="nodes-paper"), resume=True),
    ):
        assert by_name.recorded is not None
        assert by_name.settings.dataset == "nodes"


def test_a_new_search_has_the_folders_name(town: Path) -> None:
    plan = make_plan(str(town / "nodes.csv"), Wanted(reading=_reading(town)))
    assert (plan.directory.name, plan.settings.dataset) == ("town-paper", "town")


def test_another_graphs_search_is_left_alone(town: Path) -> None:
    graph = l2p.load_graph(town / "nodes.csv", **_reading(town))
    other = replace(graph, y=graph.y.flip(0))
    assert other.digest != graph.digest
    _record(other, "nodes")
    plan = make_plan(str(town / "nodes.csv"), Wanted(reading=_reading(town)), resume=True)
    assert (plan.directory.name, plan.recorded) == ("town-paper", None)


def test_the_new_name_goes_first_and_a_damaged_search_is_passed_over(town: Path) -> None:
    graph = l2p.load_graph(town / "nodes.csv", **_reading(town))
    _record(graph, "nodes")
    folders = {"nodes": [Path("searches/nodes-paper")], "town": [Path("searches/town-paper")]}
    assert as_recorded(graph, folders.__getitem__).name == "nodes"
    journal = Path("searches/nodes-paper/journal.log")
    kept = journal.read_bytes()
    journal.write_text("nonsense\n")
    assert as_recorded(graph, folders.__getitem__).name == "town"
    journal.write_bytes(kept)
    _record(graph, "town")
    assert as_recorded(graph, folders.__getitem__).name == "town"
