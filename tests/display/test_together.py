"""What is shown while several searches share the workers."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from l2p_search.display import together
from l2p_search.display.together import TogetherLines, TogetherPanel, Untold
from l2p_search.stopping import Stop
from tests.display.test_panel import _FRESH, _RUNNING, _SNAPSHOT


def _drawn(panel: TogetherPanel, width: int) -> str:
    console = Console(file=io.StringIO(), width=width)
    console.print(panel)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    assert all(len(line) <= width for line in text.splitlines())
    assert "…" not in text
    return " ".join(text.split())


def _panel(stop: Stop | None = None) -> TogetherPanel:
    return TogetherPanel(4, Console(file=io.StringIO()), stop or Stop())


@pytest.mark.parametrize("width", [40, 60, 100, 160])
def test_the_panel_says_how_far_each_search_is_and_what_it_trains(width: int) -> None:
    panel = _panel()
    assert "0 of 4 searches, 0 s Ray starts" in _drawn(panel, width)
    panel.update("answer-demo-l2q", replace(_SNAPSHOT, running=(_RUNNING,)))
    panel.update("answer-demo-gcn", replace(_SNAPSHOT, confirming=1, running=(_FRESH,)))
    panel.ended("answer-demo-mlp")
    text = _drawn(panel, width)
    assert text.startswith("1 of 4 searches, 0 s")
    assert "answer-demo-l2q 8 of 20 trials" in text
    assert "trial 8: 3" in text
    assert "answer-demo-gcn confirmation on fresh seeds: 0 of 1" in text
    panel.ended("answer-demo-l2q")
    assert "answer-demo-l2q" not in _drawn(panel, width)


def test_stopping_is_a_state_of_its_own() -> None:
    stop = Stop()
    panel = _panel(stop)
    panel.update("answer-demo-l2q", _SNAPSHOT)
    stop.set()
    text = _drawn(panel, 100)
    assert "0 of 4 searches stopping: every trial that has ended is kept" in text
    assert "Ctrl-C once more ends it at once" in text
    assert "epoch" not in text


def test_while_it_is_drawn_whoever_stops_need_not_say_so() -> None:
    stop = Stop()
    with _panel(stop):
        assert stop.shown
    assert not stop.shown


def test_many_searches_do_not_fill_the_screen() -> None:
    panel = TogetherPanel(20, Console(file=io.StringIO()), Stop())
    for place in range(9):
        panel.update(f"study-{place}", replace(_SNAPSHOT, running=()))
    text = _drawn(panel, 100)
    assert "study-5" in text
    assert "study-6" not in text
    assert "and 3 more" in text


def test_it_makes_room_for_lines_of_others() -> None:
    file = io.StringIO()
    panel = TogetherPanel(4, Console(file=file, force_terminal=True, width=80), Stop())
    with panel, panel.aside():
        assert panel._live is None
        file.write("a line\n")
    assert panel._live is None
    assert "a line\n" in file.getvalue()


def test_in_a_file_there_is_a_line_every_half_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(together.time, "monotonic", lambda: now)
    lines = TogetherLines(4, file := io.StringIO())
    lines.update("one", _SNAPSHOT)
    lines.ended("two")
    assert file.getvalue() == ""
    now = 131.0
    with lines.aside():
        lines.update("three", replace(_SNAPSHOT, confirming=2, confirmed=1))
    lines.update("one", _SNAPSHOT)
    assert file.getvalue() == (
        "l2p-search: 1 of 4 searches ended; one: 8 of 20 trials;"
        " three: confirmation on fresh seeds: 1 of 2\n"
    )


def test_switched_off_nothing_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    display = Untold()
    with display.aside():
        display.update("one", _SNAPSHOT)
        display.ended("one")
    assert capsys.readouterr() == ("", "")
