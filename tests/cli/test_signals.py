import os
import signal
import threading

import pytest

from l2p_search.cli import signals
from l2p_search.cli.signals import Signals, say

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
