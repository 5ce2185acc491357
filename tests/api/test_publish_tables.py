import json
from pathlib import Path
from statistics import fmean

import pytest

from l2p_search.api import publish_tables
from l2p_search.api.publish_entries import Entries, collected
from l2p_search.api.publish_ledger import Ledger
from l2p_search.api.publish_tables import (
    comparisons_table,
    controls_table,
    details_table,
    scores_table,
    selection_table,
)
from l2p_search.api.publish_verdicts import contest_of, pairs_of
from l2p_search.data.graph import Graph
from l2p_search.intervals import Interval
from l2p_search.report.digits import interval_text
from l2p_search.report.printed_table import MISSING
from l2p_search.searching.records.settings import Goal
from tests.api.publishable import made


@pytest.fixture
def entries(tmp_path: Path, small_graph: Graph) -> Entries:
    wanted = [("a", "l2q"), ("a", "mlp"), ("b", "l2q"), ("b", "appnp")]
    return collected(
        [made(tmp_path, small_graph, m, d, better=5.0 * (m == "l2q")) for d, m in wanted]
    )


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
    words = [row[-2].text.split(",")[0].split(" ")[0] for row in table.rows]
    assert set(words) <= {"better", "worse", "equivalent", "undecided"}
    assert all(len(found["sources"]) == 2 for found in ledger.numbers)
    assert "2 comparisons" in table.caption


def test_the_interval_for_other_nodes_stands_beside_that_of_this_graph(
    entries: Entries, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = Interval(80.0, 71.26, 88.74, 10)
    monkeypatch.setattr(publish_tables, "interval_over_nodes", lambda result: wide)
    ledger = Ledger()
    table = details_table(entries, ledger)
    place = list(table.columns).index("other nodes")
    assert {row[place].text for row in table.rows} == {"71.3 to 88.7"}
    told = [each for each in ledger.numbers if each["column"].endswith("other nodes")]
    assert all((each["low"], each["high"]) == (71.26, 88.74) for each in told)


def test_controls_and_fresh_splits_are_told_where_they_were_trained(
    tmp_path: Path, small_graph: Graph, entries: Entries
) -> None:
    assert controls_table(entries, Ledger()) is None
    goal = Goal(trials=3, confirm=10, ties=0, controls=True, fresh_splits="10x48/32/20")
    found = collected([made(tmp_path, small_graph, "l2q", "held", goal=goal)])
    ledger = Ledger()
    table = controls_table(found, ledger)
    assert table is not None
    assert [row[2].text for row in table.rows] == ["the default configuration", "MLP", "APPNP"]
    details = details_table(found, ledger)
    assert "±" in details.rows[0][4].text
    assert details.rows[0][3] == MISSING  # these nodes were not recorded
    for told in ledger.numbers:
        for source in told["sources"]:
            assert Path(source["journal"]).is_file()
            assert source["line"] is not None
    lines = {source["line"] for told in ledger.numbers for source in told["sources"]}
    assert len(lines) == 1 + 3 + 1 + 1  # winner, controls, fresh splits, the trial itself


def test_controls_and_fresh_splits_have_their_interval_for_other_nodes_too(
    tmp_path: Path, small_graph: Graph
) -> None:
    goal = Goal(trials=3, confirm=10, ties=0, controls=True, fresh_splits="10x48/32/20")
    found = collected([made(tmp_path, small_graph, "l2q", "held", goal=goal, nodes=True)])
    ledger = Ledger()
    controls, details = controls_table(found, ledger), details_table(found, ledger)
    assert controls is not None
    shown = {row[list(controls.columns).index("other nodes")].text for row in controls.rows}
    shown.add(details.rows[0][list(details.columns).index("fresh, other nodes")].text)
    assert MISSING.text not in shown
    told = {each["shown"]: each for each in ledger.numbers if "other nodes" in each["column"]}
    assert shown <= set(told)
    assert all(told[each]["sources"][-1]["line"] for each in shown)


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


def test_nested_selection_and_luck_are_told_as_the_search_tells_them(
    tmp_path: Path, small_graph: Graph
) -> None:
    goal = Goal(trials=6, confirm=10, ties=0)
    search = made(tmp_path, small_graph, "l2q", "a", goal=goal)
    ledger = Ledger()
    table = selection_table(collected([search]), ledger)
    assert table is not None
    nested, luck = search.outcome.nested, search.outcome.luck
    assert nested is not None
    assert luck is not None
    (row,) = table.rows
    heads = dict(zip(table.columns, row, strict=False))
    assert heads["chosen by other splits, %"].text == interval_text(nested.by_others.this_graph)
    assert heads["overtuning"].text == interval_text(nested.overtuning, "+")
    assert heads["with the search's luck, %"].text == interval_text(luck.estimate.this_graph)
    means = [each["mean"] for each in ledger.numbers]
    assert means == [
        nested.by_others.mean, nested.by_own.mean, nested.overtuning.mean, luck.estimate.mean,
    ]  # fmt: skip
    assert all(len(each["sources"][0]["lines"]) == 6 for each in ledger.numbers)


def test_captions_count_in_words_that_agree(tmp_path: Path, small_graph: Graph) -> None:
    goal = Goal(trials=6, confirm=10, ties=0)
    found = collected(
        [made(tmp_path, small_graph, method, "a", goal=goal) for method in ("l2q", "mlp")]
    )
    caption = comparisons_table(pairs_of(found), Ledger()).caption
    assert "for the 1 comparison of this table" in caption
    contests = {column.digest: contest_of(found, column) for column in found.columns}
    assert "on 10 fresh seeds that" in scores_table(found, contests, Ledger()).caption


def test_without_two_trials_nothing_is_told_of_the_choice(
    tmp_path: Path, small_graph: Graph
) -> None:
    one = made(tmp_path, small_graph, "l2q", "a", goal=Goal(trials=1, confirm=10, ties=0))
    assert selection_table(collected([one]), Ledger()) is None
