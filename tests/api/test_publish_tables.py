import json
from pathlib import Path
from statistics import fmean

import pytest

from l2p_search.api.publish_entries import Entries, collected
from l2p_search.api.publish_tables import (
    Ledger,
    budgets_table,
    comparisons_table,
    details_table,
    scores_table,
    spaces_table,
)
from l2p_search.api.publish_verdicts import contest_of, pairs_of
from l2p_search.data.graph import Graph
from l2p_search.report.printed_table import MISSING
from tests.api.publishable import made


@pytest.fixture
def entries(tmp_path: Path, small_graph: Graph) -> Entries:
    wanted = [("a", "l2q"), ("a", "mlp"), ("b", "l2q"), ("b", "appnp")]
    return collected(
        [made(tmp_path, small_graph, m, d, better=5.0 * (m == "l2q")) for d, m in wanted]
    )


def _texts(row: object) -> list[str]:
    return [cell.text for cell in row]  # type: ignore[attr-defined]


def test_scores_mark_the_best_and_what_is_missing(entries: Entries) -> None:
    contests = {column.digest: contest_of(entries, column) for column in entries.columns}
    table = scores_table(entries, contests, Ledger())
    assert list(table.columns) == ["method", "a", "b"]
    cells = {row[0].text: row[1:] for row in table.rows}
    assert [cell.best for cell in cells["L2Q"]] == [True, True]
    assert (cells["MLP"][1], cells["APPNP"][0]) == (MISSING, MISSING)
    assert "–: not searched" in table.caption


def test_every_number_is_computed_from_the_lines_that_it_names(entries: Entries) -> None:
    ledger = Ledger()
    scores_table(entries, {c.digest: contest_of(entries, c) for c in entries.columns}, ledger)
    details_table(entries, ledger)
    assert len(ledger.numbers) == 4 + 8
    for found in ledger.numbers:
        if found["where"] != "scores":
            continue
        (source,) = found["sources"]
        lines = Path(source["journal"]).read_text().splitlines()
        noted = json.loads(lines[source["line"] - 1])["user_attrs"]["result"]["seeds"]
        tests = dict(zip(noted["seed"], noted["test_accuracy"], strict=True))
        assert found["mean"] == pytest.approx(fmean(tests[seed] for seed in source["seeds"]))


def test_comparisons_say_a_verdict_and_name_both_lines(entries: Entries) -> None:
    ledger = Ledger()
    table = comparisons_table(pairs_of(entries), ledger)
    words = [row[-1].text.split(",")[0].split(" ")[0] for row in table.rows]
    assert set(words) <= {"better", "worse", "equivalent", "undecided"}
    assert all(len(found["sources"]) == 2 for found in ledger.numbers)
    assert "2 comparisons" in table.caption


def test_budgets_say_trials_sizes_and_cpu_time(entries: Entries) -> None:
    ledger = Ledger()
    rows = budgets_table(entries, ledger).rows
    assert _texts(rows[0]) == ["L2Q", "a", "l2q", "2", "6", "3", "5", "25", "50 s"]
    assert _texts(rows[1])[:5] == ["MLP", "a", "mlp", "1", "3"]
    assert ledger.numbers[0]["cpu_seconds"] == 50.0
    assert len(ledger.numbers[0]["sources"][0]["lines"]) == 3  # a line per trial


def test_every_space_stands_once_with_all_values(entries: Entries) -> None:
    rows = [_texts(row) for row in spaces_table(entries).rows]
    assert rows.count(["l2q", "K", "2, 4, 8"]) == 1
    assert ["mlp", "model", "mlp"] in rows


def test_the_metric_is_named_where_it_is_not_accuracy(tmp_path: Path, small_graph: Graph) -> None:
    found = collected(
        [
            made(tmp_path, small_graph, "l2q", "x"),
            made(tmp_path, small_graph, "l2q", "y", metric="roc_auc"),
        ]
    )
    contests = {column.digest: contest_of(found, column) for column in found.columns}
    table = scores_table(found, contests, Ledger())
    assert list(table.columns) == ["method", "x, accuracy", "y, ROC AUC"]
    assert "Bold" not in table.caption
