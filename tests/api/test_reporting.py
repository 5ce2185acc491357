import re
from collections.abc import Sequence
from dataclasses import replace
from html import escape, unescape
from pathlib import Path
from typing import Any

import pytest

from l2p_search.api.reporting import report_page
from l2p_search.api.summarising import summary_of
from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.display.score_rows import as_lists, score_rows
from l2p_search.errors import SearchError
from l2p_search.held import Against, HeldAgainst
from l2p_search.intervals import Interval
from l2p_search.learned import Profiles
from l2p_search.other_nodes import OTHER_NODES, THIS_GRAPH
from l2p_search.results import TrialResult, TrialStatus
from l2p_search.searching.records.expected_best import expected_best
from l2p_search.searching.records.importance import importance_of
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import Outcome, read_outcome
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.verdicts import Judged
from tests.pages import copied
from tests.searching.pretend import begin, drive, pretend_training, searched


@pytest.fixture(scope="module")
def outcome(recorded: Journal) -> Outcome:
    return read_outcome(recorded)


@pytest.fixture(scope="module")
def body(recorded: Journal, outcome: Outcome) -> str:
    text = report_page(recorded, outcome, importance_of(outcome))
    return text[text.index("<body>") :]


def test_the_headline_is_the_number_to_quote(body: str, outcome: Outcome) -> None:
    assert f'<p class="big">{outcome.confirmed} %</p>' in body
    assert outcome.estimate is not None
    assert (
        "test accuracy on 3 fresh seeds that chose nothing: the number to quote. ± is its 95 %"
        " interval for this graph, other seeds and splits, by 3 splits; the one for other nodes"
        f" of this kind: {outcome.estimate.elsewhere}."
    ) in body
    own = outcome.protocol
    assert own is not None
    row = f"the paper&#x27;s protocol: the search&#x27;s own seeds</td><td>{own.mean:.2f}</td>"
    assert f"{row}<td>{own.bounds()}</td>" in body


def test_every_test_score_of_the_terminal_is_a_row_of_the_page(
    recorded: Journal, outcome: Outcome, body: str
) -> None:
    rows = as_lists(score_rows(summary_of(outcome, "pretended")))
    assert len(rows) > 3
    for row in rows:
        assert f"{escape(row[0])}</td><td>{row[1]}</td>" in body or not row[1]
    for name in (THIS_GRAPH, OTHER_NODES):
        assert f"<th>{name}</th>" in body or f'<th class="text">{name}</th>' in body


def test_what_fewer_trials_would_have_found_is_a_table(body: str, outcome: Outcome) -> None:
    for each in expected_best(outcome.records):
        assert f"<td>{each.trials}</td><td>{each.val:.2f}</td>" in body


def test_without_a_confirmation_the_headline_says_so(recorded: Journal, outcome: Outcome) -> None:
    page = report_page(recorded, replace(outcome, confirmations={}), None)
    assert f'<p class="big">{outcome.protocol} %</p>' in page
    assert "own seeds; not confirmed on fresh ones" in page


def test_one_fresh_seed_is_said_to_tell_nothing_of_its_error(
    recorded: Journal, outcome: Outcome
) -> None:
    assert outcome.best is not None
    number = outcome.best.number
    whole = outcome.confirmations[number]
    alone = {number: replace(whole, seeds=whole.seeds[:1])}
    page = report_page(recorded, replace(outcome, confirmations=alone), None)
    assert "the number to quote. 1 seed cannot tell how far off it is." in page


def test_the_table_has_every_complete_trial_the_best_first(body: str, outcome: Outcome) -> None:
    (table,) = re.findall(r'<table class="sorts">(.*?)</table>', body)
    rows = re.findall(r"<tr(.*?)</tr>", table)[1:]
    assert len(rows) == 10
    assert outcome.best is not None
    assert rows[0].startswith(f' class="best"><td>{outcome.best.number}</td>')
    assert sum(">tie</td>" in row for row in rows) == len(outcome.ties) - 1
    validation = [float(re.findall(r"<td>([\d.]+)</td>", row)[1]) for row in rows]
    assert validation == sorted(validation, reverse=True)


def test_a_reader_can_reproduce_it(body: str) -> None:
    body = copied(body)
    again = "l2p.search(graph, space='pretend', trials=10, seeds=20, sampler='tpe', seed=0"
    assert again in body
    assert "l2p-search export --search pretended --out best.yaml" in body
    assert "l2p.fit(graph, config='best.yaml')  # small was made in memory" in body


def test_a_name_with_a_space_is_quoted_for_the_shell(tmp_path: Path, small_graph: Graph) -> None:
    journal = searched(tmp_path / "two words", small_graph, Goal(trials=1, confirm=0))
    page = copied(report_page(journal, read_outcome(journal), None))
    assert "l2p-search export --search 'two words' --out best.yaml" in page


def test_it_asks_the_network_for_nothing_and_is_small(body: str) -> None:
    assert "<svg" in body
    assert len(body) < 1_000_000
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', body)


def test_figures_of_importance_need_enough_trials(recorded: Journal, outcome: Outcome) -> None:
    assert "fANOVA" not in report_page(recorded, outcome, None)


def test_the_first_screen_is_question_answer_number_profile_controls_ties_and_graph(
    tmp_path: Path, small_graph: Graph
) -> None:
    def alike(graph: Graph, config: TrialConfig, seeds: Sequence[int], **_: Any) -> TrialResult:
        return replace(pretend_training(graph, TrialConfig(), seeds), config=config)

    journal, goal = begin(tmp_path / "s"), Goal(trials=4, confirm=3)
    journal.begin(goal, {"graph": "small: 12 nodes."})
    drive(Coordinator(journal, goal), small_graph, alike)
    outcome = read_outcome(journal)
    against = Against(
        "mlp",
        "MLP at its settings",
        outcome.confirmations[outcome.ties[0].number],
        Interval(1.5, 0.5, 2.5, 10),
        judged=Judged("better"),
    )
    outcome = replace(outcome, held=HeldAgainst((against,)))
    page = report_page(journal, outcome, None)
    first = unescape(page[page.index("<body>") : page.index("<nav>")])
    said = ["How far should messages travel on small?", f"reaches {outcome.confirmed} %"]
    said += ["better than MLP at its settings", "the number to quote"]
    said += [">MLP at its settings<", "+1.50 ± 1.00", ">better<"]
    said += ["may be as good as the best", "The graph: small: 12 nodes."]
    places = [first.index(each) for each in said]
    assert places == sorted(places)
    assert first.count("may be as good as the best") == 1  # ties are one line


def test_every_trial_with_all_its_seeds_has_its_configuration_to_copy(
    body: str, outcome: Outcome
) -> None:
    complete = {r.number for r in outcome.records if r.objective is not None}
    assert {int(n) for n in re.findall(r'data-trial="(\d+)"', body)} == complete


def test_names_are_escaped(tmp_path: Path, small_graph: Graph) -> None:
    journal = searched(tmp_path / "<b>&", small_graph, Goal(trials=1, confirm=0))
    page = report_page(journal, read_outcome(journal), None)
    assert "Search &lt;b&gt;&amp;" in page
    assert "<b>" not in page


def test_without_a_complete_trial_there_is_no_report(begun: Journal) -> None:
    with pytest.raises(SearchError, match="search 'begun' has no complete trial yet; wait"):
        report_page(begun, read_outcome(begun), None)


def test_classes_are_drawn_by_the_names_that_the_search_noted(
    tmp_path: Path, small_graph: Graph
) -> None:
    def train(*given: Any, **options: Any) -> TrialResult:
        profiles = Profiles({}, {"0": (1.0, 0.0), "1": (0.5, 0.5)}, (0.0, 0.0))
        return replace(pretend_training(*given, **options), profiles=profiles)

    journal, goal = begin(tmp_path / "own"), Goal(trials=1, confirm=0)
    journal.begin(goal, {"classes": ["chess", "choir"]})
    drive(Coordinator(journal, goal), small_graph, train)
    assert "class choir, step 1: 0.500" in report_page(journal, read_outcome(journal), None)


def test_a_reader_of_an_own_graph_can_paste_how_it_was_read(
    tmp_path: Path, small_graph: Graph
) -> None:
    request = {"source": "/my data/nodes.csv", "edges": "/my data/edges.csv", "label": "kind"}
    journal, goal = begin(tmp_path / "own", graph=request), Goal(trials=1, confirm=0)
    journal.begin(goal, {})
    drive(Coordinator(journal, goal), small_graph)
    page = copied(report_page(journal, read_outcome(journal), None))
    assert "; no other configuration was tried." in page
    assert "tied with" not in page
    assert "validation tells" not in page
    assert "Trials as lines" not in page  # one line says nothing
    read = "--dataset '/my data/nodes.csv' --edges '/my data/edges.csv' --label kind"
    assert f"l2p-search {read} --space pretend --trials 1 --seeds 20" in page
    assert f"l2p-search train {read} --config best.yaml" in page


@pytest.mark.parametrize(
    ("confirm", "alive", "says"),
    [
        (0, False, "The search is not finished: 3 of 6 trials ended. It goes on with"),
        (2, False, ": 3 of 6 trials ended, and the best is not confirmed yet. It goes on with"),
        (2, True, "The search is running: 3 of 6 trials ended, and the best is not confirmed"),
    ],
)
def test_what_is_not_finished_says_so_first(
    confirm: int, alive: bool, says: str, tmp_path: Path, small_graph: Graph
) -> None:
    journal, goal = begin(tmp_path / "two words"), Goal(trials=6, confirm=confirm)
    journal.begin(goal, {})
    drive(Coordinator(journal, goal), small_graph, stop_after=3)
    if not alive:
        journal.close()
        journal = Journal.read(tmp_path / "two words")
    page = copied(report_page(journal, read_outcome(journal), None))
    first = page[: page.index("<nav>")]
    assert says in first
    assert ("l2p-search --resume --name 'two words'" in first) is not alive
    assert "1 trial had not ended." in page


def test_what_is_finished_says_nothing_of_that(body: str) -> None:
    assert "not finished" not in body
    assert "is running" not in body


def test_trials_that_are_not_in_the_table_are_counted_and_the_first_failure_is_explained(
    tmp_path: Path, small_graph: Graph
) -> None:
    def narrow(graph: Graph, config: TrialConfig, seeds: Sequence[int], **_: Any) -> TrialResult:
        if config.K > 4:
            raise MemoryError
        return pretend_training(graph, config, seeds)

    journal, goal = begin(tmp_path / "s"), Goal(trials=6, confirm=0)
    journal.begin(goal, {})
    drive(Coordinator(journal, goal), small_graph, narrow)
    outcome = read_outcome(journal)
    failed = [r.number for r in outcome.records if r.status is TrialStatus.FAILED]
    assert failed
    page = report_page(journal, outcome, None)
    plural = "s" if len(failed) > 1 else ""
    assert f"{len(failed)} trial{plural} failed; trial {failed[0]}: " in page
    assert "Out of memory." in page
    assert "stopped early" not in page
