import re
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote

from l2p_search.config import TrialConfig
from l2p_search.results import TrialStatus
from l2p_search.tracking.entries import SMALL_PICTURE, SearchEntry, TrialEntry
from l2p_search.tracking.notes import dataset_note, search_note, trial_note, with_all_graphs


def _run(name: str, answer: str, status: str = "FINISHED", seeds: int = 20) -> Any:
    return SimpleNamespace(
        info=SimpleNamespace(run_name=name, run_id=f"id-{len(name)}", status=status),
        data=SimpleNamespace(
            tags={"answer": answer} if answer else {}, params={"seeds": str(seeds)}
        ),
    )


def _entry(**changes: Any) -> SearchEntry:
    values: dict[str, Any] = {
        "uid": "abc",
        "name": "s",
        "dataset": "demo",
        "data_digest": "0",
        "params": {},
        "description": "**80.0 %**, with l2q.\n\nmore",
    }
    return SearchEntry(**{**values, **changes})


def test_a_dataset_says_its_number_first_and_then_where_to_go() -> None:
    found = [_run("one", "80.00 ± 2.00 % test accuracy with l2q, K=2; all stop at once")]
    note = dataset_note("7", found, ["7"], "accuracy")
    first = note.split("\n\n")[0]
    assert first.startswith("80.00 ± 2.00 % ([one](#/experiments/7/runs/id-3")
    assert "): test accuracy) · [searches](" in first
    assert "[searches](#/experiments/7/runs?" in first
    assert "[profiles](" in first
    assert first.endswith(" · l2q, K=2")
    assert "compare-experiments" not in note  # there is no other graph
    assert "With l2q, K=2; all stop at once." in note


def test_the_best_of_several_is_said_to_be_chosen_on_validation() -> None:
    found = [_run("one", "80 % with a"), _run("two", "81 % with b"), _run("running", "")]
    note = dataset_note("7", found, ["7", "9"], "accuracy")
    assert note.startswith("80 % ([one]")
    assert "the best of 2 searches on validation" in note
    assert "compare-experiments/s?experiments=%5B%227%22%2C%229%22%5D" in note


def test_a_finished_search_with_many_seeds_comes_before_an_interrupted_or_a_small_one() -> None:
    found = [
        _run("cut off", "90 % with a", "KILLED"),
        _run("small", "89 % with b", seeds=3),
        _run("whole", "80 % with c"),
    ]
    note = dataset_note("7", found, ["7"], "accuracy")
    assert note.startswith("80 % ([whole]")
    assert "the best of 3 searches by seeds, then validation" in note  # others validate better
    assert [row.split("[")[1].split("]")[0] for row in note.splitlines()[-3:]] == [
        "whole",
        "small",
        "cut off",
    ]


def test_the_link_to_all_graphs_grows_by_those_that_are_searched_later() -> None:
    found = [_run("one", "80 % with a, K=2; all stop at once")]
    alone, two = (dataset_note("7", found, ids, "accuracy") for ids in (["7"], ["7", "9"]))
    assert with_all_graphs(alone, "7", ["7", "9"]) == two
    three = dataset_note("7", found, ["7", "9", "11"], "accuracy")
    assert with_all_graphs(two, "7", ["7", "9", "11"]) == three
    assert with_all_graphs(three, "7", ["7", "9", "11"]) == three
    assert with_all_graphs("my own words", "7", ["7", "9"]) == "my own words"


def test_a_dataset_without_a_complete_trial_says_so() -> None:
    assert dataset_note("7", [], ["7"], "accuracy").startswith("No search has a complete trial")


def _trial(**changes: Any) -> TrialEntry:
    values: dict[str, Any] = {
        "uid": "abc/3",
        "number": 3,
        "status": TrialStatus.COMPLETE,
        "config": TrialConfig(),
        "description": "**80.00 % on validation**, with l2q.",
    }
    return TrialEntry(**{**values, **changes})


def test_a_trial_has_its_score_the_ways_to_its_search_and_its_profile() -> None:
    note = trial_note(_trial(files={SMALL_PICTURE: b""}), _entry(), "7", "parent", "run").split(
        "\n\n"
    )
    assert note[0] == "**80.00 % on validation**, with l2q."
    assert "[search s](#/experiments/7/runs/parent?" in note[1]
    assert "viewStateShareKey=l2p-search-abc" in note[1]
    assert len(note) == 3
    path = note[2].partition("get-artifact?path=")[2].partition("&run_uuid=run)")[0]
    assert unquote(path) == SMALL_PICTURE
    assert "+" not in path  # a server reads it as a space


def test_a_trial_that_did_not_complete_says_why_first() -> None:
    raced = _trial(status=TrialStatus.RACED_OUT, reason="worse than [trial] 1")
    note = trial_note(raced, _entry(), "7", "parent", "run").split("\n\n")
    assert note[:2] == [
        "**Raced out**: worse than \\[trial\\] 1",
        "**80.00 % on validation**, with l2q.",
    ]
    assert "![" not in note[-1]


def test_names_of_users_are_text_in_every_note() -> None:
    evil = "<img src=x onerror=alert(1)>[x](javascript:alert(1))|"
    note = dataset_note("7", [_run(evil, f"1 % with {evil}")], ["7"], "accuracy")
    assert "<img" not in note
    assert not re.search(r"(?<!\\)\]\(javascript", note)  # an escaped bracket ends no link
    rows = note.splitlines()[-1]
    assert rows.count("|") == 3  # a table of two columns, whatever the names are
    note = trial_note(_trial(reason=evil), _entry(name=evil), "7", "parent", "run")
    assert "<img" not in note
    assert not re.search(r"(?<!\\)\]\(javascript", note)


def test_a_search_has_links_and_its_profile_after_the_first_paragraph() -> None:
    files = {f"profile-{what}.svg": b"" for what in ("class", "nodes")}
    note = search_note(_entry(files=files), "7", "run").split("\n\n")
    assert note[0] == "**80.0 %**, with l2q."
    assert note[1].startswith("[trials, ranked](#/experiments/7/runs?")
    drawn = "![How far nodes look](get-artifact?path=profile-{}.svg&run_uuid=run)"
    assert note[2] == f"{drawn.format('nodes')} {drawn.format('class')}"
    assert note[3] == "more"
    assert "![" not in search_note(_entry(), "7", "run")


def test_what_fewer_trials_would_have_found_ends_the_page_of_a_search() -> None:
    note = search_note(_entry(files={"budget.svg": b""}), "7", "run").split("\n\n")
    drawn = "![What fewer trials would have found](get-artifact?path=budget.svg&run_uuid=run)"
    assert note[-1] == drawn
    assert search_note(_entry(), "7", "run").endswith("more")


def test_an_answer_is_described_as_it_is() -> None:
    entry = _entry(kind="answer", files={"profile.svg": b""})
    assert search_note(entry, "7", "run") == entry.description
