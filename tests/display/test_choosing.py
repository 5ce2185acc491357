import io
import sys
import threading
from contextlib import AbstractContextManager

import pytest

from l2p_search.display import choosing
from l2p_search.display.choosing import Display, Nothing, Shown, display_of, together_of
from l2p_search.display.live import LivePanel, PlainLines
from l2p_search.display.notebook import NotebookPanel
from l2p_search.display.panel import Subject
from l2p_search.display.together import TogetherLines
from l2p_search.progress import Event, Snapshot

_SUBJECT = Subject("s", ["K"])


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class _Own:
    def update(self, event: Event, snapshot: Snapshot) -> None: ...

    def note(self, text: str) -> None: ...


def _chosen(shown: Shown) -> AbstractContextManager[Display]:
    return display_of(shown, _SUBJECT)


def test_a_callers_own_object_is_told_itself() -> None:
    own = _Own()
    with _chosen(own) as display:
        assert display is own


def test_a_display_that_is_off_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with _chosen("off") as display:
        assert isinstance(display, Nothing)
        display.note("a remark")
        display.update(Event("exhausted"), None)  # type: ignore[arg-type]
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_a_terminal_gets_a_panel_and_a_file_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", _Terminal())
    assert isinstance(_chosen("auto"), LivePanel)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert isinstance(_chosen("auto"), PlainLines)


def test_a_terminal_that_cannot_move_its_cursor_gets_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys, "stderr", _Terminal())
    assert isinstance(_chosen("auto"), PlainLines)
    with together_of("auto", 3, threading.Event()) as together:
        assert isinstance(together, TogetherLines)


def test_a_notebook_gets_an_output_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "in_notebook", lambda: True)
    assert isinstance(_chosen("auto"), NotebookPanel)


def test_lines_go_to_the_stderr_of_the_moment_of_the_choice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What Ray prints is redirected later; the display must not be redirected with it."""
    monkeypatch.setattr(sys, "stderr", first := io.StringIO())
    with _chosen("auto") as display:
        monkeypatch.setattr(sys, "stderr", second := io.StringIO())
        display.note("a remark")
    assert first.getvalue() == "l2p-search: a remark\n"
    assert second.getvalue() == ""
