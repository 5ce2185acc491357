"""A search that is killed at any of its writes and started again finds the same, and once."""

import json
import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from l2p_search.api.exporting import exported, write_best
from l2p_search.api.statuses import remember_status
from l2p_search.api.writing import write_file
from l2p_search.data.fresh_splits import fresh_rule
from l2p_search.data.graph import Graph
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import read_outcome
from l2p_search.searching.records.settings import Goal, Race
from l2p_search.searching.running.coordinator import Coordinator
from tests.faults.conftest import Tried
from tests.faults.crashing import killed_at, writes_of
from tests.searching.pretend import drive, outcomes, settings


def _search(directory: Path, graph: Graph, trials: int, race: Race | None) -> Callable[[], None]:
    """Begin or resume a search, bring it to its end, and write what it found."""
    rule = fresh_rule(graph, 2)
    goal = Goal(trials=trials, confirm=2, ties=1, controls=True, fresh_splits=rule)

    def run() -> None:
        if Journal.exists(directory):
            journal = Journal.resume(directory)
        else:
            journal = Journal.create(directory, settings(race=race, seeds=6))
        journal.begin(goal, {})
        drive(Coordinator(journal, goal), graph)
        found = read_outcome(journal)
        write_best(journal, found)
        journal.close()
        remember_status(directory, found)
        write_file(directory.parent / "exported.json", exported(journal, found, "json"))

    return run


def _found(directory: Path) -> dict[str, object]:
    journal = Journal.read(directory)
    found = read_outcome(journal)
    assert found.best is not None
    return {
        "trials": outcomes(journal),
        "best": found.best.number,
        "confirmed": {n: r.test_mean for n, r in found.confirmations.items()},
        "confirmed on fresh seeds": found.confirmed,
        "held against": found.held.to_mapping("accuracy"),
        "best.yaml": (directory / "best.yaml").read_text(),
        "export": (directory.parent / "exported.json").read_text(),
    }


def _nothing_is_doubled(directory: Path) -> None:
    """No trial was proposed twice, no result and no confirmation was written twice."""
    numbers: Counter[int] = Counter()
    outcomes_of: Counter[int] = Counter()
    confirmed: Counter[str] = Counter()
    for line in (directory / "journal.log").read_text().splitlines():
        entry = json.loads(line)
        noted = entry.get("user_attr", {})
        if "proposal" in noted:
            numbers[noted["proposal"]["number"]] += 1
        if "outcome" in noted:
            outcomes_of[entry["trial_id"]] += 1
        if "result" in entry.get("user_attrs", {}):
            result = entry["user_attrs"]["result"]
            confirmed[json.dumps([result["config"], result.get("splits")])] += 1
    for counts in (numbers, outcomes_of, confirmed):
        assert set(counts.values()) == {1}


class _Undisturbed:
    """A search that nobody killed: what it found, and how many writes it took."""

    def __init__(self, folder: Path, graph: Graph, trials: int, race: Race | None) -> None:
        self._folder, self._how = folder, (graph, trials, race)
        counted = folder / "counted" / "s"
        self.writes = writes_of(_search(counted, *self._how), folder / "count")
        _search(folder / "whole" / "s", *self._how)()
        self.found = _found(folder / "whole" / "s")

    def holds_when_killed(self, *places: int, half: bool) -> None:
        """Kill it at these writes, one run after another, and let the last run end."""
        directory = self._folder / "killed" / "s"
        shutil.rmtree(directory.parent, ignore_errors=True)
        directory.mkdir(parents=True)
        run = _search(directory, *self._how)
        for place in places:
            killed_at(place, run, half=half)
        run()
        assert _found(directory) == self.found, f"killed at writes {places}, half: {half}"
        _nothing_is_doubled(directory)


@pytest.mark.parametrize("half", [False, True])
def test_killed_at_any_write_and_started_again_it_finds_the_same_once(
    half: bool, tmp_path: Path, small_graph: Graph
) -> None:
    search = _Undisturbed(tmp_path, small_graph, trials=2, race="paired")
    assert search.writes > 15
    for place in range(1, search.writes + 1):
        search.holds_when_killed(place, half=half)


@pytest.mark.faults
@pytest.mark.parametrize("half", [False, True])
def test_killed_at_any_write_of_a_longer_search(
    half: bool, tmp_path: Path, small_graph: Graph, tried: Tried
) -> None:
    search = _Undisturbed(tmp_path, small_graph, trials=14, race=None)
    for place in range(1, search.writes + 1):
        search.holds_when_killed(place, half=half)
    tried("journal", "killed at a write" + ", half of it written" * half, search.writes)


@pytest.mark.faults
def test_killed_several_times_at_random_writes(
    tmp_path: Path, small_graph: Graph, tried: Tried
) -> None:
    search = _Undisturbed(tmp_path, small_graph, trials=14, race="paired")
    draws = random.Random(0)
    kills = 0
    while kills < 100:
        places = [draws.randint(1, search.writes) for _ in range(draws.randint(1, 4))]
        search.holds_when_killed(*places, half=draws.random() < 0.5)
        kills += len(places)
    tried("journal", "killed at random writes, up to four times a search", kills)
