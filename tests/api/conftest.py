"""A pretended search that the tests of this folder read: ten trials, three fresh seeds."""

from pathlib import Path

import pytest

from l2p_search.data.graph import Graph
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal
from tests.searching.pretend import begin, searched


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, small_graph: Graph) -> Journal:
    """A search that reached its goal; the tests of a module only read it."""
    folder = tmp_path_factory.mktemp("searches")
    journal = searched(folder / "pretended", small_graph, Goal(trials=10, confirm=3))
    journal.close()
    return Journal.read(journal.directory)


@pytest.fixture
def begun(tmp_path: Path) -> Journal:
    """A search that has not got any trial yet."""
    journal = begin(tmp_path / "begun")
    journal.begin(Goal(trials=3), {})
    journal.close()
    return Journal.read(journal.directory)
