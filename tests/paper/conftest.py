"""Requests of tables and figures that need neither Ray nor data."""

from pathlib import Path

import pytest

from l2p_search.data.graph import Graph
from tests.paper.pretended import Asked


@pytest.fixture
def asked(tmp_path: Path, small_graph: Graph, monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Every training succeeds."""
    return Asked(tmp_path, small_graph, monkeypatch)
