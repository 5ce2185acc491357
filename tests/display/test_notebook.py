from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import IPython.display
import pytest

from l2p_search.data.graph import Graph
from l2p_search.display import notebook
from l2p_search.display.notebook import NotebookPanel, in_notebook
from l2p_search.display.panel import Subject
from l2p_search.progress import Event, Snapshot
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from tests.searching.pretend import begin, drive


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Everything that the output showed, one after another."""
    shown: list[str] = []

    def display(html: Any, display_id: bool) -> Any:
        assert display_id is True  # it is drawn anew, not once more
        shown.append(html.data)
        return SimpleNamespace(update=lambda again: shown.append(again.data))

    monkeypatch.setattr(IPython.display, "display", display)
    return shown


@pytest.fixture
def events(tmp_path: Path, small_graph: Graph) -> list[tuple[Event, Snapshot]]:
    seen: list[tuple[Event, Snapshot]] = []
    coordinator = Coordinator(
        begin(tmp_path / "s"), Goal(trials=4, confirm=2), on_event=lambda *told: seen.append(told)
    )
    drive(coordinator, small_graph)
    return seen


def test_one_output_is_opened_drawn_anew_and_left_as_it_ended(
    drawn: list[str], events: list[tuple[Event, Snapshot]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notebook, "_PAUSE", 0.0)
    with NotebookPanel(Subject("demo-paper", ["K"])) as panel:
        assert drawn == ["<div><b>demo-paper</b>: starting Ray (0 s)</div>"]
        for event, snapshot in events:
            panel.update(event, snapshot)
    assert len(drawn) == len(events) + 2
    best = events[-1][1].best
    assert best is not None
    for part in (
        '<progress max="4" value="4"></progress> 4/4 trials',
        "confirming the best on fresh seeds: ",
        f"best validation <b>{best.objective:.2f} ±",
        f"trial {best.number}",
        "fresh seeds): test",
    ):
        assert part in drawn[-1]


def test_a_web_page_is_not_drawn_at_every_event(
    drawn: list[str], events: list[tuple[Event, Snapshot]], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(notebook, "time", SimpleNamespace(monotonic=lambda: now))
    with NotebookPanel(Subject("s", [])) as panel:
        panel.update(*events[0])  # the first one is drawn
        for event, snapshot in events:
            panel.update(event, snapshot)
        assert len(drawn) == 2
        now += 1.0
        panel.update(*events[-1])
        assert len(drawn) == 3


def test_a_remark_is_shown_at_once_and_until_the_end(
    drawn: list[str], events: list[tuple[Event, Snapshot]]
) -> None:
    with NotebookPanel(Subject("s", ["K"])) as panel:
        panel.update(*events[1])
        panel.note("MLflow is behind")
        assert "<small>MLflow is behind</small>" in drawn[-1]
        for event, snapshot in events:
            panel.update(event, snapshot)
    assert "<small>MLflow is behind</small>" in drawn[-1]


def test_only_the_latest_three_lines_are_kept(events: list[tuple[Event, Snapshot]]) -> None:
    panel = NotebookPanel(Subject("s", ["K"]))
    for event, snapshot in events:
        panel.update(event, snapshot)
    assert panel.html().count("<small>") == 3


def test_what_a_user_wrote_is_escaped(events: list[tuple[Event, Snapshot]]) -> None:
    panel = NotebookPanel(Subject("<script>", []))
    ended = next(event for event, _ in events if event.record is not None)
    panel.update(replace(ended, kind="retried", reason="<img>"), events[0][1])
    assert "<script>" not in panel.html()
    assert "<img>" not in panel.html()
    assert "&lt;img&gt;" in panel.html()


def test_this_process_is_no_notebook_and_a_kernel_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not in_notebook()

    class ZMQInteractiveShell: ...

    class TerminalInteractiveShell: ...

    for shell, expected in ((ZMQInteractiveShell(), True), (TerminalInteractiveShell(), False)):
        monkeypatch.setattr("IPython.get_ipython", lambda shell=shell: shell)
        assert in_notebook() is expected
