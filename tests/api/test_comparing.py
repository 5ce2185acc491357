"""Searches, trials and results against one another: on which seeds, and in which words."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import l2p_search as l2p
from l2p_search.api.comparing import Paired, compare, rank
from l2p_search.api.found import Search
from l2p_search.api.opening import open_search
from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.errors import UserError
from l2p_search.results import TrialResult
from l2p_search.searching.records.settings import Goal
from tests.searching.pretend import begin, pretend_training, searched


def _result(graph: Graph, seeds: int = 20, **keys: Any) -> TrialResult:
    return pretend_training(graph, TrialConfig(**keys), range(seeds))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, small_graph: Graph) -> Path:
    """Two searches confirmed on ten fresh seeds, two that were not, and one without trials."""
    folder = tmp_path_factory.mktemp("compared")
    goal = Goal(trials=6, confirm=10, ties=0)
    searched(folder / "one", small_graph, goal, seed=1).close()
    appnp = TrialConfig(model="appnp")
    searched(folder / "two", small_graph, goal, seed=2, base=appnp).close()
    searched(folder / "bare", small_graph, Goal(trials=3, confirm=0)).close()
    searched(folder / "a:b", small_graph, Goal(trials=1, confirm=0)).close()
    begin(folder / "empty").close()
    return folder


def test_a_result_is_equivalent_to_itself_and_beats_a_much_worse_one(small_graph: Graph) -> None:
    good, bad = _result(small_graph, K=8, dropout=0.6), _result(small_graph, K=16, dropout=0.2)
    assert compare(good, good).verdict == "equivalent"
    found = compare(bad, good)
    assert found.verdict == "better"
    # 10 points per unit of dropout, half a point per step away from K=8.
    assert found.difference.mean == pytest.approx(8.0, abs=1.0)
    assert compare(good, bad).verdict == "worse"
    assert found.test.seeds == 20
    assert found.fresh is False


def test_only_the_seeds_that_both_have_are_compared(small_graph: Graph) -> None:
    assert compare(_result(small_graph, 4), _result(small_graph, 20, K=2)).test.seeds == 4


def test_searches_are_compared_by_their_best_on_fresh_seeds_if_both_were_confirmed(
    folder: Path,
) -> None:
    found = compare("one", "two", folder=folder)
    assert (found.first, found.second, found.fresh) == ("one", "two", True)
    assert found.test.seeds == 10
    assert found.test.first == open_search("one", folder).confirmed
    half = compare("one", "bare", folder=folder)
    assert (half.fresh, half.test.seeds) == (False, 20)
    assert half.test.first == open_search("one", folder).protocol


def test_a_search_its_name_and_the_number_of_its_best_are_the_same(folder: Path) -> None:
    one = open_search("one", folder)
    assert one.best is not None
    by_number = compare(f"one:{one.best.number}", "two", folder=folder)
    assert by_number.test == compare("one", "two", folder=folder).test
    assert compare(one, "two", folder=folder) == compare("one", "two", folder=folder)


def test_a_colon_may_be_part_of_a_name(folder: Path) -> None:
    found = compare("a:b", "a:b:0", folder=folder)
    assert (found.first, found.second, found.verdict) == ("a:b", "a:b:0", "equivalent")


def test_two_of_one_name_are_told_apart(small_graph: Graph) -> None:
    found = compare(_result(small_graph, K=2), _result(small_graph, K=8))
    assert (found.first, found.second) == ("l2q (first)", "l2q (second)")


@pytest.mark.parametrize(
    ("first", "says"),
    [
        ("oen", "no search 'oen' in "),
        ("one:99", "one:99: there is no trial 99; give one of 0 to 5"),
        ("empty:0", "empty:0: there is no trial 0; the search has none yet"),
        ("empty", "empty: has no result yet; wait for one"),
        (3, "int cannot be compared; give a search, its name, a trial such as NAME:12, or"),
        (None, "NoneType cannot be compared"),
    ],
)
def test_what_cannot_be_compared_is_named(folder: Path, first: Any, says: str) -> None:
    with pytest.raises(UserError) as error:
        compare(first, "two", folder=folder)
    assert str(error.value).startswith(says)
    assert "--" not in str(error.value)


def test_results_of_other_data_or_other_seeds_are_refused(small_graph: Graph) -> None:
    one = _result(small_graph)
    with pytest.raises(UserError, match="are not the same data"):
        compare(one, replace(one, data_digest="another"))
    with pytest.raises(UserError, match="share no seeds: l2q has 0 to 19, l2q has 20 to 24"):
        compare(one, pretend_training(small_graph, TrialConfig(), range(20, 25)))


def test_a_comparison_is_told_in_words_and_as_json(small_graph: Graph) -> None:
    worse, better = _result(small_graph, K=16), _result(small_graph, K=8)
    found = compare(worse, better)
    lines = str(found).splitlines()
    assert lines[0] == "on 20 seeds, the searches' own; equivalent means within 1 point"
    assert lines[1].startswith("± is the 95 % interval for this graph, other seeds and splits")
    assert lines[3] == "test accuracy"
    assert lines[6].endswith("points: l2q (second) is better than l2q (first)")
    assert "validation accuracy" in lines
    told = json.loads(json.dumps(found.to_mapping(), allow_nan=False))
    assert [each["metric"] for each in told["comparisons"]] == ["test_accuracy", "val_accuracy"]
    assert (told["first"], told["fresh_seeds"]) == ("l2q (first)", False)
    assert isinstance(found, Paired)


def test_the_margin_is_named_and_one_that_is_none_is_refused(small_graph: Graph) -> None:
    worse, better = _result(small_graph, K=16), _result(small_graph, K=8)
    found = compare(worse, better, margin=50.0)
    assert "equivalent means within 50 points" in str(found)
    assert found.to_mapping()["comparisons"][0]["margin"] == 50.0
    with pytest.raises(UserError, match="margin=0: must be a number above 0"):
        compare(worse, better, margin=0)


def test_two_intervals_stand_under_two_names() -> None:
    """Of results of `fit`, whose test nodes are known."""
    first, second = (l2p.fit("demo", K=k, epochs=3, seeds=3, display="off") for k in (1, 3))
    difference = compare(first, second).to_mapping()["comparisons"][0]["difference"]
    assert difference["this_graph_other_seeds_and_splits"]["low"] == difference["low"]
    assert set(difference["other_nodes_of_this_kind"]) == {"low", "high"}
    assert "in brackets it is for other nodes of this kind" in str(compare(first, second))


def test_where_no_nodes_were_kept_that_is_said(folder: Path) -> None:
    told = str(compare("one", "bare", folder=folder))
    assert "that for other nodes of this kind is not recorded: a search's trials keep no" in told
    assert "in brackets" not in told


def test_several_searches_are_ranked_against_the_first(folder: Path) -> None:
    ranking = rank([open_search(name, folder) for name in ("one", "two")])
    assert (ranking.methods, ranking.searches) == (["l2q", "appnp"], ["one", "two"])
    assert ranking.fresh is True
    assert ranking.comparisons[0].difference.mean == 0.0
    lines = str(ranking).splitlines()
    assert ranking.text(200) == str(ranking)
    table = [line for line in lines[1:] if " ± " in line and "is the" not in line]
    narrow = ranking.text(60)
    for line in table:  # every number and verdict is told on a narrow screen, too
        told = next(
            each for each in narrow.splitlines() if each.split(":")[0] == f"  {line.split()[0]}"
        )
        for cell in re.split(r"\s{2,}", line.strip()):
            assert cell in told
    assert lines[0] == "small: test accuracy on 10 fresh seeds, which chose nothing"
    assert lines[1].endswith(" other nodes")
    assert "minus l2q" in lines[1]
    assert "paper" not in lines[1]  # which has no such graph
    assert all(len(line) <= 100 for line in lines)
    assert lines[2].split()[0] == "l2q"
    assert lines[3].split()[0] == "appnp"
    assert re.search(r"[+-]\d+\.\d\d ± .* (undecided|equivalent|better|worse)$", lines[3])
    assert lines[3].index(re.findall(r"[+-]\d+\.\d\d ±", lines[3])[0]) == lines[1].index("minus")
    assert any("Holm, 1 comparison" in line for line in lines)
    assert any("equivalent means within 1 point" in line for line in lines)
    rows = ranking.to_mapping()["comparisons"]
    assert [(row["method"], row["search"]) for row in rows] == [("l2q", "one"), ("appnp", "two")]
    at = lines.index("  given to each:")
    assert [line.split()[0] for line in lines[at + 1 :]] == ["l2q", "appnp"]
    assert all(" trials of 20 seeds from 24 configurations, " in line for line in lines[at + 1 :])
    assert [row["budget"]["configurations"] for row in rows] == [24, 24]


def test_a_ranking_on_the_searches_own_seeds_says_so(folder: Path) -> None:
    ranking = rank([open_search(name, folder) for name in ("one", "bare")])
    assert str(ranking).startswith("small: test accuracy on 20 seeds, the searches' own")


def test_a_search_without_a_complete_trial_cannot_be_ranked(folder: Path) -> None:
    searches: list[Search] = [open_search(name, folder) for name in ("one", "empty")]
    with pytest.raises(UserError, match="no trial of empty has all its seeds"):
        rank(searches)


def test_across_methods_there_is_no_verdict_on_validation_nodes() -> None:
    one, other = (
        l2p.fit("demo", model=model, hidden=8, K=1, epochs=3, seeds=2)
        for model in ("l2p", "appnp")
    )
    found = l2p.compare(one, other)
    test, validation = found.to_mapping()["comparisons"]
    assert test["verdict"] is not None
    assert validation["verdict"] is None
    assert str(found).endswith("no verdict across methods, as phi learns from these labels")
    assert l2p.compare(one, one).to_mapping()["comparisons"][1]["verdict"] is not None
