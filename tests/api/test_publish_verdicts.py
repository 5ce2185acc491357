from pathlib import Path

import pytest

from l2p_search.api.publish_entries import Entries, collected
from l2p_search.api.publish_verdicts import contest_of, over_graphs, pairs_of
from l2p_search.data.graph import Graph
from tests.api.publishable import made


@pytest.fixture
def entries(tmp_path: Path, small_graph: Graph) -> Entries:
    better = {"l2q": 8.0, "mlp": 7.6, "appnp": 0.0}
    return collected(
        [
            made(tmp_path, small_graph, method, dataset, better=more)
            for dataset in ("a", "b", "c")
            for method, more in better.items()
        ]
    )


def test_the_best_has_ties_and_clear_losers(entries: Entries) -> None:
    for column in entries.columns:
        contest = contest_of(entries, column)
        means = {row: entry.score.mean for row, entry in entries.of(column).items()}
        assert contest.best == max(means, key=lambda row: means[row])
        assert contest.best not in contest.tied
        assert "APPNP" not in contest.tied


def test_one_method_has_nothing_to_tie_with(tmp_path: Path, small_graph: Graph) -> None:
    alone = collected([made(tmp_path, small_graph, "l2q", "a")])
    contest = contest_of(alone, alone.columns[0])
    assert (contest.best, contest.tied) == ("L2Q", frozenset())
    assert pairs_of(alone) == []
    assert over_graphs(alone).reason == "there is one method"


def test_all_are_compared_with_the_first_row_and_adjusted_together(entries: Entries) -> None:
    pairs = pairs_of(entries)
    assert {pair.reference for pair in pairs} == {"L2Q"}
    assert {(pair.row, pair.column.label) for pair in pairs} == {
        (row, label) for row in ("MLP", "APPNP") for label in "abc"
    }
    assert {pair.judged.comparisons for pair in pairs} == {6}
    assert {pair.judged.word for pair in pairs if pair.row == "APPNP"} == {"worse"}


def test_ranks_need_two_graphs_with_every_method(
    entries: Entries, tmp_path: Path, small_graph: Graph
) -> None:
    found = over_graphs(entries)
    assert found.reason == ""
    assert found.ranks.graphs == ("a", "b", "c")
    assert [len(pair.first) > 0 for pair in found.pairs] == [True] * 3
    holes = collected(
        [
            made(tmp_path, small_graph, "l2q", "x"),
            made(tmp_path, small_graph, "mlp", "x"),
            made(tmp_path, small_graph, "l2q", "y"),
        ]
    )
    said = "every method is needed on at least 2 distinct graphs, and 1 has them"
    assert over_graphs(holes).reason == said


def test_a_graph_with_anothers_features_and_labels_counts_once(
    tmp_path: Path, small_graph: Graph
) -> None:
    entries = collected(
        [
            made(tmp_path, small_graph, method, dataset)
            for dataset in ("texas", "cornell-legacy", "wisconsin")
            for method in ("l2q", "mlp")
        ]
    )
    found = over_graphs(entries)
    assert found.ranks.graphs == ("texas", "wisconsin")
    assert found.repeats == {"cornell-legacy": "texas"}
