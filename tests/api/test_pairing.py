"""On which seeds sides are compared, and that missing ones are trained and no others."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import l2p_search as l2p
from l2p_search.api import pairing
from l2p_search.api.opening import open_search
from l2p_search.api.pairing import Side, on_common_seeds, side_of, trained_on_common_seeds
from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.errors import UserError, in_shell
from l2p_search.results import TrialResult
from l2p_search.searching.records.settings import Goal
from tests.searching.pretend import pretend_training, searched


@pytest.fixture
def folder(tmp_path: Path, small_graph: Graph) -> Path:
    """A search of 4 seeds confirmed on 4 to 13, and one of 20 confirmed on 20 to 29."""
    goal = Goal(trials=3, confirm=10, ties=0)
    for name, seeds in (("few", 4), ("many", 20)):
        made = searched(
            tmp_path / name, small_graph, goal, seeds=seeds, data_digest=small_graph.digest
        )
        made.close()
    return tmp_path


def _side(graph: Graph, own: Sequence[int], fresh: Sequence[int] = ()) -> Side:
    config = TrialConfig()
    confirmed = pretend_training(graph, config, fresh) if fresh else None
    return Side(name="x", own=pretend_training(graph, config, own), confirmed=confirmed)


@pytest.mark.parametrize(
    ("first", "second", "fresh", "shared"),
    [
        ((range(4), range(4, 14)), (range(4), range(4, 9)), True, 5),
        ((range(4), range(4, 14)), (range(20), range(20, 30)), False, 4),
        ((range(4), range(4, 14)), (range(20), ()), False, 4),
        # One common fresh seed has no spread; all that there are is what was asked for.
        ((range(4), range(4, 14)), (range(13), range(13, 23)), False, 4),
        ((range(4), range(4, 5)), (range(4), range(4, 14)), True, 1),
    ],
)
def test_fresh_seeds_are_taken_where_they_are_shared_and_else_the_own_ones(
    small_graph: Graph, first: Any, second: Any, fresh: bool, shared: int
) -> None:
    found, results = on_common_seeds([_side(small_graph, *first), _side(small_graph, *second)])
    assert found is fresh
    one, other = ({each.seed for each in result.seeds} for result in results)
    assert len(one & other) == shared


def test_sides_without_a_common_seed_are_told_how_to_get_some(small_graph: Graph) -> None:
    one, other = _side(small_graph, range(4)), replace(_side(small_graph, range(7, 9)), name="y")
    with pytest.raises(UserError) as raised:
        on_common_seeds([one, other])
    assert in_shell(raised.value.message) == (
        "they share no seeds: x has 0 to 3, y has 7 to 8; add --train 20 to train them on common"
        " ones"
    )


def test_searches_that_share_their_own_seeds_alone_are_compared_on_them(folder: Path) -> None:
    found = l2p.compare("few", "many", folder=folder)
    assert (found.fresh, found.test.seeds) == (False, 4)


def test_what_is_missing_of_the_common_seeds_is_trained_and_nothing_else(
    folder: Path, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained = []

    def fit(graph: Graph, config: TrialConfig, *, seeds: list[int], **given: Any) -> TrialResult:
        trained.append((config, seeds))
        assert graph is small_graph
        return pretend_training(graph, config, seeds, metric=given["metric"])

    monkeypatch.setattr(pairing, "fit", fit)
    few, many = (side_of(name, folder) for name in ("few", "many"))
    results = trained_on_common_seeds([few, many], 12, graph=small_graph)
    assert trained == [
        (few.own.config, list(range(20, 32))),  # neither search was chosen by these
        (many.own.config, [30, 31]),  # it was confirmed on 20 to 29
    ]
    for side, result in zip((few, many), results, strict=True):
        assert [each.seed for each in result.seeds] == list(range(20, 32))
        expected = pretend_training(small_graph, side.own.config, range(20, 32))
        assert [each.test for each in result.seeds] == [each.test for each in expected.seeds]
    found = l2p.compare("few", "many", folder=folder, train=12, graph=small_graph)
    assert (found.fresh, found.test.seeds) == (True, 12)
    assert len(open_search("few", folder).outcome.confirmations) == 1  # nothing was recorded


def test_results_of_fit_are_trained_on_further_seeds() -> None:
    first = l2p.fit("demo", K=1, epochs=2, hidden=4, seeds=2)
    second = l2p.fit("demo", K=2, epochs=2, hidden=4, seeds=[5])
    with pytest.raises(UserError, match="they share no seeds"):
        l2p.compare(first, second)
    found = l2p.compare(first, second, train=2)
    assert (found.test.seeds, found.fresh) == (2, True)
    expected = l2p.fit("demo", K=1, epochs=2, hidden=4, seeds=[6, 7])
    assert found.validation.first.mean == pytest.approx(expected.val_mean)


def test_a_graph_that_is_not_the_trained_one_is_refused(small_graph: Graph, folder: Path) -> None:
    result = l2p.fit("demo", K=1, epochs=2, hidden=4, seeds=2)
    with pytest.raises(UserError, match="is not the graph that l2q"):
        l2p.compare(result, result, train=2, graph=small_graph)
    with pytest.raises(UserError, match="small and demo are not the same data"):
        l2p.compare("few", result, train=2, folder=folder, graph="demo")
    with pytest.raises(UserError, match="made in memory; give it again with graph"):
        l2p.compare("few", "many", train=2, folder=folder)
    with pytest.raises(UserError, match="train=0: must be a whole number of at least 1"):
        l2p.compare("few", "many", train=0, folder=folder)


def test_a_sealed_side_is_not_compared_on_seeds_that_have_no_test_score(
    small_graph: Graph,
) -> None:
    side = _side(small_graph, range(4))
    sealed = replace(side.own, seeds=tuple(replace(each, test=None) for each in side.own.seeds))
    with pytest.raises(UserError, match="x: its search is sealed") as error:
        on_common_seeds([side, replace(side, own=sealed)])
    assert "add --train 20" in in_shell(error.value.message)


def test_training_for_a_comparison_is_noted_as_looks_in_each_search(
    folder: Path, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        pairing, "fit", lambda graph, config, seeds, **_: pretend_training(graph, config, seeds)
    )
    sides = [side_of(name, folder) for name in ("few", "many")]
    trained_on_common_seeds(sides, 12, graph=small_graph)
    looks = [open_search(name, folder).outcome.looks.elsewhere for name in ("few", "many")]
    assert looks == [{"compare": 12}, {"compare": 2}]
