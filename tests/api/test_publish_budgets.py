from pathlib import Path

import pytest

from l2p_search.api.publish_budgets import budgets_table, spaces_table
from l2p_search.api.publish_entries import Entries, collected
from l2p_search.api.publish_ledger import Ledger
from l2p_search.data.graph import Graph
from tests.api.publishable import made


@pytest.fixture
def entries(tmp_path: Path, small_graph: Graph) -> Entries:
    wanted = [("a", "l2q"), ("a", "mlp"), ("b", "l2q")]
    return collected([made(tmp_path, small_graph, m, d) for d, m in wanted])


def _texts(row: object) -> list[str]:
    return [cell.text for cell in row]  # type: ignore[attr-defined]


def test_budgets_say_trials_sizes_and_cpu_time(entries: Entries) -> None:
    ledger = Ledger()
    rows = budgets_table(entries, ledger).rows
    assert _texts(rows[0]) == ["L2Q", "a", "l2q", "2", "6", "3", "5", "15", "30 s", "20 s"]
    assert _texts(rows[1])[:5] == ["MLP", "a", "mlp", "1", "3"]
    assert ledger.numbers[0]["cpu_seconds"] == 30.0
    assert len(ledger.numbers[0]["sources"][0]["lines"]) == 3  # a line per trial


def test_every_space_stands_once_with_all_values(entries: Entries) -> None:
    rows = [_texts(row) for row in spaces_table(entries).rows]
    assert rows.count(["l2q", "K", "2, 4, 8"]) == 1
    assert ["mlp", "model", "mlp"] in rows
