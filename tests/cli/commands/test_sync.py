"""Bringing searches to MLflow; what is written there is tested with the tracker."""

from pathlib import Path

import pytest

from l2p_search.api.found import Search
from l2p_search.cli.main import main
from l2p_search.data.graph import Graph
from l2p_search.errors import UserError, argument
from l2p_search.searching.records.settings import Goal
from tests.searching.pretend import searched


@pytest.fixture(autouse=True)
def asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_graph: Graph
) -> list[tuple[str, str | None]]:
    """Two searches; the value is what was brought where."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("L2P_SEARCH_DIR", raising=False)
    for name in ("early", "late"):
        searched(Path("searches") / name, small_graph, Goal(trials=1, confirm=0)).close()
    seen: list[tuple[str, str | None]] = []

    def sync(self: Search, tracking_uri: str | None = None) -> tuple[int, int]:
        seen.append((self.name, tracking_uri))
        return (1, 0) if self.name == "late" else (0, 1)

    monkeypatch.setattr(Search, "sync", sync)
    return seen


def test_all_searches_are_brought_and_counted(
    asked: list[tuple[str, str | None]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sync"]) == 0
    assert asked == [("late", None), ("early", None)]
    assert capsys.readouterr().out.splitlines() == [
        "late: 1 trial written, 0 were there",
        "early: 0 trials written, 1 were there",
    ]


def test_one_search_is_brought_to_another_server(asked: list[tuple[str, str | None]]) -> None:
    assert main(["sync", "early", "--tracking-uri", "http://server"]) == 0
    assert asked == [("early", "http://server")]


def test_a_search_that_cannot_be_read_holds_up_no_other(
    asked: list[tuple[str, str | None]], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("searches/bad").mkdir()
    Path("searches/bad/journal.log").write_text("no journal\n")
    assert main(["sync"]) == 0
    assert {name for name, _ in asked} == {"early", "late"}
    assert capsys.readouterr().err.startswith("l2p-search: searches/bad/journal.log: is damaged")


def test_a_server_that_cannot_be_used_is_one_line_with_the_flag(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(self: Search, tracking_uri: str | None = None) -> tuple[int, int]:
        raise UserError(f"http://x: MLflow cannot use it; leave {argument('tracking_uri')} out")

    monkeypatch.setattr(Search, "sync", refused)
    assert main(["sync"]) == 2
    said = capsys.readouterr().err
    assert said == "l2p-search: error: http://x: MLflow cannot use it; leave --tracking-uri out\n"


def test_a_misspelt_search_gets_the_nearest_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sync", "lat"]) == 2
    assert "did you mean 'late'?" in capsys.readouterr().err
