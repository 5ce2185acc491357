"""What the command prints; the server is tested with its module, its pages in a browser."""

import signal
from collections.abc import Iterator

import pytest

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
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[0] for line in lines] == list(VIEWS)
    assert lines[0].split(": ")[1].startswith("http://server:9/#/experiments/7/runs?")
    assert started == []


def test_the_embedded_store_is_served_until_ctrl_c(
    started: list[Process], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ui"]) == 0
    (server,) = started
    captured = capsys.readouterr()
    links = captured.out.splitlines()
    assert len(links) == len(VIEWS)
    assert all(f": http://127.0.0.1:{server.port}/#/" in link for link in links)
    assert captured.err == "Ctrl-C ends it\n"
    assert server.waits == [None, 10]  # until Ctrl-C, and until it is gone


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
