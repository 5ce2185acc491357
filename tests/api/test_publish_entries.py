from pathlib import Path

import pytest

from l2p_search.api.publish_entries import collected, method_of
from l2p_search.data.graph import Graph
from l2p_search.errors import UserError
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.records.stored_study import StoredStudy
from tests.api.publishable import made


def test_graphs_are_columns_and_methods_rows(tmp_path: Path, small_graph: Graph) -> None:
    searches = [
        made(tmp_path, small_graph, method, dataset)
        for dataset, method in [("b", "l2q"), ("b", "mlp"), ("a", "l2q"), ("a", "appnp")]
    ]
    found = collected(searches)
    assert found.rows == ["L2Q", "MLP", "APPNP"]
    assert [column.label for column in found.columns] == ["b", "a"]
    assert set(found.of(found.columns[0])) == {"L2Q", "MLP"}
    assert set(found.of(found.columns[1])) == {"L2Q", "APPNP"}


def test_the_score_is_that_of_the_best_on_fresh_seeds(tmp_path: Path, small_graph: Graph) -> None:
    search = made(tmp_path, small_graph, "l2q", "a")
    (entry,) = collected([search]).cells.values()
    assert entry.score == search.confirmed
    assert [seed.seed for seed in entry.result.seeds] == list(range(5, 15))
    assert entry.spent.cpu_seconds == 3 * 2.0 * 5


def test_two_searches_of_one_method_are_told_apart(tmp_path: Path, small_graph: Graph) -> None:
    both = [
        made(tmp_path, small_graph, "l2q", "a"),
        made(tmp_path, small_graph, "l2q", "a", name="wide", space="wide"),
    ]
    assert collected(both).rows == ["L2Q, l2q", "L2Q, wide"]
    both.append(made(tmp_path, small_graph, "l2q", "a", name="again", space="wide"))
    assert collected(both).rows == ["L2Q, a-l2q", "L2Q, wide", "L2Q, again"]


def test_graphs_of_one_name_are_told_apart(tmp_path: Path, small_graph: Graph) -> None:
    both = [
        made(tmp_path, small_graph, "l2q", "a", digest="1" * 16),
        made(tmp_path, small_graph, "l2q", "a", digest="2" * 16, name="other"),
    ]
    assert [column.label for column in collected(both).columns] == ["a (11111111)", "a (22222222)"]


def test_a_column_is_on_the_fresh_seeds_that_all_have(tmp_path: Path, small_graph: Graph) -> None:
    few = made(tmp_path, small_graph, "l2q", "a")  # fresh: 5 to 14
    more = made(tmp_path, small_graph, "mlp", "a", seeds=8)  # 8 to 17
    (column,) = collected([few, more]).columns
    assert column.seeds == tuple(range(8, 15))
    far = made(tmp_path, small_graph, "appnp", "a", seeds=30)
    with pytest.raises(UserError, match="on a they have no fresh seeds in common"):
        collected([few, far])


def test_two_metrics_on_one_graph_are_refused(tmp_path: Path, small_graph: Graph) -> None:
    searches = [
        made(tmp_path, small_graph, "l2q", "a"),
        made(tmp_path, small_graph, "mlp", "a", metric="roc_auc"),
    ]
    with pytest.raises(UserError, match="on a, 'a-l2q' is judged by accuracy and 'a-mlp' by ROC"):
        collected(searches)


def test_what_has_not_ended_is_refused(tmp_path: Path, small_graph: Graph) -> None:
    search = made(tmp_path, small_graph, "l2q", "a")
    stored = StoredStudy(search.directory / "journal.log", writes=True)
    stored.set("goal", Goal(trials=6, confirm=10, ties=0).to_mapping())
    again = type(search)(type(search.journal).read(search.directory))
    with pytest.raises(UserError, match="search 'a-l2q': has 3 of 6 trials; finish it with"):
        collected([again])


def test_what_was_not_confirmed_is_refused(tmp_path: Path, small_graph: Graph) -> None:
    search = made(tmp_path, small_graph, "l2q", "a", goal=Goal(trials=3, confirm=0))
    with pytest.raises(UserError, match="'a-l2q': its best was not confirmed on fresh seeds"):
        collected([search])


def test_a_users_space_named_like_a_model_names_no_method(
    tmp_path: Path, small_graph: Graph
) -> None:
    search = made(tmp_path, small_graph, "mlp", "a", space="gcn")
    assert method_of(search) == "mlp"
