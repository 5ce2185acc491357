"""answer: four methods searched with one budget, without Ray and with a pretended training."""

import itertools
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from l2p_search.api import answering
from l2p_search.api.answer_methods import methods
from l2p_search.api.answering import Answer, Effort, answer
from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.errors import SearchError, UserError
from l2p_search.learned import Profiles
from l2p_search.metrics import Metric
from l2p_search.results import TrialResult
from l2p_search.searching.records.journal import Journal
from tests.api.in_process import without_ray
from tests.searching.pretend import pretend_training

METHODS = methods("appnp")
_SMALL = Effort(trials=2, seeds=2, confirm=4)


def _training(
    graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric
) -> TrialResult:
    """The pretended training, with what a page draws of how far nodes look."""
    q = {"1": (0.5, 0.5), "2": (0.5, 0.5)}
    profiles = Profiles(by_degree=q, by_class=q, node_steps=(0.0, 1.0))
    found = pretend_training(graph, config, seeds, metric=metric)
    return replace(found, data_digest=graph.digest, profiles=profiles)


def _never(
    graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric
) -> TrialResult:
    raise AssertionError("it trained again")


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    return without_ray(monkeypatch, _training)


def _answer(graph: Graph, folder: Path, **options: Any) -> Answer:
    given = {"effort": _SMALL, "folder": folder, "tracking": False, "display": "off", **options}
    return answer(graph, **given)


@pytest.fixture
def a_second_per_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each method takes a quarter of a second per seed."""
    monkeypatch.setattr(answering, "_seconds_per_seed", lambda *asked: 0.25)


@pytest.mark.usefixtures("a_second_per_seed")
def test_the_effort_shrinks_with_the_time_and_never_below_the_least(small_graph: Graph) -> None:
    limits = [0.0, 1.0, 7.0, 10.0, 17.0, 25.0, 35.0, 54.9, 55.0, 1e9]
    efforts = [answering._effort(small_graph, "appnp", limit, 1, 1.0, "cpu") for limit in limits]
    assert efforts[0] == Effort(trials=2, seeds=2, confirm=3)
    assert efforts[-1] == efforts[-2] == Effort(trials=9, seeds=5, confirm=10)
    assert efforts[-3] == Effort(trials=8, seeds=5, confirm=10)
    for limit, effort in zip(limits, efforts, strict=True):
        assert effort.trials * effort.seeds + effort.confirm <= max(limit, 7)
    sizes = [(effort.trials, effort.seeds, effort.confirm) for effort in efforts]
    assert all(
        a <= b for one, two in itertools.pairwise(sizes) for a, b in zip(one, two, strict=True)
    )


@pytest.mark.usefixtures("a_second_per_seed")
def test_more_trials_at_once_allow_a_larger_effort(small_graph: Graph) -> None:
    one, four = (
        answering._effort(small_graph, "appnp", 14.0, at_once, 1.0, "cpu") for at_once in (1, 4)
    )
    assert four == Effort(trials=9, seeds=5, confirm=10)
    assert one.trials < four.trials


def test_trials_are_given_up_before_seeds() -> None:
    effort, steps = (9, 5, 10), []
    while effort != (2, 2, 3):
        effort = answering._smaller(*effort)
        steps.append(effort)
    assert steps[4] == (4, 5, 10)
    assert steps[6] == (4, 3, 10)
    assert steps[11] == (4, 3, 5)


def test_each_method_gets_the_same_budget_on_the_same_fresh_seeds(
    tmp_path: Path, small_graph: Graph, calls: list[int]
) -> None:
    found = _answer(small_graph, tmp_path)
    assert calls == [4]  # all searches share the workers
    assert sorted(found.results) == sorted(METHODS)
    assert sorted(found.against) == ["appnp", "gcn", "mlp"]
    for method in METHODS:
        journal = Journal.read(tmp_path / f"answer-small-{method}-2x2")
        assert len(journal.records()) == 2
        assert {len(r.result.seeds) for r in journal.records() if r.result is not None} == {2}
    seeds = {method: [s.seed for s in found.results[method].seeds] for method in METHODS}
    assert all(seeds[method] == seeds["l2q"] for method in METHODS)
    assert len(seeds["l2q"]) == 4
    assert not set(seeds["l2q"]) & {0, 1}  # those that the search chose by


def test_the_difference_is_l2q_minus_the_other(
    tmp_path: Path, small_graph: Graph, calls: list[int]
) -> None:
    found = _answer(small_graph, tmp_path)
    for method, comparison in found.against.items():
        mine = [seed.test for seed in found.results["l2q"].seeds]
        theirs = [seed.test for seed in found.results[method].seeds]
        pairs = [a - b for a, b in zip(mine, theirs, strict=True)]  # type: ignore[operator]
        assert comparison.difference.mean == pytest.approx(sum(pairs) / len(pairs))
        assert comparison.seeds == 4


def test_an_answer_that_was_begun_with_another_sampler_goes_on_with_it(
    tmp_path: Path, small_graph: Graph, calls: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = answering.Wanted
    with monkeypatch.context() as before:
        before.setattr(answering, "Wanted", lambda **given: wanted(**{**given, "sampler": "tpe"}))
        first = _answer(small_graph, tmp_path)
    assert _answer(small_graph, tmp_path).results == first.results


def test_what_is_recorded_is_not_searched_again(
    tmp_path: Path, small_graph: Graph, calls: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _answer(small_graph, tmp_path)
    without_ray(monkeypatch, _never)
    second = _answer(small_graph, tmp_path)
    assert second.results == first.results
    assert second.use == first.use


def test_an_answer_is_printed_and_written(
    tmp_path: Path, small_graph: Graph, calls: list[int]
) -> None:
    found = _answer(small_graph, tmp_path)
    assert str(found).startswith("How far should messages travel on small?")
    assert found.travel in str(found)
    assert found.report(tmp_path / "page.html").read_text().count("<h1>") == 1
    assert found.to_mapping()["use"] == found.use


@pytest.mark.usefixtures("calls")
def test_an_answer_that_mlflow_does_not_take_is_told_all_the_same(
    tmp_path: Path,
    small_graph: Graph,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def refused(*given: Any) -> None:
        raise UserError("no such store; check the address")

    monkeypatch.setattr(answering, "publish", refused)
    found = _answer(small_graph, tmp_path, display="auto")
    assert found.use in METHODS
    told = capsys.readouterr().err
    assert "l2p-search: the answer is not in MLflow: no such store; check the address\n" in told


def test_a_stopped_answer_is_an_interrupt_and_goes_on_where_it_was(
    tmp_path: Path, small_graph: Graph, calls: list[int]
) -> None:
    stop = threading.Event()
    stop.set()
    means = answering.Means(tracking=answering.Tracking(on=False), shown="off", stop=stop)
    with pytest.raises(KeyboardInterrupt):
        _answer(small_graph, tmp_path, means=means)
    stop.clear()
    assert sorted(_answer(small_graph, tmp_path, means=means).results) == sorted(METHODS)


def test_a_search_that_was_stopped_has_nothing_to_tell(tmp_path: Path, small_graph: Graph) -> None:
    plan = answering._plan(small_graph, "mlp", "appnp", _SMALL, tmp_path, "accuracy")
    Journal.create(plan.directory, plan.settings).close()
    told: list[str] = []
    answering._tell_end(told.append, plan, answering.read_outcome(Journal.read(plan.directory)))
    assert told == []


def test_a_search_without_a_complete_trial_is_named(tmp_path: Path, small_graph: Graph) -> None:
    plan = answering._plan(small_graph, "mlp", "appnp", _SMALL, tmp_path, "accuracy")
    Journal.create(plan.directory, plan.settings).close()
    with pytest.raises(SearchError, match="search 'answer-small-mlp-2x2' has no confirmed trial"):
        answering._winner(plan)


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"effort": None, "time_budget": "soon"}, "time_budget"),
        ({"concurrency": 0}, "concurrency=0"),
        ({"backbone": "gcn-tunned"}, "did you mean 'gcn-tuned'?"),
        ({"graph": "wisconson"}, "did you mean 'wisconsin'?"),
    ],
)
def test_what_nothing_can_run_with_is_refused_before_it_runs(
    bad: dict[str, Any], says: str, tmp_path: Path, small_graph: Graph, calls: list[int]
) -> None:
    with pytest.raises(UserError) as error:
        _answer(bad.pop("graph", small_graph), tmp_path, **bad)
    assert says in str(error.value)
    assert calls == []
    assert list(tmp_path.glob("answer-*")) == []


def test_an_answer_by_time_goes_on_with_the_budget_it_was_begun_with(
    calls: list[int], tmp_path: Path, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = _answer(small_graph, tmp_path)
    monkeypatch.setattr("l2p_search.api.answering._effort", _never)  # nothing is measured anew
    again = answer(small_graph, folder=tmp_path, display="off", tracking=False, time_budget="1m")
    assert again.effort == begun.effort


def test_l2q_can_be_put_on_a_tuned_backbone_and_held_against_it(
    tmp_path: Path, small_graph: Graph, calls: list[int]
) -> None:
    usual = _answer(small_graph, tmp_path)
    found = _answer(small_graph, tmp_path, backbone="gcn-tuned")
    assert list(found.results) == ["l2q", "gcn-tuned", "mlp", "gcn"]
    assert found.results["l2q"].config.method == "l2q-gcn-tuned"
    assert found.results["gcn-tuned"].config.method == "gcn-tuned"
    assert sorted(found.against) == ["gcn", "gcn-tuned", "mlp"]
    assert found.results["mlp"] == usual.results["mlp"]  # not searched again
    assert "L2Q on tuned GCN" in str(found)
    assert found.to_mapping()["backbone"] == "gcn-tuned"


def test_a_backbone_of_the_same_kind_as_gcn_is_searched_once(
    tmp_path: Path, small_graph: Graph, calls: list[int]
) -> None:
    found = _answer(small_graph, tmp_path, backbone="gcn")
    assert list(found.results) == ["l2q", "gcn", "mlp"]
    assert calls == [3]


def test_an_answer_by_time_does_not_take_the_budget_of_another_backbone(
    calls: list[int], tmp_path: Path, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    _answer(small_graph, tmp_path, backbone="gcn-tuned")
    other = Effort(trials=3, seeds=2, confirm=3)
    monkeypatch.setattr("l2p_search.api.answering._effort", lambda *asked: other)
    again = answer(small_graph, folder=tmp_path, display="off", tracking=False, time_budget="1m")
    assert again.effort == other
