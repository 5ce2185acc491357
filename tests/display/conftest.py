from pathlib import Path

import pytest

from l2p_search.api.found import Search
from l2p_search.data.graph import Graph
from l2p_search.display.summary import Summary
from l2p_search.searching.records.settings import Goal
from tests.searching.pretend import searched


@pytest.fixture(scope="package")
def summary(tmp_path_factory: pytest.TempPathFactory, small_graph: Graph) -> Summary:
    """Twelve pretended trials, the best of them confirmed on three fresh seeds."""
    folder: Path = tmp_path_factory.mktemp("told") / "told"
    return Search(searched(folder, small_graph, Goal(trials=12, confirm=3))).summary()
