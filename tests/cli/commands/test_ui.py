"""What the command prints; the server is tested with its module, its pages in a browser."""

import signal
from collections.abc import Iterator

import pytest

from l2p_search.api import interface
from l2p_search.cli.main import main
from tests.api.serving import VIEWS, Process, without_mlflow


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Process]]:
    """The servers that would have been started; the handler of signals is put back."""
    before = signal.getsignal(signal.SIGTERM)
    yield without_mlflow(monkeypatch)
    signal.signal(signal.SIGTERM, before)


def test_a_server_of_ones_own_is_linked_to_and_none_is_started(
    started: list[Process], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ui", "--tracking-uri", "http://server:9/"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("MLflow: http://server:9/#/experiments/7/runs?")
    assert f"viewStateShareKey={VIEWS['demo-paper'][1]}" in line
    assert started == []


def test_a_search_is_opened_by_its_name_and_one_that_is_not_there_is_refused(
    started: list[Process], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ui", "l2p-search/demo", "--tracking-uri", "http://server:9/"]) == 0
    assert capsys.readouterr().out.rstrip().endswith("viewStateShareKey=l2p-search")
    assert main(["ui", "demo-papr", "--tracking-uri", "http://server:9/"]) == 2
    assert capsys.readouterr().err == (
        "l2p-search: error: http://server:9/: no search 'demo-papr' is recorded there"
        " (l2p-search sync NAME records it); did you mean 'demo-paper'?\n"
    )


def test_the_embedded_store_is_served_until_ctrl_c(
    started: list[Process], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ui"]) == 0
    (server,) = started
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"MLflow: http://127.0.0.1:{server.port}/")
    assert line.endswith("(Ctrl-C ends it)")
    assert server.waits == [None, 10]  # until Ctrl-C, and until it is gone


@pytest.mark.parametrize("flags", [[], ["--no-browser"]])
def test_the_address_is_printed_when_there_is_something_to_see_at_it(
    flags: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    printed: list[str] = []

    def ready(self: interface.Server) -> bool:
        captured = capfd.readouterr()
        printed.extend([captured.out, captured.err])
        return True

    monkeypatch.setattr(interface.Server, "ready", ready)
    monkeypatch.setattr(interface, "open_browser", lambda link: True)
    assert main(["ui", *flags]) == 0
    assert printed == ["", "l2p-search: MLflow's interface starts ..\n"]
    assert capfd.readouterr().out.startswith("MLflow: http://127.0.0.1:")


@pytest.mark.parametrize("flags", [[], ["--no-browser"]])
def test_the_browser_is_opened_unless_told_not_to(
    flags: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(interface.Server, "ready", lambda self: True)
    monkeypatch.setattr(interface, "open_browser", opened.append)
    assert main(["ui", *flags]) == 0
    assert len(opened) == (not flags)
    assert all(link.startswith("http://127.0.0.1:") for link in opened)


def test_a_signal_ends_the_server_too(
    started: list[Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    def terminated(self: Process, timeout: float | None = None) -> int:
        self.waits.append(timeout)
        if timeout is None:
            signal.raise_signal(signal.SIGTERM)
        return 0

    monkeypatch.setattr(Process, "wait", terminated)
    with pytest.raises(SystemExit) as ended:
        main(["ui"])
    assert ended.value.code == 128 + signal.SIGTERM
    assert started[0].waits == [None, 10]


def test_a_port_is_handed_on_and_a_bad_one_is_named_by_its_flag(
    started: list[Process], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ui", "--port", "65536"]) == 2
    assert capsys.readouterr().err == ("l2p-search: error: --port 65536: must be at most 65535\n")
    assert started == []


def test_an_empty_store_says_how_it_is_filled(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without_mlflow(monkeypatch, {})
    assert main(["ui"]) == 2
    assert capsys.readouterr().err.endswith(" l2p-search sync\n")
