import doctest
from dataclasses import replace
from pathlib import Path

from l2p_search.api import spent as module
from l2p_search.api.spent import Spent, budget_lines, spent
from l2p_search.data.graph import Graph
from tests.api.publishable import made


def _of(tmp_path: Path, graph: Graph) -> Spent:
    found = made(tmp_path, graph, "l2q", "a")
    return spent(found.settings, found.outcome.records, found.journal.checked().values())


def test_it_adds_up_trials_and_what_came_after_them(tmp_path: Path, small_graph: Graph) -> None:
    found = _of(tmp_path, small_graph)
    assert (found.trials, found.seeds, found.dimensions, found.configurations) == (3, 5, 2, 6)
    assert found.trainings == 3 * 5
    assert found.cpu_seconds == 2.0 * found.trainings
    assert found.after == 2.0 * 10
    assert str(found) == "3 trials of 5 seeds from 6 configurations, 30 s of CPU"


def test_a_training_without_cpu_time_makes_the_sum_unknown(
    tmp_path: Path, small_graph: Graph
) -> None:
    found = made(tmp_path, small_graph, "l2q", "a")
    first, *others = found.outcome.records
    assert first.result is not None
    old = replace(first, result=replace(first.result, cpu_seconds=None))
    known = spent(found.settings, [old, *others], [])
    assert known.cpu_seconds is None
    assert known.time == "3 s by the clock"


def test_lines_are_aligned(tmp_path: Path, small_graph: Graph) -> None:
    found = _of(tmp_path, small_graph)
    endless = replace(found, configurations=None)
    one, two = budget_lines({"l2q": found, "appnp": endless})
    assert one.index("3 trials") == two.index("3 trials")
    assert "from a space that is not countable" in two


def test_its_examples_run() -> None:
    assert doctest.testmod(module).failed == 0
