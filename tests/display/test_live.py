import io
from pathlib import Path

import pytest
from rich.console import Console

from l2p_search.data.graph import Graph
from l2p_search.display.live import LivePanel, PlainLines, Subject
from l2p_search.progress import Event, Snapshot
from l2p_search.results import TrialStatus
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from tests.searching.pretend import begin, drive


def _events(tmp_path: Path, graph: Graph) -> tuple[Journal, list[tuple[Event, Snapshot]]]:
    seen: list[tuple[Event, Snapshot]] = []
    journal = begin(tmp_path / "shown", race=True)
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
    assert any("fresh seeds: test" in line for line in said)


def test_the_panel_shows_counts_the_best_and_the_time_left(
    tmp_path: Path, small_graph: Graph
) -> None:
    journal, events = _events(tmp_path, small_graph)
    panel = LivePanel(_subject(journal), Console(file=io.StringIO()))
    assert "starting Ray" in _drawn(panel)
    ended = [pair for pair in events if pair[0].kind == "ended"]
    for event, snapshot in ended[:9]:
        panel.update(event, snapshot)
    drawn = _drawn(panel)
    best = ended[8][1].best
    assert best is not None
    for part in (
        "9/30 trials",
        "raced out",
        "0 failed",
        "seeds/s",
        f"best validation {best.objective:.2f} ±",
        f"trial {best.number}",
        "best so far",
        "left",
        "█",
    ):
        assert part in drawn
    for event, snapshot in events:
        panel.update(event, snapshot)
    assert "confirming the best on fresh seeds" in _drawn(panel)


@pytest.mark.parametrize("kind", ["retried", "noted", "ended"])
def test_failures_are_told_with_their_reason(
    kind: str, tmp_path: Path, small_graph: Graph
) -> None:
    from dataclasses import replace

    journal, events = _events(tmp_path, small_graph)
    record = events[0][0].record
    assert record is not None
    failed = replace(record, status=TrialStatus.FAILED, reason="its worker died")
    lines = PlainLines(_subject(journal), file := io.StringIO())
    lines.update(Event(kind, failed, reason="its worker died"), events[0][1])  # type: ignore[arg-type]
    assert "its worker died" in file.getvalue()
