import logging
from pathlib import Path

import pytest

from l2p_search.data.graph import Graph
from l2p_search.searching.records.readable import readable_searches
from l2p_search.searching.records.settings import Goal
from tests.searching.pretend import searched


def test_searches_are_read_by_how_their_names_begin_and_a_damaged_one_is_logged(
    tmp_path: Path, small_graph: Graph, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("a-1", "a-2", "b-1"):
        searched(tmp_path / name, small_graph, Goal(trials=2, confirm=0)).close()
    path = tmp_path / "a-2" / "journal.log"
    path.write_text(path.read_text().replace('"complete"', '"unheard-of"'))
    with caplog.at_level(logging.WARNING):
        found = {
            journal.directory.name: records for journal, records in readable_searches(tmp_path)
        }
    assert {name: len(records) for name, records in found.items()} == {"a-1": 2, "b-1": 2}
    assert "a-2" in caplog.text
    assert [j.directory.name for j, _ in readable_searches(tmp_path, "a-")] == ["a-1"]
    assert list(readable_searches(tmp_path / "nowhere")) == []
