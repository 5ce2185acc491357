"""A search whose journal ends after any of its lines goes on as if it had never stopped."""

import shutil
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from l2p_search.data.graph import Graph
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import read_outcome
from l2p_search.searching.records.settings import Goal, Race
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.searching.space.search_space import SearchSpace
from l2p_search.searching.space.space_file import parse_space
from tests.faults.conftest import Tried
from tests.searching.pretend import SPACE, drive, outcomes, searched

_FEW = parse_space("few", {"dropout": {"choices": [0.2, 0.6]}, "K": {"choices": [2, 4, 8]}})
_START = {"K": 8, "dropout": 0.6}


def _numbers(journal: Journal) -> tuple[object, ...]:
    """Trials with their numbers, the best, and the confirmations."""
    found = read_outcome(journal)
    assert found.best is not None
    return outcomes(journal), found.best.number, found.confirmed, list(found.confirmations)


def _cut_everywhere(
    folder: Path, graph: Graph, space: SearchSpace, trials: int, **settings: object
) -> int:
    """Cut after every line, resume, compare; returns how many lines there are."""
    goal = Goal(trials=trials, confirm=2, ties=1)
    # The second start point repeats the first: there is something to answer from the beginning.
    chosen = {"space": replace(space, start=(_START, _START)), "seeds": 6, **settings}
    whole = searched(folder / "whole", graph, goal, **chosen)
    expected = _numbers(whole)
    whole.close()
    lines = (folder / "whole" / "journal.log").read_bytes().splitlines(keepends=True)
    if settings["sampler"] == "tpe":
        assert sum(b'"duplicate_of"' in line for line in lines) >= 3, "too few to answer"
    begun = next(place for place, line in enumerate(lines) if b'{"goal":' in line)
    for count in range(begun + 1, len(lines)):
        directory = folder / "cut"
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
        (directory / "journal.log").write_bytes(b"".join(lines[:count]))
        journal = Journal.resume(directory)
        drive(Coordinator(journal, goal, concurrency=1), graph)
        assert _numbers(journal) == expected, f"cut after line {count} of {len(lines)}"
        journal.close()
    return len(lines) - begun - 1


@pytest.mark.parametrize("race", [None, "halving", "paired"])
def test_cut_after_any_line_and_resumed_it_is_the_same_search(
    race: Race | None, tmp_path: Path, small_graph: Graph
) -> None:
    assert _cut_everywhere(tmp_path, small_graph, _FEW, 5, sampler="tpe", race=race) > 40


@pytest.mark.faults
@pytest.mark.parametrize(
    ("sampler", "race"), [*product(["tpe", "random", "grid"], [None, "halving", "paired"])]
)
def test_cut_after_any_line_of_a_longer_search_it_is_the_same_search(
    sampler: str, race: Race | None, tmp_path: Path, small_graph: Graph, tried: Tried
) -> None:
    cuts = _cut_everywhere(tmp_path, small_graph, SPACE, 18, sampler=sampler, race=race)
    tried("journal", f"cut after any line, {sampler}{f', racing by {race}' if race else ''}", cuts)
