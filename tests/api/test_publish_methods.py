from dataclasses import replace
from pathlib import Path

import pytest

from l2p_search.api.publish_entries import Entries, collected
from l2p_search.api.publish_methods import checklist, methods_paragraphs
from l2p_search.api.publish_verdicts import over_graphs, pairs_of
from l2p_search.data.graph import Graph
from l2p_search.searching.records.settings import Goal
from tests.api.publishable import made


@pytest.fixture
def entries(tmp_path: Path, small_graph: Graph) -> Entries:
    return collected(
        [made(tmp_path, small_graph, m, d) for d in ("a", "b") for m in ("l2q", "mlp")]
    )


def _said(entries: Entries) -> str:
    return " ".join(methods_paragraphs(entries, pairs_of(entries), over_graphs(entries)))


def test_the_methods_name_spaces_budgets_seeds_splits_selection_and_tests(
    entries: Entries,
) -> None:
    said = _said(entries)
    for words in (
        "L2Q and MLP on a (10 splits, judged by accuracy) and b",
        "L2Q: the space l2q (2 hyperparameters, 6 configurations), 3 trials",
        "5 seeds per trial",
        "highest mean validation score",
        "(seeds 5 to 14)",
        "the distribution over propagation steps from validation labels.",
        "Hsu's",
        "Holm's",
        "Friedman's",
        "0.0556 CPU hours",
    ):
        assert words in said


def test_what_was_not_recorded_is_said(entries: Entries) -> None:
    first = next(iter(entries.cells))
    cell = entries.cells[first]
    old = replace(cell.best, result=replace(cell.best.result, cpu_seconds=None))  # type: ignore[type-var]
    cell.search.outcome.records[old.number] = old
    assert "hours by the clock (CPU time was not recorded" in _said(entries)
    assert not {text[:8]: done for done, text in checklist(entries, [])}["CPU time"]


def test_baselines_alone_learn_from_no_validation_label(
    tmp_path: Path, small_graph: Graph
) -> None:
    assert "L2P learns" not in _said(collected([made(tmp_path, small_graph, "mlp", "x")]))


def test_the_checklist_admits_unequal_budgets_and_missing_cells(
    tmp_path: Path, small_graph: Graph, entries: Entries
) -> None:
    equal = {text: done for done, text in checklist(entries, pairs_of(entries))}
    assert equal[
        "Every method had the same number of trials and of seeds per trial: 3 of 5 seeds."
    ]
    assert equal["Every method was searched on every graph."]
    uneven = collected(
        [
            made(tmp_path, small_graph, "l2q", "x"),
            made(tmp_path, small_graph, "mlp", "x", goal=Goal(trials=2, confirm=10)),
            made(tmp_path, small_graph, "mlp", "y"),
        ]
    )
    found = checklist(uneven, pairs_of(uneven))
    assert (False, "Every method had the same number of trials and of seeds per trial: it had not;"
            " see table budgets.") in found  # fmt: skip
    assert (False, "Every method was searched on every graph: it was not; missing cells are"
            " marked.") in found  # fmt: skip
    assert any(not done and text.startswith("Yours to do") for done, text in found)
