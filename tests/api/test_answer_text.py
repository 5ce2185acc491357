"""An answer in words, on made-up results."""

from dataclasses import replace
from html import escape

import pytest

from l2p_search.api.answer_methods import long_name, short_name
from l2p_search.api.answer_text import (
    AnswerPage,
    advice,
    answer_text,
    words_for,
    worth,
)
from l2p_search.api.spent import Spent
from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.learned import Profiles
from l2p_search.other_nodes import estimate_of_test
from l2p_search.report.comparison import compare
from l2p_search.results import SeedResult, TrialResult
from tests.pages import copied

_SEEDS = 6


def _result(*accuracies: float, profiles: Profiles | None = None) -> TrialResult:
    """A result with these accuracies on test nodes, each of a split of its own."""
    seeds = tuple(
        SeedResult(
            seed=seed,
            split=seed,
            epochs=10,
            best_epoch=5,
            val_loss=1.0,
            val=accuracy,
            test=accuracy,
            expected_step=1.0,
            profile=(0.25, 0.75),
        )
        for seed, accuracy in enumerate(accuracies)
    )
    return TrialResult(
        config=TrialConfig(),
        dataset="small",
        data_digest="0",
        seeds=seeds,
        seconds=1.0,
        profiles=profiles,
    )


def _steady(level: float) -> TrialResult:
    """About the same on every split, so that a point more or less is significant."""
    return _result(*(level + 1e-6 * (seed * level % 7) for seed in range(_SEEDS)))


def _noisy(level: float) -> TrialResult:
    """Far up and down between splits, so that nothing is significant against it."""
    return _result(*(level + 20 * (-1) ** seed for seed in range(_SEEDS)))


def _half_stop_half_look() -> Profiles:
    even = {"1": (0.5, 0.5)}
    return Profiles(by_degree=even, by_class=even, node_steps=(0.0, 1.0), settled=(0.5, 0.5))


def _page(graph: Graph, **results: TrialResult) -> AnswerPage:
    all_results = {method: results[method] for method in ("l2q", "appnp", "mlp", "gcn")}
    against = {
        method: compare(result, all_results["l2q"], "test_accuracy")
        for method, result in all_results.items()
        if method != "l2q"
    }
    return AnswerPage(
        graph=graph,
        effort="little",
        backbone="appnp",
        results=all_results,
        against=against,
        seconds=75.0,
    )


@pytest.fixture
def page(small_graph: Graph) -> AnswerPage:
    """L2Q is best, then APPNP, then GCN, then MLP, each significantly."""
    return _page(
        small_graph,
        l2q=replace(_steady(90), profiles=_half_stop_half_look()),
        appnp=_steady(85),
        gcn=_steady(80),
        mlp=_steady(70),
    )


def test_the_best_is_used_where_all_else_is_worse(page: AnswerPage) -> None:
    assert page.use == "l2q"
    assert advice(page).startswith("Use L2Q: nothing simpler does as well")


@pytest.mark.parametrize(
    ("tied", "use"),
    [(("mlp", "gcn", "appnp"), "mlp"), (("gcn", "appnp"), "gcn"), (("appnp",), "appnp")],
)
def test_of_methods_that_tie_with_the_best_the_simplest_is_used(
    page: AnswerPage, tied: tuple[str, ...], use: str
) -> None:
    results = {**page.results, **dict.fromkeys(tied, _steady(90))}
    tied_page = replace(page, results=results)
    assert tied_page.use == use
    assert advice(tied_page).endswith("with the backbone gcn-tuned.") == (use == "gcn")


def test_a_tie_with_the_best_is_not_enough_where_another_is_better(small_graph: Graph) -> None:
    results = {"l2q": _noisy(91), "appnp": _steady(90), "gcn": _steady(80), "mlp": _steady(70)}
    page = _page(small_graph, **results)
    assert page.against["mlp"].verdict == "undecided"
    assert page.use == "appnp"


def test_a_method_below_a_simpler_one_is_not_used_for_its_wide_interval(
    small_graph: Graph,
) -> None:
    results = {"l2q": _steady(90), "appnp": _noisy(75), "gcn": _steady(80), "mlp": _steady(70)}
    page = _page(small_graph, **results)
    assert page.against["appnp"].verdict == "undecided"
    assert page.use == "l2q"


def test_where_mlp_is_used_no_message_passing_is_recommended(small_graph: Graph) -> None:
    page = _page(small_graph, l2q=_noisy(60), appnp=_noisy(60), gcn=_noisy(60), mlp=_noisy(60))
    assert advice(page) == "Use MLP: no message passing is shown to be better on this graph."


def test_what_propagation_is_worth_has_its_interval_and_its_verdict(page: AnswerPage) -> None:
    assert worth(page) == [
        "Propagation is worth +20.00 ± 0.00 points: L2Q against MLP is better.",
        "Choosing the step per node is worth +5.00 ± 0.00 points: L2Q against the best fixed"
        " number of steps is better.",
    ]


def test_a_difference_that_may_be_none_is_called_so() -> None:
    assert words_for(compare(_noisy(80), _steady(85), "test_accuracy")) == "undecided"
    assert words_for(compare(_steady(80), _steady(70), "test_accuracy")) == "worse"


def test_the_text_names_every_method_and_what_to_use(page: AnswerPage) -> None:
    lines = answer_text(page).splitlines()
    assert lines[0] == "How far should messages travel on small?"
    assert "50 % of the nodes stop at once and 50 % look one step far." in lines
    for name in ("L2Q, each", "APPNP, one", "MLP, no step", "GCN "):
        assert sum(line.startswith(f"  {name}") for line in lines) == 1
    assert advice(page) in lines
    assert any(line.startswith("little; ") for line in lines)
    assert max(map(len, lines)) < 100


def test_on_a_narrow_terminal_the_numbers_of_a_method_stand_below_its_name(
    page: AnswerPage,
) -> None:
    lines = answer_text(page, 60).splitlines()
    assert max(map(len, lines)) < 60
    at = lines.index("  APPNP, one number of steps for all")
    assert lines[at + 1].split()[-1] == "better"
    assert "+5.00 ± 0.00" in lines[at + 1]


def test_what_each_method_was_given_is_said_everywhere(page: AnswerPage) -> None:
    given = Spent(
        trials=4, seeds=3, dimensions=2, configurations=27, trainings=17, cpu_seconds=9.0,
        seconds=12.0,
    )  # fmt: skip
    told = replace(page, spent=dict.fromkeys(page.results, given))
    assert "Chosen from: L2Q 27 configurations, 9 s of CPU; APPNP 27" in answer_text(told)
    assert "4 trials of 3 seeds from 27 configurations, 9 s of CPU" in told.html()
    assert told.to_mapping()["methods"]["mlp"]["budget"]["cpu_seconds"] == 9.0


def test_values_for_programs_say_the_same(page: AnswerPage) -> None:
    found = page.to_mapping()
    assert found["use"] == "l2q"
    assert sorted(found["methods"]) == ["appnp", "gcn", "l2q", "mlp"]
    assert found["l2q_against"]["mlp"]["difference"]["mean"] == pytest.approx(20.0)
    assert found["travel"] == page.travel


def test_the_first_screen_of_the_page_is_short_and_every_number_stands_below(
    page: AnswerPage,
) -> None:
    first, _, below = page.html().partition('id="every-number"')
    assert (
        "; the one for other nodes of this kind: " in first
    )  # no column of the first table has it
    assert "beside it stands" not in first
    score = estimate_of_test(page.results["l2q"])
    assert score is not None
    assert f'<p class="big">{score.this_graph} %</p>' in first
    assert f"<td>{score.elsewhere}</td>" not in first
    for method in page.results:
        assert f">{short_name(method, page.backbone)}</td>" in first
        assert f">{long_name(method, page.backbone)}</td>" in below
        assert score.elsewhere in below


def test_a_name_cannot_write_html(page: AnswerPage) -> None:
    html = replace(page, graph=replace(page.graph, name="<script>alert(1)</script>")).html()
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)" in html


@pytest.mark.parametrize(
    ("request_", "command"),
    [
        (None, "python: l2p.answer(graph)  # small was made in memory"),
        ({"source": "cora"}, "l2p-search answer --dataset cora"),
        (
            {"source": "/my data/nodes.csv", "edges": "/e.csv", "source_column": "u", "name": "n"},
            "l2p-search answer --dataset '/my data/nodes.csv' --edges /e.csv --source u",
        ),
    ],
)
def test_the_page_has_the_command_that_reads_this_graph(
    page: AnswerPage, request_: dict[str, str] | None, command: str
) -> None:
    graph = replace(page.graph, about=replace(page.graph.about, request=request_))
    assert command in copied(replace(page, graph=graph).html())


def test_the_command_of_the_page_asks_for_the_same_budget(page: AnswerPage) -> None:
    asked = {"trials": 3, "seeds": 2, "confirm": 4}
    told = replace(page, budget=asked)
    assert "l2p.answer(graph, effort=l2p.Effort(trials=3, seeds=2, confirm=4))" in told.html()
    named = replace(page.graph, about=replace(page.graph.about, request={"source": "cora"}))
    command = "l2p-search answer --dataset cora --trials 3 --seeds 2 --confirm 4"
    assert command in copied(replace(told, graph=named).html())


def test_classes_are_drawn_by_name(page: AnswerPage) -> None:
    """By number only where they have no names."""
    assert page.results["l2q"].profiles is not None
    profiles = replace(page.results["l2q"].profiles, by_class={"0": (1.0, 0.0), "1": (0.5, 0.5)})
    results = {**page.results, "l2q": replace(page.results["l2q"], profiles=profiles)}
    about = replace(page.graph.about, class_names=("chess", "choir", "golf"))
    html = replace(page, results=results, graph=replace(page.graph, about=about)).html()
    assert "class choir, step 1: 0.500" in html
    nameless = replace(page, results=results).html()
    assert "class 1, step 1: 0.500" in nameless


def test_mlflow_gets_one_run_with_the_page(page: AnswerPage) -> None:
    entry = page.entry()
    assert (entry.kind, entry.dataset, entry.name) == ("answer", "small", "answer: small")
    assert entry.params == {
        "use": "l2q",
        "effort": "little",
        "metric": "accuracy",
        "backbone": "appnp",
    }
    first, block = entry.description.split("\n\n", 1)
    assert first.startswith("**50 % of the nodes stop at once and 50 % look one step far. Use L2Q")
    assert block == f"```\n{answer_text(page)}\n```"  # its columns stand beneath one another
    assert entry.metrics["l2q_minus_mlp"] == 20.0
    assert [value for name, value in entry.metrics.items() if name.startswith("l2q_test")] == [
        90.0
    ]
    assert entry.files["answer.html"].decode() == page.html()
    assert replace(page, seconds=1.0).entry().uid == entry.uid  # the same run, written anew


def test_mlflow_has_one_run_per_budget_and_margin(page: AnswerPage) -> None:
    small = replace(page, budget={"trials": 3, "seeds": 2, "confirm": 4})
    large = replace(page, budget={"trials": 9, "seeds": 5, "confirm": 20})
    judged = {
        name: replace(each, judged=replace(each.judged, margin=2.0))
        for name, each in page.against.items()
    }
    other = replace(small, against=judged)
    assert len({each.entry().uid for each in (page, small, large, other)}) == 4
    assert small.entry().name == "answer: small (3x2x4)"


@pytest.fixture
def on_tuned_gcn(page: AnswerPage) -> AnswerPage:
    """The same results, with tuned GCN in the place of APPNP."""
    renamed = {"appnp": "gcn-tuned"}
    return replace(
        page,
        backbone="gcn-tuned",
        results={renamed.get(key, key): result for key, result in page.results.items()},
        against={renamed.get(key, key): found for key, found in page.against.items()},
    )


def test_on_another_backbone_the_words_name_it(on_tuned_gcn: AnswerPage) -> None:
    lines = answer_text(on_tuned_gcn).splitlines()
    for name in ("L2Q on tuned GCN, each", "tuned GCN, one", "MLP, no step", "GCN "):
        assert sum(f"{line} ".startswith(f"  {name}") for line in lines) == 1
    assert max(map(len, lines)) <= 100
    assert worth(on_tuned_gcn) == [
        "Propagation is worth +20.00 ± 0.00 points: L2Q on tuned GCN against MLP is better.",
        "Choosing the step per node is worth +5.00 ± 0.00 points: L2Q on tuned GCN against its"
        " backbone with the best fixed number of steps is better.",
    ]
    assert advice(on_tuned_gcn).startswith("Use L2Q on tuned GCN: nothing simpler")
    assert escape("l2p.answer(graph, backbone='gcn-tuned')") in on_tuned_gcn.html()


def test_mlflow_has_one_run_per_backbone(page: AnswerPage, on_tuned_gcn: AnswerPage) -> None:
    assert on_tuned_gcn.entry().uid != page.entry().uid
    assert on_tuned_gcn.entry().name == "answer: small on gcn-tuned"
    assert on_tuned_gcn.entry().metrics["l2q_minus_gcn-tuned"] == 5.0
