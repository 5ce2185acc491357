import importlib
import io
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from l2p_search.caller import left_as_found
from l2p_search.cli import signals
from l2p_search.cli.signals import Signals, on_screen, say, unwound

_WATCHED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.mark.parametrize("number", _WATCHED)
def test_the_first_signal_ends_the_search_in_good_order(
    number: signal.Signals, capfd: pytest.CaptureFixture[str]
) -> None:
    with Signals("l2p-search --resume") as handled:
        assert not handled.stop.is_set()
        os.kill(os.getpid(), number)
        assert handled.stop.is_set()
    assert handled.exit_code == 128 + number
    assert capfd.readouterr().err == "l2p-search: stopping; once more to stop at once\n"


@pytest.mark.parametrize("shown", [False, True], ids=["in lines", "beneath a live panel"])
def test_the_second_one_ends_the_process_at_once_and_says_how_to_go_on(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], shown: bool
) -> None:
    def ended(code: int) -> None:
        raise SystemExit(code)

    monkeypatch.setattr(signals.os, "_exit", ended)

    def interrupted() -> None:
        with Signals("l2p-search --resume --name s") as handled:
            handled.stop.shown = shown
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGTERM)

    with pytest.raises(SystemExit) as found:
        interrupted()
    assert found.value.code == 128 + signal.SIGINT  # by the first of the two
    said = capfd.readouterr().err
    assert said.endswith("\nl2p-search: stopped; continue with: l2p-search --resume --name s\n")


def test_handlers_are_given_back_however_it_ends() -> None:
    before = [signal.getsignal(number) for number in _WATCHED]

    def failing() -> None:
        with Signals("again"):
            assert all(signal.getsignal(number) not in before for number in _WATCHED)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failing()
    assert [signal.getsignal(number) for number in _WATCHED] == before


def test_without_a_signal_nothing_is_stopped() -> None:
    with Signals("again") as handled:
        pass
    assert not handled.stop.is_set()
    assert isinstance(handled.stop, threading.Event)


def test_a_line_is_written_past_python(capfd: pytest.CaptureFixture[str]) -> None:
    say("näher")
    assert capfd.readouterr().err == "l2p-search: näher\n"


@pytest.mark.parametrize("handled", [lambda: Signals("again"), unwound])
@pytest.mark.parametrize("number", _WATCHED)
def test_what_our_caller_has_us_ignore_stays_ignored(
    handled: Callable[[], AbstractContextManager[object]], number: signal.Signals
) -> None:
    """As `nohup` does SIGHUP, so that a search outlives its terminal."""
    before = signal.signal(number, signal.SIG_IGN)
    try:
        with handled():
            assert signal.getsignal(number) is signal.SIG_IGN
            os.kill(os.getpid(), number)
        assert signal.getsignal(number) is signal.SIG_IGN
    finally:
        signal.signal(number, before)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_command_is_unwound_after_a_line(
    number: signal.Signals, capfd: pytest.CaptureFixture[str]
) -> None:
    before = [signal.getsignal(each) for each in _WATCHED]
    closed = []

    def command() -> None:
        with unwound():
            try:
                os.kill(os.getpid(), number)
            finally:
                closed.append(True)

    with pytest.raises(SystemExit) as ended:
        command()
    assert ended.value.code == 128 + number
    assert closed
    assert capfd.readouterr().err == f"l2p-search: ended by {number.name}\n"
    assert [signal.getsignal(each) for each in _WATCHED] == before


@pytest.mark.parametrize("number", _WATCHED)
def test_a_signal_within_an_import_waits_until_the_module_is_whole(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "l2p_half_imported.py").write_text(
        f"import os, time\nos.kill(os.getpid(), {int(number)})\ntime.sleep(0.2)\nwhole = True\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    def command() -> None:
        with unwound():
            import l2p_half_imported  # type: ignore[import-not-found]

            assert l2p_half_imported.whole
            time.sleep(10)
            raise AssertionError("not ended")

    with pytest.raises((KeyboardInterrupt, SystemExit)):
        command()
    assert sys.modules.pop("l2p_half_imported").whole


def test_a_call_that_leaves_the_process_as_found_does_not_take_a_waiting_signal_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ends the command later would end the process by its alarm, with no line and no code."""
    (tmp_path / "l2p_in_a_call.py").write_text(
        f"import os\nos.kill(os.getpid(), {int(signal.SIGTERM)})\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    # Long after the call: within it, what is raised could leave logging's lock taken in this test.
    monkeypatch.setattr(signals, "_SOON", 2.0)

    def command() -> None:
        with unwound():
            with left_as_found():
                importlib.import_module("l2p_in_a_call")
            assert callable(signal.getsignal(signal.SIGALRM))
            time.sleep(10)
            raise AssertionError("not ended")

    before = signal.getsignal(signal.SIGALRM)
    try:
        with pytest.raises(SystemExit) as ended:
            command()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        sys.modules.pop("l2p_in_a_call", None)
    assert ended.value.code == 143
    assert signal.getsignal(signal.SIGALRM) is before


def test_a_second_signal_ends_a_command_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = []
    monkeypatch.setattr(signals.os, "_exit", ended.append)

    def command() -> None:
        with unwound():
            try:
                os.kill(os.getpid(), signal.SIGTERM)
            finally:
                os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises((KeyboardInterrupt, SystemExit)):
        command()
    assert ended == [143]


def test_a_line_is_wrapped_between_words_on_a_narrow_terminal_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("COLUMNS", "24")
    line = "searching demo: torch and Ray start .."
    assert on_screen(line, Terminal()) == "searching demo: torch\nand Ray start .."
    assert on_screen(line, io.StringIO()) == line
    assert on_screen(f"  {line}", Terminal()) == "  searching demo: torch\n  and Ray start .."
    assert on_screen(line, Terminal(), 4) == "searching demo: torch\n    and Ray start .."
    assert on_screen("  1-2   7  █▏", Terminal()) == "  1-2   7  █▏"  # fits: as it is
