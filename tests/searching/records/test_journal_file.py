from pathlib import Path

import pytest

from l2p_search.data.graph import Graph
from l2p_search.errors import SearchError
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal
from tests.searching.pretend import searched


def test_a_damaged_journal_is_said_to_be_damaged(tmp_path: Path, small_graph: Graph) -> None:
    searched(tmp_path / "s", small_graph, Goal(trials=2, confirm=0)).close()
    path = tmp_path / "s" / "journal.log"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[len(lines) // 2] = b"\x00\x00 garbage\n"
    path.write_bytes(b"".join(lines))
    with pytest.raises(SearchError, match=r"journal.log: is damaged"):
        Journal.read(tmp_path / "s")
