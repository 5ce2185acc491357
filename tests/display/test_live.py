import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from l2p_search.data.graph import Graph
from l2p_search.display.live import LivePanel, PlainLines
from l2p_search.display.panel import Subject
from l2p_search.progress import Event, Snapshot
from l2p_search.results import TrialStatus
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.stopping import Stop
from tests.searching.pretend import begin, drive


def _events(tmp_path: Path, graph: Graph) -> tuple[Journal, list[tuple[Event, Snapshot]]]:
    seen: list[tuple[Event, Snapshot]] = []
    journal = begin(tmp_path / "shown", race="paired")
    coordinator = Coordinator(
        journal, Goal(trials=30, confirm=2), on_event=lambda e, s: seen.append((e, s))
    )
    drive(coordinator, graph)
    return journal, seen


def _subject(journal: Journal) -> Subject:
    settings = journal.settings
    return Subject(journal.directory.name, list(settings.space.dimensions), settings.race)


def _drawn(panel: LivePanel) -> str:
    console = Console(file=io.StringIO(), width=120)
    console.print(panel)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def test_plain_lines_tell_what_happened(tmp_path: Path, small_graph: Graph) -> None:
    journal, events = _events(tmp_path, small_graph)
    lines = PlainLines(_subject(journal), file := io.StringIO())
    for event, snapshot in events:
        lines.update(event, snapshot)
    said = file.getvalue().splitlines()
    assert said[0].startswith("[ 1/30] trial 0: validation ")
    assert "dropout=" in said[0]
    assert any("raced out" in line and "worse than trial" in line for line in said)
    assert any(line.startswith("every configuration of the space is visited: 24") for line in said)
    assert any("fresh seeds): test" in line for line in said)


def test_the_panel_keeps_the_reason_of_the_last_failure(
    tmp_path: Path, small_graph: Graph
) -> None:
    journal, events = _events(tmp_path, small_graph)
    panel = LivePanel(_subject(journal), Console(file=io.StringIO()))
    ended = [pair for pair in events if pair[0].kind == "ended"]
    first, snapshot = ended[0]
    assert first.record is not None
    failed = replace(first.record, status=TrialStatus.FAILED, reason="out of memory")
    panel.update(Event("ended", failed), snapshot)
    for event, snapshot in ended[1:9]:
        panel.update(event, snapshot)
    assert f"trial {failed.number} failed: out of memory" in _drawn(panel)


def test_the_panel_shows_counts_the_best_and_the_time_left(
    tmp_path: Path, small_graph: Graph
) -> None:
    journal, events = _events(tmp_path, small_graph)
    panel = LivePanel(_subject(journal), Console(file=io.StringIO()))
    assert "Ray starts" in _drawn(panel)
    ended = [pair for pair in events if pair[0].kind == "ended"]
    for event, snapshot in ended[:9]:
        panel.update(event, snapshot)
    drawn = _drawn(panel)
    best = ended[8][1].best
    assert best is not None
    for part in (
        "9 of 24 trials",
        "raced out",
        "0 failed",
        "seeds/s",
        f"best validation {best.objective:.2f} ±",
        f"trial {best.number}",
        "best so far",
        "left",
    ):
        assert part in drawn
    for event, snapshot in events:
        panel.update(event, snapshot)
    assert "confirmation on fresh seeds" in _drawn(panel)
    panel.update(Event("finished"), events[-1][1])
    assert "everything is trained" in _drawn(panel)


def test_ctrl_c_is_a_state_of_the_panel_which_says_it_instead_of_the_signal(
    tmp_path: Path, small_graph: Graph
) -> None:
    journal, events = _events(tmp_path, small_graph)
    stop = Stop()
    panel = LivePanel(_subject(journal), Console(file=io.StringIO()), stop)
    with panel:
        assert stop.shown
        panel.update(*events[-1])
        assert "stopping" not in _drawn(panel)
        stop.set()
        assert "stopping: 24 trials kept" in _drawn(panel)
    assert not stop.shown


def test_plain_lines_tell_now_and_then_how_far_a_long_trial_is(
    tmp_path: Path, small_graph: Graph
) -> None:
    journal, events = _events(tmp_path, small_graph)
    event, snapshot = events[0]
    lines = PlainLines(_subject(journal), file := io.StringIO())
    (running,) = snapshot.running
    for second in range(1, 100):
        far = replace(running, seconds=float(second), epoch=second, epochs=200, training=20)
        lines.update(Event("progressed", event.record), replace(snapshot, running=(far,)))
    said = file.getvalue().splitlines()
    assert [line.partition(",")[0] for line in said] == ["trial 0: 0 of 20 seeds done"] * 3
    assert "epoch 30 of at most 200" in said[0]


@pytest.mark.parametrize("kind", ["retried", "noted", "ended"])
def test_failures_are_told_with_their_reason(
    kind: str, tmp_path: Path, small_graph: Graph
) -> None:
    journal, events = _events(tmp_path, small_graph)
    record = events[0][0].record
    assert record is not None
    failed = replace(record, status=TrialStatus.FAILED, reason="its worker died")
    lines = PlainLines(_subject(journal), file := io.StringIO())
    lines.update(Event(kind, failed, reason="its worker died"), events[0][1])  # type: ignore[arg-type]
    assert "its worker died" in file.getvalue()
